// The one-screen summary at the end of a run. It reads the statistics that were written, so that it
// cannot say anything they do not.
#include <array>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "platform/report/statistics.hpp"

namespace rtvp::report {
namespace {

namespace json = boost::json;

double numberOf(const json::value& value) {
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  return value.is_double() ? value.get_double() : 0;
}

double at(const json::object& object, const char* name) {
  const json::value* const value = object.if_contains(name);
  return value == nullptr ? 0 : numberOf(*value);
}

struct Total {
  double sum = 0;
  int groups = 0;
  [[nodiscard]] double mean() const { return groups > 0 ? sum / groups : 0; }
};

// `figure` of every group named `group`, wherever it is: all boards of all hosts.
void gather(const json::object& tree, std::string_view group, std::string_view figure,
            Total& total) {
  for (const auto& [key, value] : tree) {
    const json::object* const inner = value.if_object();
    if (inner == nullptr) continue;
    if (std::string_view(key) == group) {
      if (const json::value* const found = inner->if_contains(figure)) {
        total.sum += numberOf(*found);
        ++total.groups;
      }
    }
    gather(*inner, group, figure, total);
  }
}

std::string scaled(double value, const char* unit) {
  static constexpr const char* kPrefix[] = {"", "k", "M", "G", "T"};
  std::size_t step = 0;
  while (std::abs(value) >= 1000 && step + 1 < std::size(kPrefix)) {
    value /= 1000;
    ++step;
  }
  std::ostringstream text;
  text << std::setprecision(value < 10 ? 3 : 4) << value << " " << kPrefix[step] << unit;
  return text.str();
}

std::string percent(double share) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << 100 * share << " %";
  return text.str();
}

std::string duration(double seconds) {
  std::ostringstream text;
  text << std::setprecision(4);
  if (seconds >= 1 || seconds == 0) {
    text << seconds << " s";
  } else if (seconds >= 1e-3) {
    text << seconds * 1e3 << " ms";
  } else {
    text << seconds * 1e6 << " us";
  }
  return text.str();
}

void line(std::ostream& out, const char* label, const std::string& text) {
  out << std::left << std::setw(12) << label << text << "\n";
}

// `figure` of all groups core0, core1, ... in `group`.
double sumOfCores(const json::object& group, const char* figure) {
  double sum = 0;
  for (int core = 0; group.contains("core" + std::to_string(core)); ++core) {
    sum += at(group.at("core" + std::to_string(core)).as_object(), figure);
  }
  return sum;
}

void printArray(std::ostream& out, const json::object& modules, double simulated, double wall) {
  const auto total = [&](const char* group, const char* figure) {
    Total t;
    gather(modules, group, figure, t);
    return t;
  };
  const auto array = [&](const char* figure) { return sumOf(modules, "array", figure); };
  const double instructions = array("instructions");
  const double lanes = total("array", "lanes").mean();
  line(out, "DSPs",
       scaled(array("lanes"), "") + "on " + std::to_string(total("array", "lanes").groups) +
           " board(s): " + scaled(instructions, "instructions") + ", simulated at " +
           scaled(instructions / 1e6 / wall, "MIPS"));
  const double votes = array("votes");
  const double skips = array("skips");
  // One barrier a record (design.md section 10): what is no vote is a triangle or sphere for every
  // lane.
  const double tests = (array("barriers") - votes) * lanes;
  line(out, "tests",
       scaled(tests, "ray-primitive tests, ") +
           scaled(simulated > 0 ? tests / simulated : 0, "tests/s"));
  line(out, "votes",
       scaled(votes, "votes, ") + percent(votes > 0 ? skips / votes : 0) +
           " skipped the box's contents");
  line(out, "links",
       "shared bus " + percent(total("array", "bus_utilisation").mean()) + ", chain in " +
           percent(total("pld", "chain_in_utilisation").mean()) + ", out " +
           percent(total("pld", "chain_out_utilisation").mean()) + ", PCI " +
           percent(total("pci", "utilisation").mean()) + " of the time busy");
  const double cycles = array("cycles");
  if (cycles <= 0) return;
  std::string text;
  static constexpr const char* kParts[][2] = {{"cycles_busy", "executing"},
                                              {"cycles_bus_wait", "bus wait"},
                                              {"cycles_barrier", "barrier"},
                                              {"cycles_conflict", "pipeline"},
                                              {"cycles_interrupt", "interrupt"},
                                              {"cycles_other", "other"},
                                              {"cycles_idle", "idle"}};
  for (const auto& part : kParts) {
    if (!text.empty()) text += ", ";
    text += std::string(part[1]) + " " + percent(array(part[0]) / cycles);
  }
  line(out, "DSP cycles", text + " of " + scaled(cycles, ""));
}

void printTheia(std::ostream& out, const json::object& modules) {
  const auto mean = [&](const char* group, const char* figure) {
    Total t;
    gather(modules, group, figure, t);
    return t.mean();
  };
  const double clocks = mean("core0", "clocks");
  const auto share = [&](const char* figure) {
    return percent(clocks > 0 ? mean("core0", figure) / clocks : 0);
  };
  line(out, "THEIA",
       scaled(sumOf(modules, "host_port", "triangles"), "triangles over the host port, ") +
           scaled(clocks, "clocks"));
  line(out, "core 0",
       "executing " + share("main_busy") + ", dividing " + share("main_divider") +
           ", waiting for texture " + share("main_texture_stall") + ", for triangles " +
           share("host_stall") + ", idle " + share("idle"));
}

void printXphmg(std::ostream& out, const json::object& modules, int units) {
  const auto unit = [&](const char* figure) {
    double sum = 0;
    for (int i = 0; i < units; ++i) sum += sumOf(modules, "unit" + std::to_string(i), figure);
    return sum;
  };
  const double rays = std::max(1.0, unit("rays"));
  const double cycles = std::max(1.0, unit("cycles"));
  const auto mean = [&](const char* figure) {
    std::ostringstream text;
    text << std::setprecision(3) << unit(figure) / rays;
    return text.str();
  };
  const double lines = unit("lmem_hits") + unit("lmem_misses");
  line(out, "XPHMG_RT",
       std::to_string(units) + " unit(s), " + scaled(unit("jobs"), "jobs; a ray meets ") +
           mean("nodes") + " nodes and " + mean("triangles") + " triangles");
  line(out, "LMEM", percent(lines > 0 ? unit("lmem_hits") / lines : 0) + " of the lines found");
  std::string text;
  static constexpr const char* kParts[][2] = {
      {"cycles_box", "boxes"},          {"cycles_triangle", "triangles"},
      {"cycles_stall_lmem", "LMEM"},    {"cycles_stall_memory", "memory"},
      {"cycles_stall_queue", "queues"}, {"cycles_stall_descriptor", "descriptors"},
      {"cycles_idle", "idle"}};
  for (const auto& part : kParts) {
    if (!text.empty()) text += ", ";
    text += std::string(part[1]) + " " + percent(unit(part[0]) / cycles);
  }
  line(out, "cycles", text + " of " + scaled(cycles, ""));
}

// The implicit-surface unit; nothing where the scene has no implicit surfaces.
void printImplicit(std::ostream& out, const json::object& modules) {
  const auto driver = [&](const char* figure) { return sumOf(modules, "implicit_driver", figure); };
  const auto unit = [&](const char* figure) { return sumOf(modules, "implicit", figure); };
  if (driver("jobs") <= 0) return;
  line(out, "implicit",
       scaled(driver("leaves"), "leaves, ") + scaled(unit("trace_evaluations"), "evaluations, ") +
           scaled(unit("executed"), "instructions"));
  std::string rays =
      scaled(driver("hits"), "rays hit, ") + scaled(driver("capped"), "did not converge somewhere");
  if (const double n = driver("undefined"); n > 0) rays += ", " + scaled(n, "met points without f");
  line(out, "", rays);
  double cycles = 0;
  static constexpr const char* kParts[][2] = {
      {"cycles_busy", "executing"}, {"cycles_fetch", "opcodes"}, {"cycles_constant", "constants"},
      {"cycles_leaf", "leaves"},    {"cycles_data", "data"},     {"cycles_port", "port"},
      {"cycles_idle", "idle"}};
  std::array<double, std::size(kParts)> parts{};
  for (const auto& host : modules) {
    const json::object* const machine = host.value().if_object();
    if (machine == nullptr || !machine->contains("implicit")) continue;
    const json::object& group = machine->at("implicit").as_object();
    cycles += sumOfCores(group, "cycles");
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += sumOfCores(group, kParts[i][0]);
  }
  std::string shares;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!shares.empty()) shares += ", ";
    shares += std::string(kParts[i][1]) + " " + percent(cycles > 0 ? parts[i] / cycles : 0);
  }
  line(out, "its cycles", shares + " of " + scaled(cycles, ""));
}

// Surfaces with a shader; nothing where the scene has none.
void printShaders(std::ostream& out, const json::object& modules) {
  const auto shaders = [&](const char* figure) { return sumOf(modules, "shaders", figure); };
  const auto unit = [&](const char* figure) { return sumOf(modules, "sl", figure); };
  const double runs = shaders("runs");
  if (runs <= 0) return;
  std::string text = scaled(shaders("hits"), "hits, ") + scaled(runs, "runs, ") +
                     scaled(shaders("rays"), "rays asked for");
  if (const double n = shaders("non_finite"); n > 0) text += ", " + scaled(n, "lanes not finite");
  line(out, "shaders", text);
  if (unit("runs") <= 0) return;
  line(out, "SL unit",
       scaled(unit("instructions"), "instructions, ") +
           scaled(unit("texture_samples"), "texture samples, ") +
           scaled(unit("over_budget"), "runs over the budget"));
  double cycles = 0;
  std::array<double, 6> parts{};
  static constexpr const char* kParts[][2] = {
      {"cycles_busy", "executing"}, {"cycles_request", "requests"}, {"cycles_texture", "texture"},
      {"cycles_result", "results"}, {"cycles_port", "port"},        {"cycles_idle", "idle"}};
  for (int pipeline = 0;; ++pipeline) {
    const std::string group = "pipeline" + std::to_string(pipeline);
    const double mine = sumOf(modules, group, "cycles");
    if (mine <= 0) break;
    cycles += mine;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i] += sumOf(modules, group, kParts[i][0]);
    }
  }
  std::string shares;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!shares.empty()) shares += ", ";
    shares += std::string(kParts[i][1]) + " " + percent(cycles > 0 ? parts[i] / cycles : 0);
  }
  line(out, "SL cycles", shares + " of " + scaled(cycles, ""));
}

}  // namespace

double sumOf(const json::object& modules, std::string_view group, std::string_view figure) {
  Total total;
  gather(modules, group, figure, total);
  return total.sum;
}

void printSummary(std::ostream& out, const json::object& statistics) {
  const json::object& picture = statistics.at("picture").as_object();
  const json::object& host = statistics.at("host").as_object();
  const json::object& modules = statistics.at("modules").as_object();
  const double simulated = at(statistics, "simulated_time_ps") * 1e-12;
  const double wall = at(host, "wall_s");
  const double rays = at(picture, "rays");
  std::ostringstream size;
  size << at(picture, "crop_width") << "x" << at(picture, "crop_height");
  line(out, "image",
       std::string(host.at("image_file").as_string()) + ", " + size.str() + ", " +
           scaled(rays, "rays, ") +
           percent(at(picture, "eye_hits") / std::max(1.0, at(picture, "eye_rays"))) +
           " of the eye rays hit");
  if (simulated <= 0) {
    line(out, "time", duration(wall) + " (no simulated machine)");
    return;
  }
  line(out, "time", duration(simulated) + " simulated, " + duration(wall) + " on this computer");
  line(out, "rays", scaled(rays / simulated, "rays/s of simulated time"));
  Total units;
  gather(modules, "theia", "pixels_committed", units);
  int rayUnits = 0;
  while (sumOf(modules, "unit" + std::to_string(rayUnits), "register_accesses") > 0) ++rayUnits;
  if (rayUnits > 0) {
    printXphmg(out, modules, rayUnits);
  } else if (units.groups > 0) {
    printTheia(out, modules);
  } else if (Total lanes; gather(modules, "array", "lanes", lanes), lanes.groups > 0) {
    printArray(out, modules, simulated, wall);
  }
  printImplicit(out, modules);
  printShaders(out, modules);
}

}  // namespace rtvp::report
