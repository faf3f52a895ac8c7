// Eye rays as rectangles and all other rays as lists: what ImplicitDriver queues.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "models/implicit/unit/layout.hpp"
#include "models/implicit/unit/registers.hpp"
#include "platform/drivers/implicit/driver.hpp"

namespace rtvp::host {
namespace {

namespace iu = implicit::unit;
using scene::Vec3;

std::uint32_t word(float x) {
  return std::bit_cast<std::uint32_t>(x);
}
std::uint32_t word(double x) {
  return word(static_cast<float>(x));
}
void put(std::span<std::uint32_t> words, unsigned offset, const Vec3& v) {
  for (int axis = 0; axis < 3; ++axis) {
    words[offset / 4 + static_cast<unsigned>(axis)] = word(v[axis]);
  }
}
void put(std::span<std::uint32_t> words, unsigned offset, std::uint64_t address) {
  std::ranges::copy(halves(address), &words[offset / 4]);
}

/// A limit that hits at `t` are still below.
float limitOf(double t) {
  if (t >= kInfinity) return std::numeric_limits<float>::infinity();
  return std::nextafter(static_cast<float>(t), std::numeric_limits<float>::infinity());
}

}  // namespace

/// Which ray of the batch goes through a pixel.
struct ImplicitDriver::Grid {
  static constexpr std::size_t kNobody = ~std::size_t{0};
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<std::size_t> ray;

  Grid(std::span<const EyePosition> positions, std::span<const std::size_t> indices) {
    left = top = std::numeric_limits<int>::max();
    int right = std::numeric_limits<int>::min();
    int bottom = right;
    for (const std::size_t i : indices) {
      left = std::min(left, positions[i].column);
      right = std::max(right, positions[i].column);
      top = std::min(top, positions[i].row);
      bottom = std::max(bottom, positions[i].row);
    }
    width = right - left + 1;
    height = bottom - top + 1;
    ray.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), kNobody);
    for (const std::size_t i : indices) ray[place(positions[i].column, positions[i].row)] = i;
  }
  [[nodiscard]] std::size_t at(int column, int row) const { return ray[place(column, row)]; }

 private:
  [[nodiscard]] std::size_t place(int column, int row) const {
    return static_cast<std::size_t>(row - top) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(column - left);
  }
};

// ---- eye rays

void ImplicitDriver::traceEye(std::span<const Ray> rays, std::span<const EyePosition> positions,
                              std::span<Hit> hits) {
  rays_ = rays;
  // A frame has one sample position in all its pixels.
  std::vector<std::pair<EyePosition, std::vector<std::size_t>>> samples;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    auto it = std::find_if(samples.begin(), samples.end(), [&](const auto& sample) {
      return sample.first.x == positions[i].x && sample.first.y == positions[i].y;
    });
    if (it == samples.end()) it = samples.insert(it, {positions[i], {}});
    it->second.push_back(i);
  }
  for (const auto& sample : samples) traceSample(positions, sample.second, hits);
}

void ImplicitDriver::traceSample(std::span<const EyePosition> positions,
                                 std::span<const std::size_t> indices, std::span<Hit> hits) {
  const Grid grid(positions, indices);
  std::vector<Rectangle> rectangles;
  full(grid, grid.left, grid.top, grid.width, grid.height, rectangles);
  // As many frames at once as ring and buffers hold.
  std::size_t first = 0;
  while (first < rectangles.size()) {
    std::size_t count = 0;
    std::size_t pixels = 0;
    while (first + count < rectangles.size() && count < kRingEntries &&
           pixels + rectangles[first + count].indices.size() <= capacity_) {
      pixels += rectangles[first + count++].indices.size();
    }
    runFrames(positions, std::span(rectangles).subspan(first, count), hits);
    first += count;
  }
}

/// Rectangles that the batch fills, by halving what it fills in part.
void ImplicitDriver::full(const Grid& grid, int left, int top, int width, int height,
                          std::vector<Rectangle>& out) const {
  Rectangle rectangle{left, top, width, height, {}};
  for (int row = top; row < top + height; ++row) {
    for (int column = left; column < left + width; ++column) {
      if (const std::size_t i = grid.at(column, row); i != Grid::kNobody) {
        rectangle.indices.push_back(i);
      }
    }
  }
  if (rectangle.indices.empty()) return;
  const auto area = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  if (rectangle.indices.size() == area && area <= capacity_) {
    out.push_back(std::move(rectangle));
  } else if (width >= height) {
    full(grid, left, top, width / 2, height, out);
    full(grid, left + width / 2, top, width - width / 2, height, out);
  } else {
    full(grid, left, top, width, height / 2, out);
    full(grid, left, top + height / 2, width, height - height / 2, out);
  }
}

void ImplicitDriver::runFrames(std::span<const EyePosition> positions,
                               std::span<const Rectangle> rectangles, std::span<Hit> hits) {
  const std::uint64_t depthBase = buffers_ + capacity_ * recordBytes();
  std::size_t at = 0;
  for (const Rectangle& rectangle : rectangles) {
    Words depth;
    for (const std::size_t i : rectangle.indices) {
      depth.push_back(word(hits[i].element == scene::kNoElement
                               ? std::numeric_limits<float>::infinity()
                               : limitOf(hits[i].t)));
    }
    bus_.work(Work::EncodeWord, depth.size());
    const std::uint64_t depthAddress = depthBase + at * iu::kDepthBytes;
    bus_.writeBlock(depthAddress, depth);
    queue(frameJob(rectangle, positions[rectangle.indices.front()], buffers_ + at * recordBytes(),
                   depthAddress));
    ++counters_.frames;
    counters_.pixels += rectangle.indices.size();
    at += rectangle.indices.size();
  }
  finish("eye rays");
  at = 0;
  for (const Rectangle& rectangle : rectangles) {
    collect(buffers_ + at * recordBytes(), rectangle.indices, rectangle.indices.size(), hits);
    at += rectangle.indices.size();
  }
}

ImplicitDriver::Words ImplicitDriver::frameJob(const Rectangle& rectangle,
                                               const EyePosition& sample, std::uint64_t hits,
                                               std::uint64_t depth) const {
  namespace job = iu::job;
  Words words(job::kBytes / 4);
  words[job::kKind / 4] = job::kFrame;
  words[job::kObjects / 4] = database_.count;
  put(words, job::kHits, hits);
  put(words, job::kDepth, depth);
  // The buffers are the rectangle's own: its first pixel is the unit's (0, 0).
  words[job::kWidth / 4] = static_cast<std::uint32_t>(rectangle.width);
  words[job::kHeight / 4] = static_cast<std::uint32_t>(rectangle.height);
  words[job::kPitch / 4] = static_cast<std::uint32_t>(rectangle.width);
  const scene::Camera::Plane plane = scene_.camera.plane(scene_.width, scene_.height);
  put(words, job::kEye, scene_.camera.eye);
  put(words, job::kCorner,
      plane.corner + plane.column * (rectangle.left + sample.x) +
          plane.row * (rectangle.top + sample.y));
  put(words, job::kColumn, plane.column);
  put(words, job::kRow, plane.row);
  return words;
}

void ImplicitDriver::collect(std::uint64_t address, std::span<const std::size_t> indices,
                             std::size_t job, std::span<Hit> hits) {
  const std::size_t recordWords = recordBytes() / 4;
  Words records(indices.size() * recordWords);
  bus_.readBlock(address, records);
  bus_.work(Work::DecodeWord, records.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    take(std::span<const std::uint32_t>(records).subspan(k * recordWords, recordWords),
         hits[indices[k]]);
  }
  if (config_.jobDone) tellJobs(records, indices, job);
}

void ImplicitDriver::tellJobs(const Words& records, std::span<const std::size_t> indices,
                              std::size_t job) const {
  const std::size_t recordWords = recordBytes() / 4;
  for (std::size_t first = 0; first < indices.size(); first += job) {
    std::vector<std::uint32_t> pixels;
    std::vector<std::uint64_t> evaluations;
    for (std::size_t k = first; k < std::min(first + job, indices.size()); ++k) {
      pixels.push_back(rays_[indices[k]].pixel);
      evaluations.push_back(records[k * recordWords + iu::hit::kEvaluations / 4]);
    }
    config_.jobDone(pixels, evaluations);
  }
}

// ---- other rays

void ImplicitDriver::trace(std::span<const Ray> rays, std::span<Hit> hits) {
  rays_ = rays;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (rays[i].kind == Ray::Kind::Any && hits[i].element != scene::kNoElement) {
      ++counters_.spared;
      hits[i] = {};
      continue;
    }
    indices.push_back(i);
  }
  for (std::size_t first = 0; first < indices.size(); first += capacity_) {
    const std::size_t count = std::min(capacity_, indices.size() - first);
    runRays(rays, std::span<const std::size_t>(indices).subspan(first, count), hits);
  }
}

void ImplicitDriver::runRays(std::span<const Ray> rays, std::span<const std::size_t> indices,
                             std::span<Hit> hits) {
  namespace job = iu::job;
  const std::uint64_t listBase = buffers_ + capacity_ * recordBytes();
  Words list;
  list.reserve(indices.size() * iu::ray::kBytes / 4);
  for (const std::size_t i : indices) {
    const Words record = rayRecord(rays[i], hits[i]);
    list.insert(list.end(), record.begin(), record.end());
    counters_.anyRays += rays[i].kind == Ray::Kind::Any ? 1U : 0U;
  }
  counters_.rays += indices.size();
  bus_.work(Work::EncodeWord, list.size());
  bus_.writeBlock(listBase, list);
  // Jobs of equal size, so many that the ring holds them.
  const std::size_t size =
      std::max<std::size_t>(config_.jobRays, (indices.size() + kRingEntries - 1) / kRingEntries);
  for (std::size_t first = 0; first < indices.size(); first += size) {
    Words words(job::kBytes / 4);
    words[job::kKind / 4] = job::kRays;
    words[job::kObjects / 4] = database_.count;
    put(words, job::kHits, buffers_ + first * recordBytes());
    put(words, job::kRayList, listBase + first * iu::ray::kBytes);
    words[job::kRayCount / 4] = static_cast<std::uint32_t>(std::min(size, indices.size() - first));
    queue(words);
  }
  finish("rays");
  collect(buffers_, indices, size, hits);
}

ImplicitDriver::Words ImplicitDriver::rayRecord(const Ray& ray, const Hit& other) const {
  Words words(iu::ray::kBytes / 4);
  put(words, iu::ray::kOrigin, ray.origin);
  put(words, iu::ray::kDirection, ray.direction);
  const double reach = other.element == scene::kNoElement ? ray.tmax : std::min(other.t, ray.tmax);
  words[iu::ray::kTmax / 4] = word(limitOf(reach));
  words[iu::ray::kFlags / 4] = ray.kind == Ray::Kind::Any ? iu::ray::kAny : 0;
  return words;
}

}  // namespace rtvp::host
