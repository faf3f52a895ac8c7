#include "models/c32/simt/run_code.hpp"

#include "models/c32/simt/run_writer.hpp"
#include "models/c32/simt/word_writer.hpp"
#include "models/hostcode/convention.hpp"
#include "models/hostcode/piece.hpp"

namespace rtvp::c32::simt {
namespace {

constexpr unsigned kNarrow = 4;  // AVX2
constexpr unsigned kWide = 8;    // AVX-512

}  // namespace

struct RunCode::Runtime {
  asmjit::JitRuntime jit;
};

RunCode::RunCode(unsigned width, bool floorAlways)
    : runtime_(std::make_unique<Runtime>()), wide_(width == kWide), floorAlways_(floorAlways) {}
RunCode::~RunCode() = default;

bool RunCode::possible(unsigned width) {
  return hostcode::hostHas({}) && (width == kNarrow || width == kWide);
}

void RunCode::forget() {
  runtime_ = std::make_unique<Runtime>();
}

RunCode::Entry RunCode::make(const RunPlan& plan, bool zeros) {
  hostcode::Piece piece(runtime_->jit);
  if (wide_) {
    WideRunWriter(piece.to(), plan, floorAlways_, zeros).write();
  } else {
    NarrowRunWriter(piece.to(), plan, floorAlways_, zeros).write();
  }
  return hostcode::asFunction<Entry>(piece.keep(runtime_->jit));
}

RunCode::WordEntry RunCode::make(const WordPlan& plan) {
  hostcode::Piece piece(runtime_->jit);
  WordWriter(piece.to(), plan, wide_).write();
  return hostcode::asFunction<WordEntry>(piece.keep(runtime_->jit));
}

}  // namespace rtvp::c32::simt
