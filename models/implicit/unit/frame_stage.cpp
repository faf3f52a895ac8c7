// See frame_stage.hpp.
#include "models/implicit/unit/frame_stage.hpp"

#include <bit>

#include "models/implicit/unit/words.hpp"

namespace rtvp::implicit::unit {

RecordBytes recordOf(const render::HitRecord& record, bool materials) {
  RecordBytes out;
  std::uint8_t* const bytes = out.bytes.data();
  putWord(bytes, hit::kObject, record.hit() ? record.object : kNone);
  putWord(bytes, hit::kStatus,
          (record.hit() ? hit::kHit : 0U) | (record.capped ? hit::kCapped : 0U) |
              (record.undefined ? hit::kNan : 0U));
  putWord(bytes, hit::kEvaluations, record.evaluations);
  out.end = hit::kMissBytes;
  if (!record.hit()) return out;
  putWord(bytes, hit::kSdf, record.shape);
  putFloat(bytes, hit::kT, record.t);
  for (unsigned n = 0; n < 3; ++n) putFloat(bytes, hit::kNormal + 4 * n, record.normal[n]);
  out.end = hit::kBytes;
  if (!materials) return out;
  for (unsigned n = 0; n < record.material.size(); ++n)
    putFloat(bytes, hit::kMaterial + 4 * n, record.material[n]);
  out.end = hit::kMaterialBytes;
  return out;
}

FrameStage::FrameStage(std::span<LoadedObject* const> objects, const render::Frame& frame,
                       const FrameBuffers& buffers, const Timing& timing, Cores& cores,
                       Clock& clock)
    : objects_(objects),
      frame_(frame),
      buffers_(buffers),
      timing_(timing),
      cores_(cores),
      clock_(clock),
      depth_reads_(buffers.width),
      stored_(frame.hits.size()) {}

void FrameStage::object(std::uint32_t number) {
  flushTraces();
  object_ = objects_[number];
}

void FrameStage::leaf(const render::LeafEvent& event) {
  flushTraces();
  clock_ += Clock{timing_.face_setup} * event.faces;
  leaf_ = event.leaf;
}

void FrameStage::countFragment() {
  if (timing_.raster_rate == 0 || ++rasterised_ < timing_.raster_rate) return;
  rasterised_ = 0;
  ++clock_;
}

/// What a warp will need of a fragment.
inline void FrameStage::note(const render::TraceEvent& event) {
  countFragment();
  // Without the early test depth is read for hits only, when it is due.
  const bool hit = event.outcome == render::Outcome::Hit || event.nearest;
  if (event.depth_read || hit) depth_reads_.add(event.target);
  leaf_ = event.leaf;
  if (!event.rejected) lanes_.push_back({object_, event.code, Flavour::Point, event.evaluations});
}

void FrameStage::trace(const render::TraceEvent& event) {
  note(event);
  if (lanes_.size() == timing_.lanes) flushTraces();
}

/// All but the one that fills the warp: until then a fragment is only noted (the invariant).
/// trace() of one after the other is the plain twin, which runs where somebody watches.
std::size_t FrameStage::traces(std::span<const render::TraceEvent> events) {
  std::size_t taken = 0;
  for (; taken < events.size(); ++taken) {
    if (!events[taken].rejected && lanes_.size() + 1 == timing_.lanes) break;
    note(events[taken]);
  }
  return taken;
}

void FrameStage::readDepth(Warp& warp) {
  for (const PixelRange& range : depth_reads_.take())
    warp.before.push_back({Traffic::Depth, false, false, buffers_.depthAddress(range.first), 0,
                           range.count * kDepthBytes});
}

void FrameStage::flushTraces() {
  if (lanes_.empty() && depth_reads_.empty()) return;
  Warp warp;
  warp.ready = clock_;
  warp.start = timing_.warp_start;
  readDepth(warp);
  if (!lanes_.empty()) {
    SetupReads reads;
    reads.add(*object_, leaf_, lanes_[0].code);
    reads.addSlope(*object_, leaf_);
    reads.moveInto(warp);
    addRuns(warp, lanes_, timing_, timing_.step);
  }
  lanes_.clear();
  cores_.push(std::move(warp));
}

void FrameStage::shade(const render::ShadeEvent& event) {
  if (event.gradient_evaluations != 0) shade_reads_.add(*object_, leaf_, event.gradient_code);
  if (event.normal_evaluations != 0) shade_reads_.add(*object_, leaf_, event.normal_code);
  if (event.material_evaluations != 0) shade_reads_.add(*object_, leaf_, event.material_code);
  shades_.push_back(
      {{object_, event.gradient_code, Flavour::Gradient, event.gradient_evaluations},
       {object_, event.normal_code, Flavour::Point, event.normal_evaluations},
       {object_, event.material_code, Flavour::Material, event.material_evaluations}});
}

void FrameStage::store(std::uint32_t target) {
  std::array<std::uint8_t, kDepthBytes> depth{};
  putFloat(depth.data(), 0, frame_.depth[target]);
  shade_warp_.move(shade_warp_.after, Traffic::Depth, true, buffers_.depthAddress(target), depth);
  const RecordBytes record = recordOf(frame_.hits[target], buffers_.materials);
  shade_warp_.move(shade_warp_.after, Traffic::Hits, true, buffers_.hitAddress(target), record);
  stored_[target] = {wordAt(record.bytes.data(), hit::kStatus),
                     wordAt(record.bytes.data(), hit::kEvaluations)};
  if (shades_.size() >= timing_.lanes) flushShades();
}

RecordBytes FrameStage::rest(std::uint32_t target) const {
  RecordBytes record = recordOf(frame_.hits[target], buffers_.materials);
  const Stored& stored = stored_[target];
  if (stored.status == 0) return record;
  record.first = record.end = hit::kStatus;
  if (stored.status != wordAt(record.bytes.data(), hit::kStatus) ||
      stored.evaluations != wordAt(record.bytes.data(), hit::kEvaluations))
    record.end = hit::kSdf;
  return record;
}

void FrameStage::side(std::uint32_t object, std::uint32_t) {
  Warp warp;
  warp.ready = clock_;
  warp.start = timing_.warp_start;
  const LaneWork work{objects_[object], 0, Flavour::Point, 1};
  addRuns(warp, std::span(&work, 1), timing_, 0);
  cores_.push(std::move(warp));
}

void FrameStage::flushShades() {
  if (shades_.empty() && shade_warp_.after.empty()) return;
  // A hit's trace comes before its shading.
  flushTraces();
  Warp warp = std::move(shade_warp_);
  shade_warp_ = {};
  warp.ready = clock_;
  warp.start = timing_.warp_start;
  shade_reads_.moveInto(warp);
  for (const auto work : {&Shade::gradient, &Shade::normal, &Shade::material}) {
    work_.clear();
    for (const Shade& shade : shades_) work_.push_back(shade.*work);
    addRuns(warp, work_, timing_, 0);
  }
  shades_.clear();
  cores_.pushOrdered(std::move(warp));
}

void FrameStage::finish() {
  flushTraces();
  flushShades();
}

}  // namespace rtvp::implicit::unit
