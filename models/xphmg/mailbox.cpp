// See mailbox.hpp.
#include "models/xphmg/mailbox.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/common/core/state.hpp"

namespace rtvp::xphmg {
namespace {

using mailbox::row;

constexpr unsigned kMostEntries = 65535;
constexpr unsigned kSmallest = 4, kLargest = 8;  // bytes of an access

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
      registers_(mailbox::kRegisterTable),
      target_({mailbox::kRegisterTable, mailbox::kSize, kSmallest, kLargest}, *this) {
  if (config.depth == 0 || config.depth > kMostEntries)
    throw std::invalid_argument("xphmg mailbox: the depth must be 1 to 65535");
  registers_.setReset(row("STATUS"), config.depth << 16U);
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
  registers_.poke(row("LEVEL"), static_cast<std::uint32_t>(posts_.size()) |
                                    static_cast<std::uint32_t>(reports_.size()) << 16U);
  most_ = std::max({most_, posts_.size(), reports_.size()});
  irq_event_.notify(sc_core::SC_ZERO_TIME);
}

void Mailbox::push(std::deque<Entry>& fifo, const Entry& entry, std::uint32_t lost) {
  if (entry.address == 0 || fifo.size() == config_.depth) {
    registers_.setBits(row("STATUS"), lost);
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

std::optional<std::uint64_t> Mailbox::readRegister(std::size_t index, std::uint64_t /*bytes*/) {
  if (index == row("TAKE_LO")) {
    const Entry entry = pop(posts_);
    registers_.poke(row("TAKE_LO"), static_cast<std::uint32_t>(entry.address));
    registers_.poke(row("TAKE_HI"), high(entry.address));
  } else if (index == row("COLLECT_LO")) {
    const Entry entry = pop(reports_);
    registers_.poke(row("COLLECT_LO"), static_cast<std::uint32_t>(entry.address));
    registers_.poke(row("COLLECT_HI"), high(entry.address));
    registers_.poke(row("COLLECT_CODE"), entry.code);
  }
  return registers_.read(index);
}

bool Mailbox::writeRegister(std::size_t index, std::uint64_t value, std::uint64_t bytes) {
  const std::uint32_t bits =
      registers_.write(index, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(bytes));
  if (index == row("POST_HI")) {
    ++posted_;
    push(posts_, {join(registers_.peek(row("POST_LO")), bits), 0}, mailbox::kPostLost);
  } else if (index == row("DONE_HI")) {
    const std::uint32_t code = registers_.peek(row("CODE"));
    ++reported_;
    if (code != 0) ++failed_;
    push(reports_, {join(registers_.peek(row("DONE_LO")), bits), code}, mailbox::kReportLost);
    reported_event_.notify(sc_core::SC_ZERO_TIME);
  } else if (index == row("CONTROL") && (bits & mailbox::kReset) != 0) {
    reset();
  }
  return true;
}

void Mailbox::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++accesses_;
  const tlm::tlm_response_status status = target_.access(payload);
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) {
    ++errors_;
  } else if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
    delay += config_.period;
  }
}

unsigned Mailbox::debug(tlm::tlm_generic_payload& payload) {
  return target_.debug(payload);
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

bool Mailbox::quiescent() const {
  return posts_.empty() && reports_.empty();
}

void Mailbox::state(common::StateArchive& a) {
  a.mark("mailbox");
  a(registers_, posted_, reported_, failed_, lost_, accesses_, errors_, most_);
}

}  // namespace rtvp::xphmg
