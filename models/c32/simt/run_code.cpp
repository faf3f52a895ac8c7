#include "models/c32/simt/run_code.hpp"

#include "models/c32/simt/run_writer.hpp"

namespace rtvp::c32::simt {
namespace {

constexpr unsigned kNarrow = 4;  // AVX2
constexpr unsigned kWide = 8;    // AVX-512

/// An instruction that the host does not have as it was asked for.
struct Errors final : asmjit::ErrorHandler {
  bool any = false;
  void handleError(asmjit::Error /*code*/, const char* /*text*/,
                   asmjit::BaseEmitter* /*origin*/) override {
    any = true;
  }
};

}  // namespace

struct RunCode::Runtime {
  asmjit::JitRuntime jit;
};

RunCode::RunCode(unsigned width, bool floorAlways)
    : runtime_(std::make_unique<Runtime>()), wide_(width == kWide), floorAlways_(floorAlways) {}
RunCode::~RunCode() = default;

bool RunCode::possible(unsigned width) {
  return asmjit::Environment::host().arch() == asmjit::Arch::kX64 &&
         (width == kNarrow || width == kWide);
}

void RunCode::forget() {
  runtime_ = std::make_unique<Runtime>();
}

RunCode::Entry RunCode::make(const RunPlan& plan, bool zeros) {
  asmjit::CodeHolder holder;
  holder.init(runtime_->jit.environment());
  Errors errors;
  holder.setErrorHandler(&errors);
  asmjit::x86::Assembler a(&holder);
  if (wide_) {
    WideRunWriter(a, plan, floorAlways_, zeros).write();
  } else {
    NarrowRunWriter(a, plan, floorAlways_, zeros).write();
  }
  Entry code = nullptr;
  if (errors.any || runtime_->jit.add(&code, &holder) != asmjit::kErrorOk) return nullptr;
  return code;
}

}  // namespace rtvp::c32::simt
