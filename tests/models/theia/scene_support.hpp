// Small scenes for microcode tests: random triangles in front of a camera at the origin that looks
// along -z, and the nearest triangle of each pixel in double precision.
#pragma once

#include <cmath>
#include <optional>
#include <random>

#include "firmware/theia/firmware.hpp"
#include "models/theia/assembler.hpp"
#include "tests/models/theia/frame_support.hpp"

namespace rtvp::theia::test {

inline Word q17(double v) {
  return static_cast<Word>(static_cast<std::int32_t>(std::lround(v * kOne)));
}
inline double real(Word w) {
  return static_cast<double>(fixed::widen(w)) / kOne;
}
inline Vec q17(double x, double y, double z) {
  return {q17(x), q17(y), q17(z)};
}

struct Scene {
  std::vector<Triangle> triangles;
  unsigned width = 16, height = 16;
};

/// Triangles of a size between 4 and 20 around z = -60 .. -20.
inline Scene randomScene(unsigned seed, unsigned count) {
  std::mt19937 random(seed);
  const auto uniform = [&random](double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(random()) / 4294967296.0;
  };
  Scene scene;
  for (unsigned i = 0; i < count; ++i) {
    const double x = uniform(-20, 20), y = uniform(-20, 20), z = uniform(-60, -25);
    Triangle t{};
    for (const unsigned k : {0U, 2U, 4U})
      t[k] = q17(x + uniform(-10, 10), y + uniform(-10, 10), z + uniform(-5, 5));
    t[1] = q17(0, 0, 1);
    t[3] = q17(1, 0, 1);
    t[5] = q17(0, 1, 0);  // z 0: as large as it is (improved.tasm)
    t[6] = q17(uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1));
    scene.triangles.push_back(t);
  }
  return scene;
}

/// The frame of a scene: window of 8 x 8 at distance 8, `set`'s table, user constants from
/// `constants`.
inline Frame makeFrame(const Scene& scene, unsigned cores, const std::string& set,
                       const std::string& constants = "RETURN RT_TRUE\n") {
  Frame frame;
  frame.cores = cores;
  frame.width = scene.width;
  frame.height = scene.height;
  frame.triangles = scene.triangles;
  for (unsigned i = 0; i < 16 * 16; ++i) {
    for (unsigned c = 0; c < 3; ++c) frame.texture.push_back(((i * (c + 3) * 37) & 255U) << 9);
  }
  const auto program = assemble("constants", "ENTRYPOINT_ADRR_USERCONSTANTS:\n" + constants);
  EXPECT_TRUE(program.program) << program.report();
  frame.instructions = program.program->image();
  const Microcode* const microcode = findMicrocode(set);
  EXPECT_NE(microcode, nullptr);
  for (unsigned slot = 0; slot < kEntries; ++slot) {
    if (!program.program->defined[slot]) frame.instructions[slot].word = microcode->table[slot];
  }
  const double w = scene.width, h = scene.height;
  const double half = 4;
  const auto all = [&frame](std::string_view name, const Vec& v) {
    frame.registers.push_back({-1, *findRegister(name), v});
  };
  all("CREG_CAMERA_POSITION", {});
  all("CREG_PROJECTION_WINDOW_MIN", q17(-half + half / w, half - half / h, -8));
  all("CREG_PROJECTION_WINDOW_MAX", q17(half + half / w, -half - half / h, -8));
  all("CREG_RESOLUTION", q17(w, h, 0));
  all("CREG_TEXTURE_SIZE", q17(16, 16, 0));
  for (unsigned c = 0; c < cores; ++c) {
    const double first = h * c / cores, end = h * (c + 1) / cores;
    frame.registers.push_back({static_cast<int>(c), 6, q17(0, first, 0)});
    frame.registers.push_back({static_cast<int>(c), 7, q17(w, end, 0)});
  }
  all("CREG_MAX_PRIMITIVES", {static_cast<Word>(scene.triangles.size()), 0, 0});
  return frame;
}

struct Picture {
  std::vector<Vec> colours;               ///< of the whole picture
  std::vector<std::array<Word, 6>> hits;  ///< index + 1, t, u, v, 0, 0; empty without a hit plane
  Clock clocks = 0;
  Fault fault;
};

inline Picture render(const Frame& frame, GpuConfig config = {}, bool hits = false,
                      bool fixed_bilinear = false) {
  Gpu gpu = makeGpu(frame, microcodeRom(fixed_bilinear), config);
  GpuPort port(gpu);
  Picture out;
  out.clocks = playFrame(port, frame, 0);
  out.fault = gpu.fault();
  const std::size_t pixels = frame.pixelsPerCore();
  for (unsigned c = 0; c < gpu.cores(); ++c) {
    const auto words = gpu.output(c);
    for (std::size_t p = 0; p < pixels; ++p) {
      out.colours.push_back({words[3 * p], words[3 * p + 1], words[3 * p + 2]});
      if (!hits) continue;
      auto& hit = out.hits.emplace_back();
      for (std::size_t i = 0; i < 6; ++i) hit[i] = words[3 * pixels + 6 * p + i];
    }
  }
  return out;
}

struct Reference {
  int index = -1;
  double t = 0, u = 0, v = 0;
  bool nearEdge = false;  ///< of any triangle within 1e-3
};

/// Brute force; t in units of the direction through the window, whose length is returned with it.
inline Reference nearest(const Scene& scene, unsigned column, unsigned row, double* length) {
  const double d[3] = {-4 + 8 * (column + 0.5) / scene.width, 4 - 8 * (row + 0.5) / scene.height,
                       -8};
  *length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  Reference best;
  for (std::size_t i = 0; i < scene.triangles.size(); ++i) {
    const Triangle& tri = scene.triangles[i];
    double v0[3] = {}, e1[3] = {}, e2[3] = {};
    const auto lane = [](const Vec& v, int k) { return real(k == 0 ? v.x : k == 1 ? v.y : v.z); };
    for (int k = 0; k < 3; ++k) {
      v0[k] = lane(tri[0], k);
      e1[k] = lane(tri[2], k) - v0[k];
      e2[k] = lane(tri[4], k) - v0[k];
    }
    const double p[3] = {d[1] * e2[2] - d[2] * e2[1], d[2] * e2[0] - d[0] * e2[2],
                         d[0] * e2[1] - d[1] * e2[0]};
    const double det = p[0] * e1[0] + p[1] * e1[1] + p[2] * e1[2];
    if (det == 0) continue;
    const double u = -(p[0] * v0[0] + p[1] * v0[1] + p[2] * v0[2]) / det;
    const double q[3] = {-v0[1] * e1[2] + v0[2] * e1[1], -v0[2] * e1[0] + v0[0] * e1[2],
                         -v0[0] * e1[1] + v0[1] * e1[0]};
    const double v = (q[0] * d[0] + q[1] * d[1] + q[2] * d[2]) / det;
    const double t = (q[0] * e2[0] + q[1] * e2[1] + q[2] * e2[2]) / det;
    const double inside = std::min({u, v, 1 - u - v});
    if (std::abs(inside) < 1e-3 && t > 0) best.nearEdge = true;
    if (inside < 0 || t <= 0 || (best.index >= 0 && t >= best.t)) continue;
    const bool edge = best.nearEdge;
    best = {static_cast<int>(i), t, u, v, edge};
  }
  return best;
}

}  // namespace rtvp::theia::test
