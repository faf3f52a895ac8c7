// See object_record.hpp: collecting two jobs, and running them again.
#include "models/implicit/unit/object_record.hpp"

#include <utility>

#include "models/common/core/state.hpp"
#include "models/common/core/text.hpp"
#include "models/implicit/unit/registers.hpp"

namespace rtvp::implicit::unit {
namespace {

/// The unit's memory in the replay; what it does not know the bus refuses.
class RecordedMemory final : public Memory {
 public:
  explicit RecordedMemory(const ObjectRecording& recorded) : recorded_(recorded) {}

  /// What the job reads is there from its begin on, what it writes is its own. Behind it lies what
  /// the job before has left, for settings that were changed since.
  void begin(RecordedJob& job, const common::ByteImage& known) {
    job_ = &job;
    earlier_ = std::exchange(known_, known);
  }
  bool read(std::uint64_t address, std::span<std::uint8_t> bytes, Clock /*at*/,
            Clock& latency) override {
    latency = recorded_.readLatency;
    return look(address, bytes);
  }
  bool write(std::uint64_t address, std::span<const std::uint8_t> bytes, Clock /*at*/,
             Clock& latency) override {
    latency = recorded_.writeLatency;
    known_.put(address, bytes);
    recordMove(*job_, true, address, bytes);
    return true;
  }
  bool look(std::uint64_t address, std::span<std::uint8_t> bytes) override {
    if (known_.get(address, bytes)) return true;
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      const std::span<std::uint8_t> one = bytes.subspan(n, 1);
      if (!known_.get(address + n, one) && !earlier_.get(address + n, one)) return false;
    }
    return true;
  }

 private:
  const ObjectRecording& recorded_;
  RecordedJob* job_ = nullptr;
  common::ByteImage known_, earlier_;
};

common::RegisterFile registersOf(const RecordedJob& recorded) {
  common::RegisterFile file(kRegisterTable);
  for (const auto& [row, value] : recorded.registers) file.poke(row, value);
  return file;
}

void run(const RecordedJob& recorded, Engine& engine, RecordedMemory& memory, RecordedJob& again) {
  memory.begin(again, recorded.read);
  again.address = recorded.address;
  again.at = recorded.at;
  JobResult result =
      engine.run(configurationOf(registersOf(recorded)), recorded.address, recorded.at);
  if (result.descriptor_read) (void)engine.complete(recorded.address, result);
  recordEnd(again, engine, result);
  engine.retire(result);
}

}  // namespace

void recordBegin(RecordedJob& job, Engine& engine, const common::RegisterFile& registers,
                 std::uint64_t address, Clock at) {
  for (std::size_t row = 0; row < kConfigurationRows.size(); ++row)
    job.registers.emplace_back(row, registers.peek(row));
  job.address = address;
  job.at = at;
  common::StateArchive state;
  engine.state(state);
  job.state = state.bytes();
}

void recordMove(RecordedJob& job, bool write, std::uint64_t address,
                std::span<const std::uint8_t> bytes) {
  if (write) return job.written.put(address, bytes);
  if (!job.written.knows(address, bytes.size())) job.read.putNew(address, bytes);
}

void recordEnd(RecordedJob& job, const Engine& engine, const JobResult& result) {
  job.kind = engine.jobKind();
  job.fault = static_cast<std::uint32_t>(result.fault);
  job.count = result.count;
  job.clocks = result.end - job.at;
  job.counters = engine.jobCounters();
  job.cores = engine.jobCores();
  job.traffic = engine.jobTraffic();
}

std::vector<RecordedLeaf> leavesOf(const Engine& engine, std::uint32_t object) {
  std::vector<RecordedLeaf> all;
  const render::Hull* const hull = engine.hullOf(object);
  if (hull == nullptr) return all;
  for (const render::Leaf& leaf : hull->leaves) all.push_back({leaf.at, leaf.code});
  return all;
}

std::vector<LoadedCode> codesOf(const ObjectRecording& recorded) {
  ObjectRecording again;
  RecordedMemory memory(recorded);
  Engine engine(recorded.timing, memory);
  run(recorded.hull, engine, memory, again.hull);
  std::vector<LoadedCode> codes;
  for (const auto& [number, object] : engine.objects()) {
    codes.resize(number + std::size_t{1});
    codes[number] = object->code();
  }
  for (LoadedCode& code : codes)
    if (!code.tape && !code.program) code.program.emplace();
  return codes;
}

bool runsRows(const ObjectRecording& recorded) {
  return configurationOf(registersOf(recorded.hull)).settings.compact;
}

ObjectRecording replay(const ObjectRecording& recorded, const ShowUnit& before,
                       const ShowUnit& after) {
  ObjectRecording again;
  RecordedMemory memory(recorded);
  Engine engine(recorded.timing, memory);
  if (before) before(engine);
  run(recorded.hull, engine, memory, again.hull);
  again.leaves = leavesOf(engine, recorded.object);
  common::StateArchive state(recorded.traced.state);
  try {
    engine.state(state);
    if (!state.atEnd()) throw common::StateError("there are bytes behind it");
  } catch (const common::StateError& e) {
    throw common::RecordError("the unit's state before the second job: " + std::string(e.what()) +
                              ", expected that of these hulls");
  }
  run(recorded.traced, engine, memory, again.traced);
  if (after) after(engine);
  return again;
}

}  // namespace rtvp::implicit::unit
