// Translated code against the run loop, which stays as it is without a translator: random programs
// in internal RAM and outside, every timing, waits and banks, flat memory, interrupts, stores into
// code. Both must have the same registers, memory, cycles, account and faults whenever somebody
// looks. RTVP_C32_PROGRAMS: how many.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <string>

#include "models/c32/debug/machine.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kOutside = 0x1000;  ///< code and data of programs that are not in the RAM
constexpr std::uint32_t kCodeWords = 0xE0;
constexpr std::uint32_t kDataWords = 0x120;
constexpr std::uint32_t kVectors = 0x3000;
constexpr std::uint32_t kStrobe0Control = 0x808064;
constexpr std::uint32_t kNop = 0x0C800000;

std::uint32_t programs() {
  const char* const wanted = std::getenv("RTVP_C32_PROGRAMS");
  return wanted != nullptr ? static_cast<std::uint32_t>(std::atoi(wanted)) : 400;
}

/// What a program runs with, by its seed.
struct Setting {
  CpuConfig config;
  bool codeInside = true;
  bool dataInside = true;
  std::uint32_t strobe = 0x000F0008;
  bool interrupts = false;

  explicit Setting(std::mt19937& random) {
    const auto pick = [&random](std::uint32_t n) {
      return static_cast<std::uint32_t>(random() % n);
    };
    config.timing = static_cast<Timing>(pick(3));
    config.flatMemory = pick(5) == 0;
    if (pick(8) == 0) config.repeatCountEndsZero = true;
    if (pick(8) == 0) config.exactN = false;
    if (pick(8) == 0) config.alignment = Alignment::FloorAlways;
    codeInside = pick(3) != 0;
    dataInside = pick(3) != 0;
    strobe |= pick(3) << 5 | (pick(3) == 0 ? 0x1000u : 0u);
    if (pick(10) == 0) strobe = 0x000F10F8;
    interrupts = pick(3) == 0;
  }
};

class Program {
 public:
  Program(std::uint32_t seed, bool translate)
      : random_(seed), setting_(random_), machine_(setting_.config, options(translate)) {
    Cpu& cpu = machine_.cpu();
    code_ = setting_.codeInside ? kRamBase : kOutside;
    data_ = setting_.dataInside ? kRamBase + kCodeWords : kOutside + 0x200;
    cpu.poke(kStrobe0Control, setting_.strobe);
    // Some programs keep to simple instructions and go far, others try everything.
    simple_ = pick(4) != 0;
    sums_ = pick(3) == 0;
    asks_ = !sums_ && pick(3) == 0;
    for (std::uint32_t n = 0; n < kCodeWords; ++n) machine_.poke(code_ + n, word(n));
    machine_.poke(code_ + kCodeWords - 1, 0x60000000u | code_);  // BR
    for (std::uint32_t n = 0; n < kDataWords; ++n) machine_.poke(data_ + n, datum());
    if (sums_) sumsStayInData();
    for (unsigned n = 0; n < 8; ++n) {
      cpu.setExtended(n, {static_cast<std::int8_t>(static_cast<int>(pick(40)) - 20), draw()});
      cpu.setRegister(reg::AR0 + n, place());
    }
    cpu.setRegister(reg::DP, data_ >> 16);
    cpu.setRegister(reg::SP, data_ + 0x80 + pick(16));
    cpu.setRegister(reg::IR0, pick(4));
    cpu.setRegister(reg::IR1, pick(4));
    cpu.setRegister(reg::BK, pick(2) == 0 ? 16 : pick(40));
    cpu.setRegister(reg::RC, pick(4));
    if (setting_.interrupts) enableInterrupts();
    cpu.setPc(code_);
  }

  Machine& machine() { return machine_; }
  std::uint32_t draw() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t pick(std::uint32_t n) { return draw() % n; }
  [[nodiscard]] bool interrupts() const { return setting_.interrupts; }
  /// As a debugger would.
  void change(std::uint32_t offset, std::uint32_t word) { machine_.poke(code_ + offset, word); }

 private:
  static MachineOptions options(bool translate) {
    MachineOptions o;
    o.translate = translate;
    return o;
  }
  void enableInterrupts() {
    Cpu& cpu = machine_.cpu();
    for (std::uint32_t n = 0; n < 16; ++n) machine_.poke(kVectors + n, kVectors + 0x40);
    machine_.poke(kVectors + 0x40, 0x02670001);  // ADDI 1,R7
    machine_.poke(kVectors + 0x41, 0x78000000);  // RETIU
    cpu.setRegister(reg::IE, 0xF);
    cpu.setRegister(reg::IF, kVectors << 8);
    cpu.setRegister(reg::ST, kGIE | kINTCONFIG);
  }
  /// Every round begins with AR0 to AR2 in the middle of the data.
  void sumsStayInData() {
    for (std::uint32_t n = 0; n < 3; ++n) {
      machine_.poke(data_ + n, data_ + 0x40 * (n + 1));
      machine_.poke(code_ + n, 0x08200000u | (8 + n) << 16 | ((data_ + n) & 0xFFFFu));
    }
  }
  /// Mostly data; sometimes the other memory, sometimes the program itself.
  std::uint32_t place() {
    const std::uint32_t kind = pick(24);
    if (kind == 0) return code_ + pick(kCodeWords);
    if (kind == 1) return kRamBase + pick(kRamWords);
    if (kind == 2) return kOutside + 0x200 + pick(kDataWords);
    return data_ + 0x20 + pick(kDataWords - 0x40);
  }
  std::uint32_t datum() {
    switch (sums_ ? 2 : pick(4)) {
      case 0:
        return pick(64);
      case 1:
        return draw();
      case 2:  // a float of ordinary size
        return (pick(8) - 4u) << 24 | (draw() & 0xFFFFFFu);
      default:
        return place();
    }
  }
  std::uint32_t word(std::uint32_t at) {
    if (sums_) {
      if (pick(16) == 0) return 0x64000000u | (code_ + at + 1 + pick(5));  // RPTB
      if (pick(32) == 0) return 0x087B0000u | pick(6);                     // LDI n,RC
      return ordinary();
    }
    if (asks_) return asking();
    switch (pick(24)) {
      case 0:  // Bcond, BcondD, a little forward
        return 0x6A000000u | pick(2) << 21 | pick(11) << 16 | (1 + pick(6));
      case 1:  // DBcond, DBcondD AR7, back
        return 0x6E000000u | 7u << 22 | pick(2) << 21 | ((0u - 1u - pick(8)) & 0xFFFFu);
      case 2:  // RPTB
        return 0x64000000u | (code_ + at + 1 + pick(5));
      case 3:
        return 0x087B0000u | pick(6);  // LDI n,RC
      case 4:
        return pick(3) != 0 ? 0x62000000u | (code_ + pick(kCodeWords)) : 0x78800000u;  // CALL, RETS
      case 5:
        return 0x0860'0000u | (8 + pick(8)) << 16 | pick(64);  // small counts in ARn
      default:
        return ordinary();
    }
  }
  /// Integers that are often equal, zero or extreme, and branches that ask for their flags.
  std::uint32_t asking() {
    if (slots_ != 0) {
      --slots_;
    } else if (pick(5) < 2) {
      const std::uint32_t condition = pick(4) != 0 ? 1 + pick(10) : 12 + pick(9);
      const bool later = pick(4) == 0;
      if (later) slots_ = 3;
      return 0x6A000000u | (later ? 1u << 21 : 0u) | condition << 16 | (1 + pick(3));
    }
    if (pick(6) == 0) {  // LDI -1, 0, 1 or LDI 7FFFh
      return 0x08600000u | pick(3) << 16 | (pick(4) == 0 ? 0x7FFFu : (pick(3) - 1u) & 0xFFFFu);
    }
    if (pick(10) == 0) return info(Op::LSH).base | 0x00600000u | pick(3) << 16 | 31;
    for (;;) {
      const OpInfo& row = info(kAsked[pick(static_cast<std::uint32_t>(kAsked.size()))]);
      const std::uint32_t w = row.base | (draw() & ~row.mask);
      const std::optional<Instruction> i = decode(w);
      if (!i || i->reg > 2) continue;
      const bool few = i->a.kind != Operand::Kind::Register || i->a.number < 3;
      const bool plain = i->a.kind != Operand::Kind::Direct &&
                         i->a.kind != Operand::Kind::Indirect &&
                         i->b.kind != Operand::Kind::Indirect &&
                         (i->b.kind != Operand::Kind::Register || i->b.number < 3);
      if (few && plain) return w;
    }
  }
  std::uint32_t ordinary() {
    const bool chained = sums_ && !compared_ && pick(2) == 0;
    for (;;) {
      const OpInfo& row = anyRow();
      const std::uint32_t w = row.base | (draw() & ~row.mask);
      const std::optional<Instruction> i = decode(w);
      if (!i || info(i->op).control || !harmless(*i)) continue;
      if (sums_ && !isSumOfFew(*i)) continue;
      if (chained && (i->a.kind != Operand::Kind::Register || i->a.number != result_)) continue;
      compared_ = i->op == Op::CMPF || i->op == Op::CMPF3;
      result_ = i->reg;
      return w;
    }
  }
  /// Float arithmetic on R0 to R2: results that the next instructions ask for.
  static bool isSumOfFew(const Instruction& i) {
    for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
      const bool isFew = o->kind == Operand::Kind::Register || o->kind == Operand::Kind::Indirect;
      if (isFew && o->number > 2) return false;
    }
    return i.reg < 3;
  }
  const OpInfo& anyRow() {
    if (sums_ && compared_) return info(Op::LDFcond);
    if (sums_) return info(kSums[pick(static_cast<std::uint32_t>(kSums.size()))]);
    return kRows[pick(static_cast<std::uint32_t>(kRows.size()))];
  }
  bool harmless(const Instruction& i) {
    if (i.op == Op::IDLE || i.op == Op::IDLE2 || i.op == Op::LOPOWER) return false;
    const OpInfo& row = info(i.op);
    if (simple_ && row.interlocked) return false;
    // Addresses stay where memory is, nearly always.
    const bool addresses = row.writesRegister && row.destination == RegClass::Any &&
                           i.reg >= reg::AR0 && pick(30) != 0;
    for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
      if (o->kind == Operand::Kind::Direct && (o->value & 0xFFFF) - (data_ & 0xFFFF) >= kDataWords)
        return false;
      if (o->kind == Operand::Kind::Indirect && o->value > 3) return false;
    }
    return !addresses;
  }

  static constexpr auto& kRows = kInstructions;
  // Loads keep the values in range, nearly always.
  static constexpr std::array kSums = {
      Op::ADDF, Op::ADDF3, Op::SUBF, Op::SUBF3, Op::SUBRF,    Op::MPYF,        Op::MPYF3,
      Op::CMPF, Op::CMPF3, Op::FIX,  Op::LDF,   Op::LDF,      Op::MPYF3_ADDF3, Op::MPYF3_SUBF3,
      Op::LDF,  Op::LDF,   Op::LDF,  Op::CMPF,  Op::ADDF3_STF};
  static constexpr std::array kAsked = {Op::CMPI, Op::CMPI3, Op::SUBI,  Op::SUBI3, Op::ADDI,
                                        Op::TSTB, Op::AND,   Op::XOR,   Op::LSH,   Op::ASH,
                                        Op::MPYI, Op::MPYI3, Op::SUBRI, Op::NEGI,  Op::ABSI,
                                        Op::NOT,  Op::OR,    Op::LDI,   Op::ADDC,  Op::SUBB};
  std::mt19937 random_;
  Setting setting_;
  Machine machine_;
  std::uint32_t code_ = 0;
  std::uint32_t data_ = 0;
  bool simple_ = true;
  bool sums_ = false;
  bool asks_ = false;
  unsigned slots_ = 0;     ///< words that must not be control instructions
  bool compared_ = false;  ///< by the word before
  unsigned result_ = 0;    ///< register that the word before writes
};

std::string seenOf(const Cpu& cpu) {
  std::string text = "pc " + std::to_string(cpu.pc()) + " cycle " + std::to_string(cpu.cycle());
  for (unsigned n = 0; n < reg::kCount; ++n) {
    text += " r" + std::to_string(n) + "=" + std::to_string(cpu.registerValue(n));
    if (n < 8) text += ":" + std::to_string(cpu.extended(n).exponent);
  }
  const CpuStatistics& s = cpu.statistics();
  text += " instructions " + std::to_string(s.instructions) + " stalls";
  for (const std::uint64_t cycles : s.stalls()) text += " " + std::to_string(cycles);
  text += " executing " + std::to_string(s.executing) + " wait " + std::to_string(s.busWait) +
          " bus " + std::to_string(s.externalFetches) + " " + std::to_string(s.externalReads) +
          " " + std::to_string(s.externalWrites) + " interrupts " +
          std::to_string(s.interruptsTaken) + " " + cpu.fault().text;
  return text;
}

void expectSame(Program& a, Program& b) {
  ASSERT_EQ(seenOf(a.machine().cpu()), seenOf(b.machine().cpu()));
  for (const std::uint32_t first : {kOutside, kRamBase}) {
    for (std::uint32_t n = 0; n < 0x400; ++n) {
      if (first == kRamBase && n >= kRamWords) break;
      ASSERT_EQ(a.machine().peek(first + n), b.machine().peek(first + n))
          << "address " << first + n;
    }
  }
}

struct Draws {
  std::mt19937 engine;
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
};

/// Instructions of one program, and how many of them were translated.
struct Done {
  std::uint64_t instructions = 0;
  std::uint64_t translated = 0;
};

struct Watcher : CpuObserver {
  void executed(const TraceRecord& /*record*/) override {}
};

void compare(std::uint32_t seed, Done& done) {
  Watcher watcher;
  Program fast(seed, true);
  Program plain(seed, false);
  Draws random{std::mt19937(seed ^ 0x5A5A5A5Au)};
  for (unsigned turn = 0; turn < 12; ++turn) {
    const Cycle cycles = 1 + random() % (turn % 3 == 0 ? 90 : 4000);
    const std::uint64_t most = random() % 4 == 0 ? 1 + random() % 300 : Cpu::kUnlimited;
    const bool line = random() % 2 == 0;
    const std::uint32_t after = random() % 400;
    if (random() % 6 == 0) {
      const std::uint32_t offset = random() % (kCodeWords - 1);
      for (Program* p : {&fast, &plain}) p->change(offset, kNop);
    }
    // Somebody who looks at one of them changes nothing.
    const bool watched = random() % 8 == 0 && !fast.machine().cpu().config().flatMemory;
    fast.machine().cpu().setObserver(watched ? &watcher : nullptr);
    StopReason why{};
    for (Program* p : {&fast, &plain}) {
      Cpu& cpu = p->machine().cpu();
      if (p->interrupts() && line) {
        cpu.setInterruptLine(turn % 4, true, cpu.cycle() + after);
        cpu.setInterruptLine(turn % 4, false, cpu.cycle() + after + 3);
      }
      why = cpu.run(cpu.cycle() + cycles, most);
    }
    expectSame(fast, plain);
    if (::testing::Test::HasFailure() || why == StopReason::Fault) break;
  }
  done.instructions += fast.machine().cpu().statistics().instructions;
  if (fast.machine().translator() != nullptr)
    done.translated += fast.machine().translator()->instructions();
}

TEST(Translate, RandomProgramsAsTheRunLoop) {
  if (!translate::Translator::possible()) GTEST_SKIP() << "this host's code is not made";
  Done done;
  for (std::uint32_t seed = 1; seed <= programs(); ++seed) {
    compare(seed, done);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  // Programs that end at once, or are not translated, would agree, too.
  EXPECT_GT(done.instructions, programs() * std::uint64_t{200});
  EXPECT_GT(done.translated * 3, done.instructions);
  RecordProperty("instructions", static_cast<int>(done.instructions));
  RecordProperty("translated", static_cast<int>(done.translated));
}

/// A repeat block that moves its own begin: RS from a table, now the same, now another.
TEST(Translate, RepeatStartMovesInTheBlock) {
  if (!translate::Translator::possible()) GTEST_SKIP() << "this host's code is not made";
  constexpr std::array<std::uint32_t, 6> kCode = {
      0x087B00C8,             // start: LDI 200,RC
      0x64000000 | 0x87FE04,  // RPTB end
      0x02600001,             // b0: ADDI 1,R0
      0x08592101,             // b1: LDI *AR1++(1),RS
      0x02620001,             // end: ADDI 1,R2
      0x60000000 | 0x87FE00,  // BR start
  };
  std::array<std::uint64_t, 2> rounds{};
  for (const bool translate : {false, true}) {
    MachineOptions options;
    options.translate = translate;
    Machine machine(CpuConfig{}, options);
    Cpu& cpu = machine.cpu();
    for (std::uint32_t n = 0; n < kCode.size(); ++n) machine.poke(kRamBase + n, kCode[n]);
    std::mt19937 random(1);
    for (std::uint32_t n = 0; n < 0x180; ++n)
      machine.poke(kRamBase + 0x40 + n, kRamBase + (random() % 8 == 0 ? 3u : 2u));
    for (int turn = 0; turn < 40; ++turn) {
      cpu.setRegister(reg::AR0 + 1, kRamBase + 0x40);
      cpu.setPc(kRamBase);
      cpu.run(cpu.cycle() + 900);
    }
    rounds[translate ? 1 : 0] = cpu.registerValue(0);
    EXPECT_GT(cpu.registerValue(2), cpu.registerValue(0));
    if (translate) {
      EXPECT_GT(machine.translator()->instructions(), 1000u);
    }
  }
  EXPECT_EQ(rounds[0], rounds[1]);
}

}  // namespace
}  // namespace rtvp::c32
