// Random programs that serve a chain: words come in by interrupt or polling, are computed on,
// branched on, stored, passed on, or put into a ring from which they go out; or whole messages, of
// which nodes keep some. For differential tests.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace rtvp::tigershark::test {

/// Programs that end in IDLE whenever the chain is silent.
class ServiceProgram {
 public:
  explicit ServiceProgram(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    line("LDP     area");
    line("LDI     @sport_q,AR7");
    line("LDI     @area_p,AR1");
    line("LDI     @area_p,AR2");
    line("LDI     8,BK");
    line("LDI     2,IR0");
    if (pick(3) == 0) {
      ring();
      data();
      return text_;
    }
    line("LDI     20h,IE");
    label("loop");
    const int words = 1 + pick(3);
    for (int i = 0; i < words; ++i) {
      line("CALL    getw");
      work(2);
      if (pick(5) != 0) line("CALL    putw");
    }
    if (pick(3) == 0) uncovered();
    if (pick(4) == 0) {
      line("LDI     " + std::to_string(pick(5)) + ",AR5");
      const std::string l = fresh();
      label(l);
      work(1);
      line("DBU     AR5," + l);
    }
    if (pick(12) == 0) line("STI     R1,@patch");  // the program changes: an ADDI's constant
    line("BU      loop");
    routines();
    data();
    return text_;
  }

  /// Messages of `words` words: a header that says what becomes of them, then words that are
  /// counted. Bits 28 and 29 of a header are looked at. `program`: words that a node keeps are
  /// instructions, which messages of kind 2 have it execute; both are passed on, too.
  std::string messages(int words, bool program = false) {
    begin();
    line("LDI     AR1,AR4");
    line("LDI     20h,IE");
    label("loop");
    line("CALL    getw");
    line("LDI     R0,R1");
    line("LSH     -28,R1");
    line("CMPI    1,R1");
    line("BZ      keep");
    if (program) {
      line("CMPI    2,R1");
      line("BZ      call");
    }
    for (int i = pick(3); i > 0; --i) op();
    line("CALL    putw");
    line("LDI     " + std::to_string(words - 2) + ",AR5");
    label("pass");
    line("CALL    getw");
    if (pick(2) == 0) {
      for (int i = 1 + pick(2); i > 0; --i) op();
    }
    if (pick(5) != 0) line("CALL    putw");
    line("DBU     AR5,pass");
    if (pick(3) == 0) work(1);
    if (pick(6) == 0) line("LDI     @patch,R6");
    if (pick(12) == 0) line("STI     R1,@patch");
    line("BU      loop");
    label("keep");
    if (program) line("CALL    putw");  // all nodes keep it
    line("LDI     " + std::to_string(words - 2) + ",R4");
    label("word");
    line("CALL    getw");
    if (program) line("CALL    putw");
    static const char* const kStores[] = {"*AR4++(1)%", "*+AR1(3)", "*AR2++(IR0)%"};
    const std::string store = kStores[pick(3)];
    if (program) {
      line("AND     0FFh,R0");
      line("OR      @code_w,R0");
    }
    line("STI     R0," + (program ? "@code+2" : store));
    if (pick(3) == 0) op();
    line("SUBI    1,R4");
    line("BGE     word");
    line("BU      loop");
    if (program) callCode(words);
    routines();
    data();
    if (program) code();
    return text_;
  }

  std::uint64_t bits() { return random_(); }

 private:
  void begin() {
    line("LDP     area");
    line("LDI     @sport_q,AR7");
    line("LDI     @area_p,AR1");
    line("LDI     @area_p,AR2");
    line("LDI     " + std::to_string(8 - pick(2)) + ",BK");
    line("LDI     2,IR0");
  }

  /// Kind 2: its words say nothing, and what has been kept is executed.
  void callCode(int words) {
    label("call");
    line("CALL    putw");
    line("LDI     " + std::to_string(words - 2) + ",AR5");
    label("skip");
    line("CALL    getw");
    line("CALL    putw");
    line("DBU     AR5,skip");
    line("LDI     @sum,R0");
    line("CALL    code");
    line("STI     R0,@sum");
    line("BU      loop");
  }
  void code() {
    text_ += "sum:    .word   0\ncode_w: ADDI    0,R0\n        .align  8\ncode:\n";
    for (int i = 0; i < 8; ++i) line("ADDI    " + std::to_string(pick(100)) + ",R0");
    line("RETSU");
  }

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void line(const std::string& s) { text_ += "        " + s + "\n"; }
  void label(const std::string& s) { text_ += s + ":\n"; }
  std::string fresh() { return "L" + std::to_string(labels_++); }
  std::string r() { return "R" + std::to_string(pick(7)); }  // R7 is the node id

  void work(int depth) {
    const int n = 1 + pick(5);
    for (int i = 0; i < n; ++i) op();
    if (depth == 0 || pick(2) != 0) return;
    static const char* const kConds[] = {"Z", "NZ", "N", "GT", "LO", "HS", "V", "LE"};
    const std::string l = fresh();
    line("B" + std::string(kConds[pick(8)]) + (pick(6) == 0 ? "D" : "") + "     " + l);
    line("XOR     " + r() + "," + r());
    line("NOP");
    line("LDI     " + r() + "," + r());
    work(depth - 1);
    label(l);
    line("NOP");
  }

  void op() {
    static const char* const kOps[] = {"ADDI", "SUBI", "SUBRI", "MPYI", "AND", "ANDN", "OR",
                                       "XOR",  "CMPI", "TSTB",  "LDI",  "NOT", "LSH",  "ASH"};
    const std::string op = kOps[pick(14)];
    switch (pick(12)) {
      case 0:
      case 1:
        return line(op + "    " + r() + "," + r());
      case 2:
        return line(op + "    " + std::to_string(pick(40)) + "," + r());
      case 3:
        return line(op + "    *+AR1(" + std::to_string(pick(8)) + ")," + r());
      case 4:
        return line(op + "    @area+" + std::to_string(pick(8)) + "," + r());
      case 5:
        return line("STI     " + r() + ",*+AR1(" + std::to_string(pick(8)) + ")");
      case 6:
        return line((pick(2) != 0 ? "LDI     *AR2++(1)%," : "LDI     *AR2++(IR0)%,") + r());
      case 7:
        return line("STI     " + r() + ",*AR2++(1)%");
      case 8:
        line("PUSH    " + r());
        return line("POP     " + r());
      case 9:
        return line("LDINZ   " + r() + "," + r());
      case 10:
        return line("LDI     ST," + r());
      default:
        // An address straight after its register: a conflict.
        line("LDI     AR1,AR3");
        return line("LDI     *+AR3(" + std::to_string(pick(8)) + ")," + r());
    }
  }

  /// Both directions in one loop, as a node that sends results does.
  void ring() {
    line("LDI     AR1,AR4");
    line("LDI     AR1,AR5");
    line("LDI     " + std::to_string(pick(40)) + ",R3");
    line("LDI     30h,IE");
    label("loop");
    line("ANDN    30h,IF");
    line("LDI     *AR7,R6");
    line("TSTB    1,R6");
    line("BZ      out");
    if (pick(2) != 0) {
      line("CMPI    0,R3");
      line(pick(8) == 0 ? "BZ      out" : "LDIZ    20,R3");
    }
    line("LDI     *+AR7(12),R0");
    for (int i = pick(4); i > 0; --i) op();
    line("STI     R0,*AR4++(1)%");
    line("SUBI    1,R3");
    label("out");
    line("TSTB    2,R6");
    line("BZ      sleep");
    line("CMPI    AR4,AR5");
    line("BZ      sleep");
    line("LDI     *AR5++(1)%,R0");
    for (int i = pick(3); i > 0; --i) op();
    line("STI     R0,*+AR7(8)");
    if (pick(3) == 0) uncovered();
    line("BU      loop");
    label("sleep");
    line("IDLE");
    line("BU      loop");
  }

  void uncovered() {
    switch (pick(8)) {
      case 6:  // a timer runs for a while, or for good
        line("LDI     *+AR1(" + std::to_string(pick(8)) + "),R6");
        line("STI     R6,*+AR7(" + std::to_string(4 + pick(3)) + ")");
        return line("LDI     0,R6");
      case 7:
        return line(pick(4) == 0 ? "STI     R5,*AR7" : "LDI     *+AR7(8),R6");
      case 0:
        line("FLOAT   " + r() + ",R6");
        return line("MPYF    0.5,R6");
      case 1:
        return line("ADDI3   R1,R2,R3");
      case 2:
        return line("ROL     R4");
      case 3:
        line("RPTS    " + std::to_string(pick(4)));
        return line("ADDI    1,R5");
      case 4:
        return line("LDI     *+AR7(2),R6");
      default:
        line("LDI     IF,R6");
        return line("OR      40h,ST");
    }
  }

  void routines() {
    label("getw");
    if (pick(4) == 0) {  // poll
      label("getp");
      line("LDI     *AR7,R6");
      line("TSTB    1,R6");
      line("BNZ     got");
      line("IDLE");
      line("BU      getp");
      label("got");
    } else {
      line("ANDN    20h,IF");
      line("LDI     *AR7,R6");
      line("TSTB    1,R6");
      line("BNZ     got");
      line("IDLE");
      line("BU      getw");
      label("got");
    }
    line("LDI     *+AR7(12),R0");
    text_ += "patch:  ADDI    3,R5\n";
    line("RETSU");
    label("putw");
    line("ANDN    10h,IF");
    line("LDI     *AR7,R6");
    line("TSTB    2,R6");
    line("BZ      full");
    line("STI     R0,*+AR7(8)");
    line("RETSU");
    label("full");
    if (pick(3) != 0) {
      line("LDI     " + std::string(pick(2) != 0 ? "10h" : "30h") + ",IE");
      line("IDLE");
      line("LDI     20h,IE");
    }
    line("BU      putw");
  }

  void data() {
    text_ += "sport_q: .word  808040h\narea_p: .word   area\n        .align  8\narea:\n";
    for (int i = 0; i < 8; ++i) line(".word   " + std::to_string(pick(1'000'000)));
  }

  std::mt19937_64 random_;
  std::string text_;
  int labels_ = 0;
};

}  // namespace rtvp::tigershark::test
