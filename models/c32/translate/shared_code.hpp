// Code that all blocks share: the way in and out, and float arithmetic.
#pragma once

#include <asmjit/x86.h>

#include "models/c32/translate/code.hpp"

namespace rtvp::c32::translate {

/// Fills the code pointers of a Context and keeps the code.
class SharedCode {
 public:
  /// `ignoreFrom32`: Alignment::IgnoreFrom32.
  SharedCode(asmjit::JitRuntime& runtime, Context& context, bool ignoreFrom32);
  /// False: the host gave no memory for code.
  [[nodiscard]] bool usable() const { return enter_ != nullptr; }
  /// Runs `code` until it comes back.
  void run(void* cpu, Context& context, std::uint32_t* plain, const void* code) const {
    enter_(cpu, &context, plain, code);
  }

 private:
  using Enter = void (*)(void* cpu, Context* context, std::uint32_t* plain, const void* code);
  Enter enter_ = nullptr;
};

}  // namespace rtvp::c32::translate
