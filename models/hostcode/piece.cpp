#include "models/hostcode/piece.hpp"

namespace rtvp::hostcode {

void Piece::Errors::handleError(asmjit::Error /*code*/, const char* /*text*/,
                                asmjit::BaseEmitter* /*origin*/) {
  any = true;
}

Piece::Piece(const asmjit::JitRuntime& memory) {
  holder_.init(memory.environment());
  holder_.setErrorHandler(&errors_);
  holder_.attach(&to_);
}

std::size_t Piece::entry() {
  to_.align(asmjit::AlignMode::kCode, 16);
  return to_.offset();
}

const std::uint8_t* Piece::keep(asmjit::JitRuntime& memory) {
  const std::uint8_t* code = nullptr;
  if (errors_.any || holder_.hasUnresolvedLinks()) return nullptr;
  if (memory.add(&code, &holder_) != asmjit::kErrorOk) return nullptr;
  return code;
}

}  // namespace rtvp::hostcode
