#include "platform/drivers/tigershark/driver.hpp"

#include <algorithm>
#include <utility>

#include "models/c32/float40.hpp"
#include "models/common/core/state.hpp"
#include "models/common/core/text.hpp"
#include "models/common/report_ids.hpp"
#include "models/tigershark/protocol.hpp"

namespace rtvp::host {
namespace {

namespace ts = rtvp::tigershark;
namespace pld = rtvp::tigershark::pld;
namespace s5933 = rtvp::tigershark::s5933;
using sc_core::sc_time;

constexpr std::size_t kPrefetchPiece = 2048;  // words of the next page a batch may hide
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
    : Device(bus, config.instance, "TigerSHARK"), config_(std::move(config)) {
  for (auto& pages : config_.pages) {
    if (pages.empty()) throw std::invalid_argument("TigersharkDriver: a board without a page");
  }
  if (config_.lines.size() != config_.pages.size()) {
    throw std::invalid_argument("TigersharkDriver: an interrupt line for every board, please");
  }
  for (std::size_t i = 0; i < config_.pages.size(); ++i) {
    boards_.emplace_back(bus, static_cast<int>(i));
  }
  outgoing_.reserve(static_cast<std::size_t>(config_.dsps) * ts::kRayWords + 1);
  incoming_.resize(1 + static_cast<std::size_t>(config_.dsps) * resultWords());
}

// ---- registers

void TigersharkDriver::control(Board& board, std::uint32_t set, std::uint32_t clear) {
  board.control = (board.control | set) & ~clear;
  board.pld.write("CTRL", board.control);
}

// ---- interrupts

void TigersharkDriver::service(Board& board) {
  const std::uint32_t status = board.registers.read("INTCSR");
  std::uint32_t event = 0;
  // The mailbox is emptied before its status bit is cleared, as drivers do (board.md 4.3).
  if ((status & s5933::INTCSR_IN_INT) != 0) event = board.registers.read("IMB1");
  board.registers.write("INTCSR", (status & kInterruptStatus) | kInterruptEnables);
  if ((status & (s5933::INTCSR_MASTER_ABORT | s5933::INTCSR_TARGET_ABORT)) != 0) {
    fail(board, std::string("bus-master transfer ended with a ") +
                    ((status & s5933::INTCSR_MASTER_ABORT) != 0 ? "master" : "target") +
                    " abort, MWAR " + common::hexLowerH(board.registers.read("MWAR")) + ", MRAR " +
                    common::hexLowerH(board.registers.read("MRAR")));
  }
  if ((status & s5933::INTCSR_WRITE_INT) != 0) board.writeDone = true;
  switch (event) {
    case pld::EVENT_HOLD_GRANTED:
      board.holdGranted = true;
      break;
    case pld::EVENT_OVERRUN:
      fail(board, "a result found the FIFO full and was lost (OVERRUN)");
    case pld::EVENT_LOCKSTEP:
      end(report_ids::kLockstep, board.name + ": lane " +
                                     std::to_string(board.pld.read("ERR_LANE")) + ", address " +
                                     common::hexLowerH(board.pld.read("ERR_ADDR")) + ", cause " +
                                     std::to_string(board.pld.read("ERR_CAUSE")));
    default:
      break;
  }
}

void TigersharkDriver::awaitBoards(const std::function<bool()>& done, const sc_time& limit,
                                   const std::string& why) {
  await(config_.lines, limit, why, done, [this] {
    for (Board& board : boards_) {
      if (bus_.interrupt(config_.lines[static_cast<std::size_t>(board.index)])) service(board);
    }
  });
}

void TigersharkDriver::awaitTransfers(std::span<Board* const> boards, const sc_time& limit,
                                      const std::string& why) {
  const auto leaveAlone = [&](const sc_time& until) {
    if (!config_.leavesAlone) return;
    for (const Board* const board : boards) {
      config_.leavesAlone(static_cast<std::size_t>(board->index), until);
    }
  };
  leaveAlone(bus_.now() + limit);
  awaitBoards(
      [&] {
        return std::all_of(boards.begin(), boards.end(),
                           [](const Board* b) { return b->writeDone; });
      },
      limit, why);
  leaveAlone(sc_core::SC_ZERO_TIME);
}

/// A walk without end is no deadlock: its barriers go on.
void TigersharkDriver::endIfWalking(Board& board) {
  constexpr int kLooks = 64;  // longer than a barrier of any record
  const std::uint32_t before = board.pld.read("BARRIERS");
  for (int look = 0; look < kLooks; ++look) {
    const std::uint32_t now = board.pld.read("BARRIERS");
    if (now == before) continue;
    end(report_ids::kLimit,
        "the DSPs of " + board.name + " still walk the database at " + bus_.timeText(bus_.now()) +
            ", " + std::to_string(now) +
            " barriers since the reset, and no batch takes so long: is there an "
            "end of the page, and do they meet it?");
  }
}

std::string TigersharkDriver::condition() {
  std::string text;
  for (Board& board : boards_) endIfWalking(board);
  for (const Board& board : boards_) {
    // In this order: each read takes its time.
    const std::uint32_t rays = board.registers.read("MRTC");
    const std::uint32_t results = board.registers.read("MWTC");
    const std::uint32_t master = board.registers.read("MCSR");
    const std::uint32_t status = board.pld.read("STATUS");
    text += (text.empty() ? "" : "; ") + board.name + ": " + std::to_string(rays) +
            " bytes of rays not fetched, " + std::to_string(results) +
            " bytes of results missing, MCSR " + common::hexLowerH(master) + ", PLD STATUS " +
            common::hexLowerH(status) + ", CTRL " + common::hexLowerH(board.control);
  }
  return text;
}

// ---- pages

void TigersharkDriver::holdBus(Board& board) {
  board.holdGranted = false;
  control(board, pld::CTRL_HOLD_REQUEST, 0);
  awaitBoards([&] { return board.holdGranted; }, seconds(0.01 + 1e6 / config_.clockHz),
              "the DSPs of " + board.name + " to yield the bus (HOLD)");
}

void TigersharkDriver::yieldBus(Board& board) {
  control(board, 0, pld::CTRL_HOLD_REQUEST);
}

// The host must own the SRAM, or (double-buffered) see the bank to fill.
void TigersharkDriver::loadPage(Board& board, std::size_t page) {
  const MemoryImage& image = pagesOf(board)[page];
  writeImage(board, image);
  bus_.write32(board.at(ts::kParamDatabase), image.address);
  board.page = page;
  showPage(board);
  ++counters_.pageLoads;
  counters_.pageWords += image.words.size();
}

// Writes up to `words` more words of the next page into the hidden bank.
void TigersharkDriver::prefetch(Board& board, std::size_t words) {
  const MemoryImage& image = pagesOf(board)[board.nextPage];
  const std::size_t count = std::min(words, image.words.size() - board.nextPosition);
  if (count == 0) return;
  copy(board, image.address + static_cast<std::uint32_t>(board.nextPosition),
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
      const MemoryImage& image = pagesOf(board)[page];
      const std::uint64_t hidden = counters_.prefetchedWords;
      prefetch(board, image.words.size());
      counters_.prefetchedWords = hidden;  // these did not hide behind a batch
      bus_.write32(board.at(ts::kParamDatabase), image.address);
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
      board.nextPosition = pagesOf(board)[page].words.size();
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
    passes = std::max(passes, pagesOf(board).size());
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
  const std::uint64_t number = counters_.batches;
  if (config_.atBatch) config_.atBatch(number, true);
  config_.signals.batch.set(begin.value(), 1);
  encode(rays, batch);
  bus_.work(Work::EncodeWord, outgoing_.size());
  bus_.writeBlock(config_.bufferBase, outgoing_);
  for (Board* const board : boards) {
    startBatch(*board, outgoing_.size(), 1 + nodes * resultWords());
  }
  if (config_.doubleBuffer) {
    for (Board* const board : boards) prefetch(*board, kPrefetchPiece);
  }
  awaitTransfers(boards, batchLimit(boards),
                 "the results of a batch of " + std::to_string(batch.size()) + " rays");
  for (Board* const board : boards) collect(*board, rays, hits, batch);
  ++counters_.batches;
  counters_.raysSent += batch.size();
  counters_.fillers += nodes - batch.size();
  counters_.batchTime += bus_.now() - begin;
  if (config_.batchDone) {
    std::vector<std::uint32_t> pixels;
    for (const Pending& p : batch) pixels.push_back(rays[p.ray].pixel);
    config_.batchDone(pixels, bus_.now() - begin);
  }
  config_.signals.batches.set(bus_.now().value(), counters_.batches);
  config_.signals.batch.set(bus_.now().value(), 0);
  if (config_.atBatch) config_.atBatch(number, false);
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

// The write count is armed before the first word leaves: the chain has no back-pressure
// (board.md 4.5).
void TigersharkDriver::startTransfer(Board& board, const Transfer& transfer) {
  board.writeDone = false;
  board.registers.write("MWAR", static_cast<std::uint32_t>(transfer.to));
  board.registers.write("MWTC", static_cast<std::uint32_t>(4 * transfer.received));
  board.registers.write("MRAR", static_cast<std::uint32_t>(transfer.from));
  board.registers.write("MRTC", static_cast<std::uint32_t>(4 * transfer.sent));
}

void TigersharkDriver::startBatch(Board& board, std::size_t sendWords, std::size_t receiveWords) {
  bus_.work(Work::Submit, 1);
  startTransfer(board, {config_.bufferBase, sendWords, board.results, receiveWords});
}

std::uint32_t TigersharkDriver::resultWords() const {
  return ts::kResultWords + config_.ownWords;
}

void TigersharkDriver::collect(Board& board, std::span<const Ray> rays, std::span<Hit> hits,
                               std::span<Pending> batch) {
  bus_.readBlock(board.results, incoming_);
  bus_.work(Work::DecodeWord, incoming_.size());
  // Every node passes Go on, so it comes out of the last one ahead of the results.
  if (incoming_[0] != ts::messageHeader(ts::Message::Go, ts::kAllNodes, 0)) {
    fail(board,
         "a batch returned " + common::hexLowerH(incoming_[0]) + " first, expected its own go");
  }
  std::vector<bool> seen(static_cast<std::size_t>(config_.dsps), false);
  for (std::size_t i = 1; i < incoming_.size(); i += resultWords()) {
    const std::uint32_t header = incoming_[i];
    const std::uint32_t slot = header & 0xFFFFU;
    if (header >> ts::kMessageTypeShift != static_cast<std::uint32_t>(ts::Message::Result) ||
        slot >= seen.size() || seen[slot]) {
      fail(board, "result " + std::to_string(i / resultWords()) + " of a batch has header " +
                      common::hexLowerH(header) + ", expected one result for each of " +
                      std::to_string(config_.dsps) + " slots");
    }
    seen[slot] = true;
    if (slot >= batch.size()) continue;
    const std::uint32_t element = incoming_[i + 2];
    const double t = c32::doubleFromSingle(incoming_[i + 1]);
    Pending& p = batch[slot];
    const auto own = std::span(incoming_).subspan(i + ts::kResultWords, config_.ownWords);
    if (config_.resultSeen) {
      const std::uint32_t dsp = header >> ts::kMessageNodeShift & 0xFFFU;
      config_.resultSeen({board.index, dsp, counters_.batches, rays[p.ray], t, element, own});
    }
    if (element == ts::kNoHit) continue;
    Hit& hit = hits[p.ray];
    const bool better =
        hit.element == scene::kNoElement || t < hit.t || (t == hit.t && element < hit.element);
    if (!better) continue;
    hit = {element, t};
    if (config_.refine) config_.refine(hit, own);
    if (rays[p.ray].kind == Ray::Kind::Nearest) p.tmax = incoming_[i + 1];
  }
}

// Far beyond what a healthy board can take: every word of every message over every link one after
// the other, and every record of the page tested by the slowest routine.
sc_time TigersharkDriver::batchLimit(std::span<Board* const> boards) const {
  const double nodes = config_.dsps;
  const double chain = (ts::kRayWords + resultWords() + 8) * (nodes + 8) * 34 / config_.bitClockHz;
  double records = 0;
  for (const Board* const board : boards) {
    const auto& pages = pagesOf(*board);
    records = std::max(records, static_cast<double>(pages[board->page].words.size()));
  }
  const double cycles = records * 500 * (1 + config_.waitStates) + 1e5;
  return seconds(0.01 + 8 * chain + cycles / config_.clockHz);
}

// ---- checkpoints

void TigersharkDriver::state(common::StateArchive& a) {
  a.mark("tigershark driver");
  for (Board& board : boards_) {
    a(board.control, board.page, board.nextPage, board.nextPosition, board.writeDone,
      board.holdGranted);
    const std::size_t pages = pagesOf(board).size();
    if (board.page >= pages || board.nextPage >= pages ||
        board.nextPosition > pagesOf(board)[board.nextPage].words.size()) {
      throw common::StateError("the state names a page that the database does not have");
    }
  }
  a(markChecked_);
  a(counters_.raysTraced, counters_.raysSent, counters_.fillers, counters_.batches,
    counters_.pageLoads, counters_.pageWords, counters_.prefetchedWords, counters_.firmwareLoads,
    counters_.startTime, counters_.switchTime, counters_.pageTime, counters_.batchTime);
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
