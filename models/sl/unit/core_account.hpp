// Where the clocks of a pipeline of the shading unit went, by instruction of the program store.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/sl/unit/texture_reader.hpp"

namespace rtvp::sl::unit {

/// What a clock of a pipeline with a request went to, as its counters have it.
enum class SlSpent : std::uint8_t { Executing, Request, Texture, Result, Port, Count };
inline constexpr unsigned kSlSpent = static_cast<unsigned>(SlSpent::Count);
inline constexpr std::array<std::string_view, kSlSpent> kSlSpentNames{"executing", "request",
                                                                      "texture", "result", "port"};

/// What a pipeline does for a run before its first instruction belongs to that; what it does behind
/// one, to that one. Requests that never run anything belong nowhere.
class CoreAccount {
 public:
  struct Place {
    std::uint64_t executions = 0;
    std::array<Clock, kSlSpent> clocks{};
  };

  explicit CoreAccount(std::uint32_t words) : places_(words) {}

  /// A request was taken.
  void begin() { place_.reset(); }
  /// The run stands at that word of the store.
  void stand(std::uint32_t word) {
    place_ = word;
    for (unsigned c = 0; c < kSlSpent; ++c) places_[word].clocks[c] += pending_.clocks[c];
    pending_ = {};
  }
  /// An instruction there executes.
  void execute(std::uint32_t word, Clock clocks) {
    if (place_ != word) stand(word);
    ++places_[word].executions;
    charge(SlSpent::Executing, clocks);
  }
  void charge(SlSpent cause, Clock clocks) {
    Place& place = place_ ? places_[*place_] : pending_;
    place.clocks[static_cast<unsigned>(cause)] += clocks;
  }
  /// The request is answered.
  void end() {
    for (unsigned c = 0; c < kSlSpent; ++c) nowhere_.clocks[c] += pending_.clocks[c];
    pending_ = {};
  }

  /// By word of the program store.
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] const Place& nowhere() const { return nowhere_; }

 private:
  std::vector<Place> places_;
  std::optional<std::uint32_t> place_;
  Place pending_, nowhere_;
};

}  // namespace rtvp::sl::unit
