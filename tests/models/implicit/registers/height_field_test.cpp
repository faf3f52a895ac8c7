// The height field equals the evaluation of every voxel.
#include "models/implicit/registers/height_field.hpp"

#include <fstream>
#include <iterator>

#include "models/implicit/import/vm.hpp"
#include "tests/models/implicit/support.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::implicit::registers {
namespace {

using namespace rtvp::implicit::test;  // NOLINT(google-build-using-namespace): its tapes

Program model(const std::string& name, const import::View& view = {}) {
  std::ifstream in(RTVP_SOURCE_DIR "/scenes/implicit/" + name);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return import::toProgram(*import::readVm(name, text).expression, view);
}

void expectAllVoxels(const Program& program, const HeightFieldOptions& options) {
  const HeightField field = render(program, options);
  const unsigned size = options.size;
  ASSERT_EQ(field.height.size(), std::size_t{size} * size);
  std::size_t hits = 0;
  for (unsigned row = 0; row < size; ++row) {
    for (unsigned x = 0; x < size; ++x) {
      const unsigned y = size - 1 - row;
      unsigned height = options.flat ? 1 : size;
      for (; height > 0; --height) {
        const float z = options.flat ? 0 : voxelCentre(height - 1, size);
        if (evaluate(program, std::array<float, 3>{voxelCentre(x, size), voxelCentre(y, size), z}) <
            0)
          break;
      }
      const std::size_t pixel = std::size_t{row} * size + x;
      ASSERT_EQ(field.height[pixel], height) << "pixel " << x << " " << row;
      const auto& n = field.normal[pixel];
      const float length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
      ASSERT_NEAR(length, height > 0 ? 1 : 0, 1e-5) << "pixel " << x << " " << row;
      hits += height > 0 ? 1U : 0U;
    }
  }
  EXPECT_EQ(field.hits(), hits);
}

TEST(HeightField, EqualsAllVoxels) {
  const Program smooth = compile(assembled(kSmoothBlend));
  const Program selections = compile(assembled(kSelections));
  for (const std::vector<unsigned>& boxes :
       std::vector<std::vector<unsigned>>{{16, 4}, {32, 8, 4}, {64}, {8, 2, 1}, {3}}) {
    HeightFieldOptions options;
    options.size = 37;
    options.boxes = boxes;
    expectAllVoxels(smooth, options);
    expectAllVoxels(selections, options);
  }
}

TEST(HeightField, EqualsAllVoxelsOfTheModels) {
  HeightFieldOptions options;
  options.size = 24;
  expectAllVoxels(model("gyroid-sphere.vm"), options);
  expectAllVoxels(model("bear.vm"), options);
  expectAllVoxels(model("colonnade.vm", {0.7, 60, 30}), options);
  expectAllVoxels(model("tanglecube.vm", {0.222, -25, 30}), options);
  options.flat = true;
  options.size = 50;
  options.boxes = {32, 8};
  expectAllVoxels(model("hi.vm"), options);
  expectAllVoxels(model("prospero.vm"), options);
  expectAllVoxels(model("quarter.vm"), options);
}

TEST(HeightField, EveryInstructionSetGivesTheSamePicture) {
  const Program program = model("gyroid-sphere.vm");
  HeightFieldOptions options;
  options.size = 64;
  options.isa = common::Isa::Scalar;
  const HeightField plain = render(program, options);
  for (const common::Isa isa : common::kIsas) {
    if (!common::isaUsable(isa)) continue;
    options.isa = isa;
    const HeightField field = render(program, options);
    EXPECT_EQ(field.height, plain.height) << common::isaName(isa);
    EXPECT_EQ(field.normal, plain.normal) << common::isaName(isa);
  }
}

TEST(HeightField, NothingIsLeftOfThePictureBefore) {
  HeightField field;
  for (const unsigned size : {64U, 64U, 40U}) {
    for (const char* const name : {"tanglecube.vm", "gyroid-sphere.vm", "hi.vm"}) {
      HeightFieldOptions options;
      options.size = size;
      render(model(name), options, field);
      const HeightField fresh = render(model(name), options);
      EXPECT_EQ(field.size, size);
      EXPECT_EQ(field.height, fresh.height) << name << " " << size;
      EXPECT_EQ(field.normal, fresh.normal) << name << " " << size;
    }
  }
}

TEST(HeightField, NormalsOfABallPointOutwards) {
  HeightFieldOptions options;
  options.size = 128;
  const HeightField field =
      render(compile(assembled("OPSDFSphere f(0.75) var\nOPStop var\n")), options);
  for (unsigned row = 0; row < options.size; ++row) {
    for (unsigned x = 0; x < options.size; ++x) {
      const std::size_t pixel = std::size_t{row} * options.size + x;
      if (field.height[pixel] == 0) continue;
      const std::array<float, 3> p{voxelCentre(x, 128), voxelCentre(127 - row, 128),
                                   voxelCentre(field.height[pixel] - 1, 128)};
      const float length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
      for (unsigned axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(field.normal[pixel][axis], p[axis] / length, 0.02);
    }
  }
  EXPECT_NEAR(static_cast<double>(field.hits()), 3.14159 * 48 * 48, 40);
}

TEST(HeightField, RefusesOptionsWithoutSense) {
  const Program program = compile(assembled("OPSDFSphere f(1) var\nOPStop var\n"));
  HeightFieldOptions options;
  options.size = 0;
  EXPECT_THROW(render(program, options), std::invalid_argument);
  options.size = 8;
  for (const std::vector<unsigned>& boxes :
       std::vector<std::vector<unsigned>>{{}, {0}, {8, 3}, {8, 8}, {4, 8}}) {
    options.boxes = boxes;
    EXPECT_THROW(render(program, options), std::invalid_argument);
  }
}

}  // namespace
}  // namespace rtvp::implicit::registers
