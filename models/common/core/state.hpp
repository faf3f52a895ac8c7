// State of models as bytes: one function of a class, `void state(common::StateArchive& a)`, names
// its members once and serves both ways. Bytes are the host's, lowest first; who writes files puts
// a version in front (StateArchive::mark names the parts, so that a part that is not there is
// told).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rtvp::common {

static_assert(std::endian::native == std::endian::little, "state files are little-endian");

/// The bytes are not the state that is asked for.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class StateArchive;

template <typename T>
concept HasState = requires(T& object, StateArchive& archive) {
  object.state(archive);
};
/// For plain structs: a function beside them that names their members, `stateOf(archive, object)`.
template <typename T>
concept HasStateOf = requires(T& object, StateArchive& archive) {
  stateOf(archive, object);
};
/// A number behind value() and from_value(), as sc_time is one.
template <typename T>
concept HasValue = requires(const T& object) {
  { T::from_value(object.value()) } -> std::convertible_to<T>;
};

class StateArchive {
 public:
  /// Collects.
  StateArchive() = default;
  /// Gives back what was collected; `bytes` outlives it.
  explicit StateArchive(std::span<const std::uint8_t> bytes) : from_(bytes), reading_(true) {}

  [[nodiscard]] bool reading() const { return reading_; }
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  /// Reading: nothing is left.
  [[nodiscard]] bool atEnd() const { return from_.empty(); }

  /// The members in their order: numbers, enumerations, containers of them, classes with state().
  template <typename... Members>
  void operator()(Members&... members) {
    (item(members), ...);
  }
  /// A part begins. Throws StateError if another one is there.
  void mark(std::string_view name) {
    std::string found(name);
    item(found);
    if (found != name)
      throw StateError("found the state of '" + found.substr(0, 40) + "', expected that of '" +
                       std::string(name) + "'");
  }

  /// A container whose size is the object's own and not part of its state. Throws StateError if the
  /// state has another number of elements.
  template <typename T>
  void sized(std::vector<T>& values) {
    const std::size_t own = values.size();
    if (count(own) != own) throw StateError("the state is of an object of another size");
    elements(values);
  }
  void sized(std::vector<bool>& values) {
    const std::size_t own = values.size();
    item(values);
    if (values.size() != own) throw StateError("the state is of an object of another size");
  }
  /// Bytes of which most are 0; those of a page that is not there are.
  void memory(std::span<std::uint8_t> bytes) {
    constexpr std::size_t kPage = 4096;
    if (count(bytes.size() / kPage) != bytes.size() / kPage) {
      throw StateError("the state is of a memory of another size");
    }
    for (std::size_t at = 0; at < bytes.size(); at += kPage) {
      const auto page = bytes.subspan(at, std::min(kPage, bytes.size() - at));
      const bool used = !allZero(page);
      if (!(reading_ ? isNextPage(at) : used)) {
        if (used) std::fill(page.begin(), page.end(), std::uint8_t{0});
        continue;
      }
      std::uint64_t place = at;
      raw(&place, sizeof place);
      raw(page.data(), page.size());
    }
    std::uint64_t end = ~std::uint64_t{0};
    raw(&end, sizeof end);
    if (end != ~std::uint64_t{0}) throw StateError("the state has a page of a memory too many");
  }

 private:
  static bool allZero(std::span<const std::uint8_t> bytes) {
    return bytes.empty() ||
           (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
  }
  /// Reading: the next page that is there is the one at `at`.
  [[nodiscard]] bool isNextPage(std::size_t at) const {
    std::uint64_t place = 0;
    if (from_.size() < sizeof place) throw StateError("the state ends too early");
    std::memcpy(&place, from_.data(), sizeof place);
    return place == at;
  }
  template <typename T>
  void elements(std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) item(value);
    }
  }
  void raw(void* data, std::size_t size) {
    if (!reading_) {
      const auto* const first = static_cast<const std::uint8_t*>(data);
      bytes_.insert(bytes_.end(), first, first + size);
      return;
    }
    if (size > from_.size()) throw StateError("the state ends too early");
    if (size != 0) std::memcpy(data, from_.data(), size);
    from_ = from_.subspan(size);
  }
  /// Number of elements of a container; no more than there are bytes left.
  std::size_t count(std::size_t now) {
    auto n = static_cast<std::uint64_t>(now);
    raw(&n, sizeof n);
    if (reading_ && n > from_.size() * 8) throw StateError("the state ends too early");
    return static_cast<std::size_t>(n);
  }
  template <typename T>
  void item(T& value) {
    if constexpr (HasState<T>) {
      value.state(*this);
    } else if constexpr (HasStateOf<T>) {
      stateOf(*this, value);
    } else if constexpr (HasValue<T>) {
      auto number = value.value();
      raw(&number, sizeof number);
      if (reading_) value = T::from_value(number);
    } else if constexpr (std::is_same_v<T, bool>) {
      auto byte = static_cast<std::uint8_t>(value ? 1 : 0);
      raw(&byte, 1);
      value = byte != 0;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      raw(&value, sizeof value);
    } else {
      // Without padding, so that equal states are equal bytes.
      static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>,
                    "a class with padding or pointers needs state()");
      raw(&value, sizeof value);
    }
  }
  template <typename T, std::size_t N>
  void item(T (&values)[N]) {
    for (T& value : values) item(value);
  }
  template <typename T, std::size_t N>
  void item(std::array<T, N>& values) {
    for (T& value : values) item(value);
  }
  template <typename A, typename B>
  void item(std::pair<A, B>& value) {
    item(value.first);
    item(value.second);
  }
  template <typename T>
  void item(std::vector<T>& values) {
    values.resize(count(values.size()));
    elements(values);
  }
  void item(std::vector<bool>& values) {
    values.resize(count(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      bool value = values[i];
      item(value);
      values[i] = value;
    }
  }
  template <typename T>
  void item(std::deque<T>& values) {
    values.resize(count(values.size()));
    for (T& value : values) item(value);
  }
  void item(std::string& text) {
    text.resize(count(text.size()));
    raw(text.data(), text.size());
  }
  template <typename T>
  void item(std::optional<T>& value) {
    bool there = value.has_value();
    item(there);
    if (reading_) value = there ? std::optional<T>(T{}) : std::nullopt;
    if (there) item(*value);
  }

  std::vector<std::uint8_t> bytes_;
  std::span<const std::uint8_t> from_;
  bool reading_ = false;
};

}  // namespace rtvp::common
