// Files for editors and readers, made from the tables of instructions, registers and directives:
// syntax for Vim and VS Code, patterns for ctags, a manual page.
#pragma once

#include <string>
#include <string_view>

namespace rtvp::c32 {

/// `kind` is vim, vscode, ctags or man; empty for another one.
std::string syntaxFile(std::string_view kind);

}  // namespace rtvp::c32
