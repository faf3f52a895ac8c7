// Random legal programs for a lockstep array: barriers, votes, bursts of shared reads, divergence,
// repeat blocks, and instructions of every class on lane-dependent data. For differential tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tests/models/tigershark/random_words.hpp"

namespace rtvp::tigershark::test {

class RandomProgram : public RandomWords {
 public:
  /// Straight: long stretches of float instructions besides, as in a walk of boxes and triangles.
  /// Outside: code in the shared memory besides, as a surface shader's. Words: long stretches of
  /// integers in both memories.
  enum class Style : std::uint8_t { Mixed, Straight, Outside, Words };
  explicit RandomProgram(std::uint64_t seed, Style style = Style::Mixed)
      : RandomWords(seed), style_(style) {}

  /// Body for ArrayBench: starts with R7 = node id, ends in IDLE with all registers in `dump`.
  std::string text() {
    begin();
    // 512 words of RAM hold no more of the long ones.
    const bool isLong = style_ == Style::Straight || style_ == Style::Words;
    const int epochs = isLong ? 1 + pick(3) : 2 + pick(5);
    for (int i = 0; i < epochs; ++i) epoch();
    end();
    if (!outside_.empty()) {
      text_ += "        .sect   \"outside\", 400h, 400h\n" + outside_ + "        .sect   \"hot\"\n";
    }
    return text_;
  }

 private:
  void begin() {
    line("LDP     area");
    line("LDI     @area_p,AR1");
    line("LDI     @middle_p,AR2");
    line("LDI     @dump_p,AR3");
    line("LDI     @sram_p,AR0");
    line("LDI     @stack_q,SP");
    line("FLOAT   R7,R0");
    line("MPYF    0.37,R0");
    line("STF     R0,*+AR1(3)");
    line("LDF     R0,R1");
    line("SUBF    2.0,R1");
    line("STF     R1,*+AR1(4)");
    if (style_ != Style::Mixed) {  // waits and banks of the shared bus
      line("LDI     @strobe_p,AR5");
      line("LDI     @strobe,R2");
      line("STI     R2,*AR5");
    }
    line("LDI     R7,R2");
    line("MPYI    77,R2");
    line("LSH     20,R2");
    line("STI     R2,*+AR1(5)");
    line("LDF     *+AR1(6),R3");
    line("MPYF    R0,R3");
    line("LDF     *+AR1(7),R4");
    line("LDF     *+AR1(8),R5");
    line("ADDF    R1,R5");
    line("LDF     1.0,R6");
    // Divergent from the start, so that lanes arrive one after the other.
    line("LDI     R7,AR6");
    line("AND     3,AR6");
    const std::string l = fresh();
    label(l);
    line("NOP");
    line("DBU     AR6," + l);
  }

  void epoch() {
    const bool vote = pick(2) != 0;
    if (vote && style_ == Style::Outside && pick(2) != 0) {  // by way of R0-R7
      const std::string pins = r();
      line("LDI     20h," + pins);
      line("CMPF    " + r() + "," + r());
      line("LDI" + cond() + "   22h," + pins);
      line("LDI     " + pins + ",IOF");
    } else if (vote) {
      line("LDI     20h,RS");
      line("CMPF    " + r() + "," + r());
      line("LDI" + cond() + "   22h,RS");
      line("LDI     RS,IOF");
    } else {
      line("LDI     20h,IOF");
    }
    for (int i = 0; i < 3; ++i) line("NOP");
    shared();
    if (vote) {
      const int wait = pick(4);
      for (int i = 0; i < wait; ++i) shared();
      line("NOP");
      line("NOP");
      line("NOP");
      line("TSTB    8,IOF");
      if (style_ == Style::Outside) line("LDI     IOF," + r());
      if (pick(2) != 0) line("LDINZ   3,R" + std::to_string(pick(8)));
      if (pick(3) == 0) line("LDIZ    5,IR0");
    }
    line("LDI     0,IOF");
    const int reads = pick(4);
    for (int i = 0; i < reads; ++i) shared();
    if (style_ == Style::Straight) stretches(true);
    if (style_ == Style::Words && pick(3) != 0) wordStretch();
    if (style_ == Style::Outside || (style_ == Style::Words && pick(4) != 0)) goOutside();
    if (pick(3) == 0) burst();
    if (pick(3) == 0) pause();
    if (pick(40) == 0) fault();
    const int blocks = 1 + pick(style_ == Style::Straight || style_ == Style::Words ? 2 : 4);
    for (int i = 0; i < blocks; ++i) block(2);
  }

  void burst() {
    const std::string l = fresh();
    line("LDI     " + std::to_string(pick(6)) + ",RC");
    line("RPTB    " + l);
    line("LDF     *AR0++(1),R" + std::to_string(pick(4)));
    if (pick(2) != 0) line("ADDF    R0,R4");
    text_ += l + ":  STF     R" + std::to_string(pick(4)) + ",*AR1\n";
  }

  void pause() {
    line("RPTS    " + std::to_string(pick(9)));
    if (pick(4) == 0) return op();
    line("NOP");
  }

  /// A piece of code in the shared memory, which all lanes execute in step, and the way back.
  void goOutside() {
    const std::string there = fresh();
    const std::string back = fresh();
    const std::string routine = fresh();
    const std::string over = fresh();
    line("BU      " + over);
    label(routine);  // inside, called from outside
    for (int i = pick(4); i > 0; --i) inStep();
    line("RETSU");
    label(over);
    line("BR      " + there);
    label(back);
    std::swap(text_, outside_);
    label(there);
    for (int i = 2 + pick(5); i > 0; --i) piece(routine);
    line("BR      " + back);
    std::swap(text_, outside_);
  }

  /// Code that no lane leaves; now and then one does.
  void piece(const std::string& routine) {
    const std::string l = fresh();
    if (style_ == Style::Words && pick(4) != 0) return wordStretch();
    switch (pick(13)) {
      case 9:
      case 10:
      case 11:
        return outsideStretch();
      case 0:  // counted
        line("LDI     " + std::to_string(pick(4)) + ",AR6");
        label(l);
        inSteps(1 + pick(4));
        return line("DBU     AR6," + l);
      case 1:
        line("LDI     " + std::to_string(pick(4)) + ",RC");
        line("RPTB    " + l);
        inSteps(pick(4));
        text_ += l + ":";
        return inStep();
      case 2: {  // a routine beside
        const std::string over = fresh();
        line("BU      " + over);
        label(l);
        inSteps(1 + pick(4));
        line(pick(4) == 0 ? "RETSNZ" : "RETSU");
        line("RETSU");
        label(over);
        return line("CALL    " + l);
      }
      case 3:
        return line("CALL    " + routine);
      case 4:  // all lanes or none
        line("CMPI    " + std::to_string(pick(3)) + ",AR6");
        line((pick(2) != 0 ? "BZ      " : "BNZ     ") + l);
        inSteps(1 + pick(3));
        return label(l);
      case 5:
        line((pick(3) != 0 ? "BRD     " : "BZD     ") + l);
        for (int i = 0; i < 3; ++i) line("LDF     " + r() + "," + r());
        inSteps(pick(2));
        return label(l);
      case 6:
        line("RPTS    " + std::to_string(pick(9)));
        return line("NOP");
      case 7:
        return timer();
      case 8:
        if (pick(30) != 0) return inSteps(2 + pick(6));
        line("B" + branchCond() + (pick(2) != 0 ? "     " : "D    ") + l);  // some lanes, maybe
        for (int i = 0; i < 4; ++i) line("LDF     " + r() + "," + r());
        return label(l);
      default:
        return inSteps(3 + pick(8));
    }
  }

  /// A shader's floats, often enough to be compiled: rounded, stored, chosen by bits of words.
  void outsideStretch() {
    const int times = 2 + pick(9);
    const std::string l = fresh();
    line("LDI     " + std::to_string(times) + ",AR6");
    label(l);
    // What may be different in another round.
    if (pick(3) == 0) line("LDI     " + data() + "," + r());
    if (pick(3) == 0) line("LSH     1," + r());
    if (pick(4) == 0) line("CMPF    " + r() + "," + r());
    if (pick(4) == 0) inStep();
    for (int i = 4 + pick(24); i > 0; --i) outsideOp();
    line("DBU     AR6," + l);
  }
  void outsideOp() {
    const std::string word = "@area+" + std::to_string(pick(24));
    switch (pick(16)) {
      case 0:
      case 1:
      case 2:
        return line("RND     " + (pick(4) == 0 ? word : r()) + "," + r());
      case 3:
      case 4:
        return line("STF     " + r() + "," + word);
      case 5:
      case 6:
        return line((pick(3) == 0   ? "MPYF    "
                     : pick(2) == 0 ? "SUBF    "
                                    : "LDF     ") +
                    word + "," + r());
      case 7:
        line("TSTB    " + std::to_string(1 << pick(12)) + "," + r());
        return line((pick(2) != 0 ? "LDFNZ   " : "LDFN    ") + r() + "," + r());
      case 8:
        line("TSTB    " + std::to_string(pick(4096)) + "," + r());
        line((pick(2) != 0 ? "LDFGT   " : "LDFZ    ") + r() + "," + r());
        return line("LDFLE   " + r() + "," + r());
      default:
        return straightOp();
    }
  }

  void timer() {
    line("LDI     @timer_p,AR5");
    if (pick(2) != 0) line("STI     " + r() + ",*+AR5(8)");
    line("LDI     " + std::string(pick(3) != 0 ? "2C0h" : "200h") + ",R0");
    line("STI     R0,*AR5");
    inSteps(pick(5));
    line("LDI     *+AR5(4)," + r());
    if (pick(3) == 0) line("STI     " + r() + ",*+AR5(4)");
  }

  /// Straight stretches, some of them several times; `together`: all lanes are in step, so that bus
  /// words may be read.
  void stretches(bool together) {
    const int times = 2 + pick(5);
    const std::string l = fresh();
    line("LDI     " + std::to_string(times) + ",AR6");
    label(l);
    // What may be different in another round: carry and flags, where AR1 points, and how long ago
    // that changed.
    if (pick(2) != 0) line("CMPI    " + std::to_string(pick(times)) + ",AR6");
    if (pick(3) == 0) line("LSH     1," + r());
    if (pick(2) != 0) line("ADDI    1,AR1");
    for (int i = pick(3); i > 0; --i) line("NOP");
    if (pick(2) != 0) {
      const std::string skip = fresh();
      line("CMPI    " + std::to_string(pick(times)) + ",AR6");
      line("BZ      " + skip);
      line(pick(2) != 0 ? "CMPF    R1,R2" : "ADDI    1,AR1");
      label(skip);
      if (pick(2) != 0) line("LDFLT   " + r() + "," + r());
    }
    straight(5 + pick(together ? 30 : 12), together);
    line("DBU     AR6," + l);
    line("LDI     @area_p,AR1");
  }

  void straight(int n, bool together) {
    for (int i = 0; i < n; ++i) {
      if (pick(14) == 0) {
        overCarry();
      } else if (together && pick(4) == 0) {
        busFloat();
      } else {
        straightOp();
      }
    }
  }

  /// A delayed branch that asks for the carry, forward.
  void overCarry() {
    static const char* const kConds[] = {"LO", "HS", "U"};
    const std::string l = fresh();
    line("B" + std::string(kConds[pick(3)]) + "D    " + l);
    for (int i = 0; i < 3 + pick(3); ++i) straightOp();
    label(l);
  }

  void block(int depth) {
    switch (pick(8)) {
      case 0: {  // if
        const std::string l = fresh();
        line("B" + branchCond() + "     " + l);
        ops(1 + pick(4));
        label(l);
        line("NOP");
        break;
      }
      case 1: {  // if, delayed
        const std::string l = fresh();
        line("B" + branchCond() + "D    " + l);
        ops(3);
        ops(pick(4));
        label(l);
        line("NOP");
        break;
      }
      case 2: {  // if else
        const std::string otherwise = fresh();
        const std::string done = fresh();
        line("B" + branchCond() + "     " + otherwise);
        ops(1 + pick(3));
        if (depth > 0) block(depth - 1);
        line("BU      " + done);
        label(otherwise);
        ops(1 + pick(3));
        if (depth > 0) block(depth - 1);
        label(done);
        line("NOP");
        break;
      }
      case 3: {  // counted
        const std::string l = fresh();
        line("LDI     " + std::to_string(pick(4)) + ",AR6");
        label(l);
        ops(1 + pick(3));
        line("DBU     AR6," + l);
        break;
      }
      case 4: {
        const std::string l = fresh();
        line("LDI     " + std::to_string(pick(4)) + ",RC");
        line("RPTB    " + l);
        ops(1 + pick(3));
        text_ += l + ":  NOP\n";
        break;
      }
      case 5: {  // an address that may differ from lane to lane
        const std::string l = fresh();
        line("B" + branchCond() + "     " + l);
        line("NOP     *AR2++(1)");
        label(l);
        line("NOP");
        if (pick(2) != 0) line("ADDF    *AR2," + r());
        break;
      }
      case 6:
        if (style_ == Style::Straight) return stretches(false);
        [[fallthrough]];
      default:
        ops(2 + pick(6));
    }
  }

  /// Breaks the contract, or the processor, if some lane goes that way.
  void fault() {
    const std::string l = fresh();
    if (pick(2) != 0) line("B" + branchCond() + "     " + l);
    switch (pick(6)) {
      case 0:
        line("LDI     *AR0++(1)," + r());
        break;
      case 1:
        line("STI     " + r() + ",*AR0");
        break;
      case 2:
        line(".word   0FFFFFFFFh");
        break;
      case 3:
        line("LDI     6,IOF");
        break;
      case 4:
        line("LDI     @sram_p,AR4");
        line("LSH     8,AR4");
        line("LDF     *AR4,R0");
        break;
      default:
        line("LDI     20h,IOF");
        line("LDI     *AR0++(1),R0");
    }
    label(l);
    line("NOP");
  }

  void end() {
    line("LDI     ST,IR1");
    for (int i = 0; i < 8; ++i) {
      line("STI     R" + std::to_string(i) + ",*AR3++(1)");
      line("STF     R" + std::to_string(i) + ",*AR3++(1)");
    }
    for (const char* name : {"IR1", "IR0", "AR0", "AR2", "AR6", "RC", "RS", "RE", "IOF"}) {
      line("STI     " + std::string(name) + ",*AR3++(1)");
    }
    label("stop");
    line("IDLE");
    line("BU      stop");
    text_ += "area_p: .word   area\nmiddle_p: .word area+16\ndump_p: .word   dump\n";
    // Code outside mostly finds the bus free.
    const bool free = (style_ == Style::Outside || style_ == Style::Words) && pick(4) != 0;
    text_ += "strobe_p: .word 808064h\nstrobe: .word   0" +
             hex(0x000F0008u | (free ? 0u : static_cast<std::uint32_t>(pick(3)) << 5) |
                 (!free && pick(2) != 0 ? 0x1000u : 0u)) +
             "h\n";
    text_ += "sram_p: .word   800h\nstack_q: .word  87FFF0h\ntimer_p: .word  808020h\n";
    text_ += "area:\n";
    for (int i = 0; i < 32; ++i) line(".word   0" + hex(word()) + "h");
    text_ += "dump:   .space  32\n";
    if (style_ == Style::Words) table();
  }

  Style style_;
  std::string outside_;  ///< in the shared memory
};

}  // namespace rtvp::tigershark::test
