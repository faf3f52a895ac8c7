// What may execute instructions in place of the run loop, with the same outcome; see
// translate/translator.hpp.
#pragma once

#include <cstdint>

namespace rtvp::c32 {

class Cpu;

class Accelerator {
 public:
  virtual ~Accelerator() = default;
  /// Executes from the processor's PC on, at most `left` instructions and none that begins when the
  /// run loop has to look around. How many; 0: it is the run loop's turn.
  virtual std::uint64_t run(Cpu& cpu, std::uint64_t left) = 0;
};

}  // namespace rtvp::c32
