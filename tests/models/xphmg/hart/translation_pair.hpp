// The hart's host code beside its interpreter: two harts with the same program, one of which
// translates nothing, run side by side in random steps and are disturbed alike. Whatever can be
// seen of them must stay equal: state, memory, what devices and watches see and when.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "models/common/core/state.hpp"
#include "models/xphmg/hart/hart.hpp"
#include "models/xphmg/hart/translate/course.hpp"
#include "tests/models/xphmg/hart/program.hpp"

namespace rtvp::rv64::test {

constexpr std::uint64_t kRam = 0x8000'0000, kLds = 0x1000'0000, kDevice = 0x2000'0000;
constexpr std::size_t kRamBytes = 0x10000, kLdsBytes = 0x1000;
constexpr std::size_t kCodeBytes = 0x2800;  ///< the program: two pages and a half
constexpr std::size_t kHandler = 0x3000, kPool = 0x3800, kData = 0x4000;
constexpr unsigned kMtvec = 0x305, kMstatus = 0x300, kMie = 0x304, kFrm = 2;

/// One hart with what is around it; all that happens outside is written down.
class Side : private Bus, private Hart::WriteWatch, private VendorExtension {
 public:
  explicit Side(bool translate)
      : ram(kRamBytes), lds(kLdsBytes), hart(*this, optionsOf(translate)) {
    hart.addRam(kRam, ram);
    hart.addRam(kLds, lds);
    hart.setExtension(this);
    hart.watchWrites(kRam + kData + 0x100, 8, this);
  }
  [[nodiscard]] std::vector<std::uint8_t> state() {
    common::StateArchive a;
    hart.state(a);
    return a.bytes();
  }

  /// Where the cycles went, as text.
  [[nodiscard]] std::string spent() const {
    std::string text;
    for (const Account::Place& place : account.places()) {
      text += std::to_string(place.address) + ":" + std::to_string(place.begun);
      for (const std::uint64_t cycles : place.cycles) text += " " + std::to_string(cycles);
      text += "\n";
    }
    return text;
  }

  std::vector<std::uint8_t> ram, lds;
  Account account;
  Hart hart;
  std::vector<std::array<std::uint64_t, 4>> seen;

 private:
  static HartOptions optionsOf(bool translate) {
    HartOptions options;
    options.timer_divider = 7;
    options.translate = translate;
    options.translate_after = 2;
    return options;
  }
  void note(std::uint64_t what, std::uint64_t address, std::uint64_t value) {
    seen.push_back({what, address, value, hart.cycle() ^ (hart.pc() << 32U)});
  }
  bool read(std::uint64_t address, std::span<std::uint8_t> data, std::uint64_t& delay) override {
    note(1, address, data.size());
    if (address - kDevice >= 0x1000) return false;
    for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(hart.cycle() + address);
    delay = address % 5;
    if (address % 16 == 8) hart.requestStop();
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::uint8_t> data,
             std::uint64_t& delay) override {
    note(2, address, data[0]);
    if (address - kDevice >= 0x1000) return false;
    delay = address % 3;
    hart.setInterrupt(Interrupt::Software, data[0] % 2 == 1);
    return true;
  }
  void written(std::uint64_t address, unsigned size) override { note(3, address, size); }
  [[nodiscard]] bool ownsCsr(unsigned number) const override { return number == 0x8A2; }
  std::optional<std::uint64_t> readCsr(Hart& h, unsigned number) override {
    note(4, number, 0);
    return h.cycle();
  }
  bool writeCsr(Hart& h, unsigned number, std::uint64_t value) override {
    note(5, number, value);
    h.setIntercept(value % 2 == 1);
    return true;
  }
  void execute(Hart& h, const Decoded& d) override {
    note(6, d.word, 0);
    if (d.op == Op::CUSTOM_0 && seen.size() % 3 == 0) return h.block();
    h.setX(d.rd, h.cycle());
  }
  bool intercept(Hart& h, const Decoded& d) override {
    note(7, d.word, 0);
    if (seen.size() % 4 == 0) h.setIntercept(false);
    return false;
  }
  void trapped(Hart& h) override { h.setIntercept(false); }
  [[nodiscard]] std::string disassemble(std::uint32_t) const override { return {}; }
};

/// Registers that point somewhere most of the time.
struct Pointer {
  unsigned x;
  std::uint64_t value;
};
constexpr std::array<Pointer, 8> kPointers{{
    {8, kRam + kData + 0x800},         // s0, in a host register
    {9, kRam + kData + 0x100},         // s1: the watched bytes, a line's and a page's begin
    {2, kRam + kRamBytes - 16},        // sp: the end of the RAM
    {3, kRam + 0x800},                 // gp: the code
    {4, kLds + kLdsBytes - 8},         // tp: the other memory's end
    {5, kDevice + 0x10},               // t0
    {18, kRam + kPool},                // s2: instructions to store into the code
    {19, kRam + kData + 0x1000 - 16},  // s3
}};

enum class Kind : std::uint8_t {
  Wild,        ///< jumps and branches anywhere, integers
  WildFloats,  ///< the same with floating point
  Loops,       ///< short loops one after the other: everything becomes hot
};

class RandomCode {
 public:
  RandomCode(std::uint64_t seed, Kind kind)
      : random_(seed), floats_(kind != Kind::Wild), loops_(kind == Kind::Loops) {
    image_.resize(kRamBytes);
    while (size_ < kCodeBytes) {
      if (loops_) {
        loop();
      } else {
        one();
      }
    }
    emit(Op::JAL, {.rd = 0, .imm = -static_cast<std::int32_t>(size_)});
    for (std::size_t at = kPool; at < kPool + 0x800; at += 4) put(at, straight());
    for (std::size_t at = kData; at < kRamBytes; at += 8) {
      std::uint64_t value = random_();
      if (pick(3) == 0) value = value % 19 - 9;
      if (pick(4) == 0) value = 0x3FE0000000000000U | (value & 0x801FFFFFFFFFFFFFU);
      if (pick(6) == 0) value = 0xFFFFFFFF3F000000U | (value & 0x80FFFFFFU);
      std::memcpy(image_.data() + at, &value, 8);
    }
    handler();
  }
  [[nodiscard]] const std::vector<std::uint8_t>& image() const { return image_; }

 private:
  unsigned pick(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  void put(std::size_t at, std::uint32_t word) { std::memcpy(image_.data() + at, &word, 4); }
  void emit(std::uint32_t word) {
    put(size_, word);
    size_ += (word & 3U) == 3 ? 4 : 2;
  }
  void emit(Op op, const Operands& operands) { emit(encode(op, operands)); }

  void one() {
    switch (pick(40)) {
      case 0:
        return change();
      case 1: {  // a pointer again
        const Pointer p = kPointers[pick(kPointers.size())];
        emit(Op::LUI, {.rd = p.x, .imm = static_cast<std::int32_t>((p.value + 0x800) & ~0xFFFU)});
        emit(Op::ADDIW, {.rd = p.x,
                         .rs1 = p.x,
                         .imm = static_cast<std::int32_t>(p.value << 52U >> 52U) << 20 >> 20});
        emit(Op::SLLI, {.rd = p.x, .rs1 = p.x, .imm = 32});
        emit(Op::SRLI, {.rd = p.x, .rs1 = p.x, .imm = 32});
        return;
      }
      case 2:  // into the code somewhere, through a register
        emit(Op::JALR, {.rd = pick(3) == 0 ? 1U : pick(32),
                        .rs1 = 3,
                        .imm = static_cast<std::int32_t>(pick(0xC00)) - 0x400});
        return;
      case 3:
        emit(Op::JALR, {.rd = pick(2), .rs1 = 1});
        return;
      default:
        emit(straight());
        return;
    }
  }

  /// A few rounds of straight code with branches that leave something out.
  void loop() {
    emit(Op::ADDI, {.rd = kRounds, .rs1 = 0, .imm = 5});
    const std::size_t begin = size_;
    const std::size_t end = begin + 8 + 4 * pick(25);
    while (size_ < end) {
      if (pick(30) == 0) {
        one();
      } else {
        emit(straight());
      }
    }
    emit(Op::ADDI, {.rd = kRounds, .rs1 = kRounds, .imm = -1});
    const auto distance = static_cast<std::int32_t>(size_ - begin);
    emit(Op::BLT, {.rs1 = 0, .rs2 = kRounds, .imm = -distance});
  }

  /// A store of an instruction into the code, with or without a fence.
  void change() {
    const unsigned rd = 20 + pick(4);
    emit(Op::LW, {.rd = rd, .rs1 = 18, .imm = static_cast<std::int32_t>(4 * pick(0x1FF))});
    const Op op = pick(4) == 0 ? Op::SH : Op::SW;
    emit(op, {.rs1 = 3, .rs2 = rd, .imm = static_cast<std::int32_t>(2 * pick(0x400)) - 0x400});
    if (pick(2) == 0) emit(Op::FENCE_I, {});
  }

  /// Few enough that they are often the same: in host registers, in memory, and x0.
  unsigned any() {
    constexpr std::array<unsigned, 9> kFew{0, 6, 10, 11, 12, 13, 20, 21, 22};
    return pick(3) == 0 ? pick(32) : kFew[pick(kFew.size())];
  }
  unsigned destination() {
    for (;;) {
      const unsigned rd = any();
      if (loops_ && rd == kRounds) continue;
      const bool spared = std::any_of(kPointers.begin(), kPointers.end(),
                                      [rd](const Pointer& p) { return p.x == rd; });
      if (!spared || pick(60) == 0) return rd;
    }
  }

  std::uint32_t straight() {
    if (pick(5) == 0) {
      for (;;) {  // c.nop stands for what would be no instruction
        const auto half = static_cast<std::uint32_t>(random_() & 0xFFFFU);
        const Decoded d = decode(half);
        if (d.length == 2 && d.op != Op::Illegal &&
            (courseOf(d) == Course::Branch || d.rd == 0 || d.rd > 9))
          return half | 0x00010000U;
      }
    }
    const auto rows = instructions();
    for (;;) {
      const InstructionRow& r = rows[pick(static_cast<unsigned>(rows.size()))];
      const bool is_float = r.extension == Extension::F || r.extension == Extension::D;
      if (loops_ && r.format == Format::JumpI) continue;  // to nowhere, mostly
      if (is_float && (!floats_ || pick(2) == 0)) continue;
      if (courseOf(r.op) == Course::Aside && !is_float && pick(6) != 0) continue;
      return encode(r.op, operands(r));
    }
  }

  Operands operands(const InstructionRow& r) {
    Operands o{.rd = destination(), .rs1 = any(), .rs2 = any()};
    o.rs3 = any();
    o.rm = std::array{0U, 0U, 0U, 1U, 2U, 4U, 5U, 7U, 7U, 7U}[pick(10)];
    o.imm = static_cast<std::int32_t>(random_());
    switch (r.format) {
      case Format::Load:
      case Format::FLoad:
      case Format::Store:
      case Format::FStore:
        o.rs1 = pick(12) == 0 ? pick(32) : kPointers[pick(kPointers.size())].x;
        if (pick(4) != 0) o.imm = static_cast<std::int32_t>(pick(40)) - 20;
        if (o.rs1 == 3 && (r.format == Format::Store || r.format == Format::FStore)) o.rs1 = 8;
        break;
      case Format::Lr:
      case Format::Amo:
        o.rs1 = std::array{8U, 9U, 4U, 19U, 2U, 18U}[pick(6)];
        break;
      case Format::B:
      case Format::J:
        if (loops_) {
          o.imm = 4 + 4 * static_cast<std::int32_t>(pick(3));
          break;
        }
        o.imm = pick(3) == 0 ? -2 * static_cast<std::int32_t>(pick(40))
                             : 2 * static_cast<std::int32_t>(pick(60));
        break;
      case Format::Csr:
      case Format::CsrI:
        o.imm = csr();
        break;
      default:
        break;
    }
    return o;
  }

  std::int32_t csr() {
    constexpr std::array<std::int32_t, 18> kNumbers{1,     2,     3,     0x300, 0x304, 0x340,
                                                    0xB00, 0xB02, 0xC00, 0xC01, 0xC02, 0x320,
                                                    0x341, 0x344, 0x8A2, 0x123, 1,     3};
    return kNumbers[pick(kNumbers.size())];
  }

  /// Interrupts are switched off; what traps is passed over, and a bad PC goes back to the begin.
  void handler() {
    size_ = kHandler;
    emit(Op::CSRRWI, {.rd = 0, .rs1 = 0, .imm = 0x304});
    emit(Op::CSRRS, {.rd = 31, .rs1 = 0, .imm = 0x342});
    emit(Op::BGE, {.rs1 = 31, .rs2 = 0, .imm = 8});
    emit(Op::MRET, {});
    emit(Op::ADDI, {.rd = 30, .rs1 = 0, .imm = 1});
    emit(Op::BEQ, {.rs1 = 31, .rs2 = 30, .imm = 44});
    emit(Op::CSRRS, {.rd = 30, .rs1 = 0, .imm = 0x341});
    emit(Op::LHU, {.rd = 29, .rs1 = 30});
    emit(Op::ANDI, {.rd = 29, .rs1 = 29, .imm = 3});
    emit(Op::ADDI, {.rd = 29, .rs1 = 29, .imm = -3});
    emit(Op::SLTIU, {.rd = 29, .rs1 = 29, .imm = 1});
    emit(Op::SLLI, {.rd = 29, .rs1 = 29, .imm = 1});
    emit(Op::ADD, {.rd = 30, .rs1 = 30, .rs2 = 29});
    emit(Op::ADDI, {.rd = 30, .rs1 = 30, .imm = 2});
    emit(Op::CSRRW, {.rd = 0, .rs1 = 30, .imm = 0x341});
    emit(Op::MRET, {});
    emit(Op::AUIPC, {.rd = 30, .imm = 0});
    emit(Op::LUI, {.rd = 29, .imm = 0x3000});
    emit(Op::SUB, {.rd = 30, .rs1 = 30, .rs2 = 29});
    emit(Op::CSRRW, {.rd = 0, .rs1 = 30, .imm = 0x341});
    emit(Op::MRET, {});
  }

  static constexpr unsigned kRounds = 27;
  std::mt19937_64 random_;
  bool floats_, loops_;
  std::vector<std::uint8_t> image_;
  std::size_t size_ = 0;
};

/// Both sides, the plain one first, and what is done to them.
class Pair {
 public:
  Pair(std::uint64_t seed, Kind kind)
      : random_(seed * 7919 + 1), code_(seed, kind), plain_(false), translated_(true) {
    both([&](Side& s) {
      std::copy(code_.image().begin(), code_.image().end(), s.ram.begin());
      s.hart.reset(kRam);
      s.hart.writeCsr(kMtvec, kRam + kHandler);
      s.hart.writeCsr(kMstatus, 0x6008);
    });
    pointers();
  }

  /// False, with a failed test, as soon as they differ.
  bool step() {
    disturb();
    const std::uint64_t most = pick(4) == 0 ? 3 : 3000;
    const std::uint64_t instructions = 1 + random_() % most;
    const Stop expected = plain_.hart.run(instructions);
    const Stop found = translated_.hart.run(instructions);
    EXPECT_EQ(static_cast<int>(expected), static_cast<int>(found));
    EXPECT_EQ(plain_.hart.pc(), translated_.hart.pc());
    EXPECT_EQ(plain_.hart.instructionsRetired(), translated_.hart.instructionsRetired());
    EXPECT_EQ(plain_.hart.cycle(), translated_.hart.cycle());
    for (unsigned n = 0; n < 32; ++n) {
      EXPECT_EQ(plain_.hart.x(n), translated_.hart.x(n)) << "x" << n;
      EXPECT_EQ(plain_.hart.f(n), translated_.hart.f(n)) << "f" << n;
    }
    EXPECT_TRUE(plain_.state() == translated_.state());
    EXPECT_TRUE(plain_.ram == translated_.ram);
    EXPECT_TRUE(plain_.lds == translated_.lds);
    EXPECT_TRUE(plain_.seen == translated_.seen);
    return !::testing::Test::HasFailure();
  }
  /// The accounts that have been kept in between are equal, too.
  [[nodiscard]] bool sameAccounts() const { return plain_.spent() == translated_.spent(); }
  [[nodiscard]] const Hart& hart() const { return translated_.hart; }

 private:
  unsigned pick(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  template <typename F>
  void both(F what) {
    what(plain_);
    what(translated_);
  }
  void pointers() {
    for (const Pointer& p : kPointers) both([&](Side& s) { s.hart.setX(p.x, p.value); });
  }

  /// What others do between two runs.
  void disturb() {
    const std::uint64_t value = random_();
    switch (pick(10)) {
      case 0:
        both([&](Side& s) { s.hart.setPc(kRam + 2 * (value % (kCodeBytes / 2))); });
        break;
      case 1:
        both([&](Side& s) { s.hart.setMtimecmp(s.hart.mtime() + value % 300); });
        break;
      case 2:
        both([&](Side& s) {
          s.hart.setInterrupt(Interrupt::External, value % 2 == 1);
          s.hart.writeCsr(kMie, value & 0x888U);
        });
        break;
      case 3:
        both([&](Side& s) { s.hart.setCycleLimit(s.hart.cycle() + value % 1000); });
        break;
      case 4:
        both([&](Side& s) { s.hart.setCycleLimit(~std::uint64_t{0}); });
        break;
      case 5: {
        const std::size_t at = 4 * (value % (kCodeBytes / 8));
        both([&](Side& s) {
          s.hart.poke(kRam + at, std::span(code_.image()).subspan(at, kCodeBytes / 2));
        });
        break;
      }
      case 6:
        both([&](Side& s) {
          if (value % 3 == 0) return s.hart.setPlaces({});
          s.hart.setPlaces({kRam + 2 * (value % 1000), kRam + 2 * (value / 1000 % 4000)});
        });
        break;
      case 7:
        pointers();
        both([&](Side& s) { s.hart.writeCsr(kMstatus, 0x6008); });
        break;
      case 8:
        both([&](Side& s) {
          if (value % 2 == 0) return s.hart.flushDecoded();
          s.hart.setAccount(value % 8 == 1 ? nullptr : &s.account);
        });
        break;
      default:
        both([&](Side& s) {  // rounding mode, and the unit off, initial, clean or dirty
          s.hart.writeCsr(kMstatus, 8 | (value >> 32U & 3U) << 13U);
          s.hart.writeCsr(kFrm, value % 3 == 0 ? value / 3 % 5 : 0);
        });
        break;
    }
  }

  std::mt19937_64 random_;
  RandomCode code_;
  Side plain_, translated_;
};

/// Programs of seeds `first` to `last`; a message names the seed of the one that differs.
inline void compare(std::uint64_t first, std::uint64_t last, Kind kind) {
  constexpr int kSteps = 120;
  std::uint64_t all = 0;
  std::uint64_t translated = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    Pair pair(seed, kind);
    for (int n = 0; n < kSteps; ++n) ASSERT_TRUE(pair.step()) << "seed " << seed << ", step " << n;
    ASSERT_TRUE(pair.sameAccounts()) << "seed " << seed;
    all += pair.hart().instructionsRetired();
    translated += pair.hart().instructionsTranslated();
  }
  std::cout << translated << " of " << all << " instructions in host code\n";
  EXPECT_GT(translated, all / 4);
}

}  // namespace rtvp::rv64::test
