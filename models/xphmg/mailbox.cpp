// See mailbox.hpp.
#include "models/xphmg/mailbox.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/common/tlm_dwords.hpp"

namespace rtvp::xphmg {
namespace {

constexpr std::size_t row(std::string_view name) {
  return common::indexOf(mailbox::kTable, name);
}
constexpr std::size_t kPostLo = row("POST_LO"), kPostHi = row("POST_HI"), kTakeLo = row("TAKE_LO"),
                      kTakeHi = row("TAKE_HI"), kCode = row("CODE"), kDoneLo = row("DONE_LO"),
                      kDoneHi = row("DONE_HI"), kCollectLo = row("COLLECT_LO"),
                      kCollectHi = row("COLLECT_HI"), kCollectCode = row("COLLECT_CODE"),
                      kLevel = row("LEVEL"), kStatus = row("STATUS"), kControl = row("CONTROL");
constexpr unsigned kMostEntries = 65535;

constexpr std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32U;
}
constexpr std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32U);
}

}  // namespace

Mailbox::Mailbox(sc_core::sc_module_name name, const Config& config)
    : sc_module(name),
      bus_tsock("bus_tsock"),
      hart_irq_o("hart_irq_o"),
      host_irq_o("host_irq_o"),
      config_(config),
      registers_(mailbox::kTable) {
  if (config.depth == 0 || config.depth > kMostEntries)
    throw std::invalid_argument("xphmg mailbox: the depth must be 1 to 65535");
  registers_.setReset(kStatus, config.depth << 16U);
  registers_.reset();
  bus_tsock.register_b_transport(this, &Mailbox::transport);
  bus_tsock.register_transport_dbg(this, &Mailbox::debug);
  SC_HAS_PROCESS(Mailbox);
  SC_METHOD(drive);
  sensitive << irq_event_;
  dont_initialize();
}

void Mailbox::drive() {
  for (int i = 0; i < hart_irq_o.size(); ++i) hart_irq_o[i]->write(!posts_.empty());
  for (int i = 0; i < host_irq_o.size(); ++i) host_irq_o[i]->write(!reports_.empty());
}

void Mailbox::update() {
  registers_.poke(kLevel, static_cast<std::uint32_t>(posts_.size()) |
                              static_cast<std::uint32_t>(reports_.size()) << 16U);
  most_ = std::max({most_, posts_.size(), reports_.size()});
  irq_event_.notify(sc_core::SC_ZERO_TIME);
}

void Mailbox::push(std::deque<Entry>& fifo, const Entry& entry, std::uint32_t lost) {
  if (entry.address == 0 || fifo.size() == config_.depth) {
    registers_.setBits(kStatus, lost);
    ++lost_;
    return;
  }
  fifo.push_back(entry);
  update();
}

Mailbox::Entry Mailbox::pop(std::deque<Entry>& fifo) {
  if (fifo.empty()) return {};
  const Entry entry = fifo.front();
  fifo.pop_front();
  update();
  return entry;
}

void Mailbox::reset() {
  posts_.clear();
  reports_.clear();
  registers_.reset();
  update();
}

std::uint32_t Mailbox::read(std::uint32_t offset) {
  const std::size_t index = registers_.find(offset);
  if (index == common::RegisterFile::kNone) return 0;
  if (index == kTakeLo) {
    const Entry entry = pop(posts_);
    registers_.poke(kTakeLo, static_cast<std::uint32_t>(entry.address));
    registers_.poke(kTakeHi, high(entry.address));
  } else if (index == kCollectLo) {
    const Entry entry = pop(reports_);
    registers_.poke(kCollectLo, static_cast<std::uint32_t>(entry.address));
    registers_.poke(kCollectHi, high(entry.address));
    registers_.poke(kCollectCode, entry.code);
  }
  return registers_.read(index);
}

void Mailbox::write(std::uint32_t offset, std::uint32_t value) {
  const std::size_t index = registers_.find(offset);
  if (index == common::RegisterFile::kNone) return;
  registers_.write(index, value);
  if (index == kPostHi) {
    ++posted_;
    push(posts_, {join(registers_.peek(kPostLo), value), 0}, mailbox::kPostLost);
  } else if (index == kDoneHi) {
    const std::uint32_t code = registers_.peek(kCode);
    ++reported_;
    if (code != 0) ++failed_;
    push(reports_, {join(registers_.peek(kDoneLo), value), code}, mailbox::kReportLost);
    reported_event_.notify(sc_core::SC_ZERO_TIME);
  } else if (index == kControl && (value & 1U) != 0) {
    reset();
  }
}

void Mailbox::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++accesses_;
  const auto refuse = [&](tlm::tlm_response_status status) {
    ++errors_;
    payload.set_response_status(status);
  };
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND)
    return payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (payload.get_byte_enable_ptr() != nullptr) return refuse(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  const unsigned length = payload.get_data_length();
  if ((length != 4 && length != 8) || payload.get_streaming_width() < length)
    return refuse(tlm::TLM_BURST_ERROR_RESPONSE);
  const std::uint64_t offset = payload.get_address();
  if (offset % length != 0 || offset >= mailbox::kSize)
    return refuse(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  delay += config_.period;
  for (std::uint32_t i = 0; i < common::dwordCount(payload); ++i) {
    const common::DwordLane lane = common::dwordLane(payload, i);
    const auto at = static_cast<std::uint32_t>(lane.address);
    if (payload.is_read()) {
      lane.store(read(at));
    } else {
      write(at, lane.load());
    }
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

/// Reads without side effects.
unsigned Mailbox::debug(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t length = payload.get_data_length();
  if (!payload.is_read() || address >= mailbox::kSize || length > mailbox::kSize - address)
    return 0;
  for (std::uint32_t i = 0; i < common::dwordCount(payload); ++i) {
    const common::DwordLane lane = common::dwordLane(payload, i);
    const std::size_t index = registers_.find(static_cast<std::uint32_t>(lane.address));
    lane.store(index == common::RegisterFile::kNone ? 0 : registers_.read(index));
  }
  return static_cast<unsigned>(length);
}

void Mailbox::report(common::StatGroup& group) const {
  group.count("posts", "1", "descriptor addresses that the host posted", posted_);
  group.count("reports", "1", "completions that the hart reported", reported_);
  group.count("failed", "1", "of these, with an error code", failed_);
  group.count("lost", "1", "posts and reports that found no place", lost_);
  group.count("most", "entries", "most entries waiting in a FIFO", most_);
  group.count("register_accesses", "1", "accesses to its registers", accesses_);
  group.count("register_errors", "1", "of these, refused", errors_);
}

}  // namespace rtvp::xphmg
