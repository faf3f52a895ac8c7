// See comparison.hpp: derived figures and machines.json.
#include "platform/report/comparison.hpp"

#include <boost/json/array.hpp>

namespace rtvp::report {
namespace {

namespace json = boost::json;

json::value orNull(const std::optional<double>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::object pairsJson(const std::vector<std::pair<std::string, std::string>>& pairs) {
  json::object all;
  for (const auto& [key, value] : pairs) all[key] = value;
  return all;
}

json::object memberJson(const MemberFigures& member, double rays) {
  const MachineFigures& f = member.figures;
  const auto perRay = [&](const std::optional<double>& total) {
    return total && rays > 0 ? json::value(*total / rays) : json::value(nullptr);
  };
  json::array traffic, resources, own;
  for (const Traffic& t : f.traffic) {
    traffic.push_back({{"path", t.path}, {"inner", t.inner}, {"bytes_per_ray", perRay(t.bytes)}});
  }
  for (const Resource& r : f.resources) {
    resources.push_back({{"name", r.name}, {"share", r.share}, {"meaning", r.meaning}});
  }
  for (const OwnFigure& o : f.own) {
    own.push_back({{"name", o.name}, {"unit", o.unit}, {"per_ray", perRay(o.value)}});
  }
  return {{"machine", member.machine},
          {"cycles", orNull(f.cycles)},
          {"tests_per_ray", perRay(f.tests)},
          {"box_tests_per_ray", perRay(f.boxTests)},
          {"node_visits_per_ray", perRay(f.nodeVisits)},
          {"traffic", std::move(traffic)},
          {"resources", std::move(resources)},
          {"idle", orNull(f.idle)},
          {"own", std::move(own)}};
}

json::object partJson(const ListedPart& p) {
  return {{"name", p.name},
          {"role", p.role},
          {"count", p.count},
          {"each", p.each},
          {"multipliers", orNull(p.multipliers)},
          {"memory_bytes", orNull(p.memoryBytes)},
          {"bytes_per_second", orNull(p.bytesPerSecond)},
          {"dollars", orNull(p.dollars)},
          {"guess", p.guess},
          {"source", p.source}};
}

void addResults(const ComparedRun& run, json::object& out) {
  json::array members, parts;
  for (const MemberFigures& m : run.members) members.push_back(memberJson(m, run.rays));
  for (const ListedPart& p : run.parts) parts.push_back(partJson(p));
  out["figures"] = {{"simulated_s", run.simulatedSeconds},
                    {"rays", run.rays},
                    {"rays_per_s", run.raysPerSecond()},
                    {"cycles", orNull(run.cycles())},
                    {"tests_per_ray", orNull(run.perRay(&MachineFigures::tests))},
                    {"box_tests_per_ray", orNull(run.perRay(&MachineFigures::boxTests))},
                    {"node_visits_per_ray", orNull(run.perRay(&MachineFigures::nodeVisits))},
                    {"bytes_per_ray", orNull(run.bytesPerRay())},
                    {"psnr_db", orNull(run.psnr)},
                    {"pixels", run.pixels},
                    {"wrong_pixels", run.wrongPixels},
                    {"excused_pixels", run.excusedPixels}};
  out["picture_equal"] = !run.psnr.has_value();
  out["accepted"] = run.accepted;
  out["limit"] = {{"resource", run.limit}, {"share", run.limitShare}};
  out["members"] = std::move(members);
  out["parts"] = std::move(parts);
  out["configuration_hash"] = run.configurationHash;
}

const char* word(ComparedRun::State state) {
  switch (state) {
    case ComparedRun::State::Done:
      return "done";
    case ComparedRun::State::Refused:
      return "refused";
    case ComparedRun::State::Failed:
      break;
  }
  return "failed";
}

}  // namespace

std::optional<double> ComparedRun::cycles() const {
  if (members.empty()) return std::nullopt;
  return members.front().figures.cycles;
}

std::optional<double> ComparedRun::perRay(std::optional<double> MachineFigures::*figure) const {
  if (members.empty() || rays <= 0) return std::nullopt;
  const std::optional<double>& total = members.front().figures.*figure;
  return total ? std::optional(*total / rays) : std::nullopt;
}

std::optional<double> ComparedRun::bytesPerRay() const {
  if (members.empty() || rays <= 0 || members.front().figures.traffic.empty()) return std::nullopt;
  double bytes = 0;
  for (const Traffic& t : members.front().figures.traffic) bytes += t.inner ? 0 : t.bytes;
  return bytes / rays;
}

json::object comparisonJson(const Comparison& all, bool host) {
  json::array runs;
  json::object seconds{{"reference", all.referenceSeconds}};
  for (const ComparedRun& run : all.runs) {
    json::object one{{"machine", run.machine},    {"setting", run.setting},
                     {"title", run.title},        {"note", run.note},
                     {"set", pairsJson(run.set)}, {"state", word(run.state)}};
    if (run.state == ComparedRun::State::Done) {
      addResults(run, one);
      seconds[run.label()] = run.hostSeconds;
    } else {
      one["reason"] = run.reason;
    }
    runs.push_back(std::move(one));
  }
  json::object out{{"schema_version", kComparisonSchemaVersion},
                   {"scene",
                    {{"file", all.scene},
                     {"width", all.width},
                     {"height", all.height},
                     {"primitives", all.primitives},
                     {"triangles", all.triangles},
                     {"spheres", all.spheres},
                     {"functions", all.functions}}},
                   {"set", pairsJson(all.said)},
                   {"runs", std::move(runs)}};
  if (host) out["host"] = {{"seconds", std::move(seconds)}};
  return out;
}

}  // namespace rtvp::report
