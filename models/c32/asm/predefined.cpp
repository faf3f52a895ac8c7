// Names that begin with a dot: symbols the assembler itself defines for the chip, and sections.
#include <array>

#include "models/c32/asm/program.hpp"
#include "models/c32/isa.hpp"

namespace rtvp::c32 {
namespace {

struct Predefined {
  std::string_view name;  ///< upper case
  int chip;               ///< 1 for this chip; 3: for all of the family; 0: never
};

/// Always defined, 1 for the chosen chip, else 0. Memory model and convention are the compiler's
/// options, which nobody has set here.
constexpr std::array kPredefined = {
    Predefined{".TMS320C30", 30},   Predefined{".TMS320C31", 31}, Predefined{".TMS320C32", 32},
    Predefined{".TMS320C33", 33},   Predefined{".TMS320C40", 40}, Predefined{".TMS320C44", 44},
    Predefined{".C30", 30},         Predefined{".C31", 31},       Predefined{".C32", 32},
    Predefined{".C33", 33},         Predefined{".C40", 40},       Predefined{".C44", 44},
    Predefined{".C3X", 3},          Predefined{".C4X", 0},        Predefined{".TMS320C3X", 3},
    Predefined{".TMS320C4X", 0},    Predefined{".REGPARM", 0},    Predefined{".BIGMODEL", 0},
    Predefined{".C30INTERRUPT", 0}, Predefined{".TMS320XX", 0}};

}  // namespace

/// `.C30`, `.text` and so on.
std::optional<Value> Program::dotName(const std::string& name) {
  const std::string upper = toUpper(name);
  for (const Predefined& p : kPredefined) {
    if (p.name != upper) continue;
    // -D answers what the compiler's options would have.
    if (const auto it = symbols_.find(name.substr(1)); it != symbols_.end() && p.chip == 0)
      return it->second.value;
    return Value::of(p.chip == 3 || p.chip == options_.chip ? 1 : 0);
  }
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].name == name) return sectionStart(i);
  }
  // These every object file has.
  const bool bss = name == ".bss";
  if (!bss && name != ".text" && name != ".data") return std::nullopt;
  if (placed_ && !relocatable_) return Value{.address = true};
  if (placed_) {  // the linker knows where it begins
    Known& known = symbols_[name];
    known.declared = true;
    return external(name, known);
  }
  const int index = sectionIndex(name,
                                 bss               ? Section::Kind::Bss
                                 : name == ".text" ? Section::Kind::Text
                                                   : Section::Kind::Data,
                                 0);
  return sectionStart(static_cast<std::size_t>(index));
}

Value Program::sectionStart(std::size_t index) const {
  Value v{.section = static_cast<int>(index), .address = true};
  if (placed_ && !relocatable_) {
    v.integer = static_cast<std::int32_t>(sections_[index].runBase);
    v.section = -1;
  }
  return v;
}

/// A register by its own name, by .set, or as F0 to F7 behind .regalias; -1 for anything else.
int Program::registerNamed(const std::string& name) const {
  if (name.empty()) return -1;
  if (const int number = registerNumber(name); number >= 0) return number;
  if (const auto it = symbols_.find(keyOf(name)); it != symbols_.end()) return it->second.value.reg;
  const bool alias = floatAliases_ && name.size() == 2 && (name[0] | 0x20) == 'f' &&
                     name[1] >= '0' && name[1] <= '7';
  return alias ? name[1] - '0' : -1;
}

}  // namespace rtvp::c32
