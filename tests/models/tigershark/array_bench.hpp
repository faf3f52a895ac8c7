// A lockstep array on a flat memory, programmed in C32 assembly: the bench of the array engine's
// tests. No SystemC.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/tigershark/array_engine.hpp"

namespace rtvp::tigershark::test {

/// Memory from address 0 and a list of the words that left the chain.
class FlatBoard : public ArrayBoard {
 public:
  explicit FlatBoard(std::size_t words = 4096) : memory(words) {}
  SharedReply sharedAccess(const c32::BusRequest& request) override {
    accesses.push_back(request);
    if (onAccess) onAccess();
    if (request.address >= memory.size()) return {.error = true};
    if (request.op == c32::BusOp::Write) memory[request.address] = request.data;
    return {.data = memory[request.address], .waitStates = waitStates};
  }
  SharedWindow sharedWindow() override {
    if (!offersWindow) return {};
    return {reinterpret_cast<const unsigned char*>(memory.data()), 0,
            static_cast<std::uint32_t>(memory.size()), waitStates};
  }
  void sharedWindowRead(std::uint64_t words, Cycle /*cycle*/) override { windowWords += words; }
  void chainOutput(std::uint32_t word, Cycle arrival) override {
    output.push_back({word, arrival});
  }

  struct Word {
    std::uint32_t word;
    Cycle arrival;
  };
  std::vector<std::uint32_t> memory;
  std::vector<c32::BusRequest> accesses;
  std::vector<Word> output;
  std::uint32_t waitStates = 0;
  bool offersWindow = false;  ///< words read that way do not appear in `accesses`
  std::uint64_t windowWords = 0;
  std::function<void()> onAccess;  ///< a test looks in
};

/// Boots from SRAM into internal RAM, opens the serial port and learns the node id from a token
/// word: R7 = id. The test's program follows at label `main` in internal RAM.
inline constexpr const char* kPrelude = R"(
        .sect   "vectors", 0, 0
        .word   boot
        .sect   "boot", 40h, 40h
boot:   LDI     0,DP
        LDP     busctl
        LDI     @pbus,AR0
        LDI     @busctl,R0
        STI     R0,*AR0                 ; zero wait states
        LDI     @src,AR0
        LDI     @dst,AR1
        LDI     @len,RC
        RPTB    copied
        LDI     *AR0++(1),R0
copied: STI     R0,*AR1++(1)
        LDI     @itt,IF                 ; ITTP = 87FEh
        LDI     @stack,SP
        LDI     @entry,R0
        BU      R0
pbus:   .word   808064h
busctl: .word   000F0008h
src:    .word   hotload
dst:    .word   87FE00h
len:    .word   hotend-hotrun-1
itt:    .word   87FE0000h
stack:  .word   87FFC0h
entry:  .word   start
        .sect   "hot", 87FE00h
        .label  hotload
hotrun: .space  5
        .word   wake                    ; XINT0
        .word   wake                    ; RINT0
        .space  9
wake:   RETSU
start:  LDP     sport
        LDI     @sport,AR7
        LDI     111h,R0
        STI     R0,*+AR7(2)
        STI     R0,*+AR7(3)
        LDI     @sctl,R0
        STI     R0,*AR7
        LDI     20h,IE                  ; ERINT0
        IDLE
        LDI     *+AR7(12),R7            ; token: the next free id
        LDI     R7,R0
        ADDI    1,R0
        STI     R0,*+AR7(8)
        BU      main
sport:  .word   808040h
sctl:   .word   0EBC0C00h
main:
)";

/// Engine of benches that do not say otherwise: the same scenarios run on each (CMakeLists.txt).
#ifndef RTVP_ARRAY_ENGINE
#define RTVP_ARRAY_ENGINE Scalar
#endif
inline constexpr EngineChoice::Kind kBenchEngine = EngineChoice::Kind::RTVP_ARRAY_ENGINE;

class ArrayBench {
 public:
  /// Those made from here on keep account of their cycles.
  static inline bool accounts = true;
  explicit ArrayBench(const std::string& body, int lanes = 4, ArrayConfig config = {},
                      EngineChoice choice = {.kind = kBenchEngine}) {
    const auto result = c32::assemble("test.asm", std::string(kPrelude) + body + "\nhotend:\n");
    EXPECT_TRUE(result.image) << result.report();
    if (!result.image) return;
    image = *result.image;
    for (const auto& section : image.sections) {
      EXPECT_LE(section.loadAddress + section.words.size(), board.memory.size());
      std::copy(section.words.begin(), section.words.end(),
                board.memory.begin() + section.loadAddress);
    }
    config.lanes = lanes;
    engine = makeArray(config, board, choice);
    if (accounts) engine->keepAccounts();
    engine->reset(0);
  }

  /// Advances through barriers until something else happens.
  ArrayOutcome run(Cycle horizon = 1'000'000) {
    for (;;) {
      const ArrayOutcome outcome = engine->advance(horizon);
      if (outcome.kind != ArrayOutcome::Kind::Barrier) return outcome;
      engine->release(outcome.cycle);
    }
  }
  /// Boot, then the token: all nodes run `main`.
  ArrayOutcome start() {
    EXPECT_EQ(run().kind, ArrayOutcome::Kind::Quiescent);
    engine->chainInput(0, 20'000);
    return run();
  }
  [[nodiscard]] std::uint32_t symbol(const std::string& name) const {
    return image.find(name).value_or(0);
  }
  [[nodiscard]] std::uint32_t word(int lane, const std::string& name) const {
    return engine->peek(lane, symbol(name)).value_or(0xDEADBEEF);
  }

  FlatBoard board;
  c32::Image image;
  std::unique_ptr<ArrayEngine> engine;
};

}  // namespace rtvp::tigershark::test
