#include "models/xphmg/hart/translate/translator.hpp"

#include <algorithm>

#include "models/hostcode/convention.hpp"
#include "models/hostcode/piece.hpp"
#include "models/xphmg/hart/execute.hpp"
#include "models/xphmg/hart/translate/block_code.hpp"

namespace rtvp::rv64 {
namespace {

/// A place whose code changes again and again has to be twice as hot each time, up to this power.
constexpr std::uint8_t kMostDrops = 6;
constexpr std::uint16_t kHottest = 512;
/// Not to be asked again before everything changes.
constexpr std::uint16_t kNever = 0xFFFF;
constexpr std::size_t kMostInstructions = 64;
constexpr std::size_t kMostCodeBytes = std::size_t{64} << 20U;
/// Offsets are compared as signed immediates.
constexpr std::uint64_t kLargestRam = 0x7FFFF000;

}  // namespace

struct Translator::Host {
  asmjit::JitRuntime shared;
  asmjit::JitRuntime blocks;
  CodeSurroundings around;
};

Translator::Translator(Hart& hart)
    : hart_(hart),
      host_(std::make_unique<Host>()),
      hot_(std::min(hart.options_.translate_after, kHottest)) {
  const Hart::DirectRam& ram = hart.ram_;
  const bool suits =
      ram.limit >= Hart::kPageBytes && ram.limit <= kLargestRam && hostcode::hostHas({});
  if (!suits) return;
  hostcode::Piece piece(host_->shared);
  SharedCode shared;
  shared.make(piece);
  const std::uint8_t* const code = piece.keep(host_->shared);
  if (code == nullptr) return;  // the host forbids it
  enter_ = hostcode::asFunction<Enter>(code);
  leave_ = code + shared.leave;
  nothing_.fill(leave_);
  tables_.resize((ram.limit + Hart::kPageBytes - 1) >> Hart::kPageBits);
  directory_.assign(tables_.size(), nothing_.data());
  frame_ = {ram.flags, directory_.data(), 0, ram.data, 0 - ram.base};
  CodeSurroundings& around = host_->around;
  around.base = ram.base;
  around.limit = ram.limit;
  around.floats = static_cast<std::int32_t>(reinterpret_cast<const char*>(hart.f_.data()) -
                                            reinterpret_cast<const char*>(hart.x_.data()));
  around.leave = leave_;
  around.line_bits = Hart::kLineBits;
  around.page_bits = Hart::kPageBits;
  around.entry = [this](std::uint64_t pc) -> const void* const* {
    const std::uint64_t offset = codeOffset(pc);
    if (offset >= hart_.ram_.limit) return nullptr;
    return &table(offset >> Hart::kPageBits).code[(offset % Hart::kPageBytes) / 2];
  };
  around.counter = [this](std::uint64_t pc) -> std::uint64_t* {
    return hart_.account_ == nullptr ? nullptr : hart_.account_->counterAt(pc);
  };
}

Translator::~Translator() = default;

/// Beyond the RAM for what cannot have code.
std::uint64_t Translator::codeOffset(std::uint64_t pc) const {
  return (pc & 1U) == 0 ? pc - hart_.ram_.base : ~std::uint64_t{0};
}

bool Translator::floatsReady() const {
  return fp::HostUnit::kAvailable && (hart_.mstatus_ & kFloatState) == kFloatState &&
         hart_.frm_ == 0;
}

Translator::Table& Translator::table(std::uint64_t page) {
  std::unique_ptr<Table>& table = tables_[page];
  if (!table) {
    table = std::make_unique<Table>();
    table->code.fill(leave_);
    directory_[page] = table->code.data();
  }
  return *table;
}

const void* Translator::find(std::uint64_t pc) {
  const std::uint64_t offset = codeOffset(pc);
  if (offset >= hart_.ram_.limit) return nullptr;
  Table& t = table(offset >> Hart::kPageBits);
  const std::uint64_t half = (offset % Hart::kPageBytes) / 2;
  if (t.code[half] != leave_) return t.code[half];
  std::uint16_t& heat = t.heat[half];
  if (heat == kNever || ++heat < hot_ << t.drops[half]) return nullptr;
  return translate(t, offset);
}

bool Translator::run(const void* code) {
  frame_.floats_ready = floatsReady() ? 1 : 0;
  const std::uint64_t limit = hart_.limit_;
  const Left left = enter_(code, limit - hart_.retired_, hart_.x_.data(), &frame_);
  const std::uint64_t retired = limit - left.room;
  hart_.translated_ += retired - hart_.retired_;
  hart_.retired_ = retired;
  hart_.pc_ = left.pc & ~std::uint64_t{1};
  return (left.pc & 1U) == 0;
}

/// Only of what the interpreter has decoded: it sees memory as it was then, too.
const void* Translator::translate(Table& t, std::uint64_t offset) {
  const Hart::Region& region = hart_.regions_.front();
  const std::uint64_t first = (offset % Hart::kPageBytes) / 2;
  const std::unique_ptr<Hart::Page>& page = region.pages[offset >> Hart::kPageBits];
  t.heat[first] = 0;
  if (!page || (*page)[first].handler == nullptr) return nullptr;  // not decoded yet
  t.heat[first] = kNever;
  std::vector<Decoded> instructions;
  bool aside = false;
  std::uint64_t half = first;
  std::uint64_t end = first;
  while (half < kHalves && instructions.size() < kMostInstructions) {
    const Hart::Slot& slot = (*page)[half];
    if (slot.handler == nullptr) break;
    const Op op = slot.instruction.op;
    const bool fused = op != Op::Illegal && row(op).format == Format::R4;
    const bool other = slot.handler == &Hart::atPlace || (fused && !hart_.host_fma_);
    const Course course = other ? Course::Aside : courseOf(slot.instruction);
    aside = course == Course::Aside;
    if (aside) break;
    instructions.push_back(slot.instruction);
    end = half + 1;
    if (course == Course::Jump || (course == Course::Branch && slot.instruction.imm < 0)) break;
    half += slot.instruction.length / 2;
  }
  if (instructions.empty()) return nullptr;
  hostcode::Piece piece(host_->blocks);
  const std::uint64_t pc = hart_.ram_.base + offset;
  BlockCode(piece.to(), host_->around).make(pc, instructions, aside);
  const void* const code = piece.keep(host_->blocks);
  if (code == nullptr) return nullptr;
  code_bytes_ += piece.size();
  t.code[first] = code;
  t.blocks.push_back({static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(end)});
  if (code_bytes_ <= kMostCodeBytes) return code;
  clear();
  return nullptr;
}

void Translator::drop(std::uint64_t offset) {
  const std::unique_ptr<Table>& t = tables_[offset >> Hart::kPageBits];
  if (!t) return;
  const std::uint64_t half = (offset % Hart::kPageBytes) / 2;
  if (t->heat[half] == kNever) t->heat[half] = 0;  // it may be something else now
  std::erase_if(t->blocks, [&](const Block& block) {
    if (half < block.first || half >= block.end) return false;
    host_->blocks.release(t->code[block.first]);
    t->code[block.first] = leave_;
    t->heat[block.first] = 0;
    t->drops[block.first] = std::min<std::uint8_t>(t->drops[block.first] + 1, kMostDrops);
    return true;
  });
}

void Translator::clear() {
  for (const std::unique_ptr<Table>& t : tables_) {
    if (!t) continue;
    t->code.fill(leave_);
    t->heat.fill(0);
    t->blocks.clear();
  }
  host_->blocks.reset(asmjit::ResetPolicy::kHard);
  code_bytes_ = 0;
}

}  // namespace rtvp::rv64
