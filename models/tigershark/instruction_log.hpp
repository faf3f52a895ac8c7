// What the DSPs of boards execute, from one cycle to another, as a file: not the instructions but
// what came into the boards' arrays from outside. Who reads it runs the arrays again.
//
// A log is a line with its version, and chunks, each with a checksum: the head (program, boards,
// names of the DSPs), pieces of the boards' recordings, and an empty one at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/debug/instruction_stream.hpp"
#include "models/tigershark/array_engine.hpp"
#include "models/tigershark/array_recorder.hpp"

namespace rtvp::tigershark {

class InstructionLog {
 public:
  /// Takes pieces of the log in order.
  using Sink = std::function<void(std::string_view bytes)>;
  struct WatchedBoard {
    ArrayEngine* engine = nullptr;
    ArrayConfig config;
    std::vector<std::string> names;  ///< of its DSPs by lane; empty: it is not watched
  };

  /// Instructions that begin in [from, to) are logged. All boards have `image` in them. `mostKept`:
  /// as of each board's recorder.
  InstructionLog(const c32::Image& image, const std::vector<WatchedBoard>& boards, c32::Cycle from,
                 c32::Cycle to, Sink sink, std::size_t mostKept = ArrayRecorder::kMostKept);

  /// Who is to be told what comes into a board's array.
  [[nodiscard]] ArrayRecorder& recorder(std::size_t board) { return *recorders_.at(board); }
  /// Nothing comes any more.
  void finish();

 private:
  void chunk(std::uint64_t what, std::string_view bytes);

  Sink sink_;
  std::vector<std::unique_ptr<ArrayRecorder>> recorders_;
};

class ArrayReplay;

/// Such a log's instructions.
class InstructionLogReader final : public c32::InstructionStream {
 public:
  /// `log` outlives it. Throws std::runtime_error if it is no log, or not a whole one.
  explicit InstructionLogReader(std::string_view log);
  ~InstructionLogReader() override;

  [[nodiscard]] const debug::Program& program() const override { return program_; }
  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  bool next(std::size_t unit, c32::LoggedInstruction& instruction) override;

 private:
  struct Unit;
  void readHead(std::string_view bytes);

  debug::Program program_;
  std::vector<std::string> names_;
  std::vector<Unit> units_;
  std::vector<std::unique_ptr<ArrayReplay>> boards_;
};

}  // namespace rtvp::tigershark
