// What the wave keeps: internal to wave.cpp and wave_passages.cpp.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "models/c32/blocks/turn_code.hpp"
#include "models/c32/blocks/wave.hpp"

namespace rtvp::c32::blocks {

inline constexpr std::uint64_t kWordBits = 32;
/// Wake-ups of a kind without a summary before one is made.
inline constexpr std::uint64_t kHot = 3;
inline constexpr unsigned kMostStores = 256;  ///< of a turn: as many as operations

/// A summary with what the wave keeps beside it.
struct Wave::Known {
  std::unique_ptr<Summary> summary;
  std::uint64_t uses = 0;     ///< in this run()
  std::uint64_t checked = 0;  ///< round_ in which its stores were found to hit no program
  // After one of these its pins hold.
  std::array<const Known*, 4> implied{};
  std::size_t oldest = 0;
  // Where turns went on from here.
  std::array<Node*, 4> next{};
  std::size_t oldestNext = 0;
  // The same in host code.
  struct Way {
    Slept slept;
    Known* to = nullptr;
    unsigned taken = 0;
  };
  std::vector<Way> ways;  ///< how turns went on from here
  std::optional<unsigned> place;
};

/// Summaries that begin alike.
struct Wave::Node {
  Key key;
  std::vector<std::unique_ptr<Known>> summaries;  ///< the latest used one first
  std::uint64_t misses = 0;
  std::uint64_t learnAt = kHot;
};

/// One call of run().
struct Wave::Run {
  Run(Cpu& processor, Inbox& words, Cycle limit, std::array<std::uint32_t, 256>& values)
      : cpu(processor), inbox(words), horizon(limit), value(values) {}

  Cpu& cpu;
  Inbox& inbox;
  Cycle horizon;
  Wire wire;
  Wire before;  ///< as it was when the turn's sleep began
  std::size_t pops = 0;
  Cycle cycle = 0;
  Cycle awake = 0;     ///< the last wake-up
  Cycle base = 0;      ///< and its interrupt has been entered
  Cycle lastBase = 0;  ///< likewise, of the last turn taken
  Cycle readyAt = 0;
  bool late = false;  ///< the turn might not end before the horizon
  std::uint64_t idle = 0;
  std::uint32_t pc = 0;
  std::uint32_t enable = 0;
  std::uint32_t status = 0;
  std::uint32_t flagsKept = ~0u;
  Known* last = nullptr;
  struct Sent {
    std::uint32_t word;
    Cycle arrival;
  };
  std::array<Sent, kMostSent> sent;
  unsigned sentCount = 0;
  struct Undo {
    std::uint16_t offset;
    std::uint32_t word;
  };
  std::array<Undo, kMostStores> undo;
  unsigned undoCount = 0;
  std::array<std::uint32_t, 256>& value;  ///< registers, then results
  Slept slept;
  Cycle inPassages = 0;  ///< cycles that host code has taken it through
};

/// Translated turns.
struct Wave::Passages {
  TurnCode code;
  TurnSetting setting;
  Cycle latest = 0;              ///< TurnCode::latest()
  std::vector<Known*> ends;      ///< by number: the summary that a passage ends with
  std::vector<Known*> places;    ///< by number
  std::vector<SerialWord> sent;  ///< room for words sent
  std::uint64_t armed = 0;       ///< Wave::round_ for which TurnFrame::usable holds
};

}  // namespace rtvp::c32::blocks
