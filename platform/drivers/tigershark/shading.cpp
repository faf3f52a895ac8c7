#include "platform/drivers/tigershark/shading.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "firmware/shading_image.hpp"
#include "models/c32/float40.hpp"
#include "models/common/core/state.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::host {
namespace {

namespace ts = rtvp::tigershark;

std::shared_ptr<const ShadingFirmware> build(const sl::Program& program, std::uint32_t sramWords) {
  const firmware::ShadingImage image = firmware::buildShadingImage(program);
  auto out = std::make_shared<ShadingFirmware>();
  out->inputs = image.inputs;
  out->guest.parameter = image.entry;
  for (const c32::Section& section : image.image.sections) {
    if (section.words.empty()) continue;
    if (section.loadAddress >= sramWords || section.words.size() > sramWords - section.loadAddress)
      throw firmware::ShadingImageError("section '" + section.name +
                                        "' does not fit into the SRAM, see tigershark.sram_words");
    out->guest.images.push_back({section.loadAddress, section.words});
  }
  return out;
}

std::uint32_t wordOf(const sl::c32::Input& input, const ShadingPoint& point) {
  if (input.id == sl::c32::kRandomState) return point.seed;
  const float x = sl::isVector(input.id) ? point.registers.vector(input.id)[input.lane]
                                         : point.registers.scalar(input.id);
  return c32::singleFromIeee(std::bit_cast<std::uint32_t>(x));
}

}  // namespace

ShadingFirmwares buildShadingFirmwares(const scene::Scene& scene,
                                       std::span<const std::shared_ptr<const sl::Program>> programs,
                                       std::uint32_t sramWords) {
  ShadingFirmwares out;
  std::map<const sl::Program*, std::shared_ptr<const ShadingFirmware>> known;
  for (std::size_t n = 0; n < programs.size(); ++n) {
    std::shared_ptr<const ShadingFirmware>& found = known[programs[n].get()];
    try {
      if (!found) found = build(*programs[n], sramWords);
    } catch (const std::runtime_error& e) {
      const scene::SurfaceShader& surface = scene.surfaces.at(n);
      throw scene::SceneError(surface.where + "found the shader '" + surface.name +
                              "', expected one that the boards can run: " + e.what());
    }
    out.push_back(found);
  }
  return out;
}

TigersharkShading::TigersharkShading(TigersharkDriver& driver, ShadingFirmwares firmwares)
    : driver_(driver), firmwares_(std::move(firmwares)) {}

void TigersharkShading::shade(std::span<const ShadingPoint> points, const ShaderRays& /*rays*/,
                              std::span<sl::Vec3> colours) {
  // Firmware by firmware, in the order of their first point; points keep their order.
  std::vector<bool> done(points.size(), false);
  for (std::size_t first = 0; first < points.size(); ++first) {
    if (done[first]) continue;
    const ShadingFirmware* const wanted = firmwares_.at(points[first].surface).get();
    std::vector<std::uint32_t> which;
    for (std::size_t n = first; n < points.size(); ++n) {
      if (done[n] || firmwares_.at(points[n].surface).get() != wanted) continue;
      done[n] = true;
      which.push_back(static_cast<std::uint32_t>(n));
    }
    driver_.runGuest(wanted->guest);
    const auto nodes = static_cast<std::size_t>(driver_.config().dsps);
    const std::size_t at_once = nodes * driver_.config().pages.size();
    for (std::size_t at = 0; at < which.size(); at += at_once) {
      shadeBatch(*wanted, points,
                 std::span(which).subspan(at, std::min(at_once, which.size() - at)), colours);
    }
  }
}

void TigersharkShading::encode(const ShadingFirmware& firmware, const ShadingPoint& point,
                               std::uint32_t node, std::vector<std::uint32_t>& words) const {
  words.push_back(ts::messageHeader(ts::Message::Point, node, node));
  for (const sl::c32::Input& input : firmware.inputs) words.push_back(wordOf(input, point));
}

/// One point a node: the farthest first, then the go, as rays are sent.
void TigersharkShading::shadeBatch(const ShadingFirmware& firmware,
                                   std::span<const ShadingPoint> points,
                                   std::span<const std::uint32_t> which,
                                   std::span<sl::Vec3> colours) {
  const auto nodes = static_cast<std::size_t>(driver_.config().dsps);
  const std::size_t boards = (which.size() + nodes - 1) / nodes;
  std::vector<std::vector<std::uint32_t>> words(boards), answers(boards);
  for (std::size_t b = 0; b < boards; ++b) {
    const auto part = which.subspan(b * nodes, std::min(nodes, which.size() - b * nodes));
    for (std::size_t node = nodes; node-- > 0;) {
      // A short batch is filled with its last point; nobody reads what becomes of it.
      const std::uint32_t n = part[std::min(node, part.size() - 1)];
      encode(firmware, points[n], static_cast<std::uint32_t>(node), words[b]);
    }
    words[b].push_back(ts::messageHeader(ts::Message::Go, ts::kAllNodes, 0));
    answers[b].resize(1 + nodes * ts::kColourWords);
    counters_.fillers += nodes - part.size();
  }
  // Far beyond what a healthy board can take: each word alone on every link, and a run to its
  // budget through noise after noise.
  const double chain = static_cast<double>(words[0].size() + answers[0].size()) *
                       static_cast<double>(nodes + 8) * 34 / driver_.config().bitClockHz;
  const double run = 65536.0 * 2000 * (1 + driver_.config().waitStates) / driver_.config().clockHz;
  const sc_core::sc_time begin = sc_core::sc_time_stamp();
  driver_.exchange(words, answers, sc_core::sc_time(0.01 + 8 * chain + run, sc_core::SC_SEC),
                   "the colours of a batch of " + std::to_string(which.size()) + " points");
  const sc_core::sc_time taken = sc_core::sc_time_stamp() - begin;
  counters_.time += taken;
  if (driver_.config().batchDone) {
    std::vector<std::uint32_t> pixels;
    for (const std::uint32_t n : which) pixels.push_back(points[n].pixel);
    driver_.config().batchDone(pixels, taken);
  }
  for (std::size_t b = 0; b < boards; ++b) {
    collect(b, answers[b], which.subspan(b * nodes, std::min(nodes, which.size() - b * nodes)),
            colours);
  }
  counters_.points += which.size();
  ++counters_.batches;
}

void TigersharkShading::collect(std::size_t board, std::span<const std::uint32_t> answer,
                                std::span<const std::uint32_t> which, std::span<sl::Vec3> colours) {
  if (answer[0] != ts::messageHeader(ts::Message::Go, ts::kAllNodes, 0))
    driver_.fail(board, "a batch of points returned something else first, expected its own go");
  std::vector<bool> seen(static_cast<std::size_t>(driver_.config().dsps), false);
  for (std::size_t at = 1; at < answer.size(); at += ts::kColourWords) {
    const std::uint32_t slot = answer[at] & 0xFFFFU;
    if (answer[at] >> ts::kMessageTypeShift != static_cast<std::uint32_t>(ts::Message::Result) ||
        slot >= seen.size() || seen[slot])
      driver_.fail(board, "a batch of points returned a word that is no header of a new result");
    seen[slot] = true;
    if (slot >= which.size()) continue;
    const auto lane = [&](std::size_t n) {
      return static_cast<float>(c32::doubleFromSingle(answer[at + n]));
    };
    colours[which[slot]] = {lane(1), lane(2), lane(3)};
    const std::uint64_t cycles = std::uint64_t{2} * (answer[at + 4] & ~ts::kColourOverBudget);
    counters_.cycles += cycles;
    counters_.longest = std::max(counters_.longest, cycles);
    if ((answer[at + 4] & ts::kColourOverBudget) != 0) ++counters_.overBudget;
  }
}

void TigersharkShading::state(common::StateArchive& a) {
  a.mark("tigershark shading");
  a(counters_.points, counters_.fillers, counters_.batches, counters_.overBudget, counters_.cycles,
    counters_.longest, counters_.time);
  std::uint64_t guest = 0;  // number of the firmware that is on the boards, from 1 on
  for (std::uint64_t i = 0; i < firmwares_.size() && guest == 0; ++i) {
    if (firmwares_[i] && driver_.guest() == &firmwares_[i]->guest) guest = i + 1;
  }
  a(guest);
  if (guest > firmwares_.size() || (guest > 0 && !firmwares_[guest - 1])) {
    throw common::StateError("the state names a program that the scene does not have");
  }
  if (a.reading()) driver_.assume(guest == 0 ? nullptr : &firmwares_[guest - 1]->guest);
}

void TigersharkShading::Counters::report(common::StatGroup& stats) const {
  stats.count("points", "points", "shading points sent to the boards", points);
  stats.count("points_filler", "points", "repeated points that filled short batches", fillers);
  stats.count("batches", "batches", "batches of one point a DSP", batches);
  stats.count("over_budget", "runs", "programs stopped at the budget; their colour is 0",
              overBudget);
  stats.count("point_cycles", "cycles", "H1 cycles from release to result, over all points",
              cycles);
  stats.count("point_cycles_longest", "cycles", "the longest of these", longest);
  stats.count("batches_ps", "ps", "simulated time from a batch's first word to its last colour",
              time.value());
}

}  // namespace rtvp::host
