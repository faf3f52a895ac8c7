// Prints the assembler's view of models/tigershark/protocol.hpp, so that host, board and firmware
// cannot disagree.
#include <cstdio>

#include "models/tigershark/protocol.hpp"

int main() {
  std::printf("; generated from models/tigershark/protocol.hpp; edit that file\n");
  for (const auto& c : rtvp::tigershark::kFirmwareConstants) {
    std::printf("%-15.*s .set    %lu%s%.*s\n", static_cast<int>(c.name.size()), c.name.data(),
                static_cast<unsigned long>(c.value), c.comment.empty() ? "" : "        ; ",
                static_cast<int>(c.comment.size()), c.comment.data());
  }
  return std::ferror(stdout) != 0 || std::fflush(stdout) != 0 ? 1 : 0;
}
