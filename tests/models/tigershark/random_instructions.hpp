// Random instructions of the C32 that are legal in any lane of a lockstep array, on lane-dependent
// data, each written where the text ends: what random_program.hpp builds its programs from.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace rtvp::tigershark::test {

/// AR1 points at the lane's own words, AR2 at words near the middle of them, AR0 into the shared
/// memory; R0-R7, IR0, IR1, RS and AR4 are anybody's.
class RandomInstructions {
 public:
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

 protected:
  explicit RandomInstructions(std::uint64_t seed) : random_(seed) {}

  std::uint32_t bits() { return static_cast<std::uint32_t>(random_()); }
  int pick(int n) { return static_cast<int>(bits() % static_cast<unsigned>(n)); }
  void line(const std::string& s) { text_ += "        " + s + "\n"; }
  void label(const std::string& s) { text_ += s + ":\n"; }
  std::string fresh() { return "L" + std::to_string(labels_++); }

  static std::string hex(std::uint32_t x) {
    static const char* const kDigits = "0123456789ABCDEF";
    std::string s;
    for (int i = 28; i >= 0; i -= 4) s += kDigits[x >> i & 15u];
    return s;
  }

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
        text_ += "||      SUBF3   " + r() + ",*AR0++(1),R" + std::to_string(2 + pick(2)) + "\n";
        return;
      case 5:
        return line("ADDI    *AR0++(1)," + r());
      default:
        return line("LDF" + cond() + "   *AR0++(1)," + r());
    }
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

  std::string text_;

 private:
  std::mt19937_64 random_;
  int labels_ = 0;
};

}  // namespace rtvp::tigershark::test
