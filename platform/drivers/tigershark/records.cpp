#include "platform/drivers/tigershark/records.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "models/c32/float40.hpp"
#include "models/common/core/text.hpp"
#include "models/tigershark/protocol.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;
using Surface = WordValue::Surface;

int axisOf(char letter) {
  return letter - 'x';
}

double origin(const Surface& s, std::string_view at) {
  const int axis = axisOf(at[0]);
  return s.implicit.placement.origin()[axis] - s.machineOrigin[axis];
}
double column(const Surface& s, int axis, std::string_view at) {
  return s.implicit.placement.columns()[static_cast<std::size_t>(axis)][axisOf(at[0])];
}
double inverse(const Surface& s, std::string_view at) {
  Vec3 direction;
  direction[axisOf(at[1])] = 1;
  return s.implicit.placement.directionToObject(direction)[axisOf(at[0])];
}

/// The fields of a surface: a name, and behind it as many of the letters x, y and z as `letters`.
struct Field {
  std::string_view name;
  std::size_t letters;
  double (*of)(const Surface&, std::string_view letters);
};
constexpr std::array kFields{
    Field{"origin.", 1, origin},
    Field{"axis_x.", 1, [](const Surface& s, std::string_view at) { return column(s, 0, at); }},
    Field{"axis_y.", 1, [](const Surface& s, std::string_view at) { return column(s, 1, at); }},
    Field{"axis_z.", 1, [](const Surface& s, std::string_view at) { return column(s, 2, at); }},
    Field{"inverse.", 2, inverse},
    Field{"low.", 1,
          [](const Surface& s, std::string_view at) { return s.implicit.lo[axisOf(at[0])]; }},
    Field{"high.", 1,
          [](const Surface& s, std::string_view at) { return s.implicit.hi[axisOf(at[0])]; }},
    Field{"element", 0, [](const Surface& s, std::string_view) { return 1.0 * s.element; }},
    Field{"here", 0, [](const Surface& s, std::string_view) { return 1.0 * s.here; }},
    Field{"next", 0, [](const Surface& s, std::string_view) { return 1.0 * s.next; }},
};

const Field* fieldOf(std::string_view text) {
  for (const Field& field : kFields) {
    if (!text.starts_with(field.name)) continue;
    const std::string_view letters = text.substr(field.name.size());
    if (letters.size() == field.letters &&
        letters.find_first_not_of("xyz") == std::string_view::npos) {
      return &field;
    }
  }
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// With these two no product is infinite: a field is at most 1e18.
constexpr double kLargestFactor = 1e12;
constexpr int kMostFactors = 8;

std::optional<double> numberOf(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!(std::abs(value) <= kLargestFactor)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<WordValue> WordValue::parse(std::string_view text,
                                          const std::map<std::string, double>& values,
                                          std::string& wrong) {
  WordValue result;
  int factors = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('*', begin), text.size());
    std::string_view factor = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (++factors > kMostFactors) {
      wrong = factor;
      return std::nullopt;
    }
    if (factor.starts_with('-') && !numberOf(factor)) {
      result.factor_ = -result.factor_;
      factor.remove_prefix(1);
    }
    const auto named = values.find(std::string(factor));
    if (const auto number = numberOf(factor)) {
      result.factor_ *= *number;
    } else if (named != values.end()) {
      result.factor_ *= named->second;
    } else if (fieldOf(factor) != nullptr) {
      result.fields_.emplace_back(factor);
    } else {
      wrong = factor;
      return std::nullopt;
    }
  }
  return result;
}

double WordValue::of(const Surface& surface) const {
  double value = factor_;
  for (const std::string& name : fields_) {
    const Field& field = *fieldOf(name);
    value *= field.of(surface, std::string_view(name).substr(field.name.size()));
  }
  return value;
}

bool WordValue::isAddress() const {
  return fields_.size() == 1 && factor_ == 1 && (fields_[0] == "here" || fields_[0] == "next");
}

std::string WordValue::known() {
  std::string text;
  for (const Field& field : kFields) {
    text += (text.empty() ? "" : ", ") + std::string(field.name) +
            std::string("xy").substr(0, field.letters);
  }
  return text;
}

const DeclaredRecord* RecordLayout::find(const scene::Implicit& surface) const {
  const std::string file = surface.model->file.filename().string();
  const auto it = std::find_if(types.begin(), types.end(),
                               [&](const DeclaredRecord& type) { return type.surface == file; });
  return it == types.end() ? nullptr : &*it;
}

const DeclaredRecord* RecordLayout::find(std::uint32_t header) const {
  if (header >> tigershark::kRecordTypeShift !=
      static_cast<std::uint32_t>(tigershark::RecordType::Sphere)) {
    return nullptr;
  }
  const std::uint32_t code = (header & tigershark::kElementMask) >> kRecordCodeShift;
  const auto it = std::find_if(types.begin(), types.end(),
                               [&](const DeclaredRecord& type) { return type.code == code; });
  return it == types.end() ? nullptr : &*it;
}

std::uint32_t RecordLayout::largest() const {
  std::uint32_t most = 0;
  for (const DeclaredRecord& type : types) most = std::max(most, type.size());
  return most;
}

bool RecordLayout::hasNormal() const {
  return std::any_of(result.begin(), result.end(),
                     [](const ResultWord& word) { return word.use != ResultUse::Log; });
}

Vec3 RecordLayout::normal(const scene::Implicit& surface,
                          std::span<const std::uint32_t> words) const {
  Vec3 n;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i].use == ResultUse::Log) continue;
    n[static_cast<int>(result[i].use) - static_cast<int>(ResultUse::NormalX)] =
        c32::doubleFromSingle(words[i]);
  }
  return objectNormal ? surface.placement.normalToWorld(n) : unit(n);
}

std::uint32_t encodeWord(WordFormat format, double value) {
  if (format == WordFormat::Single) return c32::singleFromDouble(value);
  constexpr double kMost = 2147483647.0;
  return static_cast<std::uint32_t>(
      static_cast<std::int64_t>(std::clamp(std::nearbyint(value), -kMost - 1, kMost)));
}

std::vector<std::uint32_t> encodeRecord(const DeclaredRecord& type, const Surface& surface) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(tigershark::RecordType::Sphere)
                                       << tigershark::kRecordTypeShift |
                                   type.code << kRecordCodeShift | surface.element};
  for (const RecordWord& word : type.words) {
    words.push_back(encodeWord(word.format, word.value.of(surface)));
  }
  return words;
}

std::string wordText(WordFormat format, std::uint32_t word) {
  if (format == WordFormat::Address) return common::hex(word, 6) + "h";
  if (format == WordFormat::Integer) return std::to_string(static_cast<std::int32_t>(word));
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9g", c32::doubleFromSingle(word));
  return text.data();
}

}  // namespace rtvp::host
