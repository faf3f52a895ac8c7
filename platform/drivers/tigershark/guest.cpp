// Firmware that takes the boards' nodes over between two phases of hit finding: the driver's part
// of it.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "models/tigershark/protocol.hpp"
#include "platform/drivers/tigershark/driver.hpp"

namespace rtvp::host {
namespace {

namespace ts = rtvp::tigershark;
namespace pld = rtvp::tigershark::pld;
using sc_core::sc_time;

// A guest's buffers: 512 messages of 92 words, with room for the answers in the upper half.
constexpr std::uint64_t kGuestBytes = 0x80000;
constexpr std::uint64_t kGuestOffset = 0x400000;  // behind all buffers of hit finding

}  // namespace

void TigersharkDriver::runGuest(const GuestFirmware& guest) {
  if (guest_ == &guest) return;
  const sc_time begin = bus_.now();
  for (Board& board : boards_) {
    resetBoard(board);
    // Whatever bank of a double-buffered board the host sees while PAGE_SELECT is set, the DSPs see
    // after it is cleared.
    if (config_.doubleBuffer) control(board, pld::CTRL_PAGE_SELECT, 0);
    for (const MemoryImage& section : guest.images) {
      if (section.words.empty()) continue;
      writeImage(board, section);
      verify(board, section);
    }
    const std::array<std::uint32_t, 2> parameters = {guest.parameter,
                                                     static_cast<std::uint32_t>(config_.dsps)};
    writeImage(board, {ts::kParamDatabase, {parameters.begin(), parameters.end()}});
    startNodes(board);
  }
  for (Board& board : boards_) numberNodes(board, guest.images);
  guest_ = &guest;
  ++counters_.firmwareLoads;
  counters_.switchTime += bus_.now() - begin;
}

void TigersharkDriver::bringBackHitFinding() {
  if (guest_ == nullptr) return;
  const sc_time begin = bus_.now();
  for (Board& board : boards_) loadFirmware(board);
  for (Board& board : boards_) numberNodes(board, config_.firmware);
  guest_ = nullptr;
  ++counters_.firmwareLoads;
  counters_.switchTime += bus_.now() - begin;
}

void TigersharkDriver::exchange(std::span<const std::vector<std::uint32_t>> words,
                                std::span<std::vector<std::uint32_t>> answers, const sc_time& limit,
                                const std::string& why) {
  const auto buffer = [this](std::size_t b) {
    return config_.bufferBase + kGuestOffset + kGuestBytes * b;
  };
  std::vector<Board*> busy;
  for (std::size_t b = 0; b < words.size(); ++b) {
    Board& board = *busy.emplace_back(&boards_[b]);
    if (4 * words[b].size() > kGuestBytes / 2 || 4 * answers[b].size() > kGuestBytes / 2)
      throw std::length_error("TigersharkDriver::exchange: more words than its buffers hold");
    bus_.work(Work::EncodeWord, words[b].size());
    bus_.work(Work::Submit, 1);
    bus_.writeBlock(buffer(b), words[b]);
    startTransfer(board,
                  {buffer(b), words[b].size(), buffer(b) + kGuestBytes / 2, answers[b].size()});
  }
  awaitTransfers(busy, limit, why);
  for (std::size_t b = 0; b < words.size(); ++b) {
    bus_.readBlock(buffer(b) + kGuestBytes / 2, answers[b]);
    bus_.work(Work::DecodeWord, answers[b].size());
  }
}

void TigersharkDriver::fail(std::size_t board, const std::string& what) {
  fail(boards_.at(board), what);
}

}  // namespace rtvp::host
