// See batch_request.hpp.
#include "models/xphmg/tools/batch_request.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace rtvp::xphmg::batch {
namespace {

/// Index of a string key's value in `names`; 0 when absent.
template <std::size_t N>
unsigned choiceKey(const json::object& request, const char* key, const char* const (&names)[N]) {
  const json::value* const value = request.if_contains(key);
  if (value == nullptr) return 0;
  if (!value->is_string()) throw BadRequest(std::string(key) + ": expected a string");
  for (unsigned n = 0; n < N; ++n) {
    if (value->get_string() == names[n]) return n;
  }
  std::string list;
  for (const char* const name : names) list += std::string(list.empty() ? "" : ", ") + name;
  throw BadRequest(std::string(key) + ": found " + common::quotedAsIs(value->get_string()) +
                   ", expected one of " + list);
}

constexpr const char* kFormatNames[] = {"fp32",  "fp16",  "bf16",     "int8",
                                        "int16", "int32", "fp8_e4m3", "fp8_e5m2"};
/// PET and EW fields of MODE, and ALT_FMT.
constexpr struct {
  std::uint64_t pet, ew, alt;
} kFormatFields[] = {{4, 2, 0}, {3, 1, 0}, {2, 1, 0}, {0, 0, 0},
                     {1, 1, 0}, {5, 2, 0}, {3, 1, 2}, {3, 1, 3}};
constexpr const char* kRoundingNames[] = {"rne", "rtz", "rup", "rdn", "rmm"};

}  // namespace

std::int64_t integerKey(const json::object& request, const char* key, std::int64_t missing,
                        std::int64_t low, std::int64_t high) {
  const json::value* const value = request.if_contains(key);
  if (value == nullptr) return missing;
  std::int64_t number = low - 1;
  if (value->is_int64()) number = value->get_int64();
  if (number < low || number > high) {
    throw BadRequest(std::string(key) + ": expected an integer from " + std::to_string(low) +
                     " to " + std::to_string(high));
  }
  return number;
}

const json::array& arrayKey(const json::object& request, const char* key) {
  const json::value* const value = request.if_contains(key);
  if (value == nullptr || !value->is_array())
    throw BadRequest(std::string(key) + ": expected an array");
  return value->get_array();
}

std::vector<std::uint32_t> wordsOf(const json::value& value, std::size_t count, unsigned digits,
                                   const std::string& what) {
  if (!value.is_array() || value.get_array().size() != count) {
    throw BadRequest(what + ": expected an array of " + std::to_string(count) + " words");
  }
  std::vector<std::uint32_t> words;
  for (const json::value& word : value.get_array()) {
    if (!word.is_string()) throw BadRequest(what + ": expected words as strings");
    words.push_back(
        static_cast<std::uint32_t>(tool::parseHex(word.get_string(), digits, true, what)));
  }
  return words;
}

std::uint64_t hexOf(const json::value& value, const std::string& what) {
  if (!value.is_string()) throw BadRequest(what + ": expected hexadecimal digits in a string");
  return tool::parseHex(value.get_string(), 16, false, what);
}

CapPrecision precisionOf(const json::object& request) {
  const unsigned format = choiceKey(request, "format", kFormatNames);
  const unsigned rounding = choiceKey(request, "rm", kRoundingNames);
  const auto number = [&request](const char* key, std::int64_t low, std::int64_t high) {
    return static_cast<std::uint64_t>(integerKey(request, key, 0, low, high));
  };
  const bool quantised = kFormatFields[format].pet != 3 && kFormatFields[format].pet != 4 &&
                         kFormatFields[format].pet != 2;
  const std::uint64_t uns = number("uns", 0, 1);
  const std::uint64_t zp = number("zp", uns != 0 ? 0 : -128, uns != 0 ? 255 : 127);
  const std::uint64_t shift = number("sh", -8, 7);
  std::uint64_t mode = cap::kApply | number("sat", 0, 1) << 30U | std::uint64_t{rounding} << 27U |
                       number("ftz", 0, 1) << 26U | std::uint64_t{2} << 22U |
                       kFormatFields[format].pet << 19U | kFormatFields[format].ew << 17U |
                       number("nan", 0, 3) << 8U;
  std::uint64_t alt = 0;
  if (quantised) {
    mode |= std::uint64_t{1} << 25U | uns << 24U;
    alt = cap::kApply | std::uint64_t{1} << 30U | std::uint64_t{1} << 21U | (zp & 0xFFU) << 13U |
          (shift & 0xFU) << 9U;
  } else if (kFormatFields[format].alt != 0) {
    alt = cap::kApply | std::uint64_t{1} << 30U | kFormatFields[format].alt << 26U;
  }
  CapPrecision precision;
  precision.writeMode(mode);
  if (alt != 0) precision.writeAlt(alt);
  return precision;
}

void RangeMemory::add(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
  if (bytes.empty()) return;
  if (address + (bytes.size() - 1) < address)
    throw BadRequest("mem: a range reaches past the end of the address space");
  // All ranges that overlap or touch [first, last]; inclusive ends, so that the top byte exists.
  std::uint64_t first = address, last = address + (bytes.size() - 1);
  std::vector<Range> touching, others;
  for (Range& range : ranges_) {
    const std::uint64_t end = range.address + (range.bytes.size() - 1);
    const bool below = end < address && address - end > 1;
    const std::uint64_t top = address + (bytes.size() - 1);
    const bool above = range.address > top && range.address - top > 1;
    if (below || above) {
      others.push_back(std::move(range));
      continue;
    }
    first = std::min(first, range.address);
    last = std::max(last, end);
    touching.push_back(std::move(range));
  }
  Range merged{first, std::vector<std::uint8_t>(last - first + 1)};
  touching.push_back({address, bytes});
  for (const Range& range : touching) {
    std::copy(range.bytes.begin(), range.bytes.end(),
              merged.bytes.begin() + static_cast<std::ptrdiff_t>(range.address - first));
  }
  others.push_back(std::move(merged));
  std::sort(others.begin(), others.end(),
            [](const Range& a, const Range& b) { return a.address < b.address; });
  ranges_ = std::move(others);
}

std::uint8_t* RangeMemory::find(std::uint64_t address, std::uint64_t size) {
  auto after = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](std::uint64_t wanted, const Range& range) { return wanted < range.address; });
  if (after == ranges_.begin()) return nullptr;
  Range& range = *std::prev(after);
  const std::uint64_t offset = address - range.address;
  if (offset > range.bytes.size() || range.bytes.size() - offset < size) return nullptr;
  return range.bytes.data() + offset;
}

const std::uint8_t* RangeMemory::read(AccessKind /*kind*/, std::uint64_t address, unsigned size) {
  return find(address, size);
}

bool RangeMemory::write(AccessKind /*kind*/, std::uint64_t address, const std::uint8_t* bytes,
                        unsigned size) {
  std::uint8_t* const at = find(address, size);
  if (at == nullptr) return false;
  std::memcpy(at, bytes, size);
  return true;
}

void addStickies(json::object& answer, const CapPrecision& cap) {
  answer["stat"] = common::hexDigits(cap.stat() & 0xF000U, 4);
  answer["exc"] = common::hexDigits(cap.excStatus(), 2);
}

}  // namespace rtvp::xphmg::batch
