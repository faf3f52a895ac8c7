// Logs of what boards' DSPs execute: written while any engine runs random programs at its speed,
// read, and held against what observers of the scalar processors saw in the same run. Then logs
// that are damaged, cut, of another version or of another machine.
#include "models/tigershark/instruction_log.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/crc.hpp>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>

#include "models/c32/debug/divergence.hpp"
#include "models/c32/debug/unit.hpp"
#include "models/tigershark/array_replay.hpp"
#include "tests/models/tigershark/array_bench.hpp"
#include "tests/models/tigershark/random_program.hpp"
#include "tests/models/tigershark/service_program.hpp"

namespace rtvp::tigershark::test {
namespace {

constexpr std::uint64_t kSeed = 20'261'127;

std::uint64_t programs() {
  const char* wanted = std::getenv("RTVP_PROGRAMS");
  return wanted == nullptr ? 60 : std::strtoull(wanted, nullptr, 10);
}

/// Everything that an observer is told.
class Noted final : public c32::CpuObserver {
 public:
  Noted(Cycle from, Cycle to) : from_(from), to_(to) {}
  void executed(const c32::TraceRecord& r) override {
    if (r.start < from_ || r.start >= to_) return;
    c32::LoggedInstruction i;
    i.pc = r.pc;
    i.word = r.word;
    i.start = r.start;
    i.end = r.end;
    if (r.end - r.start != 1) i.stalls = r.stalls;
    i.registers.assign(r.registers.begin(), r.registers.end());
    i.accesses.assign(r.accesses.begin(), r.accesses.end());
    all.push_back(std::move(i));
  }
  void interrupted(unsigned flag, std::uint32_t from, std::uint32_t to, Cycle start,
                   Cycle end) override {
    if (start < from_ || start >= to_) return;
    c32::LoggedInstruction i;
    i.interrupt = true;
    i.flag = flag;
    i.from = from;
    i.pc = to;
    i.start = start;
    i.end = end;
    all.push_back(std::move(i));
  }
  std::deque<c32::LoggedInstruction> all;

 private:
  Cycle from_, to_;
};

/// What observers noted, as a stream.
class Reference final : public c32::InstructionStream {
 public:
  Reference(const c32::Image& image, std::vector<std::string> names)
      : program_(c32::debugProgram(image)), names_(std::move(names)) {}
  [[nodiscard]] const debug::Program& program() const override { return program_; }
  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  bool next(std::size_t unit, c32::LoggedInstruction& instruction) override {
    auto& all = noted[unit]->all;
    if (all.empty()) return false;
    instruction = std::move(all.front());
    all.pop_front();
    return true;
  }
  std::vector<std::unique_ptr<Noted>> noted;  ///< by unit

 private:
  debug::Program program_;
  std::vector<std::string> names_;
};

/// What a run is made of; the same for each of its engines.
struct Case {
  std::uint64_t seed = 0;
  std::string text;
  bool service = false;  ///< words come in all the time
  ArrayConfig config;
  std::vector<bool> watched;  ///< by lane
  Cycle from = 0, to = c32::kNever;
  Cycle quantum = 1'000'000;
  std::uint32_t waitStates = 0;  ///< that the memory asks for
};

/// An array with what is around it, as LockstepArray has it.
class Played {
 public:
  Played(const Case& c, const EngineChoice& choice) : case_(c), random_(c.seed) {
    const auto result = c32::assemble("test.asm", std::string(kPrelude) + c.text + "\nhotend:\n");
    EXPECT_TRUE(result.image) << result.report();
    image = *result.image;
    RandomProgram data(c.seed ^ 0x5A5A);
    for (std::size_t i = 0x800; i < board.memory.size(); ++i) board.memory[i] = data.word();
    for (const auto& section : image.sections) {
      std::copy(section.words.begin(), section.words.end(),
                board.memory.begin() + section.loadAddress);
    }
    board.waitStates = c.waitStates;
    engine = makeArray(c.config, board, choice);
  }

  /// Names of the watched lanes, empty for the others.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (std::size_t lane = 0; lane < case_.watched.size(); ++lane)
      names.push_back(case_.watched[lane] ? "board0.dsp" + std::to_string(lane) : "");
    return names;
  }

  /// The log of it.
  std::string record(std::size_t mostKept = ArrayRecorder::kMostKept) {
    std::string bytes;
    InstructionLog log(
        image, {{engine.get(), case_.config, names()}}, case_.from, case_.to,
        [&](std::string_view piece) { bytes += piece; }, mostKept);
    board.recorder = recorder = &log.recorder(0);
    play();
    log.finish();
    return bytes;
  }

  /// What observers see of it.
  std::unique_ptr<Reference> observe() {
    std::vector<std::string> wanted = names();
    std::erase(wanted, "");
    auto reference = std::make_unique<Reference>(image, std::move(wanted));
    for (const bool watched : case_.watched) {
      observers_.push_back(nullptr);
      if (!watched) continue;
      reference->noted.push_back(std::make_unique<Noted>(case_.from, case_.to));
      observers_.back() = reference->noted.back().get();
    }
    play();
    return reference;
  }

  struct Board final : FlatBoard {
    SharedReply sharedAccess(const c32::BusRequest& request) override {
      const SharedReply reply = FlatBoard::sharedAccess(request);
      if (recorder != nullptr) recorder->access(request, reply);
      return reply;
    }
    ArrayRecorder* recorder = nullptr;
  };
  Board board;
  c32::Image image;
  std::unique_ptr<ArrayEngine> engine;
  ArrayRecorder* recorder = nullptr;

  /// From reset on to the end.
  void play() {
    reset(0);
    run(15'000);
    now_ = 20'000;
    word(0, 20'000);
    if (!case_.service) {
      if (!run(1'500'000)) return;
      // Once more from reset, with what the RAM then holds.
      const Cycle again = now_ + 1'000'000;
      reset(again);
      run(again + 15'000);
      word(0, again + 20'000);
      run(again + 1'500'000);
      return;
    }
    run(30'000);
    Cycle at = 40'000;
    const int words = 60 + static_cast<int>(random_() % 200);
    for (int i = 0; i < words; ++i) {
      const auto gap = random_() % 8;
      at += gap == 0 ? 500 + random_() % 3000 : gap == 1 ? 20 + random_() % 60 : 83 + random_() % 3;
      word(static_cast<std::uint32_t>(random_() >> (random_() % 3 == 0 ? 0 : 58)), at);
      if (random_() % 64 == 0) change();
      if (random_() % 100 == 0) {
        if (!run(std::max(now_, at - random_() % 200))) return;
        reset(std::max(now_, at) + 1 + random_() % 50);
        at += 3'000;
      }
      if (random_() % 16 == 0 && !run(std::max(now_, at - 1'000 + random_() % 2'000))) return;
    }
    run(at + 500'000);
  }

 private:
  /// A debugger changes a lane.
  void change() {
    const auto lane = static_cast<int>(random_() % case_.watched.size());
    const std::uint64_t raw = random_() & 0xFF'FFFF'FFFF;
    const auto low = static_cast<std::uint32_t>(raw);
    c32::Cpu& cpu = engine->processor(lane);
    switch (random_() % 3) {
      case 0:
        cpu.setExtended(4, {static_cast<std::int8_t>(raw >> 32), low});
        if (recorder != nullptr) recorder->setRegister(lane, 4, raw);
        break;
      case 1:
        cpu.setRegister(c32::reg::IR0, low & 7);
        if (recorder != nullptr) recorder->setRegister(lane, c32::reg::IR0, low & 7);
        break;
      default:
        cpu.poke(image.find("area").value_or(0), low);
        if (recorder != nullptr) recorder->poke(lane, image.find("area").value_or(0), low);
    }
  }
  void reset(Cycle cycle) {
    now_ = cycle;
    if (recorder != nullptr) recorder->reset(cycle);
    engine->reset(cycle);
  }
  void word(std::uint32_t word, Cycle arrival) {
    if (recorder != nullptr) recorder->chainInput(word, arrival);
    engine->chainInput(word, arrival);
  }
  /// Until when observers or the recorder need no look.
  Cycle limit() {
    if (recorder != nullptr) return recorder->proceed(now_);
    const bool inside = now_ >= case_.from && now_ < case_.to;
    if (inside != observed_) {
      observed_ = inside;
      for (std::size_t lane = 0; lane < observers_.size(); ++lane)
        engine->processor(static_cast<int>(lane)).setObserver(inside ? observers_[lane] : nullptr);
    }
    return now_ < case_.from ? case_.from : inside ? case_.to : c32::kNever;
  }
  /// Until nothing happens without the outside, or `end`. False: an error.
  bool run(Cycle end) {
    while (now_ < end) {
      const Cycle horizon = std::min({end, now_ + case_.quantum, limit()});
      if (recorder != nullptr) recorder->advance(horizon);
      const ArrayOutcome outcome = engine->advance(horizon);
      if (recorder != nullptr) recorder->outcome(outcome);
      switch (outcome.kind) {
        case ArrayOutcome::Kind::Error:
          return false;
        case ArrayOutcome::Kind::Quiescent:
          return true;
        case ArrayOutcome::Kind::Horizon:
          now_ = std::max(now_, outcome.cycle);
          break;
        case ArrayOutcome::Kind::Barrier:
          now_ = std::max(now_, outcome.cycle) + random_() % 3;
          if (recorder != nullptr) recorder->release(now_);
          engine->release(now_);
      }
    }
    return true;
  }
  const Case& case_;
  std::mt19937_64 random_;
  std::vector<c32::CpuObserver*> observers_;
  bool observed_ = false;
  Cycle now_ = 0;
};

Case makeCase(std::uint64_t seed) {
  Case c;
  c.seed = seed;
  std::mt19937_64 random(seed * 7 + 1);
  c.service = random() % 2 != 0;
  c.text = c.service ? ServiceProgram(seed).text() : RandomProgram(seed).text();
  c.config.lanes = static_cast<int>(c.service ? 8 + random() % 5 : 1 + random() % 20);
  c.config.riseCycles = random() % 6;
  c.config.syncCycles = random() % 4;
  if (random() % 4 == 0) c.config.cpu.bcondUntakenCycles = 1;
  if (random() % 4 == 0) c.config.cpu.arReadStall = 0;
  if (random() % 4 == 0) c.config.cpu.serialBitClockHz = 5'000'000 + random() % 9'000'000;
  c.watched.resize(static_cast<std::size_t>(c.config.lanes), true);
  if (random() % 2 == 0) {
    for (std::size_t lane = 0; lane < c.watched.size(); ++lane) c.watched[lane] = random() % 3 == 0;
    c.watched[random() % c.watched.size()] = true;
  }
  if (random() % 3 == 0) c.waitStates = static_cast<std::uint32_t>(1 + random() % 3);
  if (random() % 3 == 0) c.quantum = 100 + random() % 2000;
  if (random() % 3 != 0) {
    // Within the boot, the program, or the second life after a reset.
    c.from = random() % 3 == 0 ? random() % 2'000 : 19'000 + random() % 30'000;
    if (random() % 4 == 0) c.from += 1'000'000;
    c.to = c.from + random() % 40'000;
  }
  return c;
}

std::string textOf(c32::InstructionStream& stream, bool collapse = false) {
  std::string text;
  c32::writeInstructions(stream, {collapse}, [&](std::string_view piece) { text += piece; });
  return text;
}

/// The message of whoever refuses the log; empty: nobody does.
std::string refusal(std::string_view log) {
  try {
    InstructionLogReader reader(log);
    (void)textOf(reader);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

EngineChoice simt(std::mt19937_64& random) {
  EngineChoice choice{.kind = EngineChoice::Kind::Simt};
  do {
    choice.isa = c32::simt::kAllIsas[random() % 4];
  } while (!c32::simt::isaUsable(*choice.isa));
  return choice;
}

TEST(InstructionLog, HasWhatObserversSee) {
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(kSeed),
              static_cast<unsigned long long>(kSeed + programs() - 1));
  std::size_t lines = 0;
  std::size_t windows = 0;
  std::uint64_t vectored = 0;
  std::uint64_t inBlocks = 0;
  for (std::uint64_t seed = kSeed; seed < kSeed + programs(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = makeCase(seed);
    std::mt19937_64 random(seed);
    const EngineChoice vectors = simt(random);
    const std::string wanted = textOf(*Played(c, {.kind = EngineChoice::Kind::Scalar}).observe());
    for (const EngineChoice& choice : {EngineChoice{.kind = EngineChoice::Kind::Scalar}, vectors}) {
      Played run(c, choice);
      // Some logs begin before the state that they go on with.
      const std::string log = random() % 3 == 0 ? run.record(1'000) : run.record();
      InstructionLogReader reader(log);
      ASSERT_EQ(textOf(reader), wanted) << c.text;
      const ArrayEngine::HostCounters host = run.engine->hostCounters();
      vectored += host.instructions;
      inBlocks += host.serviceInstructions;
    }
    const auto count = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), '\n'));
    lines += count;
    windows += c.from > 20'000 && count > 1 ? 1U : 0U;
  }
  std::printf(
      "%zu lines; %zu windows that began later; %llu instructions on vectors, %llu in "
      "blocks meanwhile\n",
      lines, windows, static_cast<unsigned long long>(vectored),
      static_cast<unsigned long long>(inBlocks));
  if (programs() < 60) return;  // some alone say nothing of all
  // The engines were at work, and the logs are no empty ones.
  EXPECT_GT(lines, 100'000U);
  EXPECT_GT(windows, 5U);
  EXPECT_GT(vectored, 20'000U);
  EXPECT_GT(inBlocks, 50'000U);
}

/// A program with barriers on 9 lanes, all watched.
Case wholeRun() {
  Case c;
  c.seed = kSeed;
  c.text = RandomProgram(kSeed + 3).text();
  c.config.lanes = 9;
  c.watched.resize(9, true);
  return c;
}

TEST(InstructionLog, CollapsedAndByDivergenceToo) {
  const Case c = wholeRun();
  Played run(c, {.kind = EngineChoice::Kind::Simt});
  const std::string log = run.record();
  const auto reference = [&] { return Played(c, {.kind = EngineChoice::Kind::Scalar}).observe(); };
  InstructionLogReader first(log);
  EXPECT_EQ(textOf(first, true), textOf(*reference(), true));
  InstructionLogReader second(log);
  EXPECT_EQ(c32::divergenceText(second), c32::divergenceText(*reference()));
}

// The memory is asked for in the middle of an advance; there the simulation can end.
TEST(InstructionLog, EndsInTheMiddleOfAnAdvance) {
  const Case c = wholeRun();
  Played run(c, {.kind = EngineChoice::Kind::Scalar});
  std::string bytes;
  std::string until;
  InstructionLog log(run.image, {{run.engine.get(), c.config, run.names()}}, c.from, c.to,
                     [&](std::string_view piece) { bytes += piece; });
  run.recorder = run.board.recorder = &log.recorder(0);
  unsigned left = 400;
  run.board.onAccess = [&] {
    if (left != 0 && --left == 0) {
      log.finish();
      until = bytes;
    }
  };
  run.play();
  EXPECT_EQ(bytes, until) << "behind its end";
  InstructionLogReader reader(until);
  const std::string text = textOf(reader);
  const std::string whole = textOf(*Played(c, {.kind = EngineChoice::Kind::Scalar}).observe());
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 200);
  EXPECT_EQ(text.find("board0.dsp1"), std::string::npos) << "slaves run behind the master";
  // Each of the master's lines stands in the whole log, in this order.
  std::size_t at = 0;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    at = whole.find(text.substr(begin, end - begin), at);
    ASSERT_NE(at, std::string::npos) << text.substr(begin, end - begin);
  }
}

// ---- logs that are none

TEST(InstructionLog, CutAnywhereIsRefused) {
  const std::string log = Played(wholeRun(), {.kind = EngineChoice::Kind::Simt}).record();
  ASSERT_EQ(refusal(log), "");
  for (std::size_t size = 0; size < log.size(); size += 1 + size / 64)
    EXPECT_NE(refusal(log.substr(0, size)), "") << size << " of " << log.size();
  for (std::size_t missing = 1; missing < 20; ++missing)
    EXPECT_NE(refusal(log.substr(0, log.size() - missing)), "") << missing;
  EXPECT_NE(refusal(log + "x"), "");
  EXPECT_NE(refusal(log + log.substr(log.find('\n') + 1)), "");
}

TEST(InstructionLog, DamagedBytesAreFound) {
  const std::string log = Played(wholeRun(), {.kind = EngineChoice::Kind::Simt}).record();
  std::mt19937_64 random(kSeed);
  for (int n = 0; n < 200; ++n) {
    std::string damaged = log;
    const std::size_t at = random() % log.size();
    damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random() % 255));
    EXPECT_NE(refusal(damaged), "") << "byte " << at;
  }
}

std::uint32_t numberAt(std::string_view bytes, std::size_t& at) {
  std::uint32_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= std::uint32_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

/// The log with a byte of its n-th chunk changed and that chunk's checksum made right again.
std::string resealed(std::string log, std::size_t chunk, std::mt19937_64& random) {
  std::size_t at = log.find('\n') + 1;
  for (std::size_t n = 0;; ++n) {
    const std::uint32_t what = numberAt(log, at);
    const std::uint32_t size = numberAt(log, at);
    const std::size_t sumAt = at;
    at += 4;
    if (n == chunk) {
      log[at + random() % size] ^= static_cast<char>(1U << random() % 8);
      boost::crc_32_type sum;
      const std::array<unsigned char, 8> id{static_cast<unsigned char>(what)};
      sum.process_bytes(id.data(), id.size());
      sum.process_bytes(log.data() + at, size);
      for (unsigned byte = 0; byte < 4; ++byte)
        log[sumAt + byte] = static_cast<char>(sum.checksum() >> (8 * byte));
      return log;
    }
    at += size;
  }
}

// Nothing but the contents can tell then: most are refused, none does harm.
TEST(InstructionLog, DamageBehindARightChecksumDoesNoHarm) {
  Case late = wholeRun();
  late.text = ServiceProgram(kSeed + 1).text();
  late.service = true;
  late.from = 45'000;  // the log begins with a state
  late.to = 60'000;
  const std::string logs[] = {Played(wholeRun(), {.kind = EngineChoice::Kind::Simt}).record(),
                              Played(late, {.kind = EngineChoice::Kind::Simt}).record()};
  for (const std::string& log : logs) ASSERT_EQ(refusal(log), "");
  ASSERT_GT(logs[1].size(), 9U * 4 * c32::kRamWords) << "no state in it";
  std::mt19937_64 random(kSeed);
  int refused = 0;
  for (int n = 0; n < 100; ++n) {
    const std::string& log = logs[n / 2 % 2];
    const std::string damaged = resealed(log, n % 2 == 0 ? 0 : 1, random);
    ASSERT_EQ(damaged.size(), log.size());
    const std::string why = refusal(damaged);
    ASSERT_EQ(why.find("checksum"), std::string::npos) << why;
    refused += why.empty() ? 0 : 1;
  }
  std::printf("%d of 100 refused\n", refused);
  EXPECT_GT(refused, 40);
}

TEST(InstructionLog, OtherFilesAreNamed) {
  EXPECT_EQ(refusal("rtvp C32 instructions 1\nwhatever"),
            "found an instruction log of version 1, expected version 2: write it again with this "
            "--instructions, or read it with the platform that wrote it");
  EXPECT_EQ(refusal("P6 something"),
            "found no instruction log, expected a file that --instructions wrote");
  EXPECT_EQ(refusal(""), "found no instruction log, expected a file that --instructions wrote");
}

// A reader whose processors do otherwise says so instead of showing what was not.
TEST(InstructionLog, AnotherMachineIsNoticed) {
  const Case c = wholeRun();
  Case slower = c;
  slower.config.cpu.bcondUntakenCycles = 1;
  Played run(c, {.kind = EngineChoice::Kind::Simt});
  std::string bytes;
  InstructionLog log(run.image, {{run.engine.get(), slower.config, run.names()}}, c.from, c.to,
                     [&](std::string_view piece) { bytes += piece; });
  run.recorder = run.board.recorder = &log.recorder(0);
  run.play();
  log.finish();
  EXPECT_NE(refusal(bytes).find("do something else than in the run: found "), std::string::npos)
      << refusal(bytes);
}

}  // namespace
}  // namespace rtvp::tigershark::test
