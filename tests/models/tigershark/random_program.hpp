// Random legal programs for a lockstep array: barriers, votes, bursts of shared reads, divergence,
// repeat blocks, and instructions of every class on lane-dependent data. For differential tests.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rtvp::tigershark::test {

class RandomProgram {
 public:
  /// Straight: long stretches of float instructions besides, as in a walk of boxes and triangles.
  /// Outside: code in the shared memory besides, as a surface shader's.
  enum class Style : std::uint8_t { Mixed, Straight, Outside };
  explicit RandomProgram(std::uint64_t seed, Style style = Style::Mixed)
      : random_(seed), style_(style) {}

  /// Body for ArrayBench: starts with R7 = node id, ends in IDLE with all registers in `dump`.
  std::string text() {
    begin();
    // 512 words of RAM hold no more of the long ones.
    const int epochs = style_ == Style::Straight ? 1 + pick(3) : 2 + pick(5);
    for (int i = 0; i < epochs; ++i) epoch();
    end();
    if (!outside_.empty()) {
      text_ += "        .sect   \"outside\", 400h, 400h\n" + outside_ + "        .sect   \"hot\"\n";
    }
    return text_;
  }

  /// A shared or private data word: floats of all sizes, zeros of both kinds, integers. One in so
  /// many zeros has a mantissa.
  std::uint32_t word(int zeroOneIn = 12) {
    switch (pick(8)) {
      case 0:
        return 0x80000000u;
      case 1:
        return static_cast<std::uint32_t>(pick(100));
      case 2:
        return bits();
      case 3:
        return (bits() & 0x00FFFFFFu) | (pick(2) != 0 ? 0x7E000000u : 0x82000000u);
      case 4:
        return pick(zeroOneIn) == 0 ? 0x80000000u | static_cast<std::uint32_t>(pick(1000)) : 0u;
      default:
        return (bits() & 0x00FFFFFFu) | (static_cast<std::uint32_t>(pick(12) - 6) << 24);
    }
  }

 private:
  std::uint32_t bits() { return static_cast<std::uint32_t>(random_()); }
  int pick(int n) { return static_cast<int>(bits() % static_cast<unsigned>(n)); }
  void line(const std::string& s) { text_ += "        " + s + "\n"; }
  void label(const std::string& s) { text_ += s + ":\n"; }
  std::string fresh() { return "L" + std::to_string(labels_++); }
  std::string r() { return "R" + std::to_string(pick(8)); }
  std::string data() { return "*+AR1(" + std::to_string(pick(24)) + ")"; }
  std::string near() { return pick(2) != 0 ? "*+AR1(1)" : "*AR1"; }
  std::string cond() {
    static const char* const kConds[] = {"Z",  "NZ",  "N",  "NN",   "GT", "LE", "GE",
                                         "LT", "LO",  "HS", "LS",   "HI", "V",  "NV",
                                         "UF", "NUF", "LV", "NLUF", "ZUF"};
    return kConds[pick(19)];
  }
  std::string number() {
    static const char* const kNumbers[] = {"0.0", "1.0", "-1.0", "0.5", "3.25", "-100.0", "-2.0"};
    return kNumbers[pick(7)];
  }
  std::string branchCond() {
    static const char* const kConds[] = {"Z", "NZ", "N", "NN", "GT", "LE", "LO", "HI", "UF", "V"};
    return kConds[pick(10)];
  }

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
    if (style_ == Style::Outside) goOutside();
    if (pick(3) == 0) burst();
    if (pick(3) == 0) pause();
    if (pick(40) == 0) fault();
    const int blocks = 1 + pick(style_ == Style::Straight ? 2 : 4);
    for (int i = 0; i < blocks; ++i) block(2);
  }

  /// Reads SRAM in step.
  void shared() {
    switch (pick(7)) {
      case 0:
        return line("LDI     *AR0++(1)," + r());
      case 1:
        return line("LDF     *AR0++(1)," + r());
      case 2:
        return line("SUBF3   *AR1,*AR0++(1)," + r());
      case 3:
        return line("MPYF    *AR0++(1)," + r());
      case 4:
        line("MPYF3   " + near() + "," + r() + ",R" + std::to_string(pick(2)));
        return text_.pop_back(),
               text_ +=
               "\n||      SUBF3   " + r() + ",*AR0++(1),R" + std::to_string(2 + pick(2)) + "\n",
               void();
      case 5:
        return line("ADDI    *AR0++(1)," + r());
      default:
        return line("LDF" + cond() + "   *AR0++(1)," + r());
    }
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
    switch (pick(10)) {
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

  void timer() {
    line("LDI     @timer_p,AR5");
    if (pick(2) != 0) line("STI     " + r() + ",*+AR5(8)");
    line("LDI     " + std::string(pick(3) != 0 ? "2C0h" : "200h") + ",R0");
    line("STI     R0,*AR5");
    inSteps(pick(5));
    line("LDI     *+AR5(4)," + r());
    if (pick(3) == 0) line("STI     " + r() + ",*+AR5(4)");
  }

  void inSteps(int n) {
    for (int i = 0; i < n; ++i) inStep();
  }

  /// An instruction, or a few, that takes every lane the same time.
  void inStep() {
    static const char* const kIntegers[] = {"ADDI", "SUBI", "SUBRI", "AND", "OR",   "XOR",
                                            "ANDN", "MPYI", "CMPI",  "LSH", "TSTB", "ASH"};
    static const char* const kIndex[] = {"IR0", "IR1", "AR4"};
    const std::string a = r();
    const std::string b = r();
    const std::string index = kIndex[pick(3)];
    const std::string integer = kIntegers[pick(12)];
    const std::string gap(8 - integer.size(), ' ');
    switch (pick(20)) {
      case 0:
      case 1:
        return line(integer + gap + a + "," + b);
      case 2:
        return line(integer + gap + data() + "," + b);
      case 3:
        return line(
            integer + gap +
            std::to_string(integer == "LSH" || integer == "ASH" ? pick(80) - 40 : pick(60)) + "," +
            b);
      case 4:
        return line("FIX     " + (pick(2) != 0 ? a : data()) + "," + b);
      case 5:
        return line("FLOAT   " + (pick(3) == 0 ? data() : pick(2) == 0 ? index : a) + "," + b);
      case 6:
        line("LDI     " + (pick(2) != 0 ? a : data()) + "," + index);
        if (pick(2) != 0) line("XOR     " + std::to_string(pick(8)) + "," + index);
        line("CMPI    " + std::to_string(pick(3)) + "," + index);
        line("LDI" + cond() + "   " + (pick(2) != 0 ? data() : index) + "," + a);
        return line((pick(2) != 0 ? "LDFNZ   " : "LDFLT   ") + b + "," + a);
      case 7:
        line(integer + gap + (pick(2) != 0 ? a : std::to_string(pick(9))) + "," + index);
        return line("STI     " + index + "," + data());
      case 8:
        return line("LDI" + cond() + "   " + (pick(2) != 0 ? a : std::to_string(pick(5))) + "," +
                    (pick(2) != 0 ? index : b));
      case 9:  // a table, by an index of the lane's own
        line("LDI     " + a + "," + b);
        line("AND     15," + b);
        line("ADDI    @area_p," + b);
        line("LDI     " + b + ",AR4");
        if (pick(2) != 0) line("NOP");
        return line(std::string(pick(3) == 0 ? "ADDI" : "LDI ") + "    *" +
                    (pick(2) != 0 ? "+AR4(" + std::to_string(pick(9)) + ")" : "AR4") + "," + a);
      case 10:
      case 11:
        return shared();
      case 12:
        return line(pick(2) != 0 ? "NOT     " + a + "," + b : "NEGI    " + data() + "," + b);
      case 13:
        return line("LDI     " + data() + "," + b);
      case 14:
        return line("STF     " + a + "," + data());
      case 15:
        return choice();
      default:
        return straightOp();
    }
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

  void busFloat() {
    static const char* const kOps[] = {"ADDF    ", "SUBF    ", "SUBRF   ", "MPYF    ",
                                       "CMPF    ", "LDF     ", "NEGF    ", "ABSF    "};
    static const char* const kSteps[] = {"*AR0++(1)", "*AR0", "*+AR0(1)", "*AR0--(1)"};
    const std::string from = kSteps[pick(4)];
    switch (pick(4)) {
      case 0:
        return line("SUBF3   " + near() + "," + from + "," + r());
      case 1:
        line("MPYF3   " + near() + "," + r() + ",R" + std::to_string(pick(2)));
        text_ += "||      SUBF3   " + r() + ",*AR0++(1),R" + std::to_string(2 + pick(2)) + "\n";
        return;
      default:
        return line(kOps[pick(8)] + from + "," + r());
    }
  }

  /// What a compiled run of the vector engine may hold.
  void straightOp() {
    static const char* const kTwo[] = {"ADDF", "SUBF", "SUBRF", "MPYF", "CMPF"};
    static const char* const kThree[] = {"ADDF3", "SUBF3", "MPYF3", "CMPF3"};
    static const char* const kSigns[] = {"Z", "NZ", "LT", "LE", "GT", "GE", "U"};
    static const char* const kHalves[] = {"ADDF3", "SUBF3"};
    static const char* const kOnes[] = {"NEGF", "ABSF", "LDF"};
    const std::string two = kTwo[pick(5)];
    const std::string three = kThree[pick(4)];
    switch (pick(19)) {
      case 0:
      case 1:
      case 2:
        return line(two + "    " + r() + "," + r());
      case 3:
        return line(two + "    " + data() + "," + r());
      case 4:
        return line(two + "    " + number() + "," + r());
      case 5:
        if (three == "CMPF3") return line("CMPF3   " + near() + "," + r());
        return line(three + "   " + near() + "," + r() + "," + r());
      case 6:
        if (three == "CMPF3") return line("CMPF3   " + r() + "," + r());
        return line(three + "   " + r() + "," + r() + "," + r());
      case 7:
        return line(std::string(kOnes[pick(3)]) + "    " + (pick(2) != 0 ? data() : r()) + "," +
                    r());
      case 8:
        return line(pick(2) != 0 ? "LDF     " + number() + "," + r()
                                 : "STF     " + r() + "," + data());
      case 9:
      case 10:
        return line("LDF" + std::string(kSigns[pick(7)]) + "   " + (pick(4) != 0 ? r() : data()) +
                    "," + r());
      case 11:
        line("MPYF3   " + near() + "," + r() + ",R" + std::to_string(pick(2)));
        text_ += "||      " + std::string(kHalves[pick(2)]) + "   *AR1," + r() + ",R" +
                 std::to_string(2 + pick(2)) + "\n";
        return;
      case 12:
        line("MPYF3   " + r() + "," + r() + ",R" + std::to_string(pick(2)));
        text_ += "||      " + std::string(kHalves[pick(2)]) + "   " + near() + "," + near() + ",R" +
                 std::to_string(2 + pick(2)) + "\n";
        return;
      case 13:
        line("MPYF3   *AR1," + r() + "," + r());
        text_ += "||      STF     " + r() + ",*+AR1(1)\n";
        return;
      case 14:
        line(std::string(kOnes[pick(3)]) + "    *+AR1(1)," + r());
        text_ += "||      STF     " + r() + (pick(2) != 0 ? ",*AR1\n" : ",*AR2++(1)\n");
        return;
      case 15:
        line("SUBF3   " + r() + ",*+AR1(1)," + r());
        text_ += "||      STF     " + r() + (pick(2) != 0 ? ",*+AR1(1)\n" : ",*AR2--(1)\n");
        return;
      case 16:
        return choice();
      case 17:
        return choiceByResult();
      default:
        return line(pick(3) == 0   ? "LDI     " + std::to_string(pick(100)) + ",RS"
                    : pick(2) == 0 ? "NOP     *AR2++(1)"
                                   : "NOP     *AR2--(1)");
    }
  }

  void ops(int n) {
    for (int i = 0; i < n; ++i) op();
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

  void op() {
    const std::string a = r();
    const std::string b = r();
    const std::string c = r();
    static const char* const kFloat[] = {"ADDF", "SUBF", "SUBRF", "MPYF", "CMPF"};
    static const char* const kInteger[] = {"ADDI", "SUBI", "AND",  "OR",   "XOR",
                                           "ANDN", "CMPI", "TSTB", "MPYI", "SUBRI"};
    switch (pick(28)) {
      case 26:
      case 27:
        return choice();
      case 0:
      case 1:
      case 2:
        return line(std::string(kFloat[pick(5)]) + "    " + a + "," + b);
      case 3:
        return line(std::string(kFloat[pick(5)]) + "    " + data() + "," + b);
      case 4:
        return line(std::string(kFloat[pick(5)]) + "    " + number() + "," + b);
      case 5:
        return line("ADDF3   " + near() + "," + a + "," + b);
      case 6:
        return line("MPYF3   " + a + "," + b + "," + c);
      case 7:
        return line("NEGF    " + a + "," + b);
      case 8:
        return line(pick(2) != 0 ? "ABSF    " + a + "," + b : "RND     " + a + "," + b);
      case 9:
        return line("LDF     " + data() + "," + b);
      case 10:
        return line("LDF" + cond() + "   " + a + "," + b);
      case 11:
        return line("STF     " + a + "," + data());
      case 12:
        line("MPYF3   " + near() + "," + a + ",R" + std::to_string(pick(2)));
        text_ += (pick(2) != 0 ? "||      ADDF3   *AR1," : "||      SUBF3   *AR1,") + c + ",R" +
                 std::to_string(2 + pick(2)) + "\n";
        return;
      case 13:
        line("MPYF3   *AR1," + a + "," + b);
        text_ += "||      STF     " + c + ",*+AR1(1)\n";
        return;
      case 14:
        line("LDF     *AR1," + a);
        text_ += "||      LDF     *+AR1(1)," + b + "\n";
        return;
      case 15:
        line("SUBF3   " + a + ",*+AR1(1)," + b);
        text_ += "||      STF     " + c + ",*AR1\n";
        return;
      case 16:
      case 17:
        return line(std::string(kInteger[pick(10)]) + "    " + a + "," + b);
      case 18:
        return line(std::string(kInteger[pick(10)]) + "    " + data() + "," + b);
      case 19:
        return line((pick(2) != 0 ? "LSH     " : "ASH     ") + std::to_string(pick(40) - 20) + "," +
                    b);
      case 20:
        return line("LDI     " + (pick(2) != 0 ? data() : std::to_string(pick(500) - 250)) + "," +
                    b);
      case 21:
        return line("LDI" + cond() + "   " + a + "," + b);
      case 22:
        return line("STI     " + a + "," + data());
      case 23:
        line("LSH3    " + a + ",*+AR1(1)," + b);
        text_ += "||      STI     " + c + ",*AR1\n";
        return;
      case 24:
        return line("LDM     " + a + "," + b);
      default:
        if (pick(6) == 0) return uncovered(a, b);
        return line("NOT     " + a + "," + b);
    }
  }

  /// What is chosen by the sign of a result, which may itself be replaced so.
  void choiceByResult() {
    static const char* const kSigns[] = {"Z", "NZ", "LT", "LE", "GT", "GE"};
    static const char* const kOps[] = {"ADDF    ", "SUBF    ", "MPYF    ", "NEGF    ", "LDF     "};
    const std::string result = r();
    line(kOps[pick(5)] + r() + "," + result);
    for (int i = 0; i < 3; ++i) {
      line("LDF" + std::string(kSigns[pick(6)]) + "   " + r() + "," +
           (pick(2) != 0 ? result : r()));
    }
  }

  /// A comparison and what is chosen by it.
  void choice() {
    static const char* const kSigns[] = {"Z", "NZ", "LT", "LE", "GT", "GE"};
    const std::string c = pick(8) == 0 ? cond() : kSigns[pick(6)];
    if (pick(2) != 0) {
      line("CMPF    " + r() + "," + r());
    } else {
      line("CMPF3   " + r() + "," + r());
    }
    if (pick(2) != 0) {
      line("LDFU    " + r() + "," + r());
      line("LDF" + c + "   " + r() + "," + r());
    }
    line("LDF" + c + "   " + r() + "," + r());
    if (pick(4) == 0) line("LDF" + cond() + "   " + r() + "," + r());
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

  /// What vector kernels leave to the scalar engine.
  void uncovered(const std::string& a, const std::string& b) {
    switch (pick(7)) {
      case 0:
        return line("FIX     " + a + "," + b);
      case 1:
        return line("FLOAT   " + a + "," + b);
      case 2:
        return line("NORM    " + a + "," + b);
      case 3:
        line("PUSH    " + a);
        return line("POP     " + b);
      case 4:
        return line("ADDC    " + a + "," + b);
      case 5:
        return line("LDE     " + a + "," + b);
      default:
        return line("ROL     " + a);
    }
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
    text_ += "strobe_p: .word 808064h\nstrobe: .word   0" +
             hex(0x000F0008u | static_cast<std::uint32_t>(pick(3)) << 5 |
                 (pick(2) != 0 ? 0x1000u : 0u)) +
             "h\n";
    text_ += "sram_p: .word   800h\nstack_q: .word  87FFF0h\ntimer_p: .word  808020h\n";
    text_ += "area:\n";
    for (int i = 0; i < 32; ++i) line(".word   0" + hex(word()) + "h");
    text_ += "dump:   .space  32\n";
  }
  static std::string hex(std::uint32_t x) {
    static const char* const kDigits = "0123456789ABCDEF";
    std::string s;
    for (int i = 28; i >= 0; i -= 4) s += kDigits[x >> i & 15u];
    return s;
  }

  std::mt19937_64 random_;
  Style style_;
  std::string text_;
  std::string outside_;  ///< in the shared memory
  int labels_ = 0;
};

}  // namespace rtvp::tigershark::test
