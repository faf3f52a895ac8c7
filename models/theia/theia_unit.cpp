#include "models/theia/theia_unit.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "models/common/report_ids.hpp"
#include "models/common/tlm_dwords.hpp"
#include "models/theia/gpu_statistics.hpp"

namespace rtvp::theia {
namespace {

Word loadWord(const unsigned char* p) {
  return p[0] | static_cast<Word>(p[1]) << 8 | static_cast<Word>(p[2]) << 16 |
         static_cast<Word>(p[3]) << 24;
}
void storeWord(unsigned char* p, Word w) {
  for (unsigned i = 0; i < 4; ++i) p[i] = static_cast<unsigned char>(w >> (8 * i));
}
Vec loadVec(const unsigned char* p) {
  return {loadWord(p), loadWord(p + 4), loadWord(p + 8)};
}
Triangle loadTriangle(const unsigned char* p) {
  if constexpr (std::endian::native == std::endian::little) {
    Triangle triangle;  // NOLINT: all of it is written
    static_assert(sizeof triangle == unit::kTriangleBytes);
    std::memcpy(&triangle, p, sizeof triangle);
    return triangle;
  }
  return {loadVec(p),      loadVec(p + 12), loadVec(p + 24), loadVec(p + 36),
          loadVec(p + 48), loadVec(p + 60), loadVec(p + 72)};
}

using unit::row;
namespace control = unit::control;
constexpr auto kOk = tlm::TLM_OK_RESPONSE;

}  // namespace

TheiaUnit::TheiaUnit(sc_core::sc_module_name name, const TheiaUnitConfig& config, Rom rom)
    : sc_module(name),
      host_tsock("host_tsock"),
      hda_o("hda_o"),
      hdl_o("hdl_o"),
      rcommit_o("rcommit_o"),
      config_(config),
      clock_(config.period, "theia"),
      gpu_(config.gpu, std::move(rom)),
      file_(unit::kRegisterTable),
      registers_({unit::kRegisterTable, unit::kRegisterBlockEnd}, *this) {
  host_tsock.register_b_transport(this, &TheiaUnit::transport);
  host_tsock.register_transport_dbg(this, &TheiaUnit::debug);
  SC_HAS_PROCESS(TheiaUnit);
  SC_METHOD(driveSignals);
  sensitive << edge_event_;
  dont_initialize();
  updateRegisters();
}

void TheiaUnit::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++transactions_;
  const sc_core::sc_time start = sc_core::sc_time_stamp() + delay;
  const Clock at = clock_.at(start);
  Clock end = at;
  const auto status = access(payload, at, end);
  payload.set_response_status(status);
  errors_ += status == kOk ? 0 : 1;
  const sc_core::sc_time done = clock_.of(end);
  if (done > start) delay += done - start;
  updateRegisters();
  checkFault();
}

tlm::tlm_response_status TheiaUnit::access(tlm::tlm_generic_payload& payload, Clock at,
                                           Clock& end) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return kOk;
  if (length == 0 || payload.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
  const auto inside = [&](std::uint64_t from, std::uint64_t to) {
    return address >= from && address < to && length <= to - address;
  };
  if (inside(0, unit::kRegisterBlockEnd)) {
    now_ = at;
    const auto status = registers_.access(payload);
    end = std::max(now_, at + common::dwordCount(payload));
    return status;
  }
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (address % 4 != 0 || length % 4 != 0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  for (const bool texture : {true, false}) {
    if (texture ? !inside(unit::kTexture, unit::kTextureEnd)
                : !inside(unit::kOutput, unit::kOutputEnd))
      continue;
    end = at + length / 4;
    return memory(payload, texture);
  }
  const bool instruction = inside(unit::kInstructions, unit::kInstructionsEnd);
  const bool window = inside(unit::kRegistersWindow, unit::kRegistersWindowEnd);
  const bool stream = inside(unit::kStream, unit::kStreamEnd);
  if (!instruction && !window && !stream && !inside(unit::kTriangles, unit::kTrianglesEnd))
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_command() != tlm::TLM_WRITE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (gpu_.fault()) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (instruction) return instructions(payload, end);
  if (window) return registerWindow(payload, end);
  return triangles(payload, end, !stream);
}

bool TheiaUnit::writeRegister(std::size_t index, std::uint64_t value, std::uint64_t bytes) {
  const std::uint32_t bits =
      file_.write(index, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(bytes));
  constexpr std::uint32_t kCommands =
      control::kReset | control::kRendren | control::kHda | control::kCommit;
  if (index != row("CONTROL") || (bits & kCommands) == 0) return true;
  if (gpu_.fault() && (bits & control::kReset) == 0) return false;
  command(bits);
  return true;
}

inline void TheiaUnit::schedule(Clock clock, unsigned line, bool value) {
  if (bound_[line] || signals_.lines[line]) scheduleSeen(clock, line, value);
}

void TheiaUnit::command(std::uint32_t bits) {
  if ((bits & control::kReset) != 0) {
    gpu_.reset(now_);
    const Clock at = gpu_.portFree();
    signals_.rendering.set(clock_.of(at).value(), 0);
    showAll(CoreState::Idle, at);
    fault_reported_ = hdl_ = rcommit_ = false;
  }
  if ((bits & control::kRendren) != 0) {
    const Clock at = std::max(now_, gpu_.portFree());
    now_ = gpu_.beginRendering(now_);
    signals_.rendering.set(clock_.of(at).value(), 1);
    signals_.frames.set(clock_.of(at).value(), ++frames_);
    showAll(CoreState::Initial, at);
  }
  if ((bits & control::kHda) != 0) now_ = offer(now_);
  if ((bits & control::kCommit) == 0) return;
  now_ = gpu_.awaitCommit(now_);
  if (gpu_.fault()) return;
  rcommit_ = true;
  const Clock committed = now_ - config_.gpu.commitClocks;
  schedule(committed, 2, true);
  schedule(committed + 1, 2, false);
}

Clock TheiaUnit::offer(Clock at) {
  const Clock hda = std::max(at, gpu_.portFree());
  const Clock end = gpu_.offer(at);
  rcommit_ = false;
  hdl_ = !gpu_.fault();
  if (!hdl_) return end;
  const Clock taken = end - config_.gpu.handshakeClocks;
  ++offers_;
  if (signals_.triangles) signals_.triangles.set(clock_.of(taken).value(), offers_);
  schedule(hda, 0, true);
  schedule(taken, 1, true);
  schedule(taken + 1, 1, false);
  schedule(taken + 1, 0, false);
  return end;
}

tlm::tlm_response_status TheiaUnit::memory(tlm::tlm_generic_payload& payload, bool texture) {
  const std::uint64_t first =
      (payload.get_address() - (texture ? unit::kTexture : unit::kOutput)) / 4;
  const unsigned words = payload.get_data_length() / 4;
  const std::uint32_t bank = file_.peek(row("OUTPUT_BANK"));
  if (!texture && bank >= gpu_.cores()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const std::span<Word> storage = texture ? gpu_.textureStorage() : gpu_.outputStorage(bank);
  if (first + words > storage.size()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  unsigned char* const data = payload.get_data_ptr();
  for (unsigned i = 0; i < words; ++i) {
    if (payload.get_command() == tlm::TLM_READ_COMMAND) {
      storeWord(data + std::size_t{4} * i, storage[first + i]);
    } else {
      storage[first + i] = loadWord(data + std::size_t{4} * i);
    }
  }
  return kOk;
}

tlm::tlm_response_status TheiaUnit::instructions(const tlm::tlm_generic_payload& payload,
                                                 Clock& at) {
  const std::uint64_t offset = payload.get_address() - unit::kInstructions;
  if (offset % 8 != 0 || payload.get_data_length() % 8 != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint32_t select = file_.peek(row("SELECT"));
  for (unsigned i = 0; i < payload.get_data_length() / 8; ++i) {
    const unsigned char* const p = payload.get_data_ptr() + std::size_t{8} * i;
    at = gpu_.writeInstruction(at, select, static_cast<unsigned>(offset / 8) + i,
                               {static_cast<std::uint64_t>(loadWord(p)) << 32 | loadWord(p + 4)});
    if (gpu_.fault()) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  return kOk;
}

tlm::tlm_response_status TheiaUnit::registerWindow(const tlm::tlm_generic_payload& payload,
                                                   Clock& at) {
  const std::uint64_t offset = payload.get_address() - unit::kRegistersWindow;
  const unsigned length = payload.get_data_length();
  if (offset % 16 != 0 || (length != 12 && length % 16 != 0)) return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint32_t select = file_.peek(row("SELECT"));
  for (unsigned i = 0; i < (length + 4) / 16; ++i)
    at = gpu_.writeRegister(at, select, static_cast<unsigned>(offset / 16) + i,
                            loadVec(payload.get_data_ptr() + std::size_t{16} * i));
  return kOk;
}

tlm::tlm_response_status TheiaUnit::triangles(const tlm::tlm_generic_payload& payload, Clock& at,
                                              bool offered) {
  if (payload.get_data_length() % unit::kTriangleBytes != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  for (unsigned i = 0; i < payload.get_data_length() / unit::kTriangleBytes; ++i) {
    const unsigned char* const p = payload.get_data_ptr() + std::size_t{unit::kTriangleBytes} * i;
    at = gpu_.streamTriangle(at, loadTriangle(p));
    if (offered) at = offer(at);
    if (gpu_.fault()) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  return kOk;
}

unsigned TheiaUnit::debug(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (address < unit::kRegisterBlockEnd) return registers_.debug(payload);
  const bool texture = address >= unit::kTexture && address < unit::kTextureEnd;
  const bool output = address >= unit::kOutput && address < unit::kOutputEnd;
  if ((!texture && !output) || address % 4 != 0 || length % 4 != 0 ||
      payload.get_command() == tlm::TLM_IGNORE_COMMAND)
    return 0;
  return memory(payload, texture) == kOk ? length : 0;
}

void TheiaUnit::updateRegisters() {
  const Fault& fault = gpu_.fault();
  file_.poke(row("STATUS"),
             (gpu_.rendering() ? unit::status::kRendering : 0U) | (hdl_ ? unit::status::kHdl : 0U) |
                 (rcommit_ ? unit::status::kRcommit : 0U) | (fault ? unit::status::kFault : 0U));
  file_.poke(row("CORES"), gpu_.cores());
  file_.poke(row("COMMITS"), static_cast<std::uint32_t>(gpu_.commits()));
  file_.poke(row("FAULT"),
             fault.pc | fault.core << 16 | static_cast<std::uint32_t>(fault.kind) << 24);
  file_.poke(row("FAULT_PIXEL"), static_cast<std::uint32_t>(fault.pixel));
  file_.poke(row("TEXTURE_WORDS"), config_.gpu.textureWords);
  file_.poke(row("OUTPUT_WORDS"), config_.gpu.core.outputWords);
}

void TheiaUnit::checkFault() {
  if (!gpu_.fault() || fault_reported_ || !config_.report_faults) return;
  fault_reported_ = true;
  SC_REPORT_ERROR(report_ids::kTheiaFault,
                  (std::string(name()) + ": " + gpu_.fault().describe()).c_str());
}

// ---- signals: edges are known ahead of time and driven when it comes ----

void TheiaUnit::end_of_elaboration() {
  const SignalOut* const ports[] = {&hda_o, &hdl_o, &rcommit_o};
  for (unsigned line = 0; line < bound_.size(); ++line) bound_[line] = ports[line]->size() > 0;
}

void TheiaUnit::scheduleSeen(Clock clock, unsigned line, bool value) {
  const common::TraceSignal& traced = signals_.lines.at(line);
  if (traced) traced.set(clock_.of(clock).value(), value ? 1 : 0);
  if (!bound_[line]) return;
  edges_.push_back({clock, line, value});
  if (edges_.size() > 1) return;
  const sc_core::sc_time now = sc_core::sc_time_stamp(), due = clock_.of(clock);
  edge_event_.notify(due > now ? due - now : sc_core::SC_ZERO_TIME);
}

void TheiaUnit::driveSignals() {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  SignalOut* const ports[] = {&hda_o, &hdl_o, &rcommit_o};
  while (!edges_.empty() && clock_.of(edges_.front().clock) <= now) {
    (*ports[edges_.front().line])->write(edges_.front().value);
    edges_.pop_front();
  }
  if (!edges_.empty()) edge_event_.notify(clock_.of(edges_.front().clock) - now);
}

void TheiaUnit::finish() {
  gpu_.finish(clock_.now());
}

void TheiaUnit::report(common::StatGroup& group) const {
  reportGpu(gpu_, group);
  group.count("transactions", "1", "Transactions on the host socket", transactions_);
  group.count("errors", "1", "Transactions answered with an error", errors_);
}

// ---- traces ----

void TheiaUnit::trace(const common::TraceScope& scope) {
  if (!scope) return;
  signals_.rendering = scope.wire("rendering", "between RENDREN and reset");
  signals_.frames = scope.count("frames", "times rendering began: frames, bands or tiles");
  signals_.triangles = scope.count("triangles", "triangles taken by the cores so far");
  signals_.pixels = scope.count("pixels", "times all cores have committed a pixel");
  signals_.lines = {scope.wire("hda", "HDA: a triangle is on offer"),
                    scope.wire("hdl", "HDL: all cores have taken it"),
                    scope.wire("rcommit", "RCOMMIT: all cores have committed; interrupt")};
  for (unsigned i = 0; i < gpu_.cores(); ++i) {
    signals_.cores.push_back(scope.module("core" + std::to_string(i))
                                 .state("state", {"idle", "initial", "main", "wait"},
                                        "initial: set-up, until the first triangle; main: MAIN "
                                        "runs for a triangle; wait: for the next one"));
  }
  gpu_.observe(this);
}

void TheiaUnit::showAll(CoreState state, Clock clock) const {
  for (const common::TraceSignal& core : signals_.cores) {
    core.set(clock_.of(clock).value(), static_cast<std::uint64_t>(state));
  }
}

void TheiaUnit::onFlip(unsigned core, Clock clock) {
  if (signals_.cores.empty()) return;
  signals_.cores[core].set(clock_.of(clock).value(), static_cast<std::uint64_t>(CoreState::Main));
}

void TheiaUnit::onPhaseEnd(unsigned core, Clock ready, bool committed) {
  if (pixel_observer_ && committed) {
    const ControlClocks c = gpu_.controlClocks(core);
    const Clock now = c.mainBusy + c.mainDivider + c.mainTexture + c.waitHost;
    const Clock before = std::exchange(main_clocks_[core], now);
    pixel_observer_({core, gpu_.core(core).pixel() - 1, now - before});
  }
  if (signals_.cores.empty()) return;
  signals_.cores[core].set(clock_.of(ready).value(), static_cast<std::uint64_t>(CoreState::Wait));
}

void TheiaUnit::onAllCommitted(Clock clock) {
  signals_.pixels.set(clock_.of(clock).value(), ++pixels_);
}

}  // namespace rtvp::theia
