// See mnemonics.hpp. Synonyms: c32.md 4.4.4 and section 5.
#include "models/c32/asm/mnemonics.hpp"

#include <map>
#include <utility>

#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

using Table = std::map<std::string, std::vector<Mnemonic>, std::less<>>;

constexpr const char* kConditions[] = {
    "U",  "LO", "C", "LS", "HI", "HS", "NC", "EQ",  "Z",  "NE",  "NZ", "LT",   "N",   "L",
    "LE", "GT", "P", "GE", "NN", "NV", "V",  "NUF", "UF", "NLV", "LV", "NLUF", "LUF", "ZUF"};

void addConditional(Table& table, const OpInfo& row) {
  const std::string delayed = row.delayed ? "D" : "";
  for (const char* name : kConditions) {
    table[std::string(row.mnemonic) + name + delayed].push_back(
        {row.op, static_cast<Cond>(condCode(name))});
  }
  // B, BD, DB, DBD, RETI, RETS, TRAP; LDF, LDI and CALL without condition are instructions of their
  // own.
  if (row.format != Format::CondLoad && row.op != Op::CALLcond) {
    table[std::string(row.mnemonic) + delayed].push_back({row.op, Cond::U});
  }
}

Table makeTable() {
  Table table;
  for (const OpInfo& row : kInstructions) {
    if (row.first != Op::kCount) continue;
    if (row.conditional) {
      addConditional(table, row);
      continue;
    }
    table[std::string(row.mnemonic)].push_back({row.op, Cond::U});
    if (row.format == Format::Three || row.format == Format::ThreeCompare) {
      table[std::string(row.mnemonic.substr(0, row.mnemonic.size() - 1))].push_back(
          {row.op, Cond::U});
    }
  }
  return table;
}

/// "ADDF3" and "ADDF" name the same half.
std::string withoutThree(const std::string& name) {
  return !name.empty() && name.back() == '3' ? name.substr(0, name.size() - 1) : name;
}

std::map<std::string, Op, std::less<>> makePairs() {
  std::map<std::string, Op, std::less<>> pairs;
  for (const OpInfo& row : kInstructions) {
    if (row.first == Op::kCount) continue;
    const std::string first = withoutThree(std::string(info(row.first).mnemonic));
    const std::string second = withoutThree(std::string(info(row.second).mnemonic));
    pairs[first + "|" + second] = row.op;
  }
  return pairs;
}

bool loadOrStore(const std::string& stem) {
  return stem == "LDF" || stem == "LDI" || stem == "STF" || stem == "STI";
}

const Table& spellings() {
  static const Table table = makeTable();
  return table;
}

}  // namespace

const std::vector<Mnemonic>& findMnemonic(const std::string& upperName) {
  static const std::vector<Mnemonic> none;
  const auto it = spellings().find(upperName);
  return it == spellings().end() ? none : it->second;
}

std::vector<std::string> mnemonicNames() {
  std::vector<std::string> names = {"LDP", "LDPK"};
  for (const auto& [name, rows] : spellings()) names.push_back(name);
  return names;
}

PairMatch findPair(const std::string& firstUpper, const std::string& secondUpper) {
  static const auto pairs = makePairs();
  // LDF2 || LDF1 names the fields of the word: 2 is the half that is otherwise written first.
  const auto numbered = [](const std::string& name, char digit) {
    return name.size() == 4 && name[3] == digit && loadOrStore(name.substr(0, 3));
  };
  std::string first = firstUpper, second = secondUpper;
  bool exchanged = false;
  if ((numbered(first, '1') && numbered(second, '2')) ||
      (numbered(first, '2') && numbered(second, '1'))) {
    exchanged = first[3] == '1';
    first.pop_back();
    second.pop_back();
  }
  first = withoutThree(first);
  second = withoutThree(second);
  if (const auto it = pairs.find(first + "|" + second); it != pairs.end())
    return {it->second, exchanged};
  if (const auto it = pairs.find(second + "|" + first); it != pairs.end())
    return {it->second, true};
  return {};
}

}  // namespace rtvp::c32
