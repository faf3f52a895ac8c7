// How throughput grows with the number of DSPs, and what bounding volumes are worth to a vector of
// rays.
#include <algorithm>
#include <cmath>

#include "platform/sweep/experiments/experiment.hpp"

namespace rtvp::sweep {
namespace {

using Where = std::vector<std::pair<std::string, std::string>>;

const std::vector<std::string>& arraySizes() {
  static const std::vector<std::string> list{"1",  "2",  "4",   "8",   "16",
                                             "32", "64", "128", "256", "512"};
  return list;
}

std::vector<Figure> scalingFigures() {
  return {
      {"rays", "rays/s", "driver.rays_traced / driver.batches_ps * 1e12"},
      {"tests", "tests/s",
       "tigershark.dsps * (array.barriers - driver.batches) / driver.batches_ps * 1e12"},
      // Work of the same rays one by one over the work done: records times DSPs.
      {"useful", "share",
       "first(tigershark.dsps * (array.barriers - driver.batches)) / (tigershark.dsps * "
       "(array.barriers - driver.batches))"},
      {"bus", "share",
       "array.broadcast_data_words / tigershark.clock_hz * 1e12 / driver.batches_ps"},
      {"chain", "share", "1 - array.walk_cycles / tigershark.clock_hz * 1e12 / driver.batches_ps"},
      {"barrier", "share",
       "(array.arrival_skew / tigershark.dsps + array.barriers * tigershark.release_cycles) / "
       "tigershark.clock_hz * 1e12 / driver.batches_ps"},
      {"pci", "share", "pci.utilisation"},
      {"in", "bytes/s", "pci_to_addon.master_words * 4 / driver.batches_ps * 1e12"},
      {"out", "bytes/s", "addon_to_pci.master_words * 4 / driver.batches_ps * 1e12"}};
}

SweepResult scalingRuns(const Laboratory& lab, const char* name, const char* vote,
                        const char* size) {
  SweepSpec spec;
  spec.name = name;
  spec.set(std::string(kSceneKey), {lab.shipped("bunny.shk")});
  spec.set("render.size", {size});
  spec.set("render.depth", {"1"});
  spec.set("tigershark.dsps", arraySizes());
  spec.set("tigershark.vote", {vote});
  spec.figures = scalingFigures();
  return lab.sweep(spec);
}

Series seriesOf(const std::string& name, const SweepResult& runs, const std::string& figure) {
  Series s{name, {}};
  for (const std::string& n : arraySizes()) {
    s.points.emplace_back(std::stod(n), need(runs, {{"tigershark.dsps", n}}, figure));
  }
  return s;
}

Chart chart(const std::string& title, const std::string& y, bool logY) {
  Chart c;
  c.title = title;
  c.xLabel = "DSPs on the board";
  c.yLabel = y;
  c.logX = true;
  c.logY = logY;
  return c;
}

std::vector<Illustration> scalingPictures(const SweepResult& with, const SweepResult& without) {
  Illustration rays{"scaling-throughput.svg",
                    "Throughput from 1 to 512 DSPs: tests of brute force and of the walk with "
                    "bounding volumes, and rays",
                    chart("TS-067: throughput", "per second", true)};
  rays.chart.series = {
      seriesOf("tests, no volumes", without, "tests"), seriesOf("tests, volumes", with, "tests"),
      seriesOf("rays, no volumes", without, "rays"), seriesOf("rays, volumes", with, "rays")};
  Illustration shares{"scaling-shares.svg",
                      "With bounding volumes: useful share of the tests, and shares of the time "
                      "taken by the chain, the shared bus, and the barrier",
                      chart("TS-067: where it goes (with volumes)", "share", false)};
  shares.chart.series = {
      seriesOf("useful tests", with, "useful"), seriesOf("chain, of the time", with, "chain"),
      seriesOf("bus, of the time", with, "bus"), seriesOf("barrier, of the time", with, "barrier")};
  return {rays, shares};
}

Finding linearFinding(const SweepResult& with, const SweepResult& without) {
  Finding f;
  f.id = "TS-067";
  f.claim = "Throughput grows linearly to hundreds of DSPs.";
  const auto ratio = [](const SweepResult& runs, const char* n, const char* figure) {
    return need(runs, {{"tigershark.dsps", n}}, figure) /
           need(runs, {{"tigershark.dsps", "1"}}, figure);
  };
  f.measurement = "512 DSPs against one, bunny: brute force " +
                  rounded(ratio(without, "512", "rays")) +
                  " times the rays; with bounding volumes " + rounded(ratio(with, "512", "tests")) +
                  " times the tests but " + rounded(ratio(with, "512", "rays")) +
                  " times the rays (16 DSPs: " + rounded(ratio(with, "16", "rays")) + " times).";
  const double brute = ratio(without, "512", "rays") / 512;
  f.verdict = (brute > 0.8 ? "Confirmed for brute force (" : "Only in part for brute force (") +
              percent(brute) +
              " of linear at 512); refuted with bounding volumes, where the chain "
              "and the falling share of useful tests stop it at " +
              rounded(need(with, {{"tigershark.dsps", "512"}}, "rays")) + " rays/s.";
  std::vector<std::vector<std::string>> rows;
  for (const std::string& n : arraySizes()) {
    const Where w{{"tigershark.dsps", n}};
    rows.push_back({n, rounded(need(without, w, "tests")), rounded(need(without, w, "rays")),
                    percent(need(without, w, "chain")), rounded(need(with, w, "tests")),
                    rounded(need(with, w, "rays")), percent(need(with, w, "useful")),
                    percent(need(with, w, "chain")), percent(need(with, w, "bus")),
                    percent(need(with, w, "barrier"))});
  }
  f.details =
      "Without volumes a picture of 32x32, with them 48x48, eye and shadow rays; `chain` is "
      "all time of a batch outside the walk, `barrier` waiting for the slowest lane and for "
      "the release, `useful` the records one ray alone would need over the records tested "
      "(empty lanes of a last batch count as useless).\n\n" +
      table({"DSPs", "tests/s, brute force", "rays/s", "chain", "tests/s, volumes", "rays/s",
             "useful", "chain", "bus", "barrier"},
            rows);
  f.illustrations = scalingPictures(with, without);
  return f;
}

Finding pciFinding(const SweepResult& with) {
  Finding f;
  f.id = "TS-065";
  f.claim = "PCI bandwidth suffices for 512 processors.";
  double most = 0;
  std::vector<std::vector<std::string>> rows;
  for (const std::string& n : arraySizes()) {
    const Where w{{"tigershark.dsps", n}};
    most = std::max(most, need(with, w, "pci"));
    rows.push_back({n, rounded(need(with, w, "in") / 1e3), rounded(need(with, w, "out") / 1e3),
                    percent(need(with, w, "pci"))});
  }
  const Where all{{"tigershark.dsps", "512"}};
  f.measurement = "Bunny with 512 DSPs: " + rounded(need(with, all, "in") / 1e6) +
                  " MB/s to the board, " + rounded(need(with, all, "out") / 1e6) +
                  " MB/s back; the bus is busy " + percent(need(with, all, "pci")) +
                  " of the time, start-up included.";
  f.verdict = std::string(most < 0.5 ? "Confirmed" : "Refuted") +
              ": the chain cannot ask for more, since it carries 1.4 MB/s at most.";
  f.details = table({"DSPs", "kB/s in", "kB/s out", "PCI busy"}, rows);
  return f;
}

// ---- TS-068

constexpr const char* kSizes[] = {"1", "4", "16", "32", "128", "512"};
constexpr const char* kOrders[] = {"hilbert", "tiles", "scanline"};

SweepResult coherenceRuns(const Laboratory& lab, const std::vector<std::string>& scenes,
                          bool supersampled) {
  SweepSpec spec;
  spec.name = supersampled ? "coherence-16" : "coherence-1";
  spec.set("tigershark.dsps", {std::begin(kSizes), std::end(kSizes)});
  spec.set(std::string(kSceneKey), scenes);
  spec.set("render.order", {std::begin(kOrders), std::end(kOrders)});
  spec.set("render.size", {"32x32"});
  // As many rays from the middle of the same picture.
  spec.set("render.crop", {supersampled ? "12,12,8,8" : "all"});
  spec.set("render.spp", {supersampled ? "16" : "1"});
  spec.set("render.depth", {"1"});
  const std::string work = "tigershark.dsps * (array.barriers - driver.batches)";
  spec.figures = {{"useful", "share", "first(" + work + ") / (" + work + ")"},
                  {"records", "records a ray", work + " / driver.rays_traced"},
                  {"batches", "batches", "driver.batches"}};
  return lab.sweep(spec);
}

Illustration coherencePicture(const SweepResult& runs, const std::vector<std::string>& scenes,
                              bool supersampled) {
  const std::string samples = supersampled ? "16 rays a pixel" : "1 ray a pixel";
  Illustration picture{
      supersampled ? "ts-068-coherence-16.svg" : "ts-068-coherence-1.svg",
      "TS-068: records one ray needs over records tested under the vote, " + samples,
      chart("TS-068: useful tests, " + samples, "share", false)};
  for (const std::string& scene : scenes) {
    for (const char* order : {"hilbert", "scanline"}) {
      Series s{std::filesystem::path(scene).stem().string() + ", " + order, {}};
      for (const char* n : kSizes) {
        s.points.emplace_back(
            std::stod(n),
            need(runs, {{"scene", scene}, {"tigershark.dsps", n}, {"render.order", order}},
                 "useful"));
      }
      picture.chart.series.push_back(std::move(s));
    }
  }
  return picture;
}

std::string coherenceTable(const SweepResult& runs, const std::vector<std::string>& scenes) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& scene : scenes) {
    for (const char* order : kOrders) {
      std::vector<std::string> row{std::filesystem::path(scene).filename().string(), order};
      for (const char* n : kSizes) {
        const Where w{{"scene", scene}, {"tigershark.dsps", n}, {"render.order", order}};
        row.push_back(n == kSizes[0] ? rounded(need(runs, w, "records")) + " records"
                                     : percent(need(runs, w, "useful")));
      }
      rows.push_back(std::move(row));
    }
  }
  std::vector<std::string> head{"scene", "order"};
  for (const char* n : kSizes) head.push_back(std::string(n) + (n == kSizes[0] ? " DSP" : " DSPs"));
  return table(head, rows);
}

}  // namespace

std::vector<Finding> scaling(const Laboratory& lab) {
  const SweepResult with = scalingRuns(lab, "scaling-volumes", "on", "48x48");
  const SweepResult without = scalingRuns(lab, "scaling-brute-force", "off", "32x32");
  return {pciFinding(with), linearFinding(with, without)};
}

std::vector<Finding> coherence(const Laboratory& lab) {
  Finding f;
  f.id = "TS-068";
  f.claim = "16 to 32 nodes on a board work without much loss from lack of coherence.";
  std::vector<std::string> scenes;
  std::string absent;
  for (const char* name : {"bunny.shk", "dragon4.shk", "spd_tetra_4.shk", "spd_mount_3.nff"}) {
    if (const auto path = lab.scene(name)) {
      scenes.push_back(*path);
    } else {
      absent += std::string(" ") + name + " is not here and was left out.";
    }
  }
  const SweepResult one = coherenceRuns(lab, scenes, false);
  const SweepResult many = coherenceRuns(lab, scenes, true);
  const auto mean = [&](const SweepResult& runs, const char* n, const char* order) {
    double sum = 0;
    for (const std::string& scene : scenes) {
      sum +=
          need(runs, {{"scene", scene}, {"tigershark.dsps", n}, {"render.order", order}}, "useful");
    }
    return sum / static_cast<double>(scenes.size());
  };
  f.measurement =
      "Useful share of the tests, mean of the scenes in Hilbert order: 16 DSPs " +
      percent(mean(one, "16", "hilbert")) + ", 32 " + percent(mean(one, "32", "hilbert")) +
      ", 512 " + percent(mean(one, "512", "hilbert")) + "; with 16 rays a pixel " +
      percent(mean(many, "16", "hilbert")) + ", " + percent(mean(many, "32", "hilbert")) + ", " +
      percent(mean(many, "512", "hilbert")) +
      ". Scanline order, 32 DSPs: " + percent(mean(one, "32", "scanline")) + ".";
  const double low = mean(one, "32", "hilbert");
  const double high = mean(many, "32", "hilbert");
  f.verdict = std::string(high >= 0.8 ? "Confirmed with supersampling and a coherent order"
                                      : "Not confirmed even with supersampling") +
              "; at one ray a pixel of a small picture 32 nodes waste " + percent(1 - low) +
              " of their tests, so coherence does cost.";
  f.details =
      "Pictures of 32x32; with 16 rays a pixel their middle, 8x8. Tiles are squares of 4x4 pixels. "
      "Eye and shadow rays." +
      absent + "\n\nOne ray a pixel:\n\n" + coherenceTable(one, scenes) + "\n16 rays a pixel:\n\n" +
      coherenceTable(many, scenes);
  f.illustrations = {coherencePicture(one, scenes, false), coherencePicture(many, scenes, true)};
  return {f};
}

}  // namespace rtvp::sweep
