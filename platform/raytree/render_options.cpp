// What may be asked of a ray tree.
#include "platform/raytree/render_options.hpp"

#include <stdexcept>
#include <string>

#include "platform/raytree/sampling.hpp"

namespace rtvp::host {
namespace {

constexpr std::size_t kMaxBatch = std::size_t{1} << 24;

}  // namespace

Crop wholePicture(const scene::Scene& scene, const Crop& crop) {
  const Crop whole = crop.width == 0 && crop.height == 0 && crop.x == 0 && crop.y == 0
                         ? Crop{0, 0, scene.width, scene.height}
                         : crop;
  if (whole.x < 0 || whole.y < 0 || whole.width <= 0 || whole.height <= 0 ||
      whole.width > scene.width - whole.x || whole.height > scene.height - whole.y) {
    throw std::invalid_argument("crop " + std::to_string(crop.x) + "," + std::to_string(crop.y) +
                                "," + std::to_string(crop.width) + "," +
                                std::to_string(crop.height) + " is not inside the picture of " +
                                std::to_string(scene.width) + " x " + std::to_string(scene.height) +
                                " pixels");
  }
  return whole;
}

void checkOptions(const RenderOptions& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  if (options.depth < 1 || options.depth > kMaxDepth) {
    refuse("depth " + std::to_string(options.depth) + ", expected 1 to " +
           std::to_string(kMaxDepth));
  }
  if (options.samples < 1 || options.samples > kMaxSamples) {
    refuse(std::to_string(options.samples) + " samples a pixel, expected 1 to " +
           std::to_string(kMaxSamples));
  }
  if (options.batch < 1 || options.batch > kMaxBatch) {
    refuse("a batch of " + std::to_string(options.batch) + " rays, expected 1 to " +
           std::to_string(kMaxBatch));
  }
  if (!(options.rayOffset >= 0 && options.rayOffset <= 1)) {
    refuse("ray offset " + std::to_string(options.rayOffset) + ", expected 0 to 1");
  }
  if (options.recordHits && options.samples != 1) {
    refuse("primary hits are those of pixel centres: one sample a pixel, not " +
           std::to_string(options.samples));
  }
}

}  // namespace rtvp::host
