// Random stretches of integer instructions on words of each lane's own, as a surface shader's noise
// has them: arithmetic, shifts, stores, calls, lookups in a table that is the same in all lanes.
#pragma once

#include <string>

#include "tests/models/tigershark/random_instructions.hpp"

namespace rtvp::tigershark::test {

/// `area` and `table` are words of the RAM, @area_p and @table_p point at them; AR7 is anybody's,
/// too. AR6 counts.
class RandomWords : public RandomInstructions {
 protected:
  using RandomInstructions::RandomInstructions;

  static constexpr int kTable = 32;

  /// Several times, as it is compiled when it is met often.
  void wordStretch() {
    const std::string routine = fresh();
    const bool calls = pick(2) != 0;
    if (calls) wordRoutine(routine);
    const std::string l = fresh();
    line("LDI     " + std::to_string(2 + pick(8)) + ",AR6");
    label(l);
    if (pick(3) == 0) otherRound();
    for (int i = 4 + pick(16); i > 0; --i) {
      if (calls && pick(6) == 0) {
        line("CALL    " + routine);
      } else {
        wordOp();
      }
    }
    flagsSeen();
    line("DBU     AR6," + l);
  }

  /// The table's words, the same in all lanes.
  void table() {
    text_ += "table_p: .word table\ntable:\n";
    for (int i = 0; i < kTable; ++i) line(".word   0" + hex(pick(3) == 0 ? word() : bits()) + "h");
  }

 private:
  void wordRoutine(const std::string& name) {
    const std::string over = fresh();
    line("BU      " + over);
    label(name);
    for (int i = 1 + pick(5); i > 0; --i) wordOp();
    line("RETSU");
    label(over);
  }

  /// What may be different in another round: one value where there were many, a float, an address
  /// register on its way.
  void otherRound() {
    const std::string skip = fresh();
    switch (pick(6)) {
      case 0:
        line("CMPI    2,AR6");
        line("BZ      " + skip);
        line("LDI     " + std::to_string(pick(9)) + "," + r());
        return label(skip);
      case 1:
        return line("LDF     @area+" + std::to_string(pick(24)) + "," + r());
      case 2:
        return line("LDI     AR4,AR4");
      case 3:
        return line("FLOAT   " + r() + "," + r());
      case 4:
        return line("STF     " + r() + "," + ownWord());
      default:
        return line("ADDF    " + r() + "," + r());
    }
  }

  /// Somebody looks at N, Z and C, or at all of the status register.
  void flagsSeen() {
    switch (pick(7)) {
      case 0:
        return line("LDF" + std::string(pick(2) != 0 ? "LT   " : "NZ   ") + r() + "," + r());
      case 1:
        return line("ADDC    " + r() + "," + r());
      case 2:
        return line("LDI" + cond() + "   " + r() + "," + r());
      case 3:
        if (pick(3) != 0) return;
        line("LDI     ST," + r());
        return line("STI     " + r() + "," + ownWord());
      default:
        return;
    }
  }

  std::string ownWord() { return "@area+" + std::to_string(pick(24)); }

  static std::string padded(std::string name) { return name.append(8 - name.size(), ' '); }

  std::string source() {
    switch (pick(6)) {
      case 0:
        return ownWord();
      case 1:
        return data();
      case 2:
        return std::to_string(pick(300));
      case 3:
        return pick(3) == 0 ? "IR0" : pick(2) == 0 ? "AR4" : "RS";
      default:
        return r();
    }
  }

  void wordOp() {
    static const char* const kTwo[] = {"ADDI", "SUBI", "SUBRI", "AND", "OR",  "XOR",
                                       "ANDN", "MPYI", "AND",   "LDI", "LDI", "ADDI"};
    static const char* const kThree[] = {"ADDI3", "SUBI3", "AND3",  "OR3",
                                         "XOR3",  "ANDN3", "MPYI3", "LSH3"};
    switch (pick(20)) {
      case 0:
      case 1:
        return line("STI     " + (pick(8) == 0 ? "AR4" : r()) + "," +
                    (pick(4) == 0 ? data() : ownWord()));
      case 2:
      case 3:
        return line("LSH     " + (pick(3) == 0 ? r() : std::to_string(pick(84) - 42)) + "," + r());
      case 4:
        return line("ASH     " + (pick(8) == 0 ? r() : std::to_string(pick(84) - 42)) + "," + r());
      case 5:
        return line("AND     " + std::to_string(pick(2) != 0 ? 1 : pick(300)) + "," + r());
      case 6:
        return line("MPYI    " + std::to_string(pick(60) - 30) + "," + r());
      case 7:
        return line((pick(2) != 0 ? "NOT     " : "NEGI    ") + r() + "," + r());
      case 8:
      case 9:
      case 10:
        return lookUp();
      case 11:
        return line(padded(kThree[pick(8)]) + r() + "," + (pick(3) == 0 ? near() : r()) + "," +
                    r());
      case 12:
        return line("LDI     " + (pick(3) == 0 ? ownWord() : r()) + "," +
                    (pick(2) != 0   ? "AR4"
                     : pick(2) != 0 ? "AR7"
                                    : "IR1"));
      case 13:
        return line("LDI     " + ownWord() + "," + r());
      case 14:
        if (pick(3) != 0) return line("AND     255," + r());
        return line(pick(2) != 0 ? "LDIGE   " + r() + "," + r() : "TSTB    4," + r());
      default:
        return line(padded(kTwo[pick(12)]) + source() + "," + r());
    }
  }

  /// Mostly in the table; else among words of each lane's own.
  void lookUp() {
    const std::string at = r();
    const std::string through = pick(4) != 0 ? "AR4" : "AR7";
    const bool elsewhere = pick(16) == 0;
    line("AND     " + std::to_string(elsewhere || pick(3) == 0 ? 15 : 31) + "," + at);
    line("ADDI    " + std::string(elsewhere ? "@area_p," : "@table_p,") + at);
    line("LDI     " + at + "," + through);
    for (int i = pick(4); i > 0; --i) line("XOR     " + r() + "," + r());
    line("LDI     *" +
         (pick(4) != 0 ? through : "+" + through + "(" + std::to_string(pick(3)) + ")") + "," +
         r());
  }
};

}  // namespace rtvp::tigershark::test
