// The XPHMG_RT core on damaged memory: jobs, single operations and batch lines. Whatever the
// descriptor, rings, tiles, ranges and operands are: it ends, writes only into its rings and
// indices, answers with error code 0, 1 or 2, and the vector path does what the plain path does.
#include <cstring>
#include <memory>
#include <sstream>

#include "models/xphmg/cap.hpp"
#include "models/xphmg/inline_op.hpp"
#include "models/xphmg/tools/runner.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/models/xphmg/job_scene.hpp"

namespace {

using namespace rtvp;  // NOLINT(google-build-using-namespace): a program about this namespace
using xphmg::test::JobScene;

/// Bytes of the input, then zeros.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  std::uint64_t word(unsigned bytes) {
    std::uint64_t w = 0;
    for (unsigned i = 0; i < bytes; ++i) w |= std::uint64_t{byte()} << 8U * i;
    return w;
  }
  [[nodiscard]] bool left() const { return at_ < size_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// Refuses everything after a number of accesses, so that every run is short; checks writes.
class WatchedPort final : public xphmg::MemoryPort {
 public:
  explicit WatchedPort(xphmg::test::BlockMemory& memory) : memory_(memory) {}
  const std::uint8_t* read(xphmg::AccessKind kind, std::uint64_t address, unsigned size) override {
    if (++accesses_ > 4000) return nullptr;
    const std::uint8_t* const at = memory_.read(kind, address, size);
    if (at == nullptr) return nullptr;
    if (kind == xphmg::AccessKind::QueueHeader) rings_.push_back({address, xphmg::decodeQueue(at)});
    // A copy: what the core does with the bytes before the next call must not reach further.
    copy_ = std::make_unique<std::uint8_t[]>(size);
    std::memcpy(copy_.get(), at, size);
    return copy_.get();
  }
  bool write(xphmg::AccessKind kind, std::uint64_t address, const std::uint8_t* bytes,
             unsigned size) override {
    if (++accesses_ > 4000) return false;
    fuzz::require(allowed(kind, address, size), "a write outside of rings and indices");
    return memory_.write(kind, address, bytes, size);
  }

 private:
  struct Ring {
    std::uint64_t header;
    xphmg::Queue queue;
  };
  [[nodiscard]] bool allowed(xphmg::AccessKind kind, std::uint64_t address, unsigned size) const {
    if (kind == xphmg::AccessKind::QueueIndex) {
      for (const Ring& r : rings_) {
        if ((address == r.header || address == r.header + 4) && size == 4) return true;
      }
      return false;
    }
    const std::size_t n = kind == xphmg::AccessKind::Hit ? 1 : 2;
    if (n >= rings_.size()) return false;
    const std::uint64_t offset = address - rings_[n].queue.base;
    return offset % size == 0 && offset / size < rings_[n].queue.cap;
  }

  xphmg::test::BlockMemory& memory_;
  std::vector<Ring> rings_;
  std::unique_ptr<std::uint8_t[]> copy_;
  unsigned accesses_ = 0;
};

/// MODE, ALT and EXC words as they come.
xphmg::Precision policy(Input& input, xphmg::Stickies& stickies) {
  xphmg::CapPrecision cap;
  cap.writeMode(input.word(4) | xphmg::cap::kApply);
  const std::uint64_t alt = input.word(4);
  if ((alt & 1U) != 0) cap.writeAlt(alt | xphmg::cap::kApply);
  (void)cap.stat();
  return cap.rtPrecision(stickies);
}

constexpr xphmg::Format kFormats[] = {
    xphmg::Format::Fp16,  xphmg::Format::Fp32,  xphmg::Format::Bf16,    xphmg::Format::Int8,
    xphmg::Format::Int16, xphmg::Format::Int32, xphmg::Format::Fp8E4m3, xphmg::Format::Fp8E5m2};

/// Section 12's scene, patched.
std::unique_ptr<JobScene> damagedScene(Input& input) {
  auto scene = std::make_unique<JobScene>(kFormats[input.byte() % 8U]);
  const std::uint8_t how = input.byte();
  if ((how & 1U) != 0) {
    xphmg::Stickies stickies;
    const xphmg::Format kept = scene->state.precision.format;
    scene->state.precision = policy(input, stickies);
    if ((how & 2U) != 0) scene->state.precision.format = kept;
  }
  if ((how & 4U) != 0) scene->state.rtcap = input.byte();
  if ((how & 8U) != 0) {
    scene->state.rtcfg = input.word(2);
    scene->state.rtconf2 = input.word(2);
  }
  scene->state.literal88 = (how & 16U) != 0;
  scene->state.edgeInclusive = (how & 32U) != 0;
  encodeDesc(scene->desc, scene->at(JobScene::kDesc));
  while (input.left()) {
    const std::uint64_t offset = input.word(2) % (scene->memory.bytes().size() - 8);
    const unsigned n = input.byte() % 8U + 1U;
    for (unsigned i = 0; i < n; ++i) scene->memory.bytes()[offset + i] = input.byte();
  }
  return scene;
}

void fuzzJob(Input& input) {
  const std::unique_ptr<JobScene> scene = damagedScene(input);
  xphmg::test::BlockMemory plain_memory = scene->memory.copy();
  WatchedPort port(scene->memory), plain_port(plain_memory);
  const auto run = [&](bool plain, WatchedPort& to) {
    xphmg::JobState state = scene->state;
    state.plain = plain;
    return xphmg::Job(state, JobScene::kDesc).run(static_cast<xphmg::MemoryPort&>(to));
  };
  const xphmg::JobResult a = run(false, port), b = run(true, plain_port);
  fuzz::require(a.errorCode <= 2, "an error code above 2");
  fuzz::require((a.stickies.stat & ~0xF000U) == 0 && (a.stickies.exc & ~0x7FU) == 0,
                "stickies outside their fields");
  fuzz::require(a.errorCode == b.errorCode && a.stickies == b.stickies && a.tiles == b.tiles &&
                    a.triangles == b.triangles && a.faultAddress == b.faultAddress,
                "vector and plain path differ");
  fuzz::require(scene->memory.bytes() == plain_memory.bytes(), "vector and plain memory differ");
}

void fuzzInline(Input& input) {
  const auto imm12 = static_cast<std::uint32_t>(input.word(2) & 0xFFFU);
  const unsigned lane = input.byte() % 32U;
  const std::uint64_t node = input.word(2), range = input.word(2);
  const std::unique_ptr<JobScene> scene = damagedScene(input);
  WatchedPort port(scene->memory), other(scene->memory);
  xphmg::InlineState state;
  state.precision = scene->state.precision;
  state.rtcap = scene->state.rtcap;
  state.rtcfg = scene->state.rtcfg;
  state.rtconf2 = scene->state.rtconf2;
  state.rtbase = JobScene::kTris;
  state.rtnode = JobScene::kBase + node;
  state.rttri = JobScene::kBase + range;
  state.literal88 = scene->state.literal88;
  for (const std::uint32_t imm : {imm12, imm12 & 0xFU}) {
    const xphmg::InlineResult box = executeBbox(state, imm, JobScene::kRays, lane, port);
    const xphmg::InlineResult tri = executeTri(state, imm, JobScene::kRays + lane, lane, other);
    for (const xphmg::InlineResult* r : {&box, &tri}) {
      fuzz::require(r->errorCode <= 2 && r->registers <= 4, "a result out of range");
      fuzz::require(r->status == xphmg::InlineStatus::Done || r->registers == 0,
                    "a failed operation writes registers");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  Input input(data, size);
  const std::uint8_t mode = input.byte();
  if (mode == 'j') {
    fuzzJob(input);
  } else if (mode == 'i') {
    fuzzInline(input);
  } else {
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    std::ostringstream out;
    xphmg::runBatch(in, out);
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  std::vector<std::string> list;
  for (char format = 0; format < 8; ++format) {
    list.push_back(std::string("j") + format + '\0');
    list.push_back(std::string("i\4\0\0\0\x10\x40\x10", 8) + format + '\0');
    // Root of a cycle; then a policy and other capabilities.
    list.push_back(std::string("j") + format + std::string("\0\x3c\x10\3\5\0\0\0", 8));
    list.push_back(std::string("j") + format +
                   std::string("\x0f\0\0\x9a\0\1\0\0\x44\x3f\xff\xff\xff\3\x28\x40\1\x0d\1", 19));
  }
  list.push_back(
      R"({"op":"bbox","format":"fp16","flags":4,"ray":["3400","3400","0000","0000","0000","3c00","0000","5640"],)"
      R"("boxes":[["0000","0000","3c00","3c00","3c00","3c00"],null]})"
      "\n");
  list.push_back(
      R"({"op":"tri","format":"int8","zp":3,"sh":-2,"ray":["04","04","03","03","03","07","03","7f"],)"
      R"("tris":[["03","03","07","03","07","07","07","03","07"]],"first":4294967295})"
      "\n");
  list.push_back(
      R"({"op":"offload","mem":[["80000000","0000000000000000"]],"desc":"80000000","read":[["80000000",4]],"csr":{"RTBASE":"0"}})"
      "\n");
  return list;
}

}  // namespace rtvp::fuzz
