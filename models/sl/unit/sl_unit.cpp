// See sl_unit.hpp.
#include "models/sl/unit/sl_unit.hpp"

#include <algorithm>
#include <cstring>

#include "models/common/core/state.hpp"
#include "models/common/report_ids.hpp"
#include "models/common/tlm_dwords.hpp"

namespace rtvp::sl::unit {
namespace {

constexpr auto kOk = tlm::TLM_OK_RESPONSE;

std::uint64_t wide(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32U;
}

const char* nameOf(Fault fault) {
  switch (fault) {
    case Fault::Surface:
      return "a surface number beyond the table";
    case Fault::Program:
      return "a program that no machine may run";
    case Fault::Texture:
      return "a texture slot that cannot be sampled";
    case Fault::Request:
      return "a request of unknown kind, or a resume of a run that is not set aside";
    case Fault::Bus:
      return "a bus error";
    case Fault::Queue:
      return "more requests than the queue has entries";
    case Fault::None:
      break;
  }
  return "no fault";
}

}  // namespace

SlUnit::SlUnit(sc_core::sc_module_name name, const SlUnitConfig& config)
    : sc_module(name),
      host_tsock("host_tsock"),
      memory_isock("memory_isock"),
      irq_o("irq_o"),
      config_(config),
      bus_(common::ClockDomain(config.period, "shading unit"), config.dmi,
           common::BusMaster::through(memory_isock)),
      core_(config.core),
      file_(kRegisterTable),
      registers_({kRegisterTable, kRegisterBlockEnd}, *this) {
  host_tsock.register_b_transport(this, &SlUnit::transport);
  host_tsock.register_transport_dbg(this, &SlUnit::debug);
  bus_.countDirect();
  memory_isock.register_invalidate_direct_mem_ptr(this, &SlUnit::invalidate);
  SC_HAS_PROCESS(SlUnit);
  SC_THREAD(work);
  SC_METHOD(driveInterrupt);
  sensitive << interrupt_;
  updateRegisters();
}

CoreAddresses SlUnit::addresses() const {
  const auto pair = [this](Reg low, Reg high) {
    return wide(file_.peek(row(low)), file_.peek(row(high)));
  };
  CoreAddresses at;
  at.surfaces = pair("SURFACES_LOW", "SURFACES_HIGH");
  at.surfaceCount = file_.peek(row("SURFACES"));
  at.slots = pair("SLOTS_LOW", "SLOTS_HIGH");
  at.requests = pair("REQUESTS_LOW", "REQUESTS_HIGH");
  at.results = pair("RESULTS_LOW", "RESULTS_HIGH");
  at.entries = file_.peek(row("ENTRIES"));
  return at;
}

// ---- host side

void SlUnit::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++transactions_;
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  tlm::tlm_response_status status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
    status = kOk;
  } else if (length == 0 || payload.get_streaming_width() < length) {
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  } else if (address < kRegisterBlockEnd && length <= kRegisterBlockEnd - address) {
    status = registers_.access(payload);
  } else if (address >= kProgramStore && address < kProgramStoreEnd &&
             length <= kProgramStoreEnd - address) {
    status = programs(payload);
  }
  payload.set_response_status(status);
  errors_ += status == kOk ? 0 : 1;
  delay += clock_.of(common::dwordCount(payload));
  updateRegisters();
}

bool SlUnit::writeRegister(std::size_t index, std::uint64_t value, std::uint64_t bytes) {
  const std::uint32_t bits =
      file_.write(index, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(bytes));
  if (index == row("CONTROL")) control(bits);
  signals_.posted.set(sc_core::sc_time_stamp().value(), tail());
  if (index == row("REQUEST_TAIL")) start_.notify(sc_core::SC_ZERO_TIME);
  interrupt_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void SlUnit::control(std::uint32_t bits) {
  // A reset while the unit works takes effect when the work of this batch is done.
  if ((bits & control::kReset) != 0 && !busy_) {
    core_.reset();
    file_.poke(row("REQUEST_TAIL"), 0);
    file_.poke(row("INTERRUPT"), 0);
    fault_reported_ = false;
  }
  if ((bits & control::kFlush) != 0) core_.flush();
}

tlm::tlm_response_status SlUnit::programs(tlm::tlm_generic_payload& payload) {
  const std::uint64_t offset = payload.get_address() - kProgramStore;
  const unsigned length = payload.get_data_length();
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (offset % 8 != 0 || length % 8 != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  const auto first = static_cast<std::uint32_t>(offset / 8);
  const unsigned count = length / 8;
  if (first + count > core_.programWords()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  unsigned char* const data = payload.get_data_ptr();
  if (payload.get_command() == tlm::TLM_READ_COMMAND) {
    for (unsigned i = 0; i < length; ++i) {
      data[i] = static_cast<unsigned char>(core_.stored(first + i / 8) >> (i % 8 * 8));
    }
    return kOk;
  }
  if (busy_) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  std::vector<std::uint64_t> words(count);
  for (unsigned i = 0; i < length; ++i) {
    words[i / 8] |= static_cast<std::uint64_t>(data[i]) << (i % 8 * 8);
  }
  core_.store(first, words);
  return kOk;
}

unsigned SlUnit::debug(tlm::tlm_generic_payload& payload) {
  if (payload.get_command() != tlm::TLM_READ_COMMAND) return 0;
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (address < kRegisterBlockEnd) return registers_.debug(payload);
  const bool stored = address >= kProgramStore && address < kProgramStoreEnd &&
                      length <= kProgramStoreEnd - address;
  return stored && programs(payload) == kOk ? length : 0;
}

void SlUnit::updateRegisters() {
  const Fault fault = core_.fault();
  const auto count = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  file_.poke(row("STATUS"), (busy_ || core_.head() != tail() ? status::kBusy : 0U) |
                                (fault != Fault::None ? status::kFault : 0U));
  file_.poke(row("FAULT"), static_cast<std::uint32_t>(fault) | core_.faultSlot() << 8U);
  file_.poke(row("PIPELINES"), count(core_.pipelines().size()));
  file_.poke(row("PROGRAM_WORDS"), core_.programWords());
  file_.poke(row("REQUEST_HEAD"), core_.head());
  file_.poke(row("RESULT_TAIL"), core_.resultTail());
  file_.poke(row("RUNS"), count(core_.counters().runs));
  file_.poke(row("OVER_BUDGET"), count(core_.counters().over_budget));
}

void SlUnit::driveInterrupt() {
  const bool level =
      (file_.peek(row("INTERRUPT")) & file_.peek(row("ENABLE")) & interrupt::kDone) != 0;
  irq_o.write(level);
  signals_.interrupt.set(sc_core::sc_time_stamp().value(), level ? 1 : 0);
}

// ---- the work

void SlUnit::work() {
  while (true) {
    while (core_.head() == tail()) wait(start_);
    busy_ = true;
    ++batches_;
    const Clock begin = clock_.now();
    signals_.busy.set(clock_.of(begin).value(), 1);
    const Clock end = core_.run(addresses(), tail(), *this, begin);
    const sc_core::sc_time done = clock_.of(end);
    if (done > sc_core::sc_time_stamp()) wait(done - sc_core::sc_time_stamp());
    busy_ = false;
    const std::uint64_t now = sc_core::sc_time_stamp().value();
    signals_.busy.set(now, 0);
    signals_.taken.set(now, core_.head());
    signals_.answered.set(now, core_.resultTail());
    updateRegisters();
    checkFault();
    if (core_.head() == tail()) {
      file_.setBits(row("INTERRUPT"), interrupt::kDone);
      interrupt_.notify(sc_core::SC_ZERO_TIME);
    }
  }
}

Clock SlUnit::transfer(bool write, std::uint64_t address, std::uint32_t* words, std::size_t count,
                       Clock at) {
  const std::span bytes(reinterpret_cast<std::uint8_t*>(words), count * sizeof(std::uint32_t));
  Clock latency = 0;
  at = bus_.granted(address, bytes.size(), at);
  const bool moved =
      write ? bus_.store(address, bytes, at, latency) : bus_.fetch(address, bytes, at, latency);
  if (!moved) return kBusError;
  return at + latency + count * config_.wordClocks;
}

Clock SlUnit::read(std::uint64_t address, std::span<std::uint32_t> words, Clock at) {
  words_read_ += words.size();
  return transfer(false, address, words.data(), words.size(), at);
}

Clock SlUnit::write(std::uint64_t address, std::span<const std::uint32_t> words, Clock at) {
  words_written_ += words.size();
  // A write does not touch its data; TLM's pointer has no const.
  return transfer(true, address, const_cast<std::uint32_t*>(words.data()), words.size(), at);
}

bool SlUnit::look(std::uint64_t address, std::span<std::uint32_t> words) {
  if (const std::uint8_t* const data = bus_.pointer(address, words.size_bytes())) {
    std::memcpy(words.data(), data, words.size_bytes());
    return true;
  }
  return bus_.look(address, {reinterpret_cast<std::uint8_t*>(words.data()), words.size_bytes()});
}

void SlUnit::checkFault() {
  if (core_.fault() == Fault::None || fault_reported_ || !config_.report_faults) return;
  fault_reported_ = true;
  const std::string text = std::string(name()) + ": slot " + std::to_string(core_.faultSlot()) +
                           ": " + nameOf(core_.fault());
  SC_REPORT_ERROR(report_ids::kSlFault, text.c_str());
}

std::string SlUnit::describe() const {
  return std::string(name()) + ": " + (busy_ ? "busy" : "idle") + ", requests taken " +
         std::to_string(core_.head()) + " of " + std::to_string(tail()) + ", results " +
         std::to_string(core_.resultTail()) + ", " + nameOf(core_.fault());
}

// ---- statistics and traces

void SlUnit::trace(const common::TraceScope& scope) {
  signals_.busy = scope.wire("busy", "a batch of requests is worked off");
  signals_.posted = scope.count("posted", "requests posted by the host so far");
  signals_.taken = scope.count("taken", "requests worked off so far, batch by batch");
  signals_.answered = scope.count("answered", "results written so far, batch by batch");
  signals_.interrupt = scope.wire("interrupt", "interrupt to the host");
}

void SlUnit::finish() {
  total_ = clock_.now();
}

void SlUnit::report(common::StatGroup& group) const {
  const Counters& totals = core_.counters();
  group.count("runs", "runs", "programs run, one a light and shading point", totals.runs);
  group.count("instructions", "instructions", "instructions run", totals.instructions);
  group.count("over_budget", "runs", "runs stopped at 65536 instructions; their colour is black",
              totals.over_budget);
  group.count("traces", "rays", "rays the programs asked for; their runs were set aside",
              totals.traces);
  group.count("resumes", "runs", "runs that went on with the colour of their ray", core_.resumes());
  group.count("lookups", "1", "texture reads by instruction", totals.lookups);
  group.count("batches", "1", "times the request queue was filled and run dry", batches_);
  const TextureCounters& t = core_.textures();
  group.count("texture_samples", "1", "filtered samples, of registers t0 to t7 and of lookups",
              t.samples);
  group.count("texels", "texels", "texels the samples are made of", t.texels);
  group.count("texture_cache_hits", "texels", "texels found in the cache", t.hits);
  group.count("texture_cache_misses", "1", "transfers of texels over the bus", t.misses);
  group.count("words_read", "words", "words read from memory", words_read_);
  group.count("words_written", "words", "words written to memory", words_written_);
  group.count("transactions", "1", "accesses by the host", transactions_);
  group.count("errors", "1", "accesses by the host that were refused", errors_);
  for (std::size_t i = 0; i < core_.pipelines().size(); ++i) {
    const PipelineCounters& p = core_.pipelines()[i];
    common::StatGroup& sub =
        group.group("pipeline" + std::to_string(i), "one pipeline of the shading unit");
    sub.count("runs", "runs", "programs begun", p.runs);
    sub.count("instructions", "instructions", "instructions run", p.instructions);
    sub.count("cycles", "cycles", "clocks of the unit", cycles(p));
    sub.count("cycles_busy", "cycles", "executing instructions", p.busy);
    sub.count("cycles_request", "cycles", "taking requests and surfaces from memory",
              p.stallRequest);
    sub.count("cycles_texture", "cycles", "fetching texels", p.stallTexture);
    sub.count("cycles_result", "cycles", "writing results, setting runs aside", p.stallResult);
    sub.count("cycles_port", "cycles", "waiting for another pipeline's bus phase", p.stallPort);
    sub.count("cycles_idle", "cycles", "no request", cycles(p) - p.worked());
  }
}

// ---- checkpoints

bool SlUnit::quiescent() const {
  return !busy_ && core_.head() == tail() && core_.fault() == Fault::None;
}

void SlUnit::state(common::StateArchive& a) {
  a.mark("sl");
  a(core_, file_, total_, batches_, words_read_, words_written_, transactions_, errors_);
  if (a.reading()) interrupt_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace rtvp::sl::unit
