// What the renderer itself does, without any machine: where its time goes, and how many objects a
// ray meets.
#include <ctime>
#include <map>

#include "platform/raytree/ray_tree.hpp"
#include "platform/reference/reference_finder.hpp"
#include "platform/scene/load.hpp"
#include "platform/sweep/experiments/experiment.hpp"

namespace rtvp::sweep {
namespace {

double cpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Another finder with a stop-watch.
class TimedFinder : public host::HitFinder {
 public:
  explicit TimedFinder(host::HitFinder& finder) : finder_(finder) {}
  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override {
    const double begin = cpuSeconds();
    finder_.trace(rays, hits);
    seconds_ += cpuSeconds() - begin;
  }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  host::HitFinder& finder_;
  double seconds_ = 0;
};

// Share of the renderer's time in which it looks for hits.
double findingShare(const scene::Scene& scene, reference::ReferenceFinder::Mode mode) {
  reference::ReferenceFinder finder(scene, mode);
  TimedFinder timed(finder);
  host::RayTree tree(scene, {});
  host::Framebuffer picture = tree.makeFramebuffer();
  const double begin = cpuSeconds();
  tree.render(timed, picture);
  (void)picture.image();
  return timed.seconds() / (cpuSeconds() - begin);
}

scene::Scene loadSized(const Laboratory& lab, const std::string& name, int side) {
  scene::Scene scene = scene::load(lab.shipped(name));
  scene.width = scene.height = side;
  return scene;
}

}  // namespace

std::vector<Finding> profile(const Laboratory& lab) {
  Finding f;
  f.id = "TS-071";
  f.claim = "Intersection is over 95 percent of the run time.";
  std::vector<std::vector<std::string>> rows;
  double leastBrute = 1;
  double leastTree = 1;
  double mostTree = 0;
  for (const char* name : {"bunny.shk", "teapot.shk", "cornell.shk", "spd_tetra_4.shk",
                           "spd_balls_2.nff", "spd_mount_3.nff"}) {
    const scene::Scene scene = loadSized(lab, name, 48);
    const double brute = findingShare(scene, reference::ReferenceFinder::Mode::BruteForce);
    const double tree = findingShare(scene, reference::ReferenceFinder::Mode::Bvh);
    leastBrute = std::min(leastBrute, brute);
    leastTree = std::min(leastTree, tree);
    mostTree = std::max(mostTree, tree);
    rows.push_back({name, rounded(static_cast<double>(scene.elements.size()), 6), percent(brute, 3),
                    percent(tree, 2)});
  }
  f.measurement = "Our renderer on the host, eye to last mirror ray, 48x48: at least " +
                  percent(leastBrute) + " of the time by brute force, " + percent(leastTree) +
                  " to " + percent(mostTree) + " with a hierarchy of boxes.";
  f.verdict = std::string(leastBrute > 0.95 ? "Confirmed" : "Confirmed for all but small scenes") +
              " for the 1996 program, which tests everything; with culling the host's own part "
              "shows, and Amdahl's limit falls from 20 or more to about " +
              rounded(1 / (1 - mostTree), 2) + " at best.";
  f.details = table({"scene", "elements", "brute force", "hierarchy"}, rows) +
              "\nProcessor time of one run; it differs by a percent or two from run to run.\n";
  return {f};
}

std::vector<Finding> objectsOnARay(const Laboratory& lab) {
  Finding f;
  f.id = "TS-073";
  f.claim = "A ray typically meets only 3 to 5 objects.";
  constexpr int kSide = 64;
  std::vector<std::vector<std::string>> rows;
  int inside = 0;
  int scenes = 0;
  double least = 1e300;
  double most = 0;
  for (const char* name :
       {"bunny.shk", "teapot.shk", "cornell.shk", "spd_tetra_4.shk", "spd_balls_4.nff",
        "spd_mount_3.nff", "spd_rings_4.nff", "dragon4.shk"}) {
    if (!lab.scene(name)) continue;
    const scene::Scene scene = loadSized(lab, name, kSide);
    const reference::ReferenceFinder finder(scene);
    double met = 0;
    std::size_t hits = 0;
    std::size_t longest = 0;
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        host::Ray ray;
        ray.origin = scene.camera.eye;
        ray.direction = scene.camera.direction(x + 0.5, y + 0.5, kSide, kSide);
        ray.tmax = host::kInfinity;
        std::map<std::uint32_t, int> primitives;
        for (const host::Hit& h : finder.all(ray))
          ++primitives[scene.elements[h.element].primitive];
        if (primitives.empty()) continue;
        ++hits;
        met += static_cast<double>(primitives.size());
        longest = std::max(longest, primitives.size());
      }
    }
    const double mean = met / static_cast<double>(hits);
    ++scenes;
    if (mean >= 2.5 && mean < 5.5) ++inside;
    least = std::min(least, mean);
    most = std::max(most, mean);
    rows.push_back({name, rounded(static_cast<double>(scene.primitiveCount), 6),
                    percent(static_cast<double>(hits) / (kSide * kSide)), rounded(mean),
                    rounded(static_cast<double>(longest), 4), rounded(met / (kSide * kSide))});
  }
  f.measurement =
      "Primitives that an eye ray crosses, mean of the rays that meet anything: " + rounded(least) +
      " to " + rounded(most) + " over " + std::to_string(scenes) + " scenes.";
  f.verdict = std::to_string(inside) + " of " + std::to_string(scenes) +
              " scenes lie at 3 to 5, rounded; " +
              (least < 2.5 ? "closed surfaces seen from outside give 2 to 3. " : "") +
              "The order of magnitude is right and does not grow with the scene.";
  f.details = table(
      {"scene", "primitives", "rays that meet any", "mean of those", "most", "mean of all rays"},
      rows);
  return {f};
}

}  // namespace rtvp::sweep
