// SystemC shell of the S5933, see s5933.hpp.
#include "models/tigershark/s5933.hpp"

#include <algorithm>
#include <stdexcept>

namespace rtvp::tigershark {

using common::DwordLane;
using common::PciAttributes;
using common::PciSpace;
using common::PciStop;
using s5933::Direction;
using sc_core::sc_time;

namespace {

constexpr int kReadIndex = static_cast<int>(Direction::Read);
constexpr int kWriteIndex = static_cast<int>(Direction::Write);

void putWord(std::uint8_t* bytes, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

std::uint32_t getWord(const std::uint8_t* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
  return word;
}

}  // namespace

S5933::S5933(sc_core::sc_module_name name, const S5933Config& config)
    : sc_module(name),
      pci_tsock("pci_tsock"),
      pci_isock("pci_isock"),
      passthru_isock("passthru_isock"),
      addon_tsock("addon_tsock"),
      inta_o("inta_o"),
      irq_o("irq_o"),
      addon_reset_o("addon_reset_o"),
      config_(config),
      clock_(config.pci_period, "S5933"),
      core_(config.core),
      master_bus_(clock_, false, common::BusMaster::through(pci_isock)),
      master_bytes_(4ULL * config.core.fifo_depth + 4),
      master_words_(config.core.fifo_depth + 1ULL),
      passthru_bus_(clock_, false, common::BusMaster::through(passthru_isock)) {
  if (config.passthru_word_clocks == 0)
    throw std::invalid_argument("S5933: passthru_word_clocks is 0");
  pci_tsock.register_b_transport(this, &S5933::pciTransport);
  pci_tsock.register_transport_dbg(this, &S5933::pciDebug);
  addon_tsock.register_b_transport(this, &S5933::addonTransport);
  addon_tsock.register_transport_dbg(this, &S5933::addonDebug);
  master_bus_.setExtension(master_attributes_);

  SC_HAS_PROCESS(S5933);
  SC_THREAD(masterLoop);
  SC_METHOD(drivePins);
  sensitive << pins_;
}

S5933::~S5933() {
  master_bus_.clearExtension(master_attributes_);
}

/// After anything that may have changed the core: wakes who waits for it, `delay` from now.
void S5933::update(const sc_time& delay) {
  const s5933::S5933Core::Changes changes = core_.takeChanges();
  if (changes.p2a_filled) p2a_filled_.notify(delay);
  if (changes.a2p_drained) a2p_drained_.notify(delay);
  if (idle_ && core_.request()) work_.notify(delay);
  const bool pins_differ = core_.inta() != inta_level_ || core_.irq() != irq_level_ ||
                           core_.addonReset() != reset_level_;
  if (pins_differ) pins_.notify(delay);
  if (signals_.p2a) show();
}

void S5933::trace(const common::TraceScope& scope) {
  signals_.p2a = scope.count("p2a", "words in the FIFO to the DSPs");
  signals_.p2a_words = scope.count("p2a_words", "words that went into it so far");
  signals_.a2p = scope.count("a2p", "words in the FIFO to the host");
  signals_.a2p_words = scope.count("a2p_words", "words that went into it so far");
  signals_.inta = scope.wire("inta", "interrupt to the host (1: asserted)");
  signals_.addon_reset = scope.wire("addon_reset", "reset of the board by the host");
}

void S5933::show() const {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  signals_.p2a.set(now, core_.p2a().size());
  signals_.p2a_words.set(now, core_.p2a().words());
  signals_.a2p.set(now, core_.a2p().size());
  signals_.a2p_words.set(now, core_.a2p().words());
}

void S5933::drivePins() {
  if (core_.inta() && !inta_level_) ++totals_.inta;
  if (core_.irq() && !irq_level_) ++totals_.irq;
  inta_level_ = core_.inta();
  irq_level_ = core_.irq();
  inta_o.write(inta_level_);
  irq_o.write(irq_level_);
  reset_level_ = core_.addonReset();
  addon_reset_o.write(reset_level_);
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  signals_.inta.set(now, inta_level_ ? 1 : 0);
  signals_.addon_reset.set(now, reset_level_ ? 1 : 0);
}

// ---- PCI target

bool S5933::claims(PciSpace space, std::uint64_t address) const {
  return space != PciSpace::Config && core_.decode(space == PciSpace::Io, address).has_value();
}

void S5933::pciTransport(tlm::tlm_generic_payload& payload, sc_time& delay) {
  PciAttributes none;  // an initiator other than the bus asks for memory cycles
  auto* answer = payload.get_extension<PciAttributes>();
  if (answer == nullptr) answer = &none;
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (payload.get_data_length() == 0 || payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  if (payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (answer->space == PciSpace::Config) {
    configAccess(payload, *answer);
  } else {
    const auto base = core_.decode(answer->space == PciSpace::Io, payload.get_address());
    if (!base) {
      answer->stop = PciStop::MasterAbort;
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (*base == 0) {
      registerAccess(payload, *answer);
    } else {
      passThru(*base, payload, *answer, delay);
    }
  }
  if (answer == &none && none.words_done < common::dwordCount(payload)) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  update(delay + after(answer->words_done + answer->wait_clocks));
  delay += after(answer->wait_clocks);
}

void S5933::configAccess(tlm::tlm_generic_payload& payload, PciAttributes& answer) {
  // No configuration cycle is refused; what the block does not have reads 0.
  static_cast<void>(config_target_.accessDword(payload));
  answer.words_done = 1;
  answer.wait_clocks = config_.register_wait;
  if (common::dwordCount(payload) > 1) answer.stop = PciStop::Disconnect;
}

void S5933::registerAccess(tlm::tlm_generic_payload& payload, PciAttributes& answer) {
  answer.wait_clocks = config_.register_wait;
  const bool done =
      pci_target_.accessDword(payload, registerBase(payload.get_address())) == tlm::TLM_OK_RESPONSE;
  if (!done) {
    ++totals_.retries;
    answer.stop = PciStop::Retry;
    return;
  }
  ++(payload.is_write() ? totals_.register_writes : totals_.register_reads);
  answer.words_done = 1;
  if (common::dwordCount(payload) > 1) {
    ++totals_.disconnects;
    answer.stop = PciStop::Disconnect;  // registers take one dword a transaction
  }
}

void S5933::passThru(int region, tlm::tlm_generic_payload& payload, PciAttributes& answer,
                     const sc_time& delay) {
  const std::uint32_t words = common::dwordCount(payload);
  for (std::uint32_t i = 0; i < words; ++i) {
    const DwordLane lane = common::dwordLane(payload, i);
    const auto claimed = core_.decode(answer.space == PciSpace::Io, lane.address);
    if (i != 0 && (!claimed || *claimed != region)) {
      answer.stop = PciStop::Disconnect;  // the burst has run past the region
      break;
    }
    const sc_time at = delay + after(answer.words_done + answer.wait_clocks);
    const WordResult word =
        passThruWord(region, lane, payload.is_write(), i == 0 && !answer.continues, at);
    answer.wait_clocks += word.waits;
    if (word.failed) {
      core_.noteTargetAbort();
      answer.stop = PciStop::TargetAbort;
      payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
      break;
    }
    if (!word.done) {
      answer.stop = i == 0 ? PciStop::Retry : PciStop::Disconnect;
      ++(i == 0 ? totals_.retries : totals_.disconnects);
      break;
    }
    ++answer.words_done;
    ++totals_.passthru_words;
  }
  totals_.passthru_waits += answer.wait_clocks;
}

/// One data phase of a pass-thru access. A word that the add-on does not take in time stays
/// pending: the part answers with a stop, and the master's next try finds the word done.
S5933::WordResult S5933::passThruWord(int region, const DwordLane& lane, bool write, bool first,
                                      const sc_time& at) {
  const sc_time time = sc_core::sc_time_stamp() + at;
  const std::uint32_t limit = first ? config_.first_phase_limit : config_.next_phase_limit;
  WordResult result;
  if (pending_.valid && time >= pending_.ready &&
      (pending_.address != lane.address || pending_.write != write)) {
    pending_.valid = false;  // its master has given up
  }
  if (pending_.valid) {
    const bool same = pending_.address == lane.address && pending_.write == write;
    const std::uint32_t late = pending_.ready > time ? clocks(pending_.ready - time) : 0;
    if (!same || 1 + late > limit) {
      result.waits = limit;
      return result;
    }
    pending_.valid = false;
    if (!write) lane.store(pending_.data);
    result.done = true;
    result.waits = late;
    return result;
  }
  result = addonCycle(region, lane, write, at);
  if (result.failed) return result;
  if (first) result.waits += config_.passthru_first_wait;
  if (1 + result.waits <= limit) {
    result.done = true;
    return result;
  }
  pending_.valid = true;
  pending_.write = write;
  pending_.address = lane.address;
  pending_.data = core_.addonPeek(s5933::APTD);
  pending_.ready = time + after(result.waits);
  result.waits = limit;
  return result;
}

/// The add-on's part: APTA and APTD latched, one transfer (more on a narrow bus) by the PLD.
S5933::WordResult S5933::addonCycle(int region, const DwordLane& lane, bool write,
                                    const sc_time& at) {
  const std::uint32_t offset = core_.regionOffset(region, lane.address);
  std::uint8_t bytes[4];
  std::uint8_t enables[4];
  putWord(bytes, lane.load());
  putWord(enables, lane.byte_mask);
  const bool whole = lane.byte_mask == 0xFFFFFFFFU;
  sc_time until = at;
  const tlm::tlm_response_status status =
      passthru_bus_.send(write, static_cast<std::uint64_t>(region) << kRegionShift | offset, bytes,
                         4, until, whole ? common::ByteEnables{} : common::ByteEnables{enables, 4});
  WordResult result;
  if (status != tlm::TLM_OK_RESPONSE) {
    result.failed = true;
    return result;
  }
  core_.latchPassThru(static_cast<std::uint32_t>(lane.address), getWord(bytes));
  if (!write) lane.store(getWord(bytes));
  const std::uint32_t transfers = 32 / core_.base(region).bus_width;
  result.waits = transfers * config_.passthru_word_clocks - 1;
  if (until > at) result.waits += clocks(until - at);
  return result;
}

unsigned S5933::pciDebug(tlm::tlm_generic_payload& payload) {
  const auto* attributes = payload.get_extension<PciAttributes>();
  const PciSpace space = attributes != nullptr ? attributes->space : PciSpace::Memory;
  if (space == PciSpace::Config) return config_target_.debug(payload);
  const std::uint64_t address = payload.get_address();
  const auto base = core_.decode(space == PciSpace::Io, address);
  if (!base) return 0;
  if (*base != 0) return passThruDebug(*base, core_.regionOffset(*base, address), payload);
  return pci_target_.debug(payload, registerBase(address));
}

unsigned S5933::passThruDebug(int region, std::uint64_t offset, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  payload.set_address(static_cast<std::uint64_t>(region) << kRegionShift | offset);
  const unsigned moved = passthru_isock->transport_dbg(payload);
  payload.set_address(address);
  return moved;
}

// ---- add-on registers

void S5933::addonTransport(tlm::tlm_generic_payload& payload, sc_time& delay) {
  payload.set_dmi_allowed(false);
  const tlm::tlm_response_status status = addon_target_.access(payload);
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE || payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  delay += after(config_.addon_register_clocks * common::dwordCount(payload));
  update(delay);
}

unsigned S5933::addonDebug(tlm::tlm_generic_payload& payload) {
  return addon_target_.debug(payload);
}

// ---- direct pins

bool S5933::p2aEmpty() const {
  return core_.p2aEmpty();
}
bool S5933::a2pFull() const {
  return core_.a2pFull();
}

std::uint32_t S5933::p2aPop() {
  const std::uint32_t word = core_.p2aPop();
  update(sc_core::SC_ZERO_TIME);
  return word;
}

bool S5933::a2pPush(std::uint32_t word) {
  const bool taken = core_.a2pPush(word);
  update(sc_core::SC_ZERO_TIME);
  return taken;
}

bool S5933::postMailbox(unsigned mailbox, std::uint32_t value) {
  if (mailbox < 1 || mailbox > 4)
    throw std::invalid_argument("S5933: mailboxes are numbered 1 to 4");
  const bool clean = !core_.mailboxFull(mailbox);
  core_.addonWrite(s5933::AOMB1 + 4 * (mailbox - 1), value, 0xFFFFFFFFU);
  update(sc_core::SC_ZERO_TIME);
  return clean;
}

bool S5933::mailboxFull(unsigned mailbox) const {
  return core_.mailboxFull(mailbox);
}

void S5933::setMasterPins(bool read_enable, bool write_enable) {
  core_.setMasterPins(read_enable, write_enable);
  update(sc_core::SC_ZERO_TIME);
}

void S5933::clockExternalMailbox(std::uint8_t byte) {
  core_.clockExternalMailbox(byte);
  update(sc_core::SC_ZERO_TIME);
}

void S5933::reset() {
  core_.reset();
  pending_ = {};
  update(sc_core::SC_ZERO_TIME);
}

// ---- bus master

void S5933::masterLoop() {
  for (;;) {
    const auto direction = core_.request();
    if (direction) {
      burst(*direction);
      continue;
    }
    idle_ = true;
    wait(work_);
    idle_ = false;
  }
}

/// One burst on the bus, in pieces: first what the latency timer lets the part keep, then dword by
/// dword for as long as nobody else wants the bus (the bus refuses to go on once somebody does).
void S5933::burst(Direction direction) {
  const auto way = static_cast<std::size_t>(direction);
  std::uint32_t used = 0;
  std::uint64_t moved = 0;
  bool first = true;
  for (;;) {
    const std::uint32_t timer = core_.latencyTimer();
    const std::uint32_t guaranteed = timer > used ? timer - used : 1;
    const std::uint32_t words = std::min(core_.burstWords(direction), guaranteed);
    if (words == 0) break;
    const bool good = piece(direction, words, !first);
    if (master_attributes_.refused) break;
    if (first) ++totals_.bursts[way];
    first = false;
    used += master_attributes_.words_done + master_attributes_.wait_clocks;
    moved += master_attributes_.words_done;
    totals_.longest[way] = std::max(totals_.longest[way], moved);
    if (!good) {
      core_.abortTransfer(direction, master_attributes_.stop == PciStop::MasterAbort);
      update(sc_core::SC_ZERO_TIME);
      break;
    }
    if (master_attributes_.stop == PciStop::Disconnect) {
      ++totals_.disconnects;
      wait(after(config_.stop_backoff));
      break;
    }
  }
}

/// Moves up to `words` dwords and lets their time pass. False: master or target abort.
bool S5933::piece(Direction direction, std::uint32_t words, bool continues) {
  const bool write = direction == Direction::Write;
  core_.beginPiece(direction, words, master_words_.data());
  std::uint32_t bytes = 0;
  for (std::uint32_t i = 0; i < words; ++i) {
    bytes += core_.phaseBytes(direction, i);
    putWord(&master_bytes_[4ULL * i], write ? master_words_[i] : 0);
  }
  master_attributes_ = PciAttributes{};
  master_attributes_.read_multiple = core_.readMultiple();
  master_attributes_.continues = continues;
  sc_time delay = sc_core::SC_ZERO_TIME;
  const bool good = master_bus_.send(write, core_.masterAddress(direction), master_bytes_.data(),
                                     bytes, delay) == tlm::TLM_OK_RESPONSE;
  if (delay > sc_core::SC_ZERO_TIME) wait(delay);
  const std::uint32_t done = std::min(master_attributes_.words_done, words);
  if (!write) {
    for (std::uint32_t i = 0; i < done; ++i) master_words_[i] = getWord(&master_bytes_[4ULL * i]);
  }
  core_.endPiece(direction, done, master_words_.data());
  update(sc_core::SC_ZERO_TIME);
  return good;
}

void S5933::report(common::StatGroup& group) const {
  const s5933::S5933Core::Totals& core = core_.totals();
  group.count("register_reads", "1", "operation registers read from PCI", totals_.register_reads);
  group.count("register_writes", "1", "operation registers written from PCI",
              totals_.register_writes);
  group.count("passthru_words", "words", "data phases through the pass-thru regions",
              totals_.passthru_words);
  group.count("passthru_wait_clocks", "clocks", "wait states of those", totals_.passthru_waits);
  group.count("retries", "1", "accesses answered with retry", totals_.retries);
  group.count("disconnects", "1", "bursts disconnected, as target or by the target of a transfer",
              totals_.disconnects);
  group.count("interrupts", "1", "times INTA# was asserted", totals_.inta);
  group.count("addon_interrupts", "1", "times IRQ# was asserted", totals_.irq);
  group.count("mailbox_writes_pci", "1", "writes to the host's outgoing mailboxes",
              core.mailbox_writes[0]);
  group.count("mailbox_writes_addon", "1", "writes to the add-on's outgoing mailboxes",
              core.mailbox_writes[1]);
  group.count("mailbox_overwrites", "bytes", "mailbox bytes written while still unread",
              core.mailbox_overwrites);
  group.count("a2p_lost", "words", "words the add-on offered to a full FIFO", core.a2p_lost);
  group.count("master_aborts", "1", "own transfers that nobody claimed", core.master_aborts);
  group.count("target_aborts", "1", "own transfers that their target refused", core.target_aborts);
  group.text("hung", "bus mastering is stuck in a field fault", core_.hung() ? "yes" : "no");
  const auto direction = [&](const char* name, const char* what, int way, const s5933::Fifo& fifo) {
    common::StatGroup& sub = group.group(name, what);
    sub.count("fifo_words", "words", "words that went through the FIFO", fifo.words());
    sub.count("fifo_high_water", "words", "most words in the FIFO at once", fifo.highWater());
    sub.count("fifo_depth", "words", "places in the FIFO", fifo.depth());
    sub.count("master_words", "words", "words moved by bus mastering", core.master_words[way]);
    sub.count("bursts", "1", "bursts those took", totals_.bursts[way]);
    sub.count("longest_burst", "words", "words in the longest of them", totals_.longest[way]);
  };
  direction("pci_to_addon", "host memory to add-on", kReadIndex, core_.p2a());
  direction("addon_to_pci", "add-on to host memory", kWriteIndex, core_.a2p());
}

}  // namespace rtvp::tigershark
