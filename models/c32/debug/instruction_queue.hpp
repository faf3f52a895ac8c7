// What one processor executes, kept as few bytes as possible until somebody takes it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "models/c32/cpu_observer.hpp"
#include "models/c32/debug/instruction_stream.hpp"
#include "models/c32/memory_map.hpp"

namespace rtvp::c32 {

class InstructionQueue final : public CpuObserver {
 public:
  /// Instructions that begin in [from, to) are kept.
  InstructionQueue(Cycle from, Cycle to);

  void executed(const TraceRecord& record) override;
  void interrupted(unsigned flag, std::uint32_t from, std::uint32_t to, Cycle start,
                   Cycle end) override;

  /// Takes the oldest; false: there is none.
  bool take(LoggedInstruction& instruction);

 private:
  struct Chunk {
    std::vector<char> bytes;
    std::size_t size = 0;  ///< of them in use
  };
  /// What follows from the instruction before, on either side of the queue.
  struct Side {
    Side();
    std::array<std::uint64_t, kRamWords> words;  ///< at each address of the RAM, kUnknown: none yet
    std::uint32_t next = 0;                      ///< address behind the one before
    Cycle end = 0;                               ///< of the one before
  };

  Chunk& room(std::size_t accesses);
  [[nodiscard]] std::string_view unread() const;

  Cycle from_, to_;
  std::deque<Chunk> chunks_;
  std::size_t read_ = 0;  ///< bytes of the first chunk that have been taken
  Side in_, out_;
};

}  // namespace rtvp::c32
