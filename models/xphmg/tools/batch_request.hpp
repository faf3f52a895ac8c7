// What the operations of xphmg-run --batch share: reading keys of a request, numeric policy, flat
// memory.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/tool/json_lines.hpp"
#include "models/xphmg/cap.hpp"
#include "models/xphmg/memory_port.hpp"

namespace rtvp::xphmg::batch {

namespace json = boost::json;
using tool::BadRequest;

/// An integer key within [low, high]; `missing` when absent.
[[nodiscard]] std::int64_t integerKey(const json::object& request, const char* key,
                                      std::int64_t missing, std::int64_t low, std::int64_t high);
/// Array under a key; throws when absent.
[[nodiscard]] const json::array& arrayKey(const json::object& request, const char* key);
/// Words of an array: exactly `count` strings of `digits` digits each.
[[nodiscard]] std::vector<std::uint32_t> wordsOf(const json::value& value, std::size_t count,
                                                 unsigned digits, const std::string& what);
/// A hex address or value held in a string.
[[nodiscard]] std::uint64_t hexOf(const json::value& value, const std::string& what);

/// CAP.PREC programmed as the common keys say.
[[nodiscard]] CapPrecision precisionOf(const json::object& request);

/// Memory made of ranges; everything between them is a bus error.
class RangeMemory final : public MemoryPort {
 public:
  /// Later bytes win where ranges overlap; touching ranges become one.
  void add(std::uint64_t address, const std::vector<std::uint8_t>& bytes);
  const std::uint8_t* read(AccessKind kind, std::uint64_t address, unsigned size) override;
  bool write(AccessKind kind, std::uint64_t address, const std::uint8_t* bytes,
             unsigned size) override;

 private:
  struct Range {
    std::uint64_t address;
    std::vector<std::uint8_t> bytes;
  };
  [[nodiscard]] std::uint8_t* find(std::uint64_t address, std::uint64_t size);
  std::vector<Range> ranges_;  ///< by address
};

/// "stat" and "exc" of an answer.
void addStickies(json::object& answer, const CapPrecision& cap);

[[nodiscard]] json::object answerBbox(const json::object& request);
[[nodiscard]] json::object answerTri(const json::object& request);
[[nodiscard]] json::object answerOffload(const json::object& request);

}  // namespace rtvp::xphmg::batch
