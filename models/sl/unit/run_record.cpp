// See run_record.hpp: listening to a run, and running it again.
#include "models/sl/unit/run_record.hpp"

#include <algorithm>
#include <bit>
#include <boost/endian/conversion.hpp>
#include <map>
#include <utility>

#include "models/common/core/text.hpp"

namespace rtvp::sl::unit {
namespace {

std::uint64_t surfaceAddress(const CoreAddresses& at, std::uint32_t number) {
  return at.surfaces + std::uint64_t{4} * surface::kWords * number;
}

TextureSlot textureOf(std::span<const std::uint32_t> surfaceWords, unsigned n) {
  const auto words = surfaceWords.subspan(surface::kTextures + n * surface::kTextureWords);
  return {words[0] | std::uint64_t{words[1]} << 32U, words[2] & 0xFFFFU, words[2] >> 16U,
          static_cast<Format>(words[3])};
}

/// The unit's memory in the replay: each transfer as the segment under way had it.
class RecordedPort final : public MemoryPort {
 public:
  explicit RecordedPort(const RunRecord& record) : record_(record) {}

  void begin(std::size_t segment, const std::array<std::uint32_t, surface::kWords>& surfaceWords) {
    segment_ = &record_.segments[segment];
    number_ = segment;
    surfaceWords_ = surfaceWords;
    writes_ = texels_ = 0;
  }
  Clock read(std::uint64_t address, std::span<std::uint32_t> words, Clock at) override {
    if (words.size() == request::kWords &&
        address == record_.at.requests + std::uint64_t{4} * request::kWords * number_) {
      words[request::kSlot] = record_.slot;
      words[request::kKind] = number_ == 0 ? request::kStart : request::kResume;
      words[request::kSurface] = record_.surface;
      return at + segment_->requestTook;
    }
    if (words.size() == surface::kWords && address == surfaceAddress(record_.at, record_.surface)) {
      std::copy(surfaceWords_.begin(), surfaceWords_.end(), words.begin());
      return at + tookOf(address, 0);
    }
    if (words.size() == 1) return texel(address, words[0], at);
    // A run that was set aside goes on as it was set aside here.
    if (const auto own = written_.find(address);
        own != written_.end() && own->second.size() == words.size()) {
      std::copy(own->second.begin(), own->second.end(), words.begin());
      return at + tookOf(address, 0);
    }
    for (const RunMove& move : segment_->reads) {
      if (move.address != address) continue;
      // Another program may read less or more of its slot.
      for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = i < move.words.size() ? move.words[i] : 0;
      return at + move.took;
    }
    return kBusError;
  }
  Clock write(std::uint64_t address, std::span<const std::uint32_t> words, Clock at) override {
    written_[address].assign(words.begin(), words.end());
    return at + (writes_ < segment_->writes.size() ? segment_->writes[writes_++] : 0);
  }

 private:
  [[nodiscard]] Clock tookOf(std::uint64_t address, Clock otherwise) const {
    for (const RunMove& move : segment_->reads)
      if (move.address == address) return move.took;
    return otherwise;
  }
  /// The n-th texel as the n-th then. Elsewhere: from the textures, and as long as the longest.
  Clock texel(std::uint64_t address, std::uint32_t& word, Clock at) {
    std::array<std::uint8_t, 4> bytes{};
    if (!record_.textures.get(address, bytes)) return kBusError;
    word = boost::endian::load_little_u32(bytes.data());
    const std::vector<RunTexel>& recorded = segment_->texels;
    const std::size_t n = texels_++;
    if (n < recorded.size() && recorded[n].address == address) return at + recorded[n].took;
    Clock longest = 0;
    for (const RunTexel& t : recorded) longest = std::max(longest, t.took);
    return at + longest;
  }

  const RunRecord& record_;
  const RunSegment* segment_ = nullptr;
  std::size_t number_ = 0;
  std::array<std::uint32_t, surface::kWords> surfaceWords_{};
  std::size_t writes_ = 0, texels_ = 0;
  std::map<std::uint64_t, std::vector<std::uint32_t>> written_;
};

}  // namespace

RunRecorder::RunRecorder(const ShadingCore& core, Wanted wanted, Look look, Ends ends)
    : core_(core), wanted_(std::move(wanted)), look_(std::move(look)), ends_(std::move(ends)) {}

void RunRecorder::begins(const Begin& request) {
  if (!listening_) {
    if (request.kind != request::kStart || !wanted_(request.slot)) return;
    listening_ = true;
    setUp(request);
  }
  if (request.slot == record_.slot) record_.segments.push_back({request.took, {}, {}, {}, {}});
}

void RunRecorder::setUp(const Begin& request) {
  record_.slot = request.slot;
  record_.surface = request.surface;
  record_.at = core_.addresses();
  record_.programWords = core_.programWords();
  record_.cycles = core_.config().cycles;
  std::array<std::uint8_t, std::size_t{4} * surface::kWords> bytes{};
  if (!look_ || !look_(surfaceAddress(record_.at, request.surface), bytes)) return;
  for (unsigned n = 0; n < surface::kWords; ++n)
    record_.surfaceWords[n] = boost::endian::load_little_u32(bytes.data() + std::size_t{4} * n);
  const std::uint32_t start = record_.surfaceWords[surface::kProgramStart];
  const std::uint32_t count = record_.surfaceWords[surface::kProgramCount];
  if (start > core_.programWords() || count > core_.programWords() - start) return;
  std::vector<std::uint64_t> words;
  for (std::uint32_t n = 0; n < count; ++n) words.push_back(core_.stored(start + n));
  const bool branch = (record_.surfaceWords[surface::kFlags] & 1U) != 0;
  try {
    record_.program.emplace(words, branch ? OffsetBase::Branch : OffsetBase::Next);
  } catch (const LoadError&) {
    return;  // the unit finds it, too
  }
  takeTextures();
}

/// All texels of the slots that the program names, whichever it then reads.
void RunRecorder::takeTextures() {
  for (unsigned n = 0; n < kTextureSlots; ++n) {
    const TextureSlot slot = textureOf(record_.surfaceWords, n);
    if ((record_.program->textureMask() >> n & 1U) == 0 || slot.format == Format::None) continue;
    const std::uint64_t faces = slot.format == Format::Cube ? 6 : 1;
    const std::uint64_t bytes = 4 * faces * slot.width * slot.height;
    if (record_.textures.bytes() + bytes > kMostTextureBytes) {
      return ends_.refuse("its textures have more than " +
                          std::to_string(kMostTextureBytes >> 20U) +
                          " MiB, expected a surface with smaller ones");
    }
    std::vector<std::uint8_t> texels(bytes);
    if (look_(slot.address, texels)) record_.textures.put(slot.address, texels);
  }
}

void RunRecorder::moved(std::uint32_t slot, bool write, std::uint64_t address,
                        std::span<const std::uint32_t> words, Clock took) {
  if (!mine(slot)) return;
  RunSegment& segment = record_.segments.back();
  if (write) {
    segment.writes.push_back(took);
  } else {
    segment.reads.push_back({address, {words.begin(), words.end()}, took});
  }
}

void RunRecorder::texel(std::uint32_t slot, std::uint64_t address, Clock took) {
  if (mine(slot)) record_.segments.back().texels.push_back({address, took});
}

void RunRecorder::ends(const End& end) {
  if (!mine(end.slot)) return;
  SegmentEnd& segment = record_.segments.back().end;
  std::copy_n(end.result.begin(), segment.result.size(), segment.result.begin());
  segment.result[result::kSlot] = 0;
  segment.spent = end.spent;
  if (end.vm != nullptr) {
    record_.registers = end.vm->registers();
    record_.instructions = end.vm->instructions();
  }
  if (segment.result[result::kKind] == result::kTrace) return;
  listening_ = false;
  ends_.done(std::move(record_));
}

// ---- again

RunRecord replay(const RunRecord& record, const Program* program) {
  const Program& running = program != nullptr ? *program : record.program.value();
  CoreConfig config;
  config.pipelines = 1;
  config.programWords = std::max(record.programWords, running.size());
  config.cacheLines = 0;  // each texel is a transfer: the record says which were at hand
  config.cycles = record.cycles;
  ShadingCore core(config);
  auto surfaceWords = record.surfaceWords;
  surfaceWords[surface::kProgramStart] = 0;
  surfaceWords[surface::kProgramCount] = running.size();
  surfaceWords[surface::kFlags] = running.base() == OffsetBase::Branch ? 1 : 0;
  core.store(0, running.words());
  RunRecord again;
  bool over = false;
  RunRecorder recorder(core, [](std::uint32_t) { return true; }, {},
                       {[&](RunRecord found) {
                          again = std::move(found);
                          over = true;
                        },
                        {}});
  core.setRunProbe(recorder.probe());
  RecordedPort port(record);
  CoreAddresses at = record.at;
  at.entries = static_cast<std::uint32_t>(record.segments.size());
  Clock now = 0;
  for (std::size_t n = 0; n < record.segments.size() && !over; ++n) {
    core.flush();  // the surface is read again: the record says whether that took time
    port.begin(n, surfaceWords);
    now = core.run(at, static_cast<std::uint32_t>(n + 1), port, now);
  }
  if (!over) again.moment = "asks for more rays than were answered";
  core.setRunProbe(nullptr);
  return again;
}

common::RecordDifferences differences(const RunRecord& found, const RunRecord& recorded) {
  common::RecordDifferences d;
  if (!found.moment.empty()) d.add(found.moment);
  d.compare("instructions", found.instructions, recorded.instructions);
  d.compare("requests", found.segments.size(), recorded.segments.size());
  const auto number = [&](const std::string& what, auto a, auto b) { d.compare(what, a, b); };
  for (std::size_t n = 0; n < std::min(found.segments.size(), recorded.segments.size()); ++n) {
    const SegmentEnd &a = found.segments[n].end, &b = recorded.segments[n].end;
    const std::string request = "request " + std::to_string(n) + ": ";
    number(request + "instructions", a.spent.instructions, b.spent.instructions);
    number(request + "clocks executing", a.spent.busy, b.spent.busy);
    number(request + "clocks for the request", a.spent.stallRequest, b.spent.stallRequest);
    number(request + "clocks for texels", a.spent.stallTexture, b.spent.stallTexture);
    number(request + "clocks for the result", a.spent.stallResult, b.spent.stallResult);
    for (unsigned w = 1; w < result::kWords; ++w)
      if (a.result[w] != b.result[w])
        d.add(request + "word " + std::to_string(w) + " of the result: " +
              common::hex(a.result[w], 8) + ", recorded " + common::hex(b.result[w], 8));
  }
  for (const RegisterInfo& row : kRegisters) {
    const auto bits = [&](const Registers& r) {
      if (isScalar(row.id)) return common::hex(std::bit_cast<std::uint32_t>(r.scalar(row.id)), 8);
      const Vec3& v = r.vector(row.id);
      return common::hex(std::bit_cast<std::uint32_t>(v.x), 8) + " " +
             common::hex(std::bit_cast<std::uint32_t>(v.y), 8) + " " +
             common::hex(std::bit_cast<std::uint32_t>(v.z), 8);
    };
    const std::string a = bits(found.registers), b = bits(recorded.registers);
    if (a != b) d.add("register " + std::string(row.name) + ": " + a + ", recorded " + b);
  }
  return d;
}

}  // namespace rtvp::sl::unit
