// See engine.hpp.
#include "models/implicit/unit/engine.hpp"

#include <algorithm>
#include <utility>

#include "models/implicit/unit/engine_job.hpp"
#include "models/implicit/unit/hull_stage.hpp"
#include "models/implicit/unit/words.hpp"

namespace rtvp::implicit::unit {

Engine::Engine(const Timing& timing, Memory& memory, Ahead ahead)
    : timing_(timing),
      port_(memory, timing.port_bytes),
      cores_(timing, port_),
      ahead_(std::move(ahead)) {
  timing.check();
  totals_.cores.resize(timing.cores);
}

// ---- a job from start to end

JobResult Engine::run(const Configuration& configuration, std::uint64_t address, Clock at) {
  Job job{configuration, address, at, {}, {}};
  begin_ = at;
  kind_ = 0;
  counters_ = {};
  port_.clear();
  cores_.clear();
  cores_.idleUntil(at);
  now_ = &job.clock;
  try {
    read(job);
    dispatch(job);
    job.clock = std::max(job.clock, cores_.drain());
  } catch (const JobFault& fault) {
    for (const Core& core : cores_.all()) job.clock = std::max(job.clock, core.now());
    cores_.cancel();
    job.result.fault = fault.fault;
    job.result.object = fault.object;
    job.result.position = fault.position;
    job.result.address = fault.address;
    job.result.text = fault.what();
  }
  job.result.end = last_ = job.clock;
  now_ = nullptr;
  return job.result;
}

bool Engine::complete(std::uint64_t address, JobResult& result) {
  std::vector<std::uint8_t> words(job::kBytes - job::kResult);
  const bool fault = result.fault != Fault::None;
  putWord(words.data(), 0,
          (fault ? job::kFaulted : job::kDone) | static_cast<std::uint32_t>(result.fault) << 8U);
  putWord(words.data(), 4, result.object);
  putWord(words.data(), 8, result.position);
  putWord(words.data(), 12, fault ? 0 : result.count);
  try {
    result.end = port_.write(Traffic::Jobs, address + job::kResult, words, result.end).end;
  } catch (const JobFault& e) {
    if (!fault) {
      result.fault = e.fault;
      result.address = e.address;
      result.text = e.what();
    }
    return false;
  }
  return true;
}

void Engine::retire(const JobResult& result) {
  totals_.counters += counters_;
  for (std::size_t n = 0; n < totals_.cores.size(); ++n)
    totals_.cores[n] += cores_.all()[n].counters();
  for (unsigned n = 0; n < kTraffics; ++n) {
    totals_.traffic[n].transfers += port_.totals()[n].transfers;
    totals_.traffic[n].bytes += port_.totals()[n].bytes;
  }
  totals_.front += result.end - begin_;
  ++totals_.jobs;
  totals_.faults += result.fault != Fault::None ? 1U : 0U;
  if (kind_ != 0) ++totals_.kinds[kind_ - 1];
  if (job_observer_) job_observer_({kind_, cores_.sum().worked()});
}

void Engine::abort() {
  now_ = nullptr;
  cores_.cancel();
  port_.release();
}

void Engine::flush() {
  store_.clear();
  cores_.flush();
}

void Engine::reset() {
  abort();
  flush();
}

void Engine::read(Job& job) {
  Loader loader(port_, job.configuration, job.clock);
  job.clock += timing_.job_start;
  requireRoom(job.address, job::kBytes);
  job.descriptor = loader.bytes(Traffic::Jobs, job.address, job::kResult);
  job.result.descriptor_read = true;
}

void Engine::dispatch(Job& job) {
  const std::uint32_t kind = wordAt(job.descriptor.data(), job::kKind);
  if (kind < job::kHull || kind > job::kRays) refuse("unknown kind " + std::to_string(kind));
  kind_ = kind;
  for (unsigned n = job::kReserved; n < job::kEye; ++n)
    if (job.descriptor[n] != 0) refuse("reserved bytes are not 0");
  const Configuration& c = job.configuration;
  if (!c.known_stepping) throw JobFault(Fault::Mode, "MODE.STEPPING is 3");
  if (!c.known_normals) throw JobFault(Fault::Mode, "MODE.NORMALS is 3");
  if (const auto why = c.settings.fault(); !why.empty())
    throw JobFault(Fault::Mode, std::string(why));
  const std::uint64_t first = wordAt(job.descriptor.data(), job::kFirstObject);
  const std::uint64_t count = wordAt(job.descriptor.data(), job::kObjects);
  if (first + count > std::min<std::uint64_t>(c.map.objects.count, object::kMost))
    refuse("objects " + std::to_string(first) + " and " + std::to_string(count) + " more of " +
           std::to_string(c.map.objects.count));
  if (kind == job::kHull) {
    hull(job);
  } else if (kind == job::kFrame) {
    frame(job);
  } else {
    rays(job);
  }
}

// ---- HULL

void Engine::hull(Job& job) {
  const std::uint32_t first = wordAt(job.descriptor.data(), job::kFirstObject);
  const std::uint32_t count = wordAt(job.descriptor.data(), job::kObjects);
  Loader loader(port_, job.configuration, job.clock);
  HullStage stage(job.configuration, timing_, port_, cores_, store_, job.clock);
  stage.setWatch(watch_);
  const HullKey key = HullKey::of(job.configuration.settings);
  for (std::uint32_t n = first; n < first + count; ++n) {
    // Lines of what was there before are no longer good.
    store_.objects.erase(n);
    cores_.flush();
    const ObjectRecord record = loader.record(n);
    auto object = std::make_unique<LoadedObject>(record, loader.code(n, record), key);
    try {
      object->place(record);
    } catch (const render::ObjectError& e) {
      throw JobFault(Fault::Object, e.what(), n);
    }
    stage.run(*object, n, counters_);
    job.result.count += static_cast<std::uint32_t>(object->hull().leaves.size());
    store_.objects[n] = std::move(object);
  }
}

/// The objects of a FRAME or RAYS job, placed as their records say now.
std::vector<LoadedObject*> Engine::placed(Job& job) {
  const std::uint32_t first = wordAt(job.descriptor.data(), job::kFirstObject);
  const std::uint32_t count = wordAt(job.descriptor.data(), job::kObjects);
  Loader loader(port_, job.configuration, job.clock);
  const HullKey key = HullKey::of(job.configuration.settings);
  std::vector<LoadedObject*> out;
  for (std::uint32_t n = first; n < first + count; ++n) {
    const auto it = store_.objects.find(n);
    if (it == store_.objects.end() || !(it->second->key() == key))
      throw JobFault(Fault::NoHull, "no HULL job has made the object's hull for these settings", n);
    const ObjectRecord record = loader.record(n);
    LoadedObject& object = *it->second;
    const bool sloped = record.lipschitz == 0;
    if (record.kind != object.record().kind || record.number != object.record().number ||
        sloped != (object.record().lipschitz == 0))
      throw JobFault(Fault::NoHull, "the object is another than when its hull was made", n);
    try {
      if (!(record == object.record())) object.place(record);
    } catch (const render::ObjectError& e) {
      throw JobFault(Fault::Object, e.what(), n);
    }
    out.push_back(&object);
  }
  return out;
}

namespace {

FrameBuffers buffersOf(const std::uint8_t* d, bool materials) {
  FrameBuffers b;
  b.hits = wideAt(d, job::kHits);
  b.depth = wideAt(d, job::kDepth);
  b.pitch = wordAt(d, job::kPitch);
  b.left = wordAt(d, job::kLeft);
  b.top = wordAt(d, job::kTop);
  b.width = wordAt(d, job::kWidth);
  b.materials = materials;
  const std::uint64_t height = wordAt(d, job::kHeight);
  if (b.width == 0 || height == 0 || b.width * height > job::kMostPixels ||
      b.pitch > job::kMostPitch || std::uint64_t{b.left} + b.width > b.pitch ||
      b.top + height > job::kMostPitch)
    refuse("the rectangle is empty, too large or wider than the pitch");
  const std::uint64_t pixels = b.pitch * (b.top + height);
  requireRoom(b.hits, pixels * b.recordBytes());
  requireRoom(b.depth, pixels * kDepthBytes);
  return b;
}

render::Camera cameraOf(const std::uint8_t* d) {
  render::Camera camera;
  camera.eye = vectorAt(d, job::kEye);
  camera.corner = vectorAt(d, job::kCorner);
  camera.column = vectorAt(d, job::kColumn);
  camera.row = vectorAt(d, job::kRow);
  camera.cone = static_cast<double>(coneOf(d));
  if (!camera.valid()) refuse("the camera's corner, column and row span no space");
  return camera;
}

}  // namespace

// ---- FRAME

/// What the depth reads of a row will find. They are made one by one, at their time, when their
/// fragments are; the stages need the values before.
void Engine::depthRow(Job& job, const FrameBuffers& buffers, std::uint32_t row,
                      std::span<float> into) {
  const std::uint64_t address = buffers.depthAddress(row * buffers.width);
  std::vector<std::uint8_t> bytes(into.size() * kDepthBytes);
  if (!port_.memory().look(address, bytes)) {
    Loader loader(port_, job.configuration, job.clock);
    bytes = loader.bytes(Traffic::Depth, address, bytes.size());
  }
  for (unsigned n = 0; n < into.size(); ++n) into[n] = floatAt(bytes.data(), n * kDepthBytes);
}

void Engine::frame(Job& job) {
  const std::uint8_t* const d = job.descriptor.data();
  const FrameBuffers buffers = buffersOf(d, job.configuration.settings.materials);
  const render::Camera camera = cameraOf(d);
  const std::vector<LoadedObject*> objects = placed(job);
  const std::uint32_t height = wordAt(d, job::kHeight);
  std::vector<float> depth(std::size_t{buffers.width} * height);
  for (std::uint32_t row = 0; row < height; ++row)
    depthRow(job, buffers, row,
             std::span(depth).subspan(std::size_t{row} * buffers.width, buffers.width));
  render::Frame frame({buffers.left, buffers.top, buffers.width, height});
  frame.depth = std::move(depth);
  // The rasteriser draws the trimmed boxes.
  Loader loader(port_, job.configuration, job.clock);
  for (const LoadedObject* object : objects)
    if (object->extents() != nullptr)
      loader.bytes(Traffic::LeavesRead, object->extents()->first, leaf::kLeaves);
  cores_.idleUntil(job.clock);
  FrameStage stage(objects, frame, buffers, timing_, cores_, job.clock);
  stage.setWatch(watch_);
  render::renderFrame(placedOf(objects), camera, job.configuration.settings, frame, counters_,
                      stage);
  stage.finish();
  job.clock = std::max(job.clock, cores_.drain());
  writeRest(job, buffers, stage, buffers.width * height);
  for (const render::HitRecord& record : frame.hits) job.result.count += record.hit() ? 1U : 0U;
}

/// Records of misses, and what has changed in those of hits.
void Engine::writeRest(Job& job, const FrameBuffers& buffers, const FrameStage& stage,
                       std::uint32_t pixels) {
  for (std::uint32_t target = 0; target < pixels; ++target) {
    const RecordBytes rest = stage.rest(target);
    if (rest.first == rest.end) continue;
    job.clock =
        port_.write(Traffic::Hits, buffers.hitAddress(target) + rest.first, rest, job.clock).end;
  }
}

}  // namespace rtvp::implicit::unit
