// A C32 on which tests call routines of the runtime library as C would.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/cpu.hpp"
#include "models/c32/float40.hpp"

namespace rtvp::c32::testing {

/// How arguments are passed (c32.md 10.7).
enum class Model : std::uint8_t { Register, Stack };

/// What the program lies in.
enum class Memory : std::uint8_t {
  Flat,      ///< RAM everywhere without bus time: fixed costs and address conflicts only
  Internal,  ///< a C32: code in RAM block 0, fast data in block 1, the rest outside, zero wait
             ///< states
};

/// An argument: a float, or an integer or address.
using Argument = std::variant<double, std::uint32_t>;

class RuntimeMachine final : public CpuPort {
 public:
  static constexpr std::uint32_t kHeap = 0x10000;       ///< for the tests' data
  static constexpr std::uint32_t kFastData = 0x87FF00;  ///< Internal: RAM block 1, stack at its end

  /// Links `objects` (stems of files; empty: all of the library) and loads them.
  explicit RuntimeMachine(Model model = Model::Register, Memory memory = Memory::Flat,
                          std::vector<std::string> objects = {});

  /// Calls the C function `name` and checks that it kept what a C function keeps and left the stack
  /// as it was. Returns the cycles from its first instruction to the return.
  Cycle call(const std::string& name, std::initializer_list<Argument> arguments);
  /// Jumps to `name` with the registers as they are.
  Cycle jump(const std::string& name);

  /// R0 as STF stores it: the last 8 bits cut.
  [[nodiscard]] double resultFloat() const {
    const Float40 x = cpu_.extended(0);
    return toDouble({x.exponent, x.mantissa & ~0xFFu});
  }
  [[nodiscard]] std::uint32_t resultInt() const { return cpu_.registerValue(0); }
  [[nodiscard]] std::uint32_t reg(unsigned n) const { return cpu_.registerValue(n); }
  void setReg(unsigned n, std::uint32_t value) { cpu_.setRegister(n, value); }
  void setFloat(unsigned n, double value) { cpu_.setExtended(n, extendedFromDouble(value)); }
  [[nodiscard]] Float40 extended(unsigned n) const { return cpu_.extended(n); }

  [[nodiscard]] std::uint32_t word(std::uint32_t address) const;
  void setWord(std::uint32_t address, std::uint32_t value);
  [[nodiscard]] double number(std::uint32_t address) const {
    return doubleFromSingle(word(address));
  }
  void setNumber(std::uint32_t address, double value) { setWord(address, singleFromDouble(value)); }
  void setText(std::uint32_t address, const std::string& text);  ///< a character a word, NUL behind
  [[nodiscard]] std::string text(std::uint32_t address) const;

  [[nodiscard]] std::uint32_t symbol(const std::string& name) const;
  [[nodiscard]] const Image& image() const { return image_; }
  Cpu& cpu() { return cpu_; }

  BusReply busAccess(const BusRequest& request) override;
  void pinsDriven(Drive, Drive, Cycle) override {}
  PinReply pinsSampled(Cycle) override { return {true, true, true}; }
  void serialTransmitted(std::uint32_t, int, Cycle) override {}

 private:
  static constexpr std::uint32_t kWords = 1u << 18;
  static constexpr std::uint32_t kReturn = kWords - 1;  ///< holds an IDLE
  Cycle run(std::uint32_t entry);
  void place(std::initializer_list<Argument> arguments);

  Model model_;
  Memory memoryKind_;
  std::vector<std::uint32_t> memory_;
  Image image_;
  Cpu cpu_;
  std::uint32_t stack_;
  std::mt19937 random_{1996};
};

/// Doubles that are exact C32 singles.
class Singles {
 public:
  explicit Singles(std::uint32_t seed) : engine_(seed) {}
  /// Uniform in [low, high), rounded to a single.
  double uniform(double low, double high);
  /// Any sign, exponent uniform in [low, high].
  double anyMagnitude(int low, int high);
  std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

/// |got - expected| in units of the last place of a single (24-bit mantissa) of `expected`'s size.
double ulps(double got, double expected);

}  // namespace rtvp::c32::testing
