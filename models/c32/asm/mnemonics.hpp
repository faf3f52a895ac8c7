// All spellings of all mnemonics, made from the instruction table.
#pragma once

#include <string>
#include <vector>

#include "models/c32/isa.hpp"

namespace rtvp::c32 {

struct Mnemonic {
  Op op = Op::kCount;
  Cond cond = Cond::U;
};

/// Rows a spelling (upper case) may mean; at most a two-operand and a three-operand one. Empty if
/// unknown.
const std::vector<Mnemonic>& findMnemonic(const std::string& upperName);

/// Every spelling, LDP among them.
std::vector<std::string> mnemonicNames();

/// The row of a parallel pair and whether its halves are written in exchanged order.
struct PairMatch {
  Op op = Op::kCount;
  bool exchanged = false;
};
PairMatch findPair(const std::string& firstUpper, const std::string& secondUpper);

}  // namespace rtvp::c32
