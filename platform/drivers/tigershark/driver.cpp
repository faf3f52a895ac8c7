#include "platform/drivers/tigershark/driver.hpp"

#include <algorithm>
#include <utility>

#include "models/c32/float40.hpp"
#include "models/common/core/text.hpp"
#include "models/common/report_ids.hpp"
#include "models/tigershark/protocol.hpp"
#include "models/tigershark/s5933_registers.hpp"

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

// Interrupts: byte 0 of incoming mailbox 1 became full (its number and byte are 0), the write count
// reached zero.
constexpr std::uint32_t kInterruptEnables = s5933::INTCSR_IN_ENABLE | s5933::INTCSR_WRITE_ENABLE;
constexpr std::uint32_t kInterruptStatus = s5933::INTCSR_OUT_INT | s5933::INTCSR_IN_INT |
                                           s5933::INTCSR_WRITE_INT | s5933::INTCSR_READ_INT |
                                           s5933::INTCSR_MASTER_ABORT | s5933::INTCSR_TARGET_ABORT;

constexpr std::uint32_t kResetAll =
    s5933::MCSR_MAILBOX_RESET | s5933::MCSR_A2P_RESET | s5933::MCSR_P2A_RESET;
// Reading requests the bus only when four words fit, so that transfers are bursts. Not so writing:
// fewer than four last words would stay in the FIFO (board.md 4.4, F4).
constexpr std::uint32_t kMastering = s5933::MCSR_READ_ENABLE | s5933::MCSR_WRITE_ENABLE |
                                     s5933::MCSR_READ_4PLUS | s5933::MCSR_READ_MULTIPLE;

constexpr std::size_t kVerifyWords = 8;          // read back of each image's start and end
constexpr std::size_t kPrefetchPiece = 2048;     // words of the next page a batch may hide
constexpr std::uint64_t kBufferBytes = 0x10000;  // of a DMA buffer; 512 rays take 16 KiB

/// As messages show addresses.
std::string hex(std::uint64_t value) {
  return common::hex(value) + "h";
}

sc_time seconds(double s) {
  return {s, sc_core::SC_SEC};
}

}  // namespace

TigersharkDriverSignals TigersharkDriverSignals::declare(const common::TraceScope& scope,
                                                         int boards) {
  TigersharkDriverSignals signals;
  signals.batch = scope.wire("batch", "a batch of rays is under way");
  signals.batches = scope.count("batches", "batches finished");
  for (int i = 0; i < boards; ++i) {
    signals.page.push_back(
        scope.count("page" + std::to_string(i), "database page that the DSPs of this board see"));
  }
  return signals;
}

TigersharkDriver::TigersharkDriver(HostBus& bus, TigersharkDriverConfig config)
    : bus_(bus), config_(std::move(config)) {
  for (auto& pages : config_.pages) {
    if (pages.empty()) throw std::invalid_argument("TigersharkDriver: a board without a page");
  }
  if (config_.pages.size() != static_cast<std::size_t>(config_.boards)) {
    throw std::invalid_argument("TigersharkDriver: pages for every board, please");
  }
  if (config_.lines.size() != static_cast<std::size_t>(config_.boards)) {
    throw std::invalid_argument("TigersharkDriver: an interrupt line for every board, please");
  }
  boards_.resize(static_cast<std::size_t>(config_.boards));
  outgoing_.reserve(static_cast<std::size_t>(config_.dsps) * ts::kRayWords + 1);
  incoming_.resize(1 + static_cast<std::size_t>(config_.dsps) * ts::kResultWords);
}

// ---- registers

std::uint32_t TigersharkDriver::readRegister(const Board& board, std::uint32_t offset) {
  return bus_.read32(board.registers + offset);
}

void TigersharkDriver::writeRegister(const Board& board, std::uint32_t offset,
                                     std::uint32_t value) {
  bus_.write32(board.registers + offset, value);
}

void TigersharkDriver::control(Board& board, std::uint32_t set, std::uint32_t clear) {
  board.control = (board.control | set) & ~clear;
  bus_.write32(board.pld + pld::CTRL, board.control);
}

void TigersharkDriver::fail(const Board& board, const std::string& what) {
  const std::string text = "board " + std::to_string(board.index) + " at " +
                           sc_core::sc_time_stamp().to_string() + ": " + what;
  SC_REPORT_ERROR(report_ids::kDriver, text.c_str());
  throw std::logic_error(text);  // only if the report's action was changed not to throw
}

// ---- bring-up

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
      board.index = static_cast<int>(found);
      board.config = config;
      board.results = config_.bufferBase + kBufferBytes * (1 + found);
      // Windows of one board lie together; 64 MiB is more than a board can ask for.
      board.registers = window;
      window += std::uint64_t{64} << 20U;
      assignWindows(board);
    }
    ++found;
  }
  if (found != boards_.size()) {
    Board nowhere;
    fail(nowhere, "found " + std::to_string(found) +
                      " TigerSHARK boards on the PCI bus, expected " +
                      std::to_string(boards_.size()));
  }
}

// The usual dance: write all ones, read back which bits stick, give the window an address that is a
// multiple of its size.
void TigersharkDriver::assignWindows(Board& board) {
  std::uint64_t nextMemory = board.registers;
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
  board.registers = base[0];
  board.memory = base[1];
  board.pld = base[2];
  if (board.registers == 0 || board.memory == 0 || board.pld == 0) {
    fail(board, "a window of base 0, 1 or 2 is missing (boot memory of the S5933)");
  }
  bus_.write32(board.config + s5933::CFG_MISC, kLatencyClocks << 8U);
  bus_.write32(board.config + s5933::CFG_COMMAND,
               s5933::COMMAND_IO | s5933::COMMAND_MEMORY | s5933::COMMAND_MASTER);
  if (config_.log) {
    config_.log("board " + std::to_string(board.index) + ": registers " + hex(board.registers) +
                ", memory " + hex(board.memory) + ", PLD " + hex(board.pld));
  }
}

void TigersharkDriver::writeImage(const Board& board, const MemoryImage& image) {
  bus_.writeBlock(board.memory + 4 * std::uint64_t{image.address}, image.words);
}

void TigersharkDriver::verify(const Board& board, const MemoryImage& image) {
  const std::size_t count = std::min(kVerifyWords, image.words.size());
  for (const std::size_t first : {std::size_t{0}, image.words.size() - count}) {
    std::vector<std::uint32_t> back(count);
    bus_.readBlock(board.memory + 4 * (std::uint64_t{image.address} + first), back);
    if (!std::equal(back.begin(), back.end(),
                    image.words.begin() + static_cast<std::ptrdiff_t>(first))) {
      fail(board, "SRAM reads back other words than were written near word address " +
                      hex(image.address + first));
    }
  }
}

/// Nodes in reset, FIFOs and chain empty, interrupts as the driver wants them.
void TigersharkDriver::resetBoard(Board& board) {
  board.control = 0;
  control(board, pld::CTRL_DSP_RESET | pld::CTRL_CHAIN_FLUSH, 0);
  board.control &= ~pld::CTRL_CHAIN_FLUSH;  // clears itself
  writeRegister(board, s5933::MCSR, kResetAll);
  writeRegister(board, s5933::MCSR, kMastering);
  writeRegister(board, s5933::INTCSR, kInterruptStatus | kInterruptEnables);
}

void TigersharkDriver::startNodes(Board& board) {
  control(board, pld::CTRL_CHAIN_ENABLE, pld::CTRL_PAGE_SELECT);
  control(board, 0, pld::CTRL_DSP_RESET);
}

void TigersharkDriver::loadFirmware(Board& board) {
  const auto nodes = bus_.read32(board.pld + pld::NODES) & 0xFFFFU;
  if (nodes != static_cast<std::uint32_t>(config_.dsps)) {
    fail(board, "the PLD says " + std::to_string(nodes) + " DSPs are fitted, expected " +
                    std::to_string(config_.dsps));
  }
  resetBoard(board);

  // A double-buffered board shows the host the bank that the DSPs do not see. Both get everything
  // but the page.
  const auto& pages = config_.pages[static_cast<std::size_t>(board.index)];
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
    config_.log("board " + std::to_string(board.index) + ": firmware and first of " +
                std::to_string(pages.size()) + " pages loaded, DSPs started");
  }
}

// The token learns how many nodes there are on its way through the chain (TS-021).
void TigersharkDriver::numberNodes(Board& board, std::span<const MemoryImage> firmware) {
  // The boot code copies itself through 7 wait states (design.md section 10); before that is over
  // nobody listens.
  std::size_t words = 0;
  for (const MemoryImage& section : firmware) words += section.words.size();
  const double boot = (32.0 * static_cast<double>(words) + 10000) / config_.clockHz;
  bus_.waitFor(seconds(boot), "the boot code of board " + std::to_string(board.index));

  outgoing_ = {ts::messageHeader(ts::Message::Token, 0, 0), 0};
  bus_.writeBlock(config_.bufferBase, outgoing_);
  startTransfer(board, 2, 2);
  const double hop = 8 * 2 * 34 / config_.bitClockHz + 2000 / config_.clockHz;
  await([&] { return board.writeDone; }, seconds(0.01 + hop * config_.dsps),
        "the token of board " + std::to_string(board.index));
  std::array<std::uint32_t, 2> token{};
  bus_.readBlock(board.results, token);
  if (token[0] >> ts::kMessageTypeShift != static_cast<std::uint32_t>(ts::Message::Token) ||
      token[1] != static_cast<std::uint32_t>(config_.dsps)) {
    fail(board, "the chain returned " + hex(token[0]) + " " + hex(token[1]) +
                    ", expected the token with count " + std::to_string(config_.dsps) +
                    " (TS-021)");
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
  const std::uint32_t mark = bus_.read32(board.memory + 4 * std::uint64_t{ts::kMasterMark});
  if (swap) {
    control(board, (board.control & pld::CTRL_PAGE_SELECT) != 0 ? 0 : pld::CTRL_PAGE_SELECT,
            board.control & pld::CTRL_PAGE_SELECT);
  } else {
    yieldBus(board);
  }
  if (mark != ts::kMasterMarkValue) {
    fail(board, "node 0 did not write the master mark: found " + hex(mark) + ", expected " +
                    hex(ts::kMasterMarkValue) + " (TS-022)");
  }
}

// ---- interrupts

void TigersharkDriver::service(Board& board) {
  const std::uint32_t status = readRegister(board, s5933::INTCSR);
  std::uint32_t event = 0;
  // The mailbox is emptied before its status bit is cleared, as drivers do (board.md 4.3).
  if ((status & s5933::INTCSR_IN_INT) != 0) event = readRegister(board, s5933::IMB1);
  writeRegister(board, s5933::INTCSR, (status & kInterruptStatus) | kInterruptEnables);
  if ((status & (s5933::INTCSR_MASTER_ABORT | s5933::INTCSR_TARGET_ABORT)) != 0) {
    fail(board, std::string("bus-master transfer ended with a ") +
                    ((status & s5933::INTCSR_MASTER_ABORT) != 0 ? "master" : "target") +
                    " abort, MWAR " + hex(readRegister(board, s5933::MWAR)) + ", MRAR " +
                    hex(readRegister(board, s5933::MRAR)));
  }
  if ((status & s5933::INTCSR_WRITE_INT) != 0) board.writeDone = true;
  switch (event) {
    case pld::EVENT_HOLD_GRANTED:
      board.holdGranted = true;
      break;
    case pld::EVENT_OVERRUN:
      fail(board, "a result found the FIFO full and was lost (OVERRUN)");
    case pld::EVENT_LOCKSTEP: {
      const std::string text = "board " + std::to_string(board.index) + ": lane " +
                               std::to_string(bus_.read32(board.pld + pld::ERR_LANE)) +
                               ", address " + hex(bus_.read32(board.pld + pld::ERR_ADDR)) +
                               ", cause " + std::to_string(bus_.read32(board.pld + pld::ERR_CAUSE));
      SC_REPORT_ERROR(report_ids::kLockstep, text.c_str());
      break;
    }
    default:
      break;
  }
}

void TigersharkDriver::await(const std::function<bool()>& done, const sc_time& limit,
                             const std::string& why) {
  const sc_time since = bus_.now();
  while (!done()) {
    if (!bus_.await(config_.lines, since + limit, why)) reportStall(why, since);
    for (Board& board : boards_) {
      if (bus_.interrupt(config_.lines[static_cast<std::size_t>(board.index)])) service(board);
    }
    // An interrupt that nobody can clear must not keep the host busy for ever.
    if (!done() && bus_.now() >= since + limit) reportStall(why, since);
  }
}

void TigersharkDriver::reportStall(const std::string& why, const sc_time& since) {
  std::ostringstream text;
  text << "the host waits for " << why << " since " << since.to_string() << ", now "
       << bus_.now().to_string();
  for (Board& board : boards_) {
    text << "; board " << board.index << ": " << readRegister(board, s5933::MRTC)
         << " bytes of rays not fetched, " << readRegister(board, s5933::MWTC)
         << " bytes of results missing, MCSR " << hex(readRegister(board, s5933::MCSR))
         << ", PLD STATUS " << hex(bus_.read32(board.pld + pld::STATUS)) << ", CTRL "
         << hex(board.control);
  }
  SC_REPORT_ERROR(report_ids::kDeadlock, text.str().c_str());
  throw std::logic_error(text.str());  // only if the report's action was changed not to throw
}

// ---- pages

void TigersharkDriver::holdBus(Board& board) {
  board.holdGranted = false;
  control(board, pld::CTRL_HOLD_REQUEST, 0);
  await([&] { return board.holdGranted; }, seconds(0.01 + 1e6 / config_.clockHz),
        "the DSPs of board " + std::to_string(board.index) + " to yield the bus (HOLD)");
}

void TigersharkDriver::yieldBus(Board& board) {
  control(board, 0, pld::CTRL_HOLD_REQUEST);
}

// The host must own the SRAM, or (double-buffered) see the bank to fill.
void TigersharkDriver::loadPage(Board& board, std::size_t page) {
  const MemoryImage& image = config_.pages[static_cast<std::size_t>(board.index)][page];
  writeImage(board, image);
  bus_.write32(board.memory + 4 * std::uint64_t{ts::kParamDatabase}, image.address);
  board.page = page;
  showPage(board);
  ++counters_.pageLoads;
  counters_.pageWords += image.words.size();
}

// Writes up to `words` more words of the next page into the hidden bank.
void TigersharkDriver::prefetch(Board& board, std::size_t words) {
  const MemoryImage& image = config_.pages[static_cast<std::size_t>(board.index)][board.nextPage];
  const std::size_t count = std::min(words, image.words.size() - board.nextPosition);
  if (count == 0) return;
  bus_.writeBlock(board.memory + 4 * (std::uint64_t{image.address} + board.nextPosition),
                  std::span(image.words).subspan(board.nextPosition, count));
  board.nextPosition += count;
  counters_.prefetchedWords += count;
}

/// Makes `page` the one that the DSPs see; `following` will be asked for after it.
void TigersharkDriver::showPage(const Board& board) const {
  const auto index = static_cast<std::size_t>(board.index);
  if (index < config_.signals.page.size()) {
    config_.signals.page[index].set(bus_.now().value(), board.page);
  }
}

void TigersharkDriver::usePage(Board& board, std::size_t page, std::size_t following) {
  const sc_time begin = bus_.now();
  if (board.page != page) bus_.work(Work::Submit, 1);
  if (!config_.doubleBuffer) {
    if (board.page != page) {
      holdBus(board);
      loadPage(board, page);
      yieldBus(board);
    }
  } else {
    if (board.page != page) {
      if (board.nextPage != page) {
        board.nextPage = page;
        board.nextPosition = 0;
      }
      const MemoryImage& image = config_.pages[static_cast<std::size_t>(board.index)][page];
      const std::uint64_t hidden = counters_.prefetchedWords;
      prefetch(board, image.words.size());
      counters_.prefetchedWords = hidden;  // these did not hide behind a batch
      bus_.write32(board.memory + 4 * std::uint64_t{ts::kParamDatabase}, image.address);
      const bool bank1 = (board.control & pld::CTRL_PAGE_SELECT) != 0;
      control(board, bank1 ? 0 : pld::CTRL_PAGE_SELECT, bank1 ? pld::CTRL_PAGE_SELECT : 0);
      board.page = page;
      showPage(board);
      ++counters_.pageLoads;
      counters_.pageWords += image.words.size();
    }
    if (board.nextPage != following) board.nextPosition = 0;
    board.nextPage = following;
    if (following == page) {  // nothing to prepare
      board.nextPosition = config_.pages[static_cast<std::size_t>(board.index)][page].words.size();
    }
  }
  counters_.pageTime += bus_.now() - begin;
}

// ---- batches

void TigersharkDriver::trace(std::span<const Ray> rays, std::span<Hit> hits) {
  bringBackHitFinding();
  std::vector<Pending> pending(rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    pending[i] = {static_cast<std::uint32_t>(i), c32::singleFromDouble(rays[i].tmax)};
    hits[i] = Hit{};
  }
  counters_.raysTraced += rays.size();

  // Pages outside, batches inside. Each board begins with the page it holds and goes
  // round once.
  std::vector<std::size_t> first;
  std::size_t passes = 0;
  for (const Board& board : boards_) {
    first.push_back(board.page);
    passes = std::max(passes, config_.pages[static_cast<std::size_t>(board.index)].size());
  }
  for (std::size_t pass = 0; pass < passes && !pending.empty(); ++pass) {
    std::vector<Board*> taking;
    for (std::size_t b = 0; b < boards_.size(); ++b) {
      const std::size_t count = config_.pages[b].size();
      if (pass >= count) continue;
      const std::size_t following = first[b] + pass + (pass + 1 < count ? 1 : 0);
      usePage(boards_[b], (first[b] + pass) % count, following % count);
      taking.push_back(&boards_[b]);
    }
    tracePass(rays, hits, pending, taking);
  }
}

void TigersharkDriver::tracePass(std::span<const Ray> rays, std::span<Hit> hits,
                                 std::vector<Pending>& pending, std::span<Board* const> boards) {
  const auto size = static_cast<std::size_t>(config_.dsps);
  for (std::size_t i = 0; i < pending.size(); i += size) {
    runBatch(rays, hits, std::span(pending).subspan(i, std::min(size, pending.size() - i)), boards);
  }
  // A blocked shadow ray has its answer.
  std::erase_if(pending, [&](const Pending& p) {
    return rays[p.ray].kind == Ray::Kind::Any && hits[p.ray].element != scene::kNoElement;
  });
}

void TigersharkDriver::runBatch(std::span<const Ray> rays, std::span<Hit> hits,
                                std::span<Pending> batch, std::span<Board* const> boards) {
  const sc_time begin = bus_.now();
  const auto nodes = static_cast<std::size_t>(config_.dsps);
  config_.signals.batch.set(begin.value(), 1);
  encode(rays, batch);
  bus_.work(Work::EncodeWord, outgoing_.size());
  bus_.writeBlock(config_.bufferBase, outgoing_);
  for (Board* const board : boards) {
    startTransfer(*board, outgoing_.size(), 1 + nodes * ts::kResultWords);
  }
  if (config_.doubleBuffer) {
    for (Board* const board : boards) prefetch(*board, kPrefetchPiece);
  }
  await(
      [&] {
        return std::all_of(boards.begin(), boards.end(),
                           [](const Board* b) { return b->writeDone; });
      },
      batchLimit(boards), "the results of a batch of " + std::to_string(batch.size()) + " rays");
  for (Board* const board : boards) collect(*board, rays, hits, batch);
  ++counters_.batches;
  counters_.raysSent += batch.size();
  counters_.fillers += nodes - batch.size();
  counters_.batchTime += bus_.now() - begin;
  config_.signals.batches.set(bus_.now().value(), counters_.batches);
  config_.signals.batch.set(bus_.now().value(), 0);
  if (!markChecked_) {
    markChecked_ = true;
    for (Board* const board : boards) checkMasterMark(*board);
  }
}

// Rays for the farthest node first, so that none waits behind a ray that its node keeps; then Go.
void TigersharkDriver::encode(std::span<const Ray> rays, std::span<const Pending> batch) {
  outgoing_.clear();
  for (auto node = static_cast<std::uint32_t>(config_.dsps); node-- > 0;) {
    const bool filler = node >= batch.size();
    const Pending& p = filler ? batch.back() : batch[node];
    const Ray& ray = rays[p.ray];
    const bool any = ray.kind == Ray::Kind::Any && !filler;
    outgoing_.push_back(
        ts::messageHeader(any ? ts::Message::ShadowRay : ts::Message::Ray, node, node));
    for (int axis = 0; axis < 3; ++axis) {
      outgoing_.push_back(c32::singleFromDouble(ray.origin[axis] - config_.origin[axis]));
    }
    for (int axis = 0; axis < 3; ++axis) {
      outgoing_.push_back(c32::singleFromDouble(ray.direction[axis]));
    }
    outgoing_.push_back(filler ? c32::singleFromDouble(0) : p.tmax);
  }
  outgoing_.push_back(ts::messageHeader(ts::Message::Go, ts::kAllNodes, 0));
}

// The write count is armed before the first ray leaves: the chain has no back-pressure
// (board.md 4.5).
void TigersharkDriver::startTransfer(Board& board, std::size_t sendWords,
                                     std::size_t receiveWords) {
  bus_.work(Work::Submit, 1);
  board.writeDone = false;
  writeRegister(board, s5933::MWAR, static_cast<std::uint32_t>(board.results));
  writeRegister(board, s5933::MWTC, static_cast<std::uint32_t>(4 * receiveWords));
  writeRegister(board, s5933::MRAR, static_cast<std::uint32_t>(config_.bufferBase));
  writeRegister(board, s5933::MRTC, static_cast<std::uint32_t>(4 * sendWords));
}

void TigersharkDriver::collect(Board& board, std::span<const Ray> rays, std::span<Hit> hits,
                               std::span<Pending> batch) {
  bus_.readBlock(board.results, incoming_);
  bus_.work(Work::DecodeWord, incoming_.size());
  // Every node passes Go on, so it comes out of the last one ahead of the results.
  if (incoming_[0] != ts::messageHeader(ts::Message::Go, ts::kAllNodes, 0)) {
    fail(board, "a batch returned " + hex(incoming_[0]) + " first, expected its own go");
  }
  std::vector<bool> seen(static_cast<std::size_t>(config_.dsps), false);
  for (std::size_t i = 1; i < incoming_.size(); i += ts::kResultWords) {
    const std::uint32_t header = incoming_[i];
    const std::uint32_t slot = header & 0xFFFFU;
    if (header >> ts::kMessageTypeShift != static_cast<std::uint32_t>(ts::Message::Result) ||
        slot >= seen.size() || seen[slot]) {
      fail(board, "result " + std::to_string(i / ts::kResultWords) + " of a batch has header " +
                      hex(header) + ", expected one result for each of " +
                      std::to_string(config_.dsps) + " slots");
    }
    seen[slot] = true;
    const std::uint32_t element = incoming_[i + 2];
    if (element == ts::kNoHit || slot >= batch.size()) continue;
    Pending& p = batch[slot];
    Hit& hit = hits[p.ray];
    const double t = c32::doubleFromSingle(incoming_[i + 1]);
    const bool better =
        hit.element == scene::kNoElement || t < hit.t || (t == hit.t && element < hit.element);
    if (!better) continue;
    hit = {element, t};
    if (rays[p.ray].kind == Ray::Kind::Nearest) p.tmax = incoming_[i + 1];
  }
}

// Far beyond what a healthy board can take: every word of every message over every link one after
// the other, and every record of the page tested by the slowest routine.
sc_time TigersharkDriver::batchLimit(std::span<Board* const> boards) const {
  const double nodes = config_.dsps;
  const double chain =
      (ts::kRayWords + ts::kResultWords + 8) * (nodes + 8) * 34 / config_.bitClockHz;
  double records = 0;
  for (const Board* const board : boards) {
    const auto& pages = config_.pages[static_cast<std::size_t>(board->index)];
    records = std::max(records, static_cast<double>(pages[board->page].words.size()));
  }
  const double cycles = records * 500 * (1 + config_.waitStates) + 1e5;
  return seconds(0.01 + 8 * chain + cycles / config_.clockHz);
}

// ---- statistics

void TigersharkDriver::Counters::report(common::StatGroup& stats) const {
  stats.count("rays_traced", "rays", "rays the ray tree asked for", raysTraced);
  stats.count("rays_sent", "rays", "rays sent to the boards; more than traced if there are pages",
              raysSent);
  stats.count("rays_filler", "rays", "rays with tmax 0 that filled short batches", fillers);
  stats.count("batches", "batches", "batches of one ray a DSP", batches);
  stats.count("page_loads", "pages", "database pages written to a board", pageLoads);
  stats.count("page_words", "words", "words in those pages", pageWords);
  stats.count("page_words_hidden", "words", "of these, written while a batch was under way",
              prefetchedWords);
  stats.count("firmware_loads", "loads",
              "changes between hit finding and shading firmware (--shade tigershark)",
              firmwareLoads);
  stats.count("switch_ps", "ps", "simulated time for these changes", switchTime.value());
  stats.count("start_ps", "ps", "simulated time to bring the boards up", startTime.value());
  stats.count("paging_ps", "ps", "simulated time to change pages", pageTime.value());
  stats.count("batches_ps", "ps", "simulated time from the first ray of a batch to its last result",
              batchTime.value());
}

}  // namespace rtvp::host
