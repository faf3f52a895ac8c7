// Record types and result words that a user declares for firmware of his own (docs/records.md):
// what the host writes for a surface f = 0 that the boards' firmware can hit, and what it reads
// back behind the three words of a result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scene/scene.hpp"

namespace rtvp::host {

inline constexpr std::uint32_t kMostRecordCodes = 63;
inline constexpr std::uint32_t kMostRecordWords = 50;  ///< header included (TS-066)
inline constexpr std::uint32_t kMostResultWords = 8;   ///< of the user's own
/// A declared record's header: type Sphere, the code in bits 29:24, the element in 23:0. A scene
/// has fewer elements than that, so no sphere's header ever has a code.
inline constexpr int kRecordCodeShift = 24;
inline constexpr std::uint32_t kDeclaredElementMask = 0x00FFFFFF;

/// How 32 bits stand for a value.
enum class WordFormat : std::uint8_t {
  Single,   ///< TI single word
  Integer,  ///< two's complement
  Address,  ///< word address in SRAM
};

/// A product: of numbers, fields of the surface and named values. Fields: "origin.x", "axis_x.y"
/// (world image of the object's unit axes), "inverse.xy" (row x, column y of the matrix from world
/// to object directions), "low.x", "high.x" (the object's box), "element", and for addresses "here"
/// and "next".
class WordValue {
 public:
  /// Nothing if a factor is the ninth, or neither a number of magnitude at most 1e12 nor one of the
  /// fields or `values`; `wrong` is then that factor.
  static std::optional<WordValue> parse(std::string_view text,
                                        const std::map<std::string, double>& values,
                                        std::string& wrong);
  struct Surface {
    const scene::Implicit& implicit;
    std::uint32_t element = 0;
    scene::Vec3 machineOrigin;  ///< the scene point that the boards call (0, 0, 0)
    std::uint32_t here = 0;     ///< SRAM word address of the record
    std::uint32_t next = 0;     ///< and of the record behind it
  };
  [[nodiscard]] double of(const Surface& surface) const;
  /// It is one of the two addresses, and nothing else.
  [[nodiscard]] bool isAddress() const;
  /// All fields and what they mean, for documentation and messages.
  static std::string known();

 private:
  std::vector<std::string> fields_;
  double factor_ = 1;
};

struct RecordWord {
  std::string name;
  WordFormat format = WordFormat::Single;
  WordValue value;
};

/// A kind of record, and the surfaces that it stands for.
struct DeclaredRecord {
  std::string name;
  std::uint32_t code = 1;  ///< 1 to kMostRecordCodes
  std::string surface;     ///< file name, without folder, of the surfaces' tape
  double cycles = 100;     ///< H1 cycles that the firmware's test takes, for the tree of boxes
  double margin = 0;       ///< by which the surface's box grows on each side, world units
  std::vector<RecordWord> words;  ///< behind the header

  [[nodiscard]] std::uint32_t size() const { return 1 + static_cast<std::uint32_t>(words.size()); }
};

/// What a result word means to the host, beside its line in the log.
enum class ResultUse : std::uint8_t { Log, NormalX, NormalY, NormalZ };

struct ResultWord {
  std::string name;
  WordFormat format = WordFormat::Single;
  ResultUse use = ResultUse::Log;
};

struct RecordLayout {
  std::vector<DeclaredRecord> types;
  std::vector<ResultWord> result;
  /// The normal's words are gradients in the object's space; otherwise directions of the world.
  bool objectNormal = false;

  /// The type that stands for a surface; null: none is declared.
  [[nodiscard]] const DeclaredRecord* find(const scene::Implicit& surface) const;
  [[nodiscard]] const DeclaredRecord* find(std::uint32_t header) const;
  /// Of the longest record, 0 without any.
  [[nodiscard]] std::uint32_t largest() const;
  [[nodiscard]] bool hasNormal() const;
  /// Unit normal in the world from a result's own words; zero if they are all zero or no number.
  [[nodiscard]] scene::Vec3 normal(const scene::Implicit& surface,
                                   std::span<const std::uint32_t> words) const;
};

/// A record's words, header first.
[[nodiscard]] std::vector<std::uint32_t> encodeRecord(const DeclaredRecord& type,
                                                      const WordValue::Surface& surface);
[[nodiscard]] std::uint32_t encodeWord(WordFormat format, double value);
/// As people write it: 0.5, -3, 000412h.
[[nodiscard]] std::string wordText(WordFormat format, std::uint32_t word);

}  // namespace rtvp::host
