// See register_export.hpp.
#include "models/common/register_export.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "models/common/core/text.hpp"

namespace rtvp::common {
namespace {

std::string hexC(std::uint64_t value) {
  return hex0x(value);
}

// ---- runs

/// A name's end as a number without leading zeros, and what stands before it.
std::optional<std::pair<std::string_view, unsigned>> numbered(std::string_view name) {
  std::size_t at = name.size();
  while (at > 0 && std::isdigit(static_cast<unsigned char>(name[at - 1])) != 0) --at;
  const std::string_view digits = name.substr(at);
  if (at == 0 || digits.empty() || digits.size() > 4 || (digits.size() > 1 && digits[0] == '0'))
    return std::nullopt;
  return std::pair{name.substr(0, at), static_cast<unsigned>(std::stoul(std::string(digits)))};
}

/// The same register in all but name and place.
bool alike(const RegisterDescriptor& a, const RegisterDescriptor& b) {
  return a.width == b.width && a.reset == b.reset && a.side_effects == b.side_effects &&
         a.unit == b.unit && a.source == b.source && a.fields.data() == b.fields.data() &&
         a.onRead == b.onRead && (a.number == 0) == (b.number == 0);
}

/// How many rows from `first` on are numbered on from it, at equal steps.
std::size_t runLength(std::span<const RegisterDescriptor> table, std::size_t first) {
  const auto head = numbered(table[first].name);
  if (!head) return 1;
  std::size_t count = 1;
  for (std::size_t row = first + 1; row < table.size(); ++row, ++count) {
    const auto next = numbered(table[row].name);
    const std::uint32_t step = table[first + 1].offset - table[first].offset;
    if (!next || next->first != head->first || next->second != head->second + count) break;
    if (!alike(table[first], table[row]) ||
        table[row].offset != table[first].offset + count * step ||
        (table[row].number != 0 && table[row].number != table[first].number + count))
      break;
  }
  return count;
}

std::uint64_t resetKnown(const RegisterDescriptor& reg) {
  if (reg.onRead == ReadEffect::Takes) return 0;
  std::uint64_t mask = reg.wholeMask();
  for (const FieldDescriptor& field : reg.fields) {
    const bool computed = field.access == Access::Ro && (reg.reset & field.mask()) == 0;
    if (computed || field.access == Access::Wo) mask &= ~field.mask();
  }
  return mask;
}

// ---- words of both forms

std::string sentence(const RegisterDescriptor& reg, const RegisterRun& run) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (run.count > 1)
    add(std::string(reg.name) + " to " + run.stem + std::to_string(run.number + run.count - 1));
  if (!reg.unit.empty()) add(std::string(reg.unit));
  if (reg.number != 0)
    add((run.count > 1 ? "CSRs from " : "CSR ") + hexH(reg.number) + (run.count > 1 ? " on" : ""));
  if (reg.side_effects) add("an access does more than its bits say");
  if (reg.onRead == ReadEffect::Takes) add("a read takes what it gives");
  if (reg.onRead == ReadEffect::Others) add("a read changes other registers");
  if (!reg.source.empty()) add("source: " + std::string(reg.source));
  return text;
}

std::string sentence(const FieldDescriptor& field) {
  std::string text(field.description);
  if (field.needs != 0)
    text += (text.empty() ? "" : "; ") + std::string("only with features ") + hexC(field.needs);
  return text;
}

/// Fields from bit 0 up, and reserved bits that are not 0 as fields of their own.
struct Bits {
  std::string name, original, description;
  unsigned msb, lsb;
  Access access;
  bool reserved = false;
};
std::vector<Bits> bitsOf(const RegisterDescriptor& reg) {
  std::vector<Bits> all;
  for (const FieldDescriptor& field : reg.fields)
    all.push_back({identifierOf(field.name), std::string(field.name), sentence(field), field.msb,
                   field.lsb, field.access});
  const std::uint64_t fixed = reg.reserved() & reg.reset;
  for (unsigned lsb = 0; lsb < 8U * reg.width; ++lsb) {
    if ((fixed >> lsb & 1) == 0) continue;
    unsigned msb = lsb;
    while (msb + 1 < 8U * reg.width && (fixed >> (msb + 1) & 1) != 0) ++msb;
    const std::string name = "RESERVED_" + std::to_string(msb) + "_" + std::to_string(lsb);
    all.push_back({name, name, "reads 1", msb, lsb, Access::Ro, true});
    lsb = msb;
  }
  std::ranges::sort(all, {}, &Bits::lsb);
  return all;
}

// ---- SystemRDL

std::string rdlText(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + "\"";
}

/// Every reserved word has small letters only; a backslash before a name makes it none.
std::string rdlName(const std::string& name) {
  const bool word = std::ranges::all_of(
      name, [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0; });
  return (word ? "\\" : "") + name;
}

std::string rdlAccess(const RegisterDescriptor& reg, const Bits& bits) {
  std::string text;
  switch (bits.access) {
    case Access::Ro:
      text = bits.reserved ? "sw = r; hw = na;" : "sw = r; hw = rw;";
      break;
    case Access::Wo:
      text = "sw = w; hw = r; onwrite = wuser;";
      break;
    case Access::Rw:
      text = reg.side_effects ? "sw = rw; hw = rw;" : "sw = rw; hw = r;";
      break;
    case Access::W1c:
      text = "sw = rw; hw = rw; onwrite = woclr;";
      break;
  }
  if (reg.onRead != ReadEffect::None && bits.access != Access::Wo) text += " onread = ruser;";
  return text;
}

std::string rdlField(const RegisterDescriptor& reg, const Bits& bits, std::uint64_t known) {
  std::string text = "    field {\n";
  if (bits.name != bits.original) text += "      name = " + rdlText(bits.original) + ";\n";
  if (!bits.description.empty()) text += "      desc = " + rdlText(bits.description) + ";\n";
  text += "      " + rdlAccess(reg, bits) + "\n    } " + rdlName(bits.name) + "[" +
          std::to_string(bits.msb) + ":" + std::to_string(bits.lsb) + "]";
  const std::uint64_t mask = (~std::uint64_t{0} >> (63U - (bits.msb - bits.lsb))) << bits.lsb;
  if ((known & mask) == mask) text += " = " + hexC((reg.reset & mask) >> bits.lsb);
  return text + ";\n";
}

std::string rdlRegister(const RegisterDescriptor& reg, const RegisterRun& run) {
  // Values that software gives away or takes are kept by the machine, not by generated flip-flops.
  const bool external = reg.onRead != ReadEffect::None || reg.bits(Access::Wo) != 0;
  std::string text = "  reg {\n    name = " + rdlText(run.stem) +
                     ";\n    desc = " + rdlText(sentence(reg, run)) +
                     ";\n    regwidth = " + std::to_string(8 * reg.width) + ";\n";
  std::vector<Bits> all = bitsOf(reg);
  if (all.empty())  // the form knows no register without a field
    all.push_back({"RESERVED", "RESERVED", "reads 0", 8U * reg.width - 1, 0, Access::Ro, true});
  for (const Bits& bits : all) text += rdlField(reg, bits, run.resetKnown);
  text += "  } " + std::string(external ? "external " : "") + rdlName(identifierOf(run.stem));
  if (run.count > 1) text += "[" + std::to_string(run.count) + "]";
  text += " @" + hexC(reg.offset);
  if (run.count > 1) text += " += " + hexC(run.stride);
  return text + ";\n";
}

std::string rdlPage(const RegisterPage& page) {
  std::string text = "addrmap " + page.name + "_registers {\n  name = " + rdlText(page.name) +
                     ";\n  desc = " + rdlText(page.description) + ";\n  littleendian;\n  lsb0;\n";
  for (const RegisterRun& run : runsOf(page.table)) text += rdlRegister(page.table[run.first], run);
  return text + "};\n";
}

// ---- CMSIS-SVD

std::string element(const char* name, std::string_view text) {
  return "<" + std::string(name) + ">" + markup(text) + "</" + name + ">";
}

std::string_view svdAccess(bool reads, bool writes) {
  return reads && writes ? "read-write" : reads ? "read-only" : "write-only";
}

std::string svdField(const RegisterDescriptor& reg, const Bits& bits) {
  const bool reads = bits.access != Access::Wo;
  const bool writes = bits.access != Access::Ro;
  std::string text = "            <field>" + element("name", bits.name);
  const std::string prefix = bits.name == bits.original ? "" : bits.original;
  const std::string more = prefix.empty() || bits.description.empty() ? "" : ": ";
  if (const std::string all = prefix + more + bits.description; !all.empty())
    text += element("description", all);
  text += element("bitOffset", std::to_string(bits.lsb)) +
          element("bitWidth", std::to_string(bits.msb - bits.lsb + 1)) +
          element("access", svdAccess(reads, writes));
  if (bits.access == Access::W1c) text += element("modifiedWriteValues", "oneToClear");
  if (reads && reg.onRead == ReadEffect::Takes) text += element("readAction", "modify");
  if (reads && reg.onRead == ReadEffect::Others) text += element("readAction", "modifyExternal");
  return text + "</field>\n";
}

std::string svdRegister(const RegisterDescriptor& reg, const RegisterRun& run) {
  const std::vector<Bits> all = bitsOf(reg);
  const auto reads = [](const Bits& b) { return b.access != Access::Wo; };
  const auto writes = [](const Bits& b) { return b.access != Access::Ro; };
  const std::string indent = "          ";
  std::string text = "        <register>\n" + indent;
  if (run.count > 1)
    text += element("dim", std::to_string(run.count)) + element("dimIncrement", hexC(run.stride)) +
            element("dimIndex",
                    std::to_string(run.number) + "-" + std::to_string(run.number + run.count - 1)) +
            "\n" + indent;
  const std::string name = identifierOf(run.stem);
  text += element("name", name + (run.count > 1 ? "%s" : ""));
  if (name != run.stem) text += element("displayName", run.stem + (run.count > 1 ? "%s" : ""));
  text += "\n" + indent;
  if (const std::string words = sentence(reg, run); !words.empty())
    text += element("description", words) + "\n" + indent;
  text +=
      element("addressOffset", hexC(reg.offset)) + element("size", std::to_string(8 * reg.width)) +
      element("access", svdAccess(all.empty() || std::ranges::any_of(all, reads),
                                  std::ranges::any_of(all, writes))) +
      element("resetValue", hexC(reg.reset)) + element("resetMask", hexC(run.resetKnown)) + "\n";
  if (!all.empty()) {
    text += indent + "<fields>\n";
    for (const Bits& bits : all) text += svdField(reg, bits);
    text += indent + "</fields>\n";
  }
  return text + "        </register>\n";
}

std::string svdPage(const RegisterPage& page) {
  std::string text = "    <peripheral>\n      " + element("name", page.name) + "\n      " +
                     element("description", page.description) + "\n      " +
                     element("baseAddress", hexC(page.base)) + "\n      <addressBlock>" +
                     element("offset", "0x0") + element("size", hexC(page.bytes)) +
                     element("usage", "registers") + "</addressBlock>\n      <registers>\n";
  for (const RegisterRun& run : runsOf(page.table)) text += svdRegister(page.table[run.first], run);
  return text + "      </registers>\n    </peripheral>\n";
}

}  // namespace

std::string identifierOf(std::string_view name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0)
    text.insert(text.begin(), '_');
  return text;
}

std::vector<RegisterRun> runsOf(std::span<const RegisterDescriptor> table) {
  std::vector<RegisterRun> runs;
  for (std::size_t row = 0; row < table.size();) {
    const RegisterDescriptor& reg = table[row];
    RegisterRun run{.first = row, .count = runLength(table, row), .stem = std::string(reg.name)};
    run.resetKnown = resetKnown(reg);
    if (run.count > 1) {
      const auto [stem, number] = *numbered(reg.name);
      run.stem = stem;
      run.number = number;
      run.stride = table[row + 1].offset - reg.offset;
    }
    row += run.count;
    runs.push_back(std::move(run));
  }
  return runs;
}

std::string systemRdl(std::string_view name, std::string_view description,
                      std::span<const RegisterPage> pages, bool together) {
  std::string text = "// SystemRDL 2.0. " + std::string(description) + "\n";
  for (const RegisterPage& page : pages) text += "\n" + rdlPage(page);
  if (!together) return text;
  text += "\naddrmap " + std::string(name) + " {\n  name = " + rdlText(name) +
          ";\n  desc = " + rdlText(description) + ";\n  littleendian;\n  lsb0;\n";
  for (const RegisterPage& page : pages)
    text += "  " + page.name + "_registers " + rdlName(page.name) + " @" + hexC(page.base) + ";\n";
  return text + "};\n";
}

std::string cmsisSvd(std::string_view name, std::string_view description, std::string_view version,
                     std::span<const RegisterPage> pages) {
  unsigned width = 32;
  for (const RegisterPage& page : pages)
    for (const RegisterDescriptor& reg : page.table) width = std::max(width, 8U * reg.width);
  std::string text =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<device schemaVersion=\"1.3\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xs:noNamespaceSchemaLocation=\"CMSIS-SVD.xsd\">\n  " +
      element("name", name) + "\n  " + element("version", version) + "\n  " +
      element("description", description) + "\n  " + element("addressUnitBits", "8") + "\n  " +
      element("width", std::to_string(width)) + "\n  <peripherals>\n";
  for (const RegisterPage& page : pages) text += svdPage(page);
  return text + "  </peripherals>\n</device>\n";
}

}  // namespace rtvp::common
