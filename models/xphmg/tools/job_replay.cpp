// xphmg-run --job: an RT unit alone with the memory that a recorded job reaches.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <iostream>
#include <optional>
#include <systemc>

#include "models/common/core/text.hpp"
#include "models/common/tlm_payload.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/xphmg/debug/job_record.hpp"
#include "models/xphmg/tools/runner.hpp"

namespace rtvp::xphmg {
namespace {

namespace status = tool::status;

/// Memory as the record knows it; what it does not know is a bus error.
class RecordedMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RecordedMemory, 32> bus_tsock{"bus_tsock"};

  RecordedMemory(sc_core::sc_module_name name, const JobRecord& record)
      : sc_module(name), record_(record), memory_(record.memory) {
    bus_tsock.register_b_transport(this, &RecordedMemory::transport);
    bus_tsock.register_transport_dbg(this, &RecordedMemory::debug);
    // Hits, misses and indices have places that nobody had to read before.
    for (const JobWrite& w : record.end.writes) memory_.putNew(w.address, w.bytes);
  }
  /// The first address that was asked for in vain.
  [[nodiscard]] std::optional<std::uint64_t> missed() const { return missed_; }

 private:
  bool move(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    const std::span bytes(payload.get_data_ptr(), payload.get_data_length());
    if (payload.is_read()) return memory_.get(address, bytes);
    if (!memory_.knows(address, bytes.size())) return false;
    memory_.put(address, bytes);
    return true;
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const bool known = move(payload);
    const Cycle cycles = payload.is_read() ? record_.readCycles : record_.writeCycles;
    delay += sc_core::sc_time::from_value(cycles * record_.config.period.value());
    if (!known && !missed_) missed_ = payload.get_address();
    payload.set_response_status(known ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    return move(payload) ? payload.get_data_length() : 0;
  }

  const JobRecord& record_;
  common::ByteImage memory_;
  std::optional<std::uint64_t> missed_;
};

void restore(const JobRecord& record, CsrFile& csrs) {
  for (const auto& [csr, value] : record.registers) {
    const bool staged = csr == Csr::PREC_MODE || csr == Csr::PREC_ALT;
    csrs.write(csr, value | (staged ? cap::kApply : 0));
  }
}

/// Rings the doorbell at time 0.
class Master : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Master, 32> isock{"isock"};

  Master(sc_core::sc_module_name name, std::uint64_t descriptor)
      : sc_module(name), descriptor_(descriptor) {
    SC_HAS_PROCESS(Master);
    SC_THREAD(run);
  }

 private:
  void run() {
    std::array<std::uint8_t, 8> bytes{};
    storeU64(bytes.data(), descriptor_);
    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay;
    common::prepare(payload, tlm::TLM_WRITE_COMMAND, descriptor(Csr::DOORBELL).offset, bytes.data(),
                    bytes.size());
    isock->b_transport(payload, delay);
  }
  std::uint64_t descriptor_;
};

/// What came of the job here; nothing: the unit has refused it.
std::optional<JobEnd> play(const JobRecord& record, std::optional<std::uint64_t>& missed) {
  UnitConfig config = record.config;
  config.dmi = false;
  RtUnit unit("unit", config);
  RecordedMemory memory("memory", record);
  unit.bus_isock.bind(memory.bus_tsock);
  restore(record, unit.csrs());
  std::optional<JobEnd> end;
  JobRecorder recorder(unit, 1, [&end](JobRecord again) { end = std::move(again.end); });
  Master master("master", record.descriptor);
  master.isock.bind(unit.host_tsock);
  sc_core::sc_start();
  missed = memory.missed();
  return end;
}

}  // namespace

int replayJob(const std::string& folder) {
  const JobRecord record = readJob(folder);
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO,
                                          sc_core::SC_DO_NOTHING);
  std::optional<std::uint64_t> missed;
  const std::optional<JobEnd> end = play(record, missed);
  const std::string name = record.unit + ", " + record.moment;
  if (!end)
    throw tool::Failure(folder + ": " + name + ": the unit refuses the job, expected one that runs",
                        status::kFault);
  const common::RecordDifferences found = differences(*end, record.end);
  if (found.none()) {
    std::cout << name << ": as recorded, " << end->outcome.rays << " rays, " << end->outcome.hits
              << " hits, " << end->outcome.misses << " misses and " << end->cycles << " cycles\n";
    return status::kDone;
  }
  std::cout << name << ": differs from what was recorded\n" << found.text();
  if (missed)
    std::cout << "it reads or writes " << common::hex0x(*missed)
              << ", which the recorded descriptor did not reach\n";
  return status::kFailed;
}

}  // namespace rtvp::xphmg
