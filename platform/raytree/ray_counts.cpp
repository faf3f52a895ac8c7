// What the ray tree counted, for the statistics.
#include "platform/raytree/ray_tree.hpp"

namespace rtvp::host {

GenerationCounts RayCounts::total() const {
  GenerationCounts sum;
  for (const GenerationCounts& g : generations) {
    sum.rays += g.rays;
    sum.reflected += g.reflected;
    sum.refracted += g.refracted;
    sum.hits += g.hits;
    sum.shadow += g.shadow;
    sum.blocked += g.blocked;
    sum.unlit += g.unlit;
    sum.totalInternal += g.totalInternal;
  }
  return sum;
}

std::uint64_t RayCounts::traced() const {
  const GenerationCounts sum = total();
  return sum.rays + sum.shadow;
}

void RayCounts::describe(common::StatGroup& group) const {
  const auto describeOne = [](common::StatGroup& to, const GenerationCounts& g) {
    to.count("rays", "rays", "Eye, mirror and refracted rays traced.", g.rays);
    to.count("reflected", "rays", "Mirror rays among them.", g.reflected);
    to.count("refracted", "rays", "Refracted rays among them.", g.refracted);
    to.count("hits", "rays", "Rays among them that met an element.", g.hits);
    to.count("shadow", "rays", "Shadow rays traced from these hits.", g.shadow);
    to.count("blocked", "rays", "Shadow rays that met an element before the light.", g.blocked);
    to.count("unlit", "rays", "Shadow rays not sent: the light is behind the surface.", g.unlit);
    to.count("total_internal", "rays", "Refracted rays not sent: total internal reflection.",
             g.totalInternal);
  };
  describeOne(group, total());
  for (std::size_t i = 0; i < generations.size(); ++i) {
    describeOne(group.group("depth" + std::to_string(i + 1),
                            i == 0 ? "Eye rays and their shadow rays."
                                   : "Secondary rays of this depth and their shadow rays."),
                generations[i]);
  }
}

}  // namespace rtvp::host
