// What processors execute, kept as few bytes as possible while it happens and turned into text
// afterwards: each instruction with its time, what the time went to, what it changed, its source.
//
// A log is a head (program, names of the processors) and chunks, each of one processor's records in
// its own order. The reader puts all in the order of time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/cpu_observer.hpp"

namespace rtvp::c32 {

class InstructionLog {
 public:
  /// Takes pieces of the log in order; may throw, from executed() too.
  using Sink = std::function<void(std::string_view bytes)>;

  /// `units`: names of the processors. Instructions that begin in [from, to) are kept.
  InstructionLog(const Image& image, const std::vector<std::string>& units, Cycle from, Cycle to,
                 Sink sink);
  ~InstructionLog();
  InstructionLog(const InstructionLog&) = delete;
  InstructionLog& operator=(const InstructionLog&) = delete;

  /// Who is to observe a processor.
  [[nodiscard]] CpuObserver& observer(std::size_t unit);
  /// Nothing comes any more.
  void finish();

 private:
  class Unit;
  Sink sink_;
  Cycle from_, to_;
  std::vector<std::unique_ptr<Unit>> units_;
};

struct InstructionText {
  /// A loop's passes that go the same way as the one before are counted, not shown.
  bool collapse = false;
};

/// The log as text, a line an instruction, handed to `out` piece by piece. Throws
/// std::runtime_error if it is no log, or not a whole one.
void writeInstructions(std::string_view log, const InstructionText& how,
                       const std::function<void(std::string_view)>& out);

}  // namespace rtvp::c32
