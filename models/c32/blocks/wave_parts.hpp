// What the wave keeps: internal to wave.cpp and wave_passages.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "models/c32/blocks/lap.hpp"
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
  // Whether laps begin here.
  std::uint64_t seenIn = 0;  ///< number of the run() in which a turn ended so last
  std::uint64_t seenAt = 0;  ///< words received in it until then
  unsigned returns = 0;      ///< after as many words as a message has
  unsigned message = 0;      ///< they do: words of one
  bool inside = false;       ///< never: turns end so inside of a message
  bool loop = false;         ///< turns end so one after the other: any number of words is a message
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
  Run(Cpu& processor, Inbox& words, Cycle limit, std::array<std::uint32_t, 256>& values,
      const Find& blocks)
      : cpu(processor), inbox(words), horizon(limit), value(values), find(blocks) {}

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
  const Find& find;
  Slept slept;
  Cycle inPassages = 0;  ///< cycles that host code has taken it through
  bool inLap = false;    ///< its turns are looked at: LapTaken
};

/// Translated turns.
struct Wave::Passages {
  TurnCode code;
  TurnSetting setting;
  Cycle latest = 0;                   ///< TurnCode::latest()
  std::vector<Known*> ends;           ///< by number: the summary that a passage ends with
  std::vector<Known*> places;         ///< by number
  std::vector<SerialWord> sent;       ///< room for words sent
  std::uint64_t armed = 0;            ///< Wave::round_ for which TurnFrame::usable holds
  std::vector<std::uint16_t> stores;  ///< RAM words that passages and laps write, each once
  bool clean = false;                 ///< none of them is program, in that round
  std::size_t usable = 0;  ///< so many passages are known to be usable, from the first on

  void addStores(const Summary& s) {
    for (const std::uint16_t o : s.stores) {
      if (std::find(stores.begin(), stores.end(), o) == stores.end()) stores.push_back(o);
    }
    armed = 0;
  }
};

/// Turns that the wave takes one by one to see whether they make a lap, from their first sleep on.
struct Wave::LapTaken {
  struct Turn {
    Slept slept;
    Known* to = nullptr;
    unsigned words = 0;  ///< received up to its end

    friend bool operator==(const Turn&, const Turn&) = default;
  };
  std::vector<Turn> turns;
  LapTiming timing;
  Cycle origin = 0;
  std::uint64_t received = 0;  ///< words, before
  unsigned sent = 0;           ///< words
  std::uint64_t edge = 0;      ///< the transmitter's last one, before
  Woken begin;                 ///< what a summary of it is made of; its registers and RAM are below
  std::array<std::uint32_t, reg::kCount> registers{};
  std::vector<std::uint32_t> ram;
};

/// Code of a lap; others have other pins.
struct Wave::LapVersion {
  std::unique_ptr<Summary> summary;
  TurnCode::Lap code = nullptr;
  LapVersion* next = nullptr;  ///< the one taken after it the time before
};

/// A lap, for all of its timings.
struct Wave::Lap {
  std::vector<LapTaken::Turn> turns;
  unsigned place = 0;                ///< where it begins
  std::vector<LapVersion> versions;  ///< has room for all
  LapVersion* latest = nullptr;      ///< the one taken
  struct Part {
    Known* known;
    unsigned times;
  };
  std::vector<Part> parts;  ///< its turns, each kind once
  unsigned steps = 0;       ///< instructions
  Cycle busy = 0;           ///< cycles awake
  std::uint64_t uses = 0;   ///< in this run()
};

struct Wave::Laps {
  LapTimings timings;
  std::vector<Lap> laps;
  LapTaken taken;
  std::vector<Lap*> used;  ///< in this run(); `laps` has room for all, so they stay where they are
  std::uint64_t run = 0;   ///< number of this run()
  unsigned runs = 0;       ///< of laps one after the other
  unsigned credit = 0;     ///< looks at turns that come
};

}  // namespace rtvp::c32::blocks
