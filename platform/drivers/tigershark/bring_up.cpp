// How the driver finds the boards, gives them addresses, firmware and a first page, and numbers
// their nodes.
#include <algorithm>
#include <utility>

#include "models/common/core/text.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/drivers/tigershark/driver.hpp"

namespace rtvp::host {
namespace {

namespace ts = rtvp::tigershark;
namespace pld = rtvp::tigershark::pld;
namespace s5933 = rtvp::tigershark::s5933;
using sc_core::sc_time;

constexpr std::uint32_t kVendorAmcc = 0x10E8;
constexpr int kBars = 6;
constexpr std::uint32_t kLatencyClocks =
    0x40;  // long enough for a burst, short enough to share the bus
constexpr int kMaxDevices = 32;
constexpr int kDeviceShift = 15;

constexpr std::uint32_t kResetAll =
    s5933::MCSR_MAILBOX_RESET | s5933::MCSR_A2P_RESET | s5933::MCSR_P2A_RESET;
// Reading requests the bus only when four words fit, so that transfers are bursts. Not so writing:
// fewer than four last words would stay in the FIFO (board.md 4.4, F4).
constexpr std::uint32_t kMastering = s5933::MCSR_READ_ENABLE | s5933::MCSR_WRITE_ENABLE |
                                     s5933::MCSR_READ_4PLUS | s5933::MCSR_READ_MULTIPLE;

constexpr std::size_t kVerifyWords = 8;          // read back of each image's start and end
constexpr std::uint64_t kBufferBytes = 0x10000;  // of a DMA buffer; 512 rays take 16 KiB

}  // namespace

void TigersharkDriver::start() {
  const sc_time begin = bus_.now();
  enumerate();
  for (Board& board : boards_) loadFirmware(board);
  for (Board& board : boards_) numberNodes(board, config_.firmware);
  counters_.startTime = bus_.now() - begin;
}

void TigersharkDriver::enumerate() {
  std::size_t found = 0;
  std::uint64_t window = config_.windowBase;
  for (int device = 0; device < kMaxDevices; ++device) {
    const std::uint64_t config =
        config_.configBase + (static_cast<std::uint64_t>(device) << kDeviceShift);
    if ((bus_.read32(config + s5933::CFG_ID) & 0xFFFF) != kVendorAmcc) continue;
    if (device < config_.firstSlot || device - config_.firstSlot >= config_.slots) continue;
    if (found < boards_.size()) {
      Board& board = boards_[found];
      board.config = config;
      board.results = config_.bufferBase + kBufferBytes * (1 + found);
      // Windows of one board lie together; 64 MiB is more than a board can ask for.
      assignWindows(board, window);
      window += std::uint64_t{64} << 20U;
    }
    ++found;
  }
  if (found != boards_.size()) {
    Device::fail("found " + std::to_string(found) + " boards on the PCI bus, expected " +
                 std::to_string(boards_.size()));
  }
}

// The usual dance: write all ones, read back which bits stick, give the window an address that is a
// multiple of its size.
void TigersharkDriver::assignWindows(Board& board, std::uint64_t window) {
  std::uint64_t nextMemory = window;
  std::uint64_t nextIo = 0x1000 + 0x100 * static_cast<std::uint64_t>(board.index);
  std::array<std::uint64_t, kBars> base{};
  for (int bar = 0; bar < kBars; ++bar) {
    const std::uint64_t reg = board.config + s5933::CFG_BADR0 + 4 * static_cast<std::uint64_t>(bar);
    bus_.write32(reg, 0xFFFFFFFFU);
    const std::uint32_t sticky = bus_.read32(reg);
    if (sticky == 0 || sticky == 0xFFFFFFFFU) continue;
    const bool io = (sticky & 1U) != 0;
    const std::uint64_t size = std::uint64_t{~(sticky & (io ? ~0x3U : ~0xFU))} + 1;
    std::uint64_t& next = io ? nextIo : nextMemory;
    next = (next + size - 1) / size * size;
    bus_.write32(reg, static_cast<std::uint32_t>(next));
    base[static_cast<std::size_t>(bar)] = io ? config_.ioBase + next : next;
    next += size;
  }
  board.registers = {bus_, base[0]};
  board.memory = base[1];
  board.pld = {bus_, base[2]};
  if (std::ranges::count(std::span(base).first(3), 0U) > 0) {
    fail(board, "a window of base 0, 1 or 2 is missing (boot memory of the S5933)");
  }
  bus_.write32(board.config + s5933::CFG_MISC, kLatencyClocks << 8U);
  bus_.write32(board.config + s5933::CFG_COMMAND,
               s5933::COMMAND_IO | s5933::COMMAND_MEMORY | s5933::COMMAND_MASTER);
  if (config_.log) {
    config_.log(board.name + ": registers " + common::hexLowerH(board.registers.base()) +
                ", memory " + common::hexLowerH(board.memory) + ", PLD " +
                common::hexLowerH(board.pld.base()));
  }
}

void TigersharkDriver::writeImage(const Board& board, const MemoryImage& image) {
  copy(board, image.address, image.words);
}

void TigersharkDriver::copy(const Board& board, std::uint32_t address,
                            std::span<const std::uint32_t> words) {
  while (!words.empty()) {
    const std::size_t count = std::min(config_.writeWords, words.size());
    bus_.writeBlock(board.at(address), words.first(count));
    address += static_cast<std::uint32_t>(count);
    words = words.subspan(count);
  }
}

void TigersharkDriver::verify(const Board& board, const MemoryImage& image) {
  const std::size_t count = std::min(kVerifyWords, image.words.size());
  for (const std::size_t first : {std::size_t{0}, image.words.size() - count}) {
    std::vector<std::uint32_t> back(count);
    bus_.readBlock(board.at(image.address + first), back);
    if (!std::equal(back.begin(), back.end(),
                    image.words.begin() + static_cast<std::ptrdiff_t>(first))) {
      fail(board, "SRAM reads back other words than were written near word address " +
                      common::hexLowerH(image.address + first));
    }
  }
}

/// Nodes in reset, FIFOs and chain empty, interrupts as the driver wants them.
void TigersharkDriver::resetBoard(Board& board) {
  board.control = 0;
  control(board, pld::CTRL_DSP_RESET | pld::CTRL_CHAIN_FLUSH, 0);
  board.control &= ~pld::CTRL_CHAIN_FLUSH;  // clears itself
  board.registers.write("MCSR", kResetAll);
  board.registers.write("MCSR", kMastering);
  board.registers.write("INTCSR", kInterruptStatus | kInterruptEnables);
}

void TigersharkDriver::startNodes(Board& board) {
  control(board, pld::CTRL_CHAIN_ENABLE, pld::CTRL_PAGE_SELECT);
  control(board, 0, pld::CTRL_DSP_RESET);
}

void TigersharkDriver::loadFirmware(Board& board) {
  const auto nodes = board.pld.read("NODES") & 0xFFFFU;
  if (nodes != static_cast<std::uint32_t>(config_.dsps)) {
    fail(board, "the PLD says " + std::to_string(nodes) + " DSPs are fitted, expected " +
                    std::to_string(config_.dsps));
  }
  resetBoard(board);

  // A double-buffered board shows the host the bank that the DSPs do not see. Both get everything
  // but the page.
  const auto& pages = pagesOf(board);
  for (int bank = config_.doubleBuffer ? 1 : 0; bank >= 0; --bank) {
    if (config_.doubleBuffer) {
      control(board, bank == 0 ? pld::CTRL_PAGE_SELECT : 0, bank == 0 ? 0 : pld::CTRL_PAGE_SELECT);
    }
    for (const MemoryImage& section : config_.firmware) {
      if (section.words.empty()) continue;
      writeImage(board, section);
      verify(board, section);
    }
    const std::array<std::uint32_t, 3> parameters = {pages.front().address,
                                                     static_cast<std::uint32_t>(config_.dsps), 0};
    writeImage(board, {ts::kParamDatabase, {parameters.begin(), parameters.end()}});
  }
  loadPage(board, 0);
  verify(board, pages.front());
  startNodes(board);
  board.nextPage = 0;
  board.nextPosition = 0;
  if (config_.log) {
    config_.log(board.name + ": firmware and first of " + std::to_string(pages.size()) +
                " pages loaded, DSPs started");
  }
}

// The token learns how many nodes there are on its way through the chain (TS-021).
void TigersharkDriver::numberNodes(Board& board, std::span<const MemoryImage> firmware) {
  // The boot code copies itself through 7 wait states (design.md section 10); before that is over
  // nobody listens.
  std::size_t words = 0;
  for (const MemoryImage& section : firmware) words += section.words.size();
  const double boot = (32.0 * static_cast<double>(words) + 10000) / config_.clockHz;
  bus_.waitFor(seconds(boot), "the boot code of " + board.name);

  outgoing_ = {ts::messageHeader(ts::Message::Token, 0, 0), 0};
  bus_.writeBlock(config_.bufferBase, outgoing_);
  startBatch(board, 2, 2);
  const double hop = 8 * 2 * 34 / config_.bitClockHz + 2000 / config_.clockHz;
  awaitBoards([&] { return board.writeDone; }, seconds(0.01 + hop * config_.dsps),
              "the token of " + board.name);
  std::array<std::uint32_t, 2> token{};
  bus_.readBlock(board.results, token);
  if (token[0] >> ts::kMessageTypeShift != static_cast<std::uint32_t>(ts::Message::Token) ||
      token[1] != static_cast<std::uint32_t>(config_.dsps)) {
    fail(board, "the chain returned " + common::hexLowerH(token[0]) + " " +
                    common::hexLowerH(token[1]) + ", expected the token with count " +
                    std::to_string(config_.dsps) + " (TS-021)");
  }
}

// TS-022: node 0 is the one that the board wired as master, so the word it alone may write has
// arrived.
void TigersharkDriver::checkMasterMark(Board& board) {
  const bool swap = config_.doubleBuffer;
  if (swap) {
    control(board, (board.control & pld::CTRL_PAGE_SELECT) != 0 ? 0 : pld::CTRL_PAGE_SELECT,
            board.control & pld::CTRL_PAGE_SELECT);
  } else {
    holdBus(board);
  }
  const std::uint32_t mark = bus_.read32(board.at(ts::kMasterMark));
  if (swap) {
    control(board, (board.control & pld::CTRL_PAGE_SELECT) != 0 ? 0 : pld::CTRL_PAGE_SELECT,
            board.control & pld::CTRL_PAGE_SELECT);
  } else {
    yieldBus(board);
  }
  if (mark != ts::kMasterMarkValue) {
    fail(board, "node 0 did not write the master mark: found " + common::hexLowerH(mark) +
                    ", expected " + common::hexLowerH(ts::kMasterMarkValue) + " (TS-022)");
  }
}

}  // namespace rtvp::host
