// PCI transactions and their cost, see pci_bus.hpp.
#include "models/common/pci_bus.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "models/common/socket_tap.hpp"
#include "models/common/tlm_dwords.hpp"
#include "models/common/tlm_payload.hpp"

namespace rtvp::common {

using sc_core::sc_time;

/// One master payload on its way: what is left of it, and when the master asks next.
struct PciBus::Request {
  int master = 0;
  bool write = false;
  PciSpace space = PciSpace::Memory;
  int device = kNobody;       // kNobody, kBridge or a slot
  std::uint64_t address = 0;  // in its space, of the next byte
  std::uint8_t* data = nullptr;
  std::uint8_t* enables = nullptr;  // one per byte, or null
  std::uint64_t left = 0;           // bytes
  bool read_multiple = false;
  bool continues = false;
  std::uint64_t clock = 0;  // REQ# asserted; after a transaction the end of its last data phase
  std::uint32_t transactions = 0, words = 0, waits = 0, retries = 0;
  PciStop stop = PciStop::None;

  [[nodiscard]] std::uint32_t wordsLeft() const {
    return static_cast<std::uint32_t>((address % 4 + left + 3) / 4);
  }
  /// Bytes of the payload in its next `count` dwords.
  [[nodiscard]] std::uint64_t bytesIn(std::uint32_t count) const {
    return count == 0 ? 0 : std::min<std::uint64_t>(left, count * 4ULL - address % 4);
  }
  void advance(std::uint32_t count) {
    const std::uint64_t bytes = bytesIn(count);
    address += bytes;
    data += bytes;
    if (enables != nullptr) enables += bytes;
    left -= bytes;
  }
};

PciBus::PciBus(sc_core::sc_module_name name, const PciBusConfig& config)
    : sc_module(name),
      master_tsock("master_tsock"),
      memory_isock("memory_isock"),
      device_isock("device_isock"),
      config_(config),
      at_([this](int id, auto& payload, auto& delay) { transport(id, payload, delay); },
          [this](int id, auto& payload, auto& phase, auto& delay) {
            return master_tsock[id]->nb_transport_bw(payload, phase, delay);
          }),
      clock_(config.timing.period, "pci") {
  if (config.timing.devsel < 1 || config.timing.devsel > 3) {
    throw std::invalid_argument("pci: devsel is " + std::to_string(config.timing.devsel) +
                                ", accepted 1 (fast), 2 (medium), 3 (slow)");
  }
  master_tsock.register_b_transport(this, &PciBus::transport);
  master_tsock.register_nb_transport_fw(this, &PciBus::nonBlocking);
  master_tsock.register_transport_dbg(this, &PciBus::debug);
  payload_.set_extension(&attributes_);
  SC_HAS_PROCESS(PciBus);
  SC_METHOD(arbitrate);
  sensitive << arbiter_;
  dont_initialize();
}

PciBus::~PciBus() {
  payload_.clear_extension(&mark_);
  payload_.clear_extension(&attributes_);
}

int PciBus::plug(PciDevice& device, Target& socket) {
  if (devices_.size() >= kMaxDevices) {
    throw std::invalid_argument("pci: all 32 device numbers are taken");
  }
  bindSockets(device_isock, socket);
  devices_.push_back(&device);
  return static_cast<int>(devices_.size()) - 1;
}

void PciBus::end_of_elaboration() {
  masters_.resize(master_tsock.size());
  turns_.resize(masters_.size());
}

int PciBus::claimant(int master, PciSpace space, std::uint64_t address) const {
  // The bridge does not claim what it forwards itself: the host's memory accesses stay on its own
  // bus.
  if (space == PciSpace::Memory && master != 0 && address >= config_.memory_base &&
      address - config_.memory_base < config_.memory_size) {
    return kBridge;
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i]->claims(space, address)) return static_cast<int>(i);
  }
  return kNobody;
}

void PciBus::decode(int master, std::uint64_t address, const PciAttributes* attributes,
                    PciSpace& space, std::uint64_t& local, int& device) const {
  space = attributes != nullptr ? attributes->space : PciSpace::Memory;
  local = address;
  if (master == 0) {
    constexpr std::uint64_t kConfigSize = static_cast<std::uint64_t>(kMaxDevices) << kDeviceShift;
    if (address >= config_.config_base && address - config_.config_base < kConfigSize) {
      space = PciSpace::Config;
      local = address - config_.config_base;
    } else if (address >= config_.io_base && address - config_.io_base < config_.io_size) {
      space = PciSpace::Io;
      local = address - config_.io_base;
    }
  }
  if (space == PciSpace::Config) {
    const std::uint64_t number = local >> kDeviceShift;
    local &= (1ULL << kDeviceShift) - 1;
    device = number < devices_.size() && local < 256 ? static_cast<int>(number) : kNobody;
  } else {
    device = claimant(master, space, local);
  }
}

bool PciBus::begin(int master, tlm::tlm_generic_payload& payload, Request& request) {
  payload.set_dmi_allowed(false);
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND || payload.get_data_length() == 0) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return false;
  }
  if (payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return false;
  }
  request.enables = expandByteEnables(payload, enables_);
  if (payload.get_byte_enable_ptr() != nullptr && request.enables == nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return false;
  }
  const auto* const attributes = payload.get_extension<PciAttributes>();
  request.master = master;
  request.write = payload.is_write();
  request.data = payload.get_data_ptr();
  request.left = payload.get_data_length();
  request.read_multiple = attributes != nullptr && attributes->read_multiple;
  request.continues = attributes != nullptr && attributes->continues;
  decode(master, payload.get_address(), attributes, request.space, request.address, request.device);
  return true;
}

void PciBus::setContention(Contention& contention, std::vector<unsigned> masters) {
  if (!contention.limited()) return;
  contention_ = &contention;
  numbers_ = std::move(masters);
  payload_.set_extension(&mark_);
}

/// Returns when this master is next of those that ask at this time.
void PciBus::turn(std::size_t master) {
  Turn& own = turns_.at(master);
  const auto waits = [](const Turn& t) { return t.waits; };
  if (!sc_core::sc_pending_activity_at_current_time() &&
      std::none_of(turns_.begin(), turns_.end(), waits)) {
    return;
  }
  while (own.waits) wait(own.comes);  // another of its processes
  own.waits = true;
  arbiter_.notify(sc_core::SC_ZERO_TIME);
  wait(own.comes);
}

/// One turn, when everything else that happens at this time has happened. Who runs in every delta
/// cycle for as long as others do, as a hart does, is not waited for.
void PciBus::arbitrate() {
  constexpr unsigned kMostDeltas = 64;
  if (sc_core::sc_pending_activity_at_current_time() && ++deltas_ < kMostDeltas) {
    return arbiter_.notify(sc_core::SC_ZERO_TIME);
  }
  deltas_ = 0;
  const auto waits = [](const Turn& t) { return t.waits; };
  const auto next = std::find_if(turns_.begin(), turns_.end(), waits);
  if (next == turns_.end()) return;
  next->waits = false;
  next->comes.notify(sc_core::SC_ZERO_TIME);
  if (std::any_of(turns_.begin(), turns_.end(), waits)) arbiter_.notify(sc_core::SC_ZERO_TIME);
}

void PciBus::transport(int id, tlm::tlm_generic_payload& payload, sc_time& delay) {
  if (contention_ == nullptr) {
    turn(static_cast<std::size_t>(id));
  } else {
    contention_->turn(numbers_.at(static_cast<std::size_t>(id)));
  }
  Request request;
  if (!begin(id, payload, request)) return;
  const sc_time now = sc_core::sc_time_stamp();
  request.clock = clock_.at(now + delay);
  const std::uint64_t bytes = request.left;
  if (request.continues && !goesOn(request)) {
    auto* const attributes = payload.get_extension<PciAttributes>();
    attributes->wait_clocks = attributes->words_done = attributes->transactions = 0;
    attributes->stop = PciStop::None;
    attributes->refused = true;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  while (request.left != 0 && request.stop < PciStop::TargetAbort &&
         request.retries <= config_.timing.max_retries) {
    if (request.transactions != 0 && request.stop != PciStop::None) {
      request.clock += config_.timing.stop_backoff;
    }
    transaction(request);
  }
  masters_[static_cast<std::size_t>(id)].bytes += bytes - request.left;
  delay = clock_.of(request.clock) - now;
  finish(request, payload);
}

std::uint32_t PciBus::burstLimit(const Request& request) const {
  const PciTiming& timing = config_.timing;
  std::uint32_t words = request.wordsLeft();
  if (request.master == 0 && timing.host_burst_words != 0) {
    words = std::min(words, timing.host_burst_words);
  }
  if (request.device == kBridge) {
    const std::uint64_t end = config_.memory_base + config_.memory_size;
    words =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(words, (end - request.address + 3) / 4));
  }
  return words;
}

bool PciBus::goesOn(const Request& request) const {
  return request.continues && request.transactions == 0 && last_master_ == request.master &&
         last_device_ == request.device && last_space_ == request.space &&
         last_write_ == request.write && last_end_ == request.clock &&
         last_next_ == request.address && free_at_ == last_end_ + config_.timing.idle;
}

void PciBus::transaction(Request& request) {
  const PciTiming& timing = config_.timing;
  MasterTotals& master = masters_[static_cast<std::size_t>(request.master)];
  if (request.space != PciSpace::Config) {
    request.device = claimant(request.master, request.space, request.address);
  }
  std::uint64_t frame = request.clock;  // first clock that keeps the bus busy
  std::uint64_t data = frame;           // first data phase
  if (!goesOn(request)) {
    frame = std::max(request.clock + timing.arbitration_idle, free_at_ + timing.arbitration_busy);
    data = frame + 1 + std::max(request.write ? 0U : timing.read_turnaround, timing.devsel - 1);
    master.arbitration_clocks += frame - request.clock;
    ++master.transactions;
    ++totals_.transactions;
    ++request.transactions;
    last_words_ = 0;
  }
  request.continues = false;
  const std::uint32_t words = burstLimit(request);
  Outcome outcome;
  if (request.device == kNobody) {
    outcome = accessNobody(request, words);
    data = frame + 1 + timing.master_abort;
  } else if (request.device == kBridge) {
    outcome = accessMemory(request, words);
  } else {
    outcome = accessDevice(request, words, data);
  }
  const std::uint64_t end = data + outcome.words + outcome.waits;
  account(request, outcome, end - frame);
  request.advance(outcome.words);
  request.words += outcome.words;
  request.waits += outcome.waits;
  request.stop = outcome.stop;
  if (outcome.stop == PciStop::Retry) ++request.retries;
  request.clock = end;
  free_at_ = end + timing.idle;
  // A burst that the target stopped cannot be continued.
  last_master_ = outcome.stop == PciStop::None ? request.master : kNobody;
  last_device_ = request.device;
  last_space_ = request.space;
  last_write_ = request.write;
  last_end_ = end;
  last_next_ = request.address;
  last_words_ += outcome.words;
}

void PciBus::prepare(const Request& request, std::uint32_t words) {
  const std::uint64_t bytes = request.bytesIn(words);
  common::prepare(payload_, request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                  request.address, request.data, static_cast<unsigned>(bytes),
                  {request.enables, request.enables != nullptr ? static_cast<unsigned>(bytes) : 0});
  attributes_.space = request.space;
  attributes_.read_multiple = request.read_multiple;
  attributes_.continues = last_words_ != 0;
  attributes_.wait_clocks = 0;
  attributes_.words_done = 0;
  attributes_.transactions = 0;
  attributes_.stop = PciStop::None;
  attributes_.refused = false;
}

PciBus::Outcome PciBus::accessNobody(const Request& request, std::uint32_t words) {
  if (!request.write) std::memset(request.data, 0xFF, request.left);
  // A configuration read of an empty slot is how hosts find out: all ones, no error.
  if (request.space == PciSpace::Config) return {words, 0, PciStop::None};
  return {0, 0, PciStop::MasterAbort};
}

PciBus::Outcome PciBus::accessMemory(const Request& request, std::uint32_t words) {
  const PciTiming& timing = config_.timing;
  Outcome outcome;
  const std::uint32_t limit = timing.memory_disconnect_words;
  if (limit != 0 && last_words_ + words >= limit) {
    words = limit > last_words_ ? limit - last_words_ : 1;
    outcome.stop = PciStop::Disconnect;
  }
  prepare(request, words);
  sc_time extra = sc_core::SC_ZERO_TIME;
  if (contention_ != nullptr) {
    const unsigned master = numbers_.at(static_cast<std::size_t>(request.master));
    extra = contention_->take(master, request.address, request.bytesIn(words)) -
            sc_core::sc_time_stamp();
  }
  memory_isock->b_transport(payload_, extra);
  if (payload_.is_response_error()) return {0, 0, PciStop::TargetAbort};
  outcome.words = words;
  outcome.waits = words * timing.memory_next_wait;
  if (last_words_ == 0) {
    outcome.waits += timing.memory_first_wait;
    outcome.waits -= timing.memory_next_wait;
  }
  outcome.waits += static_cast<std::uint32_t>(clock_.at(extra));
  return outcome;
}

PciBus::Outcome PciBus::accessDevice(const Request& request, std::uint32_t words,
                                     std::uint64_t data_clock) {
  prepare(request, words);
  const sc_time before = clock_.of(data_clock) - sc_core::sc_time_stamp();
  sc_time after = before;
  device_isock[request.device]->b_transport(payload_, after);
  Outcome outcome{std::min(attributes_.words_done, words), 0, attributes_.stop};
  if (after > before) outcome.waits = static_cast<std::uint32_t>(clock_.at(after - before));
  if (outcome.stop == PciStop::Retry) outcome.words = 0;
  // A device that moves nothing and does not say why would be asked for ever.
  if (outcome.words == 0 && outcome.stop != PciStop::Retry) outcome.stop = PciStop::TargetAbort;
  if (payload_.is_response_error() && outcome.stop != PciStop::Retry) {
    outcome.stop = PciStop::TargetAbort;
  }
  return outcome;
}

void PciBus::account(const Request& request, const Outcome& outcome, std::uint64_t busy) {
  totals_.data_phases += outcome.words;
  totals_.wait_states += outcome.waits;
  totals_.busy_clocks += busy;
  switch (outcome.stop) {
    case PciStop::None:
      break;
    case PciStop::Disconnect:
      ++totals_.disconnects;
      break;
    case PciStop::Retry:
      ++totals_.retries;
      break;
    case PciStop::TargetAbort:
      ++totals_.target_aborts;
      break;
    case PciStop::MasterAbort:
      ++totals_.master_aborts;
      break;
  }
  if (request.space == PciSpace::Config) return;
  int claims = request.device == kBridge ? 1 : 0;
  for (const PciDevice* device : devices_) {
    claims += device->claims(request.space, request.address) ? 1 : 0;
  }
  if (claims > 1) ++totals_.conflicts;
}

void PciBus::finish(const Request& request, tlm::tlm_generic_payload& payload) {
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  if (request.stop == PciStop::MasterAbort) status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (request.stop == PciStop::TargetAbort || request.left != 0) {
    if (status == tlm::TLM_OK_RESPONSE) status = tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  payload.set_response_status(status);
  auto* const attributes = payload.get_extension<PciAttributes>();
  if (attributes == nullptr) return;
  attributes->wait_clocks = request.waits;
  attributes->words_done = request.words;
  attributes->transactions = request.transactions;
  attributes->stop = request.stop;
  attributes->refused = false;
}

unsigned PciBus::debug(int id, tlm::tlm_generic_payload& payload) {
  // A payload of its own: a debugger may look while a transaction is under way.
  tlm::tlm_generic_payload local;
  PciAttributes attributes;
  std::uint64_t address = 0;
  int device = kNobody;
  decode(id, payload.get_address(), payload.get_extension<PciAttributes>(), attributes.space,
         address, device);
  if (device == kNobody) return 0;
  common::prepare(local, payload.get_command(), address, payload.get_data_ptr(),
                  payload.get_data_length());
  local.set_extension(&attributes);
  const unsigned moved = device == kBridge ? memory_isock->transport_dbg(local)
                                           : device_isock[device]->transport_dbg(local);
  local.clear_extension(&attributes);
  return moved;
}

double PciBus::utilisation() const {
  const std::uint64_t clocks = sc_core::sc_time_stamp().value() / config_.timing.period.value();
  return clocks == 0 ? 0.0 : static_cast<double>(totals_.busy_clocks) / static_cast<double>(clocks);
}

void PciBus::report(StatGroup& group) const {
  group.count("transactions", "1", "address phases", totals_.transactions);
  group.count("data_phases", "words", "dwords moved", totals_.data_phases);
  group.count("wait_states", "clocks", "wait states of all data phases", totals_.wait_states);
  group.count("busy_clocks", "clocks", "clocks from address phase to last data phase",
              totals_.busy_clocks);
  group.ratio("utilisation", "1", "busy clocks over clocks since time zero", utilisation());
  group.count("retries", "1", "transactions the target asked to repeat", totals_.retries);
  group.count("disconnects", "1", "bursts a target cut", totals_.disconnects);
  group.count("master_aborts", "1", "addresses nobody claimed", totals_.master_aborts);
  group.count("target_aborts", "1", "accesses a target refused", totals_.target_aborts);
  group.count("conflicts", "1", "transactions that more than one target claimed",
              totals_.conflicts);
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    const std::string name = i == 0 ? "host" : "master" + std::to_string(i);
    StatGroup& sub =
        group.group(name, i == 0 ? "the host as bus master" : "a bus master, in binding order");
    sub.count("transactions", "1", "address phases", masters_[i].transactions);
    sub.count("bytes", "bytes", "bytes moved", masters_[i].bytes);
    sub.count("arbitration_clocks", "clocks", "clocks from REQ# to the address phase",
              masters_[i].arbitration_clocks);
  }
}

}  // namespace rtvp::common
