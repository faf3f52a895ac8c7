// Strict readers of the two forms in which `platform registers` writes register tables: of
// SystemRDL 2.0 and CMSIS-SVD 1.3 they know what these may contain, in the order and with the
// words of the standards, and refuse all else with std::runtime_error. They share no code with what
// writes them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::test {

struct FormField {
  std::string name;
  unsigned msb = 0, lsb = 0;
  bool reads = false, writes = false, oneToClear = false;
  bool readActs = false;  ///< a read does something
  std::optional<std::uint64_t> reset;
  bool operator==(const FormField&) const = default;
};

/// One register; arrays are written out.
struct FormRegister {
  std::string name;  ///< NAME, or NAME[n] with the n-th from 0 of an array
  std::uint64_t offset = 0;
  unsigned width = 0;  ///< bits
  std::vector<FormField> fields;
  bool operator==(const FormRegister&) const = default;
};

struct FormPage {
  std::uint64_t base = 0;
  std::vector<FormRegister> registers;
  bool operator==(const FormPage&) const = default;
};
/// By the block's name.
using Form = std::map<std::string, FormPage>;

/// A device. Reset values are those of the bits under resetMask.
[[nodiscard]] Form readSvd(const std::string& text);
/// Addrmaps called NAME_registers, and perhaps one behind them that has them at their bases.
[[nodiscard]] Form readRdl(const std::string& text);

/// What both standards ask of a page: registers and fields lie apart, in bounds, with names of
/// their own; values fit.
void checkPage(const FormPage& page);

}  // namespace rtvp::test
