// Hulls of the shipped models: every cell in which sampling finds both signs is a leaf, and a
// leaf's code gives the whole model's f ("Done when" 2 of the issue).
#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/implicit/import/vm.hpp"
#include "models/implicit/render/batch.hpp"
#include "tests/models/implicit/render/scene.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::implicit::render::test {
namespace {

constexpr unsigned kSide = 5;  ///< samples of a cell on an axis, its corners included

std::string textOf(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Object shipped(const std::filesystem::path& path) {
  const std::string text = textOf(path);
  if (path.extension() == ".vm") {
    const import::VmResult read = import::readVm(path.string(), text);
    if (!read.expression) throw std::runtime_error(read.report());
    return {import::toProgram(*read.expression), {{-1, -1, -1}, {1, 1, 1}}};
  }
  AssemblyResult read = assemble(path.string(), text, Limits::wide());
  if (!read.tape) throw std::runtime_error(read.report());
  const std::optional<Bounds> bounds =
      read.tape->bounds ? read.tape->bounds : farQuery(*read.tape).bounds;
  return {std::move(*read.tape), bounds.value()};
}

void addSamples(PointBatch& batch, const Bounds& box) {
  for (unsigned n = 0; n < kSide * kSide * kSide; ++n) {
    const std::array<unsigned, 3> at{n % kSide, n / kSide % kSide, n / kSide / kSide};
    std::array<float, 3> p{};
    for (unsigned k = 0; k < 3; ++k) p[k] = latticePlane(box, k, at[k], kSide - 1);
    batch.add(p);
  }
}

Bounds cellOf(const Bounds& bounds, unsigned index) {
  const std::array<unsigned, 3> at{index % 16, index / 16 % 16, index / 256};
  Bounds box;
  for (unsigned n = 0; n < 3; ++n) {
    box.min[n] = latticePlane(bounds, n, at[n], kLeafGrid[n]);
    box.max[n] = latticePlane(bounds, n, at[n] + 1, kLeafGrid[n]);
  }
  return box;
}

std::vector<std::filesystem::path> models() {
  std::vector<std::filesystem::path> out;
  const auto folder = std::filesystem::path(RTVP_SOURCE_DIR) / "scenes/implicit";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".sdf" || entry.path().extension() == ".vm")
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Shipped, HullsAreCompleteAndLeavesKeepF) {
  const std::vector<std::filesystem::path> paths = models();
  ASSERT_GE(paths.size(), 9U);
  for (const std::filesystem::path& path : paths) {
    const Model model(shipped(path), Settings::improved());
    const Code whole = Code::compact(model.object.program());
    PointBatch batch;
    unsigned lost = 0, crossed = 0, unequal = 0;
    for (unsigned index = 0; index < kLeaves; ++index) {
      batch.clear();
      addSamples(batch, cellOf(model.hull.bounds, index));
      const auto span = batch.run(whole);
      const std::vector<float> f(span.begin(), span.end());
      bool negative = false, positive = false;
      for (const float value : f) {
        negative |= value <= 0;
        positive |= value >= 0;
      }
      crossed += negative && positive ? 1U : 0U;
      const std::uint32_t leaf = model.hull.leaf_at[index];
      lost += negative && positive && leaf == kNoLeaf ? 1U : 0U;
      if (leaf == kNoLeaf) continue;
      const auto own = batch.run(model.hull.codes[model.hull.leaves[leaf].code]);
      for (std::size_t n = 0; n < f.size(); ++n)
        unequal += own[n] == f[n] || (own[n] != own[n] && f[n] != f[n]) ? 0U : 1U;
    }
    EXPECT_EQ(lost, 0U) << path.filename();
    EXPECT_EQ(unequal, 0U) << path.filename();
    EXPECT_GT(crossed, 20U) << path.filename();
    EXPECT_LE(crossed, model.hull.leaves.size());
  }
}

}  // namespace
}  // namespace rtvp::implicit::render::test
