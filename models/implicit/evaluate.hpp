// Running a tape: at a point, over a box, and pruning it for a box (sdf.md sections 3, 5, 6).
// A mask names the instructions to execute; the others are skipped, their constants pass by.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/implicit/interval.hpp"
#include "models/implicit/selection.hpp"
#include "models/implicit/tape.hpp"

namespace rtvp::implicit {

/// One bit an instruction (3.6): bit (i & 7) of byte (i >> 3) set = execute instruction i.
class Mask {
 public:
  /// All ones.
  explicit Mask(std::size_t instructions);
  /// As stored: `bytes` holds at least (instructions + 7) / 8 bytes; bits beyond are cleared.
  Mask(std::size_t instructions, std::vector<std::uint8_t> bytes);

  [[nodiscard]] bool executes(std::size_t at) const {
    return (unsigned{bytes_[at >> 3U]} >> (at & 7U) & 1U) != 0;
  }
  void skip(std::size_t at) {
    bytes_[at >> 3U] = static_cast<std::uint8_t>(bytes_[at >> 3U] & ~(1U << (at & 7U)));
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t executed() const;  ///< number of ones
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  /// The mask as one number, highest digit first, a digit for four instructions.
  [[nodiscard]] std::string hex() const;
  bool operator==(const Mask&) const = default;

 private:
  std::size_t size_;
  std::vector<std::uint8_t> bytes_;
};

/// A mask under which the tape cannot run: some executed instruction finds its stack empty or
/// full. Masks from prune() never do this. what() names the position.
class MaskFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an executed instruction read and wrote. Values are numbered from 0, the query point, in the
/// order of pushing.
struct Links {
  static constexpr std::uint32_t kConstant = 0xFFFFFFFF;
  std::uint32_t at = 0;  ///< the instruction's position
  std::array<std::uint32_t, 4> in{kConstant, kConstant, kConstant, kConstant};
  std::uint32_t out = kConstant;  ///< the first of the outputs, which follow each other
  int winner = -1;                ///< the input that a decided selection passes on (prune)
};

struct BoxResult {
  Interval value;
  Mask mask;  ///< a subset of the mask it ran with; valid inside the box only
};

/// f at a point, in binary32; NaN where it is undefined. Throws MaskFault.
float evaluate(const Tape& tape, const Mask& mask, const std::array<float, 3>& point);
float evaluate(const Tape& tape, const std::array<float, 3>& point);

/// The host's f in binary64 (section 7): the same semantics, for the far query and as a reference.
/// Constants are those of the tape, binary32.
double evaluate64(const Tape& tape, const std::array<double, 3>& point);

/// The same; `observe` sees each executed instruction, OPStop included, and its operands.
using PointObserver =
    std::function<void(const Links& links, const std::array<const float*, 4>& operands)>;
float evaluate(const Tape& tape, const Mask& mask, const std::array<float, 3>& point,
               const PointObserver& observe);

/// Range of f over a box: ends are not NaN and min <= max. Throws MaskFault.
Interval evaluate(const Tape& tape, const Mask& mask, const Bounds& box);

/// The same, and which instructions decide f inside the box: sdf.md 6.3, with use counts from the
/// instruction's producers. Selections are decided only by strict separation of defined operands.
BoxResult prune(const Tape& tape, const Mask& mask, const Bounds& box,
                const PruneOptions& options = {});

}  // namespace rtvp::implicit
