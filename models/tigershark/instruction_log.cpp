// See instruction_log.hpp.
#include "models/tigershark/instruction_log.hpp"

#include <boost/crc.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "models/c32/cpu_options.hpp"
#include "models/c32/debug/instruction_queue.hpp"
#include "models/c32/debug/unit.hpp"
#include "models/common/core/version.hpp"
#include "models/debug/log_bytes.hpp"
#include "models/tigershark/array_replay.hpp"

namespace rtvp::tigershark {
namespace {

constexpr std::string_view kFamily = "rtvp C32 instructions ";
constexpr std::string_view kMagic = "rtvp C32 instructions 2\n";
constexpr int kMostLanes = 512;

// What a chunk is; boards are counted from kFirstBoard on.
constexpr std::uint64_t kHead = 0;
constexpr std::uint64_t kEnd = 1;
constexpr std::uint64_t kFirstBoard = 2;

std::uint32_t checksum(std::uint64_t what, std::string_view bytes) {
  boost::crc_32_type sum;
  for (unsigned shift = 0; shift < 64; shift += 8)
    sum.process_byte(static_cast<unsigned char>(what >> shift));
  sum.process_bytes(bytes.data(), bytes.size());
  return sum.checksum();
}

void writeConfig(debug::LogWriter& to, const ArrayConfig& config) {
  to.number(static_cast<std::uint64_t>(config.lanes));
  for (const Cycle cycles :
       {config.riseCycles, config.syncCycles, config.releaseCycles, config.holdCycles})
    to.number(cycles);
  to.number(config.cpu.h1Hz);
  to.number(static_cast<std::uint64_t>(config.cpu.chip));
  to.number(c32::cpuOptions().size());
  for (const c32::CpuOption& option : c32::cpuOptions()) {
    to.text(option.key);
    to.text(c32::cpuOptionText(option, config.cpu));
  }
}

[[noreturn]] void damaged(const std::string& found) {
  throw std::runtime_error("the log is damaged: found " + found);
}

ArrayConfig readConfig(debug::LogReader& from) {
  ArrayConfig config;
  const std::uint64_t lanes = from.number();
  if (lanes < 1 || lanes > kMostLanes) damaged("a board of " + std::to_string(lanes) + " DSPs");
  config.lanes = static_cast<int>(lanes);
  for (Cycle* const cycles :
       {&config.riseCycles, &config.syncCycles, &config.releaseCycles, &config.holdCycles})
    *cycles = from.number();
  config.cpu.h1Hz = from.number();
  if (config.cpu.h1Hz == 0) damaged("DSPs without a clock");
  const std::uint64_t chip = from.number();
  if (chip > static_cast<std::uint64_t>(c32::Chip::C31)) damaged("DSPs of no known kind");
  config.cpu.chip = static_cast<c32::Chip>(chip);
  for (auto n = from.number(); n > 0; --n) {
    const std::string key = from.text();
    if (const auto wrong = c32::setCpuOption(config.cpu, key, from.text())) damaged(*wrong);
  }
  return config;
}

}  // namespace

InstructionLog::InstructionLog(const c32::Image& image, const std::vector<WatchedBoard>& boards,
                               c32::Cycle from, c32::Cycle to, Sink sink, std::size_t mostKept)
    : sink_(std::move(sink)) {
  debug::LogWriter head;
  head.text(common::version());
  debug::writeProgram(head, c32::debugProgram(image));
  head.number(from);
  head.number(to);
  head.number(boards.size());
  for (const WatchedBoard& board : boards) {
    writeConfig(head, board.config);
    for (const std::string& name : board.names) head.text(name);
  }
  sink_(kMagic);
  chunk(kHead, head.out);
  for (std::size_t b = 0; b < boards.size(); ++b) {
    recorders_.push_back(std::make_unique<ArrayRecorder>(
        *boards[b].engine, boards[b].config.lanes, from, to,
        [this, b](std::string_view events) { chunk(kFirstBoard + b, events); }, mostKept));
  }
}

void InstructionLog::chunk(std::uint64_t what, std::string_view bytes) {
  debug::LogWriter head;
  head.number(what);
  head.number(bytes.size());
  const std::uint32_t sum = checksum(what, bytes);
  for (unsigned shift = 0; shift < 32; shift += 8)
    head.out.push_back(static_cast<char>(sum >> shift));
  sink_(head.out);
  sink_(bytes);
}

void InstructionLog::finish() {
  for (const auto& recorder : recorders_) recorder->finish();
  chunk(kEnd, {});
}

// ---- reading

/// A DSP of the log.
struct InstructionLogReader::Unit {
  std::size_t board;
  std::unique_ptr<c32::InstructionQueue> queue;
};

InstructionLogReader::InstructionLogReader(std::string_view log) {
  if (!log.starts_with(kMagic)) {
    if (log.starts_with(kFamily))
      throw std::runtime_error(
          "found an instruction log of version " +
          std::string(log.substr(kFamily.size(), log.substr(0, 64).find('\n') - kFamily.size())) +
          ", expected version 2: write it again with this --instructions, or read it with the "
          "platform that wrote it");
    throw std::runtime_error("found no instruction log, expected a file that --instructions wrote");
  }
  debug::LogReader from(log.substr(kMagic.size()));
  bool whole = false;
  bool first = true;
  while (!from.empty()) {
    if (whole) damaged("bytes behind its end");
    const std::uint64_t what = from.number();
    const std::uint64_t size = from.number();
    std::uint32_t sum = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) sum |= std::uint32_t{from.byte()} << shift;
    const std::string_view bytes = from.take(size);
    if (sum != checksum(what, bytes)) damaged("a piece whose checksum is wrong");
    if (first != (what == kHead)) damaged("pieces in a wrong order");
    if (first) readHead(bytes);
    first = false;
    whole = what == kEnd;
    if (what < kFirstBoard) continue;
    if (what - kFirstBoard >= boards_.size()) damaged("no such board");
    boards_[what - kFirstBoard]->add(bytes);
  }
  if (!whole) throw std::runtime_error("the log ends before its last piece");
}

InstructionLogReader::~InstructionLogReader() = default;

void InstructionLogReader::readHead(std::string_view bytes) {
  debug::LogReader from(bytes);
  const std::string writer = from.text();
  program_ = debug::readProgram(from);
  const c32::Cycle begin = from.number();
  const c32::Cycle end = from.number();
  for (auto n = from.number(); n > 0; --n) {
    const ArrayConfig config = readConfig(from);
    std::vector<c32::CpuObserver*> observers;
    for (int lane = 0; lane < config.lanes; ++lane) {
      std::string name = from.text();
      observers.push_back(nullptr);
      if (name.empty()) continue;
      names_.push_back(std::move(name));
      units_.push_back({boards_.size(), std::make_unique<c32::InstructionQueue>(begin, end)});
      observers.back() = units_.back().queue.get();
    }
    boards_.push_back(std::make_unique<ArrayReplay>(config, std::move(observers), writer));
  }
}

bool InstructionLogReader::next(std::size_t unit, c32::LoggedInstruction& instruction) {
  Unit& u = units_.at(unit);
  // The last step, too, may have led to some.
  for (bool more = true; !u.queue->take(instruction);) {
    if (!more) return false;
    more = boards_[u.board]->step();
  }
  return true;
}

}  // namespace rtvp::tigershark
