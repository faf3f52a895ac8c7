#include "platform/drivers/theia/driver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "platform/raytree/tree_pause.hpp"

namespace rtvp::host {
namespace {

namespace unit = rtvp::theia::unit;
using scene::Vec3;
using theia::reg;
using theia::Vec;
using theia::Word;

constexpr std::size_t kWordsPerTriangle = unit::kTriangleBytes / 4;
constexpr std::size_t kTrianglesPerWrite = 12;  // fewer words than the bus takes at a time
constexpr std::uint32_t kWordsPerEyePixel = 9;  // colour, and the plane of hits
constexpr std::uint32_t kHitWords = 6;
constexpr std::uint32_t kWordsPerRay = 6;  // in texture memory
constexpr std::uint32_t kResultWords = kHitWords;
constexpr int kLongestRow = 16383;  // CREG_RESOLUTION is fixed point

constexpr std::uint32_t kReset = 1, kRendren = 2, kHda = 4, kCommit = 8, kFault = 8;

/// The hit that `words` of a plane of hits mean (index + 1, t, u, v), t being scaled already.
Hit machineHit(const TheiaPiece& piece, const std::uint32_t* words, double t) {
  const double k = piece.enlarged;
  const auto [u, v] = piece.inElement(k * fromFixed(words[2]), k * fromFixed(words[3]));
  return {piece.element, t, true, u, v};
}
Word whole(int value) {
  return static_cast<Word>(value) << theia::kFractionBits;
}
Vec fixedVec(const Vec3& v) {
  return {toFixed(v.x), toFixed(v.y), toFixed(v.z)};
}
void push(std::vector<std::uint32_t>& words, const Vec& v) {
  words.insert(words.end(), {v.x, v.y, v.z});
}

/// `to`, but `k` times as far from `from`.
Word away(Word from, Word to, double k) {
  return toFixed(fromFixed(from) + (fromFixed(to) - fromFixed(from)) * k);
}

/// Whether the texture coordinates of an enlarged triangle fit the number format.
bool inReach(const std::array<Vec, 3>& uv, double k) {
  constexpr double kMost = 8000;
  return std::all_of(uv.begin() + 1, uv.end(), [&](const Vec& corner) {
    return k * std::abs(fromFixed(corner.x) - fromFixed(uv[0].x)) < kMost &&
           k * std::abs(fromFixed(corner.y) - fromFixed(uv[0].y)) < kMost;
  });
}

/// How far the eye is from the box around the scene, less a hundredth; inside it, a ten thousandth
/// of its diagonal: no surface that a picture shows is nearer.
double emptyDistance(const scene::Scene& scene) {
  const scene::Bounds box = scene.bounds();
  if (box.empty()) return 0;
  Vec3 gap;
  for (int axis = 0; axis < 3; ++axis) {
    gap[axis] = std::max(
        {0.0, box.lo[axis] - scene.camera.eye[axis], scene.camera.eye[axis] - box.hi[axis]});
  }
  return std::max(0.99 * scene::length(gap), 1e-4 * box.diagonal());
}

}  // namespace

TheiaDriver::TheiaDriver(HostBus& bus, const scene::Scene& scene, TheiaDriverConfig config)
    : Device(bus, config.instance, "THEIA unit"),
      scene_(scene),
      config_(std::move(config)),
      unit_(bus, config_.base),
      camera_(theiaCamera(scene)),
      eyeView_(theiaEyeView(scene, camera_, config_.corners)),
      nothingBefore_(emptyDistance(scene)) {
  if (config_.crop.height % config_.cores != 0) {
    throw std::invalid_argument("TheiaDriver: the picture's height must divide by the cores");
  }
  if (std::max(eyeView_.pieces.size(), scene.elements.size()) > kTheiaMaxTriangles) {
    throw std::invalid_argument("TheiaDriver: too many triangles");
  }
  if (config_.textures == nullptr) return;
  for (TheiaPiece& piece : eyeView_.pieces) {
    const std::array<Vec, 3> uv = config_.textures->coordinates(scene, piece);
    while (piece.enlarged > 1 && !inReach(uv, piece.enlarged)) piece.enlarged /= 2;
  }
}

void TheiaDriver::start() {
  const auto expect = [this](unit::Reg reg, std::uint32_t value) {
    const std::uint32_t found = unit_.read(reg);
    if (found != value) {
      fail(std::string(reg.name()) + " is " + std::to_string(found) + ", expected " +
           std::to_string(value));
    }
  };
  expect("ID", unit::kIdValue);
  expect("CORES", static_cast<std::uint32_t>(config_.cores));
  expect("OUTPUT_WORDS", config_.outputWords);
  expect("TEXTURE_WORDS", config_.textureWords);
  // Made before the simulation, but by this computer.
  bus_.work(Work::ProjectTriangle, scene_.elements.size());
  if (config_.textures != nullptr) {
    bus_.work(Work::EncodeWord, config_.textures->words.size());
  }
}

// ---- the unit

void TheiaDriver::select(std::uint32_t cores) {
  if (selected_ == cores) return;
  selected_ = cores;
  unit_.write("SELECT", cores);
}

void TheiaDriver::writeRegisters(unsigned first, std::span<const Vec> values) {
  Words words;
  for (const Vec& v : values) {
    push(words, v);
    words.push_back(0);
  }
  if (config_.atFrame) {
    const bool one = std::has_single_bit(selected_) && config_.cores > 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      written_.push_back({one || config_.cores == 1 ? std::countr_zero(selected_) : -1,
                          static_cast<std::uint16_t>(first + i), values[i]});
    }
  }
  bus_.writeBlock(unit_.base() + unit::kRegistersWindow + std::uint64_t{16} * first, words);
}

void TheiaDriver::sendTriangles(std::uint64_t window, std::span<const std::uint32_t> words) {
  constexpr std::size_t kMost = kTrianglesPerWrite * kWordsPerTriangle;
  for (; !words.empty(); words = words.subspan(std::min(kMost, words.size()))) {
    bus_.writeBlock(unit_.base() + window, words.first(std::min(kMost, words.size())));
    bus_.yield();  // between two triangles the unit can wait for the next one
  }
}

TheiaDriver::Words TheiaDriver::readOutput(int core, std::uint32_t first, std::uint32_t count) {
  Words words(count);
  unit_.write("OUTPUT_BANK", static_cast<std::uint32_t>(core));
  bus_.readBlock(unit_.base() + unit::kOutput + std::uint64_t{4} * first, words);
  bus_.work(Work::DecodeWord, count);
  return words;
}

void TheiaDriver::configure(const Frame& frame) {
  const std::uint32_t everyone = (1U << config_.cores) - 1;
  unit_.write("CONTROL", kReset);
  select(everyone);
  Words code;
  for (const std::uint64_t instruction : *frame.program) {
    code.push_back(static_cast<std::uint32_t>(instruction >> 32U));
    code.push_back(static_cast<std::uint32_t>(instruction));
  }
  bus_.writeBlock(unit_.base() + unit::kInstructions, code);

  // CREG_LIGHT_INFO to CREG_TEXTURE_SIZE; the eye is the origin.
  writeRegisters(
      0, std::array<Vec, 6>{Vec{}, Vec{}, fixedVec(frame.windowMin), fixedVec(frame.windowMax),
                            Vec{whole(frame.width), whole(frame.height), 0},
                            Vec{whole(frame.textureSide), whole(frame.textureSide), 0}});
  if (frame.box != nullptr) {  // improved.tasm: #9, #10, #11, #19, #20
    const scene::Bounds& b = frame.box->bounds;
    const Vec middle = fixedVec((b.lo + b.hi) * 0.5);
    const Vec3 margin{1.0 / 64, 1.0 / 64, 1.0 / 64};
    const Vec half = fixedVec((b.hi - b.lo) * (0.5 * 1.001) + margin);
    writeRegisters(reg("CREG_LIGHT0"),
                   std::array<Vec, 3>{middle, Vec{0, half.z, half.y}, Vec{half.z, 0, half.x}});
    writeRegisters(19, std::array<Vec, 2>{Vec{half.y, half.x, 0}, Vec{theia::kOne, 0, 0}});
  }
  const int rows = frame.height / config_.cores;
  for (int core = 0; core < config_.cores; ++core) {
    select(1U << core);
    writeRegisters(reg("CREG_PIXEL_2D_INITIAL_POSITION"),
                   std::array<Vec, 2>{Vec{0, whole(core * rows), 0},
                                      Vec{whole(frame.width), whole((core + 1) * rows), 0}});
  }
  select(everyone);
  const auto count = static_cast<Word>(frame.triangles.size() / kWordsPerTriangle);
  writeRegisters(reg("CREG_MAX_PRIMITIVES"), std::array<Vec, 1>{Vec{count, 0, 0}});
}

void TheiaDriver::renderPixels(const Frame& frame) {
  const std::span<const std::uint32_t> all = frame.triangles;
  const std::array<std::uint32_t, kWordsPerTriangle> ahead{};  // the host runs one set ahead
  const int pixels = frame.width * frame.height / config_.cores;
  for (int pixel = 0; pixel < pixels; ++pixel) {
    if (pixel == 0) {
      sendTriangles(unit::kStream, all.first(kWordsPerTriangle));
      unit_.write("CONTROL", kRendren);
      unit_.write("CONTROL", kHda);
      sendTriangles(unit::kTriangles, all.subspan(kWordsPerTriangle));
    } else {
      sendTriangles(unit::kTriangles, all);
    }
    sendTriangles(unit::kStream, ahead);
    unit_.write("CONTROL", kCommit);
    bus_.yield();  // between two pixels the unit can wait for its triangles
    if (config_.progress) {
      config_.progress(answered_ += static_cast<std::uint64_t>(config_.cores));
    }
  }
}

theia::Frame TheiaDriver::recorded(const Frame& frame) {
  theia::Frame record;
  record.registers = written_;
  for (std::size_t i = 0; i < frame.triangles.size(); i += kWordsPerTriangle) {
    theia::Triangle& triangle = record.triangles.emplace_back();
    for (unsigned r = 0; r < theia::kTriangleRegisters; ++r) {
      const auto* const words = &frame.triangles[i + std::size_t{3} * r];
      triangle[r] = {words[0], words[1], words[2]};
    }
  }
  for (const std::uint64_t word : *frame.program) record.instructions.push_back({word});
  record.cores = static_cast<unsigned>(config_.cores);
  record.width = static_cast<unsigned>(frame.width);
  record.height = static_cast<unsigned>(frame.height);
  return record;
}

void TheiaDriver::render(const Frame& frame) {
  bus_.work(Work::Submit, 1);
  trianglesAPixel_ = frame.triangles.size() / kWordsPerTriangle;
  const std::uint64_t number = frameNumber_++;
  written_.clear();
  if (config_.atFrame) config_.atFrame(number, nullptr);
  const std::uint32_t before = unit_.read("COMMITS");
  configure(frame);
  renderPixels(frame);
  const auto pixels = static_cast<std::uint32_t>(frame.width * frame.height / config_.cores);
  const std::uint32_t done = unit_.read("COMMITS") - before;
  const std::uint32_t status = unit_.read("STATUS");
  if (done != pixels || (status & kFault) != 0) {
    fail("a frame ended after " + std::to_string(done) + " of " + std::to_string(pixels) +
         " pixels of each core, status " + std::to_string(status));
  }
  if (config_.atFrame) {
    const theia::Frame record = recorded(frame);
    config_.atFrame(number, &record);
  }
  counters_.triangles += std::uint64_t{pixels} * (frame.triangles.size() / kWordsPerTriangle);
  if (config_.log) {
    config_.log("THEIA: frame of " + std::to_string(frame.width) + " x " +
                std::to_string(frame.height) + " pixels, " +
                std::to_string(frame.triangles.size() / kWordsPerTriangle) + " triangles");
  }
}

TheiaDriver::Words TheiaDriver::triangleWords(const TheiaView& view,
                                              std::span<const std::uint32_t> pieces) const {
  Words words;
  words.reserve(std::max<std::size_t>(1, pieces.size()) * kWordsPerTriangle);
  for (const std::uint32_t index : pieces) {
    const TheiaPiece& piece = view.pieces[index];
    std::array<Vec, 3> uv = config_.textures != nullptr
                                ? config_.textures->coordinates(scene_, piece)
                                : std::array<Vec, 3>{};
    const double k = piece.enlarged;
    for (std::size_t i = 0; i < 3; ++i) {
      push(words, fixedVec(piece.v[0] + (piece.v[i] - piece.v[0]) * k));
      uv[i].x = away(uv[0].x, uv[i].x, k);
      uv[i].y = away(uv[0].y, uv[i].y, k);
      if (i == 2) uv[i].z = toFixed(1 - 1 / k);
      push(words, uv[i]);
    }
    const scene::Material& material = scene_.materials[scene_.elements[piece.element].material];
    push(words, fixedVec(material.color * material.kdiff));
  }
  // The machine always gets a triangle; one without area is never hit.
  if (words.empty()) words.resize(kWordsPerTriangle);
  return words;
}

// ---- eye rays

std::vector<std::uint32_t> TheiaDriver::piecesIn(const Crop& rect) const {
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < eyeView_.pieces.size(); ++i) {
    double x0 = 1e300, x1 = -1e300, y0 = 1e300, y1 = -1e300;
    for (const Vec3& v : eyeView_.pieces[i].v) {
      const double toPlane = camera_.distance / -v.z;
      const double x = camera_.centerX + v.x * toPlane / camera_.stepX;
      const double y = camera_.centerY - v.y * toPlane / camera_.stepY;
      x0 = std::min(x0, x);
      x1 = std::max(x1, x);
      y0 = std::min(y0, y);
      y1 = std::max(y1, y);
    }
    // A pixel of margin is far more than the number format loses.
    if (x1 >= rect.x - 1 && x0 <= rect.x + rect.width + 1 && y1 >= rect.y - 1 &&
        y0 <= rect.y + rect.height + 1) {
      list.push_back(i);
    }
  }
  return list;
}

TheiaDriver::EyeFrame& TheiaDriver::eyeFrame(double x, double y) {
  for (EyeFrame& frame : frames_) {
    if (frame.x == x && frame.y == y) return frame;
  }
  EyeFrame& frame = frames_.emplace_back();
  frame.x = x;
  frame.y = y;
  const Crop& crop = config_.crop;
  frame.hits.resize(static_cast<std::size_t>(crop.width) * static_cast<std::size_t>(crop.height));
  frame.colors.resize(frame.hits.size());
  const sc_core::sc_time begin = bus_.now();
  // As many rows at a time as the cores' output memories hold.
  const int columns = config_.tile > 0 ? std::min(config_.tile, crop.width) : crop.width;
  const auto perRow = static_cast<std::uint32_t>(columns) * kWordsPerEyePixel;
  const int fitting = static_cast<int>(config_.outputWords / perRow) * config_.cores;
  int rows = std::min(fitting, crop.height);
  if (config_.tile > 0) rows = std::min(rows, config_.tile);
  if (rows == 0) fail("the output memory does not hold a row of the picture");
  for (int y0 = 0; y0 < crop.height; y0 += rows) {
    for (int x0 = 0; x0 < crop.width; x0 += columns) {
      renderRect(frame, {crop.x + x0, crop.y + y0, std::min(columns, crop.width - x0),
                         std::min(rows, crop.height - y0)});
    }
  }
  counters_.eyeTime += bus_.now() - begin;
  return frame;
}

void TheiaDriver::loadTextures() {
  if (texturesLoaded_ || config_.textures == nullptr || config_.textures->count == 0) return;
  bus_.writeBlock(unit_.base() + unit::kTexture, config_.textures->words);
  texturesLoaded_ = true;
  ++counters_.textureLoads;
}

void TheiaDriver::renderRect(EyeFrame& frame, const Crop& rect) {
  std::vector<std::uint32_t> pieces;
  if (config_.tile > 0) {
    pieces = piecesIn(rect);
    bus_.work(Work::TileTest, eyeView_.pieces.size());
    bus_.work(Work::TileEntry, pieces.size());
  } else {
    for (std::uint32_t i = 0; i < eyeView_.pieces.size(); ++i) pieces.push_back(i);
  }
  Frame drawn;
  drawn.width = rect.width;
  drawn.height = rect.height;
  drawn.windowMin = {(rect.x + frame.x - camera_.centerX) * camera_.stepX,
                     (camera_.centerY - rect.y - frame.y) * camera_.stepY, -camera_.distance};
  // Rounded first, so that the step is exact in the machine's format.
  for (int axis = 0; axis < 2; ++axis) {
    drawn.windowMin[axis] = fromFixed(toFixed(drawn.windowMin[axis]));
  }
  drawn.windowMax =
      drawn.windowMin + Vec3{rect.width * camera_.stepX, -rect.height * camera_.stepY, 0};
  drawn.program = &config_.eyeProgram;
  drawn.triangles = triangleWords(eyeView_, pieces);
  bus_.work(Work::EncodeWord, drawn.triangles.size());
  drawn.box = config_.boxTest ? &eyeView_ : nullptr;
  if (config_.textures != nullptr) drawn.textureSide = config_.textures->side;
  loadTextures();
  rect_ = rect;
  chunk_ = {};
  render(drawn);
  readRect(frame, rect, drawn, pieces);
  ++counters_.eyeFrames;
  counters_.pixels +=
      static_cast<std::uint64_t>(rect.width) * static_cast<std::uint64_t>(rect.height);
}

void TheiaDriver::readRect(EyeFrame& frame, const Crop& rect, const Frame& drawn,
                           std::span<const std::uint32_t> pieces) {
  const int rows = rect.height / config_.cores;
  const auto pixels = static_cast<std::uint32_t>(rows * rect.width);
  for (int core = 0; core < config_.cores; ++core) {
    const Words words = readOutput(core, 0, kWordsPerEyePixel * pixels);
    for (std::uint32_t k = 0; k < pixels; ++k) {
      const int column = static_cast<int>(k) % rect.width;
      const int row = core * rows + static_cast<int>(k) / rect.width;
      const auto at = static_cast<std::size_t>(rect.y + row - config_.crop.y) *
                          static_cast<std::size_t>(config_.crop.width) +
                      static_cast<std::size_t>(rect.x + column - config_.crop.x);
      const std::size_t colour = std::size_t{3} * k;
      frame.colors[at] = {fromFixed(words[colour]), fromFixed(words[colour + 1]),
                          fromFixed(words[colour + 2])};
      const std::size_t hit = std::size_t{3} * pixels + std::size_t{kHitWords} * k;
      const std::uint32_t index = words[hit];
      if (index == 0) continue;
      if (index > pieces.size()) {
        throw HitFault("THEIA core " + std::to_string(core) + ", pixel " + std::to_string(k) +
                       ": hit of triangle " + std::to_string(index - 1) + " of " +
                       std::to_string(pieces.size()));
      }
      // RAY as the machine has it: D / MAG(D); t counts in its length.
      const Vec d{toFixed(drawn.windowMin.x + column * camera_.stepX),
                  toFixed(drawn.windowMin.y - row * camera_.stepY), toFixed(drawn.windowMin.z)};
      const Vec r = theia::compute(theia::Op::DIV, d,
                                   theia::compute(theia::Op::MAG, d, {}, config_.alu), config_.alu);
      const Vec3 ray{fromFixed(r.x), fromFixed(r.y) / camera_.stretchY, fromFixed(r.z)};
      const double t = fromFixed(words[hit + 1]) * scene::length(ray) / eyeView_.scale;
      if (t < 0) {
        ++counters_.behind;
      } else if (t < nothingBefore_) {
        ++counters_.atEye;
      }
      frame.hits[at] =
          machineHit(eyeView_.pieces[pieces[index - 1]], &words[hit], std::max(0.0, t));
    }
  }
}

void TheiaDriver::traceEye(std::span<const Ray> rays, std::span<const EyePosition> positions,
                           std::span<Hit> hits) {
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const EyePosition& p = positions[i];
    const EyeFrame& frame = eyeFrame(p.x, p.y);
    const auto row = static_cast<std::size_t>(p.row - config_.crop.y);
    const auto column = static_cast<std::size_t>(p.column - config_.crop.x);
    hits[i] = frame.hits[row * static_cast<std::size_t>(config_.crop.width) + column];
  }
}

std::span<const Vec3> TheiaDriver::colors(double x, double y) {
  return eyeFrame(x, y).colors;
}

std::uint32_t TheiaDriver::pixelOf(unsigned core, std::uint64_t index) const {
  const auto cores = static_cast<std::uint64_t>(config_.cores);
  if (!chunk_.empty()) {
    const std::uint64_t share = (chunk_.size() + cores - 1) / cores;
    const std::uint64_t ray = core * share + index;
    return ray < chunk_.size() ? chunk_[ray].pixel : kNoPixel;
  }
  const auto width = static_cast<std::uint64_t>(rect_.width);
  const std::uint64_t row =
      core * (static_cast<std::uint64_t>(rect_.height) / cores) + index / width;
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(rect_.y) + row) *
                                        static_cast<std::uint64_t>(scene_.width) +
                                    static_cast<std::uint64_t>(rect_.x) + index % width);
}

// ---- other rays

// The scale depends on where rays start: from the scene's own surfaces, nearly always.
void TheiaDriver::coverOrigins(std::span<const Ray> rays) {
  scene::Bounds box = rayBox_;
  if (box.empty()) {
    box = scene_.bounds();
    const Vec3 margin = Vec3{1, 1, 1} * (box.diagonal() * 1e-3);
    box.lo = box.lo - margin;
    box.hi = box.hi + margin;
  }
  for (const Ray& ray : rays) box.include(ray.origin);
  if (!rayBox_.empty() && box.lo == rayBox_.lo && box.hi == rayBox_.hi) return;
  rayBox_ = box;
  rayView_ = theiaRayView(scene_, box);
  std::vector<std::uint32_t> all(rayView_.pieces.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  rayTriangles_ = triangleWords(rayView_, all);
  bus_.work(Work::ProjectTriangle, scene_.elements.size());
  bus_.work(Work::EncodeWord, rayTriangles_.size());
}

void TheiaDriver::trace(std::span<const Ray> rays, std::span<Hit> hits) {
  if (rays.empty()) return;
  const sc_core::sc_time begin = bus_.now();
  coverOrigins(rays);
  const auto cores = static_cast<std::size_t>(config_.cores);
  const std::size_t most =
      std::min({std::size_t{kLongestRow} * cores, config_.outputWords / kResultWords * cores,
                std::size_t{config_.textureWords} / kWordsPerRay / cores * cores});
  if (most == 0) fail("the memories do not hold a ray for each core");
  for (std::size_t done = 0; done < rays.size(); done += most) {
    const std::size_t count = std::min(most, rays.size() - done);
    traceChunk(rays.subspan(done, count), hits.subspan(done, count));
  }
  counters_.rayTime += bus_.now() - begin;
}

void TheiaDriver::traceChunk(std::span<const Ray> rays, std::span<Hit> hits) {
  const auto cores = static_cast<std::size_t>(config_.cores);
  const std::size_t share = (rays.size() + cores - 1) / cores;
  const Vec3 middle = (rayBox_.lo + rayBox_.hi) * 0.5;
  const double scale = rayView_.scale;
  Words texture;
  texture.reserve(share * cores * kWordsPerRay);
  std::vector<double> lengths;  // of the directions as the machine gets them
  for (const Ray& ray : rays) {
    const Vec d = fixedVec(ray.direction);
    push(texture, fixedVec((ray.origin - middle) * scale));
    push(texture, d);
    lengths.push_back(scene::length({fromFixed(d.x), fromFixed(d.y), fromFixed(d.z)}));
  }
  texture.resize(share * cores * kWordsPerRay);  // fillers have no direction and hit nothing
  bus_.work(Work::EncodeWord, texture.size());
  bus_.writeBlock(unit_.base() + unit::kTexture, texture);
  texturesLoaded_ = false;

  Frame frame;
  frame.width = static_cast<int>(share);
  frame.height = config_.cores;
  frame.windowMin = {0, 0, -1};
  frame.windowMax = {0, 0, -1};
  frame.program = &config_.rayProgram;
  frame.triangles = rayTriangles_;
  chunk_ = rays;
  render(frame);

  for (std::size_t core = 0; core < cores; ++core) {
    const Words words =
        readOutput(static_cast<int>(core), 0, static_cast<std::uint32_t>(share) * kResultWords);
    for (std::size_t k = 0; k < share && core * share + k < rays.size(); ++k) {
      const std::size_t i = core * share + k;
      const std::uint32_t* const hit = &words[std::size_t{kResultWords} * k];
      const std::uint32_t index = hit[0];
      hits[i] = {};
      if (index == 0) continue;
      if (index > rayView_.pieces.size()) {
        throw HitFault("THEIA core " + std::to_string(core) + ", ray " + std::to_string(k) +
                       ": hit of triangle " + std::to_string(index - 1) + " of " +
                       std::to_string(rayView_.pieces.size()));
      }
      const double t = fromFixed(hit[1]) * lengths[i] / scale;
      const bool near = rays[i].kind == Ray::Kind::Any ? t < rays[i].tmax : t <= rays[i].tmax;
      if (near) hits[i] = machineHit(rayView_.pieces[index - 1], hit, t);
    }
  }
  ++counters_.rayFrames;
  counters_.rays += rays.size();
  counters_.fillers += share * cores - rays.size();
}

void TheiaDriver::state(common::StateArchive& a) {
  a.mark("theia driver");
  const std::size_t pixels =
      static_cast<std::size_t>(config_.crop.width) * static_cast<std::size_t>(config_.crop.height);
  std::uint64_t frames = frames_.size();
  a(frames);
  if (a.reading()) frames_.clear();
  for (std::uint64_t i = 0; i < frames; ++i) {
    if (a.reading()) frames_.emplace_back();
    EyeFrame& frame = frames_[i];
    a(frame.x, frame.y, frame.hits, frame.colors);
    if (frame.hits.size() != pixels || frame.colors.size() != pixels) {
      throw common::StateError("the state has a frame of another size than the picture");
    }
  }
  a(rayBox_.lo, rayBox_.hi, selected_, texturesLoaded_, trianglesAPixel_, frameNumber_, answered_);
  a(counters_.eyeFrames, counters_.rayFrames, counters_.pixels, counters_.rays, counters_.fillers,
    counters_.triangles, counters_.behind, counters_.atEye, counters_.textureLoads,
    counters_.eyeTime, counters_.rayTime);
  if (!a.reading() || rayBox_.empty()) return;
  rayView_ = theiaRayView(scene_, rayBox_);
  std::vector<std::uint32_t> all(rayView_.pieces.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  rayTriangles_ = triangleWords(rayView_, all);
}

void TheiaDriver::Counters::report(common::StatGroup& stats) const {
  stats.count("eye_frames", "frames", "frames drawn by the unit's own ray generator", eyeFrames);
  stats.count("ray_frames", "frames", "batches of rays through texture memory", rayFrames);
  stats.count("pixels", "pixels", "pixels of the eye frames", pixels);
  stats.count("rays", "rays", "shadow and secondary rays through texture memory", rays);
  stats.count("fillers", "rays", "rays without direction that filled batches", fillers);
  stats.count("triangles", "triangles", "triangles offered to the cores", triangles);
  stats.count("hits_behind_eye", "pixels",
              "eye rays whose hit had a negative t, as the original's microcode allows", behind);
  stats.count(
      "hits_at_eye", "pixels",
      "eye rays whose hit lay between the eye and the box around the scene, where nothing is",
      atEye);
  stats.count("texture_loads", "loads", "times the scene's textures went to texture memory",
              textureLoads);
  stats.count("eye_ps", "ps", "simulated time of the eye frames", eyeTime.value());
  stats.count("ray_ps", "ps", "simulated time of the other rays", rayTime.value());
}

}  // namespace rtvp::host
