// Binary tapes (sdf.md 3.2 to 3.5): opcode tape, seven constant tapes, dependency tape and
// description records of several objects, and one file that holds them (models/implicit/README.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/implicit/tape.hpp"

namespace rtvp::implicit {

/// The tapes in the order of the description's start fields and of the file.
enum class TapeKind : std::uint8_t {
  Opcodes,       ///< 16-byte lines of 8 instructions
  Floats,        ///< 4 bytes
  Vec2s,         ///< 8
  Vec4s,         ///< 16, shared by V3 (dummy w = 1) and V4
  Mat2s,         ///< 16
  Mat3s,         ///< 48: three columns padded to 16
  Mat4s,         ///< 64
  Materials,     ///< 64
  Dependencies,  ///< one entry an instruction: two bytes, or two 16-bit words if wide
};
inline constexpr unsigned kTapeKinds = 9;
inline constexpr unsigned kDescriptionBytes = 60;

/// Bytes of an element. `wide`: EncodedTapes::wide.
unsigned elementBytes(TapeKind kind, bool wide);

/// Little-endian bytes as the unit reads them. Each tape begins with one dummy element and the
/// descriptions with a dummy record; object k is record k + 1.
struct EncodedTapes {
  bool wide = false;  ///< Limits::wide(): dependency entries of 16-bit words
  std::vector<std::uint8_t> descriptions;
  std::array<std::vector<std::uint8_t>, kTapeKinds> tapes;

  [[nodiscard]] std::vector<std::uint8_t>& tape(TapeKind kind) {
    return tapes[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const std::vector<std::uint8_t>& tape(TapeKind kind) const {
    return tapes[static_cast<std::size_t>(kind)];
  }
  bool operator==(const EncodedTapes&) const = default;
};

/// A binary that is no set of tapes; what() names object, position and reason.
class CodecError : public std::runtime_error {
 public:
  explicit CodecError(const std::string& text, TapeReason kind = TapeReason::Ranges,
                      std::optional<std::size_t> instruction = {})
      : std::runtime_error(text), reason(kind), position(instruction) {}
  TapeReason reason;
  std::optional<std::size_t> position;  ///< instruction, if one is to blame
};

/// Wide if any tape is. An object without bounds gets zeros: the far query (section 8) is due.
EncodedTapes encode(std::span<const Tape> objects);
/// Checks everything Tape checks, and the dependency tape: links that do not point forward are
/// cyclic, others must be those of the stacks. Throws CodecError.
std::vector<Tape> decode(const EncodedTapes& encoded);

/// The file: "SDFT", version, flags (bit 0 wide), then per part its length in bytes and the bytes:
/// descriptions first, tapes in the order of TapeKind. All words 32-bit little endian.
std::vector<std::uint8_t> writeFile(const EncodedTapes& encoded);
EncodedTapes readFile(std::span<const std::uint8_t> bytes);

}  // namespace rtvp::implicit
