// See register_forms.hpp.
#include "tests/platform/app/register_forms.hpp"

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>

namespace rtvp::test {
namespace {

using boost::property_tree::ptree;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what);
}

std::uint64_t number(const std::string& text) {
  static const std::regex kForm("0x[0-9a-fA-F]+|[0-9]+");
  if (!std::regex_match(text, kForm)) fail("no number: '" + text + "'");
  return std::stoull(text, nullptr, 0);
}

std::uint64_t ones(unsigned bits) {
  return bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
}

// ---- CMSIS-SVD

/// Children in the schema's order, each at most once but the last of `repeated`; `needed` are
/// there.
void checkChildren(const ptree& node, const std::string& where,
                   std::span<const std::string_view> order, std::set<std::string_view> needed,
                   std::string_view repeated = {}) {
  std::size_t at = 0;
  for (const auto& [name, child] : node) {
    if (name == "<xmlattr>") continue;
    while (at < order.size() && order[at] != name) ++at;
    if (at == order.size()) fail(where + ": <" + name + "> is not expected here");
    if (name != repeated) ++at;
    needed.erase(name);
    if (child.empty() && child.data().empty()) fail(where + ": <" + name + "> is empty");
  }
  if (!needed.empty()) fail(where + ": no <" + std::string(*needed.begin()) + ">");
}

void checkWord(const std::string& word, std::initializer_list<const char*> known) {
  if (std::none_of(known.begin(), known.end(), [&](const char* k) { return word == k; }))
    fail("no word of the schema: '" + word + "'");
}

FormField svdField(const ptree& node, std::uint64_t reset, std::uint64_t known) {
  static constexpr std::string_view kOrder[] = {"name",      "description", "bitOffset",
                                                "bitWidth",  "access",      "modifiedWriteValues",
                                                "readAction"};
  checkChildren(node, "field", kOrder, {"name", "bitOffset", "bitWidth", "access"});
  FormField field;
  field.name = node.get<std::string>("name");
  if (!std::regex_match(field.name, std::regex("[_A-Za-z][_A-Za-z0-9]*"))) fail(field.name);
  field.lsb = static_cast<unsigned>(number(node.get<std::string>("bitOffset")));
  const auto width = static_cast<unsigned>(number(node.get<std::string>("bitWidth")));
  if (width == 0 || field.lsb + width > 64) fail(field.name + ": width");
  field.msb = field.lsb + width - 1;
  const auto access = node.get<std::string>("access");
  checkWord(access, {"read-only", "write-only", "read-write"});
  field.reads = access != "write-only";
  field.writes = access != "read-only";
  if (const auto clears = node.get_optional<std::string>("modifiedWriteValues")) {
    checkWord(*clears, {"oneToClear"});
    if (!field.writes) fail(field.name + ": writes of what is not written");
    field.oneToClear = true;
  }
  if (const auto action = node.get_optional<std::string>("readAction")) {
    checkWord(*action, {"modify", "modifyExternal"});
    if (!field.reads) fail(field.name + ": reads of what is not read");
    field.readActs = true;
  }
  const std::uint64_t mask = ones(width) << field.lsb;
  if ((known & mask) == mask) field.reset = (reset & mask) >> field.lsb;
  return field;
}

void svdRegister(const ptree& node, FormPage& page) {
  static constexpr std::string_view kOrder[] = {
      "dim",           "dimIncrement", "dimIndex", "name",       "displayName", "description",
      "addressOffset", "size",         "access",   "resetValue", "resetMask",   "fields"};
  checkChildren(node, "register", kOrder,
                {"name", "addressOffset", "size", "access", "resetValue", "resetMask"});
  FormRegister reg;
  auto name = node.get<std::string>("name");
  reg.offset = number(node.get<std::string>("addressOffset"));
  reg.width = static_cast<unsigned>(number(node.get<std::string>("size")));
  const std::uint64_t reset = number(node.get<std::string>("resetValue"));
  const std::uint64_t known = number(node.get<std::string>("resetMask"));
  if (reg.width > 64 || (reset & ~ones(reg.width)) != 0 || (known & ~ones(reg.width)) != 0)
    fail(name + ": reset value is too long");
  bool reads = false, writes = false;
  if (const auto fields = node.get_child_optional("fields")) {
    for (const auto& [tag, field] : *fields) {
      if (tag != "field") fail("<" + tag + "> among fields");
      reg.fields.push_back(svdField(field, reset, known));
      reads |= reg.fields.back().reads;
      writes |= reg.fields.back().writes;
    }
  } else {
    reads = true;
  }
  if (node.get<std::string>("access") != (reads && writes ? "read-write"
                                          : reads         ? "read-only"
                                                          : "write-only"))
    fail(name + ": access is not that of its fields");
  if (!node.get_child_optional("dim")) {
    if (!std::regex_match(name, std::regex("[_A-Za-z][_A-Za-z0-9]*"))) fail(name + ": name");
    reg.name = name;
    page.registers.push_back(reg);
    return;
  }
  if (!name.ends_with("%s")) fail(name + ": an array without %s");
  name.resize(name.size() - 2);
  const std::uint64_t count = number(node.get<std::string>("dim"));
  const std::uint64_t step = number(node.get<std::string>("dimIncrement"));
  std::smatch ends;
  const auto index = node.get<std::string>("dimIndex");
  if (!std::regex_match(index, ends, std::regex("([0-9]+)-([0-9]+)")) ||
      number(ends[2]) - number(ends[1]) + 1 != count)
    fail(name + ": dimIndex");
  for (std::uint64_t i = 0; i < count; ++i, reg.offset += step) {
    reg.name = name + "[" + std::to_string(i) + "]";
    page.registers.push_back(reg);
  }
}

FormPage svdPage(const ptree& node) {
  static constexpr std::string_view kOrder[] = {"name", "description", "baseAddress",
                                                "addressBlock", "registers"};
  checkChildren(node, "peripheral", kOrder,
                {"name", "description", "baseAddress", "addressBlock", "registers"});
  static constexpr std::string_view kBlock[] = {"offset", "size", "usage"};
  checkChildren(node.get_child("addressBlock"), "addressBlock", kBlock,
                {"offset", "size", "usage"});
  checkWord(node.get<std::string>("addressBlock.usage"), {"registers"});
  FormPage page;
  page.base = number(node.get<std::string>("baseAddress"));
  for (const auto& [tag, reg] : node.get_child("registers")) {
    if (tag != "register") fail("<" + tag + "> among registers");
    svdRegister(reg, page);
  }
  const FormRegister& last = page.registers.back();
  if (last.offset + last.width / 8 > number(node.get<std::string>("addressBlock.size")))
    fail("the block is too short");
  return page;
}

// ---- SystemRDL: words, then what they form

class Rdl {
 public:
  explicit Rdl(const std::string& text) { split(text); }

  Form read() {
    Form form;
    while (at_ < words_.size()) {
      take("addrmap");
      const std::string name = takeName();
      take("{");
      if (name.ends_with("_registers")) {
        FormPage page;
        body(page);
        if (!form.emplace(name.substr(0, name.size() - 10), page).second) fail("twice: " + name);
      } else {
        whole(form);
        if (at_ != words_.size()) fail("something behind the last addrmap");
      }
    }
    return form;
  }

 private:
  /// Words, numbers, texts (with their first quote) and signs; no comments.
  void split(const std::string& text) {
    static const std::regex kWord(
        R"re(//[^\n]*|"(?:[^"\\]|\\.)*"|\\?[A-Za-z_][A-Za-z_0-9]*|0x[0-9a-fA-F]+|[0-9]+|\+=|[{}\[\]@=:;]|\s+|.)re");
    for (std::sregex_iterator i(text.begin(), text.end(), kWord), end; i != end; ++i) {
      const std::string word = i->str();
      if (std::isspace(static_cast<unsigned char>(word[0])) != 0 || word.starts_with("//"))
        continue;
      words_.push_back(word);
    }
  }
  [[nodiscard]] const std::string& look(std::size_t ahead = 0) const {
    static const std::string kEnd;
    return at_ + ahead < words_.size() ? words_[at_ + ahead] : kEnd;
  }
  std::string next() {
    if (at_ == words_.size()) fail("the text ends early");
    return words_[at_++];
  }
  void take(const std::string& word) {
    if (const std::string found = next(); found != word)
      fail("found '" + found + "', expected '" + word + "'");
  }
  bool takeIf(const std::string& word) {
    if (look() != word) return false;
    ++at_;
    return true;
  }
  std::string takeName() {
    std::string name = next();
    if (name.starts_with("\\")) return name.substr(1);
    // What the standard keeps for itself has small letters only.
    static const std::regex kName("[A-Za-z_][A-Za-z_0-9]*"), kKept("[a-z]+[a-z0-9]*");
    if (!std::regex_match(name, kName)) fail("no name: '" + name + "'");
    const bool mapName = words_[at_ - 2] == "addrmap";
    if (!mapName && std::regex_match(name, kKept)) fail("may be a word of the language: " + name);
    return name;
  }
  std::uint64_t takeNumber() { return number(next()); }

  /// name = "..."; and its kin at the beginning of a body.
  std::map<std::string, std::string> properties() {
    static const std::set<std::string> kKnown = {
        "name", "desc", "littleendian", "lsb0", "regwidth", "sw", "hw", "onwrite", "onread"};
    std::map<std::string, std::string> all;
    while (kKnown.contains(look())) {
      const std::string key = next();
      std::string value = "true";
      if (takeIf("=")) value = next();
      if ((key == "name" || key == "desc") != value.starts_with("\"")) fail(key + " = " + value);
      take(";");
      if (!all.emplace(key, value).second) fail("twice: " + key);
    }
    return all;
  }

  void body(FormPage& page) {
    properties();
    while (!takeIf("}")) registerOf(page);
    take(";");
  }

  void registerOf(FormPage& page) {
    take("reg");
    take("{");
    auto words = properties();
    FormRegister reg;
    reg.width = static_cast<unsigned>(number(words["regwidth"]));
    bool acts = false;
    while (takeIf("field")) reg.fields.push_back(fieldOf(acts));
    take("}");
    if (reg.fields.empty()) fail("a register without a field");
    // User-defined reads and writes are of external registers.
    if (takeIf("external") != acts) fail("external, or not: " + look());
    const std::string name = takeName();
    std::uint64_t count = 0, step = 0;
    if (takeIf("[")) {
      count = takeNumber();
      take("]");
    }
    take("@");
    reg.offset = takeNumber();
    if (count != 0) {
      take("+=");
      step = takeNumber();
      if (count < 2 || step < reg.width / 8) fail("array: " + name);
    }
    take(";");
    reg.name = name;
    if (count == 0) page.registers.push_back(reg);
    for (std::uint64_t i = 0; i < count; ++i, reg.offset += step) {
      reg.name = name + "[" + std::to_string(i) + "]";
      page.registers.push_back(reg);
    }
  }

  FormField fieldOf(bool& acts) {
    take("{");
    auto words = properties();
    take("}");
    FormField field;
    field.name = takeName();
    checkWord(words["sw"], {"r", "w", "rw"});
    checkWord(words["hw"], {"r", "rw", "na"});
    field.reads = words["sw"] != "w";
    field.writes = words["sw"] != "r";
    if (words.contains("onwrite")) {
      checkWord(words["onwrite"], {"woclr", "wuser"});
      if (!field.writes) fail("onwrite of " + field.name);
      field.oneToClear = words["onwrite"] == "woclr";
      acts |= !field.oneToClear;
    }
    if (words.contains("onread")) {
      checkWord(words["onread"], {"ruser"});
      if (!field.reads) fail("onread of " + field.name);
      acts = field.readActs = true;
    }
    take("[");
    field.msb = static_cast<unsigned>(takeNumber());
    take(":");
    field.lsb = static_cast<unsigned>(takeNumber());
    take("]");
    if (takeIf("=")) field.reset = takeNumber();
    take(";");
    return field;
  }

  void whole(Form& form) {
    properties();
    while (!takeIf("}")) {
      const std::string type = takeName();
      const std::string name = takeName();
      if (type != name + "_registers" || !form.contains(name)) fail("no addrmap " + type);
      take("@");
      form.at(name).base = takeNumber();
      take(";");
    }
    take(";");
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

}  // namespace

Form readSvd(const std::string& text) {
  std::istringstream in(text);
  ptree tree;
  boost::property_tree::read_xml(in, tree, boost::property_tree::xml_parser::trim_whitespace);
  const ptree& device = tree.get_child("device");
  if (device.get<std::string>("<xmlattr>.schemaVersion") != "1.3") fail("schemaVersion");
  static constexpr std::string_view kOrder[] = {
      "name", "version", "description", "addressUnitBits", "width", "peripherals"};
  checkChildren(device, "device", kOrder,
                {"name", "version", "description", "addressUnitBits", "width", "peripherals"});
  Form form;
  for (const auto& [tag, node] : device.get_child("peripherals")) {
    if (tag != "peripheral") fail("<" + tag + "> among peripherals");
    if (!form.emplace(node.get<std::string>("name"), svdPage(node)).second) fail("two of a name");
  }
  return form;
}

Form readRdl(const std::string& text) {
  return Rdl(text).read();
}

void checkPage(const FormPage& page) {
  std::set<std::string> names;
  std::uint64_t end = 0;
  for (const FormRegister& reg : page.registers) {
    if (!names.insert(reg.name).second) fail("two registers called " + reg.name);
    if (reg.width != 8 && reg.width != 16 && reg.width != 32 && reg.width != 64)
      fail(reg.name + ": width");
    if (reg.offset < end || reg.offset % (reg.width / 8) != 0) fail(reg.name + ": address");
    end = reg.offset + reg.width / 8;
    std::set<std::string> fields;
    std::uint64_t seen = 0;
    for (const FormField& field : reg.fields) {
      if (!fields.insert(field.name).second) fail(reg.name + ": two fields " + field.name);
      if (field.msb < field.lsb || field.msb >= reg.width) fail(field.name + ": place");
      const std::uint64_t mask = ones(field.msb - field.lsb + 1) << field.lsb;
      if ((seen & mask) != 0) fail(field.name + ": overlaps another");
      seen |= mask;
      if (field.reset && (*field.reset & ~ones(field.msb - field.lsb + 1)) != 0)
        fail(field.name + ": reset value");
      if (!field.reads && !field.writes) fail(field.name + ": no access");
    }
  }
}

}  // namespace rtvp::test
