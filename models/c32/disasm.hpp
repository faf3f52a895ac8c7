// Words back to assembly text.
#pragma once

#include <cstdint>
#include <string>

namespace rtvp::c32 {

/// Text of the word at run address `pc`. The assembler (with its enhanced option for revision 2
/// words) makes the same word of it again at the same address; a word that is no instruction, or
/// whose text would assemble to another encoding of the same operation, is shown as `.word`.
std::string disassemble(std::uint32_t word, std::uint32_t pc);

}  // namespace rtvp::c32
