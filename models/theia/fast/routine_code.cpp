#include "models/theia/fast/routine_code.hpp"

#include <algorithm>
#include <utility>

#include "models/theia/fast/routine_writer.hpp"

namespace rtvp::theia::fast {
namespace {

/// Then those that no core uses are forgotten.
constexpr std::size_t kMostKept = 32;

/// An instruction that the host does not have as it was asked for.
struct Errors final : asmjit::ErrorHandler {
  bool any = false;
  void handleError(asmjit::Error /*code*/, const char* /*text*/,
                   asmjit::BaseEmitter* /*origin*/) override {
    any = true;
  }
};

/// Rows of a segment that its code depends on: what is written, and the run's length and clocks.
std::uint32_t rowsOf(const Segment& segment) {
  return std::max(segment.rows, 1U);
}

/// But for how often it was entered.
bool sameRow(const Row& a, const Row& b) {
  return a.code == b.code && a.opcode == b.opcode && a.d == b.d && a.a == b.a && a.b == b.b &&
         a.immediate == b.immediate && a.jump == b.jump && a.runClocks == b.runClocks &&
         a.run == b.run && a.period == b.period;
}

}  // namespace

/// Its memory lives as long as the last code in it.
struct RoutineCode::Runtime {
  asmjit::JitRuntime jit;
};

RoutineCode::RoutineCode(std::shared_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}
RoutineCode::~RoutineCode() {
  if (function_ != nullptr) runtime_->jit.release(function_);
}

std::vector<std::uint32_t> RoutineCode::runsTo(const Ending& ending) const {
  std::vector<std::uint32_t> slots;
  for (auto i = static_cast<std::int32_t>(ending.segment); i != Segment::kNone;
       i = segments_[static_cast<std::size_t>(i)].parent)
    slots.push_back(segments_[static_cast<std::size_t>(i)].slot);
  return slots;
}

bool RoutineCode::isOf(std::span<const Row> rows, std::uint32_t slot) const {
  if (segments_.front().slot != slot) return false;
  const Row* kept = rows_.data();
  for (const Segment& s : segments_) {
    if (s.slot + rowsOf(s) > rows.size()) return false;
    if (!std::equal(kept, kept + rowsOf(s), &rows[s.slot], sameRow)) return false;
    kept += rowsOf(s);
  }
  return std::all_of(endings_.begin(), endings_.end(), [rows](const Ending& ending) {
    return ending.slot < rows.size() &&
           (ending.kind != Ending::Kind::Returned || rows[ending.slot].code == Code::Return);
  });
}

RoutineShelf::RoutineShelf(common::Isa isa) : isa_(isa) {
  const bool suits = (isa == common::Isa::Avx2 || isa == common::Isa::Avx512) &&
                     common::isaUsable(isa) &&
                     asmjit::Environment::host().arch() == asmjit::Arch::kX64;
  if (suits) runtime_ = std::make_shared<RoutineCode::Runtime>();
}
RoutineShelf::~RoutineShelf() = default;

std::shared_ptr<const RoutineCode> RoutineShelf::get(const Wanted& wanted,
                                                     const RoutineCode* than) {
  if (!runtime_) return nullptr;
  const auto found = std::find_if(made_.rbegin(), made_.rend(), [&](const auto& code) {
    return (than == nullptr || code->number_ > than->number_) &&
           code->isOf(wanted.rows, wanted.slot);
  });
  if (found != made_.rend()) return *found;
  const std::span<const Row> rows = wanted.rows;
  const RoutinePlan plan(rows, wanted.slot, wanted.limit, wanted.entered);
  if (plan.segments().empty()) return nullptr;
  auto code = std::make_shared<RoutineCode>(runtime_);
  asmjit::CodeHolder holder;
  holder.init(runtime_->jit.environment());
  Errors errors;
  holder.setErrorHandler(&errors);
  asmjit::x86::Assembler assembler(&holder);
  code->endings_ = RoutineWriter(assembler, plan, isa_ == common::Isa::Avx512).write();
  if (errors.any || runtime_->jit.add(&code->function_, &holder) != asmjit::kErrorOk)
    return nullptr;
  code->segments_.assign(plan.segments().begin(), plan.segments().end());
  for (const Segment& s : code->segments_)
    code->rows_.insert(code->rows_.end(), &rows[s.slot], &rows[s.slot] + rowsOf(s));
  code->number_ = ++numbers_;
  if (made_.size() >= kMostKept)
    std::erase_if(made_, [](const auto& kept) { return kept.use_count() == 1; });
  return made_.emplace_back(std::move(code));
}

}  // namespace rtvp::theia::fast
