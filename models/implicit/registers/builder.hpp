// Collects clauses and constants in order of execution, then makes a program of them.
#pragma once

#include <map>
#include <vector>

#include "models/implicit/registers/program.hpp"

namespace rtvp::implicit::registers {

class Builder {
 public:
  /// The pool entry of the numbers; equal ones share it.
  Source constant(std::span<const float> numbers);
  /// The query point's component.
  static Source point(unsigned component) {
    return {0, kPointLink, static_cast<std::uint8_t>(component)};
  }
  /// A component of a value.
  static Source component(const Source& value, unsigned n);
  /// Appends a clause; returns its value.
  Source append(const OpcodeInfo& op, const std::array<Source, 4>& in, std::uint16_t shape = 0);
  [[nodiscard]] std::size_t size() const { return clauses_.size(); }

  Program finish(const Source& result);

 private:
  std::vector<Clause> clauses_;
  std::vector<float> pool_;
  std::map<std::vector<std::uint32_t>, std::uint16_t> known_;  ///< by the numbers' bits
};

}  // namespace rtvp::implicit::registers
