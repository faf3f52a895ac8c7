// The listing: address, word, cycles, source line. Cycles are those of c32.md 7.2; behind the +
// stand the cycles an address register conflict (7.4) costs in straight execution.
#include <algorithm>

#include "models/c32/asm/program.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {
namespace {}  // namespace

/// Six characters: base cycles and the stall, blank for what is no instruction.
std::string Program::cyclesText(const Statement& s) const {
  std::string text;
  if (s.kind == Statement::Kind::Instruction && s.valid) {
    const auto n = static_cast<std::size_t>(&s - statements_.data());
    if (const auto i = decode(s.word)) text = std::to_string(info(i->op).cycles);
    if (n < stalls_.size() && stalls_[n] != 0) text += "+" + std::to_string(stalls_[n]);
  }
  text.resize(6, ' ');
  return text;
}

void Program::makeListing() {
  std::string& out = result_.listing;
  std::size_t next = 0;
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    const ListedLine& l = listed_[i];
    const std::size_t end = i + 1 < listed_.size() ? listed_[i + 1].statements : statements_.size();
    const Line& line = l.line;
    std::string prefix(22, ' ');
    std::string more;
    for (next = l.statements; next < end; ++next) {
      const Statement& s = statements_[next];
      const Building& b = sections_[static_cast<std::size_t>(s.section)];
      const std::uint32_t shown = s.kind == Statement::Kind::Fill ? std::min(s.size, 1u) : s.size;
      for (std::uint32_t k = 0; k < shown && placed_; ++k) {
        const std::uint32_t word = s.offset + k < b.words.size() ? b.words[s.offset + k] : 0;
        const std::string text = common::hexUpper((b.runBase + s.offset + k) & kAddressMask, 6) +
                                 " " + common::hexUpper(word, 8) + " ";
        if (k == 0) {
          prefix = text + cyclesText(s);
        } else {
          more += text + "\n";
        }
      }
    }
    out += prefix + (line.expanded ? "+" : " ") + std::to_string(line.where.line) + "\t" +
           line.text + "\n" + more;
  }
}

}  // namespace rtvp::c32
