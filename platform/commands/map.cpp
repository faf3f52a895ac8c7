// See map.hpp.
#include "platform/commands/map.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "models/common/core/text.hpp"
#include "platform/commands/load_scene.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/crew.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;
using Row = std::vector<std::string>;

constexpr int kSchemaVersion = 1;

// ---- as text

/// In the largest unit that leaves no rest.
std::string bytes(std::uint64_t size) {
  static constexpr std::array<const char*, 4> kUnits = {" B", " KiB", " MiB", " GiB"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && size % 1024 == 0) {
    size /= 1024;
    ++unit;
  }
  return std::to_string(size) + kUnits[unit];
}

std::string nanoseconds(std::uint64_t ps) {
  std::ostringstream text;
  text << static_cast<double>(ps) / 1000 << " ns";
  return text.str();
}

std::string orDash(const std::string& text) {
  return text.empty() ? "-" : text;
}

/// Columns as wide as their widest word; nothing if there is only the head.
void printTable(std::ostream& out, const char* title, const std::vector<Row>& rows) {
  if (rows.size() < 2) return;
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  out << "\n" << title << "\n";
  for (const Row& row : rows) {
    out << "  ";
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out << std::left << std::setw(static_cast<int>(widths[i])) << row[i] << "  ";
    }
    out << row.back() << "\n";
  }
}

void printMachines(std::ostream& out, const LineUp& lineUp, std::size_t chosen) {
  const auto list = [&](std::size_t first, std::size_t end) {
    std::string text;
    for (std::size_t i = first; i < end; ++i) {
      text += (text.empty() ? "" : ", ") + lineUp.members()[i].name;
    }
    return text;
  };
  const std::size_t all = lineUp.members().size();
  out << "machines: " << list(0, chosen);
  if (chosen < all) out << "; where a scene needs them " << list(chosen, all);
  out << "\n";
}

void printText(std::ostream& out, const LineUp& lineUp, std::size_t chosen, const MemoryMap& map) {
  printMachines(out, lineUp, chosen);
  std::vector<Row> rows{{"base", "end", "size", "name", "device", "region", "latency", "set by"}};
  for (const MapRange& r : map.ranges()) {
    rows.push_back({common::hexH(r.base, 8), common::hexH(r.end(), 8), bytes(r.size), r.name,
                    r.device, std::string(nameOf(r.region)), nanoseconds(r.latencyPs),
                    orDash(r.parameter)});
  }
  printTable(out, "address ranges", rows);
  rows = {{"line", "device", "signal", "set by"}};
  for (const MapLine& l : map.lines()) {
    rows.push_back({std::to_string(l.number), l.device, l.signal, orDash(l.parameter)});
  }
  printTable(out, "interrupt lines of the processor", rows);
  rows = {{"master", "device", "address", "data", "set by"}};
  for (const MapMaster& m : map.masters()) {
    rows.push_back({m.name, m.device, std::to_string(m.addressBits) + " bits",
                    std::to_string(m.dataBits) + " bits", orDash(m.parameter)});
  }
  printTable(out, "masters of the interconnect", rows);
  rows = {{"bus", "address", "data", "clock", "latency", "set by"}};
  for (const MapBus& b : map.buses()) {
    rows.push_back({b.name, std::to_string(b.addressBits) + " bits",
                    std::to_string(b.dataBits) + " bits",
                    b.periodPs == 0 ? "-" : nanoseconds(b.periodPs), nanoseconds(b.latencyPs),
                    orDash(b.parameter)});
  }
  printTable(out, "buses", rows);
  rows = {{"slot", "device", "configuration", "set by"}};
  for (const MapSlot& s : map.slots()) {
    rows.push_back(
        {std::to_string(s.number), s.device, common::hexH(s.configBase, 8), orDash(s.parameter)});
  }
  printTable(out, "PCI slots", rows);
}

// ---- as JSON

json::array rangesJson(const MemoryMap& map) {
  json::array rows;
  for (const MapRange& r : map.ranges()) {
    rows.push_back({{"name", r.name},
                    {"device", r.device},
                    {"base", r.base},
                    {"end", r.end()},
                    {"size", r.size},
                    {"region", std::string(nameOf(r.region))},
                    {"latency_ps", r.latencyPs},
                    {"parameter", r.parameter}});
  }
  return rows;
}

json::array linesJson(const MemoryMap& map) {
  json::array rows;
  for (const MapLine& l : map.lines()) {
    rows.push_back({{"line", l.number},
                    {"device", l.device},
                    {"signal", l.signal},
                    {"parameter", l.parameter}});
  }
  return rows;
}

json::array mastersJson(const MemoryMap& map) {
  json::array rows;
  for (const MapMaster& m : map.masters()) {
    rows.push_back({{"name", m.name},
                    {"device", m.device},
                    {"address_bits", m.addressBits},
                    {"data_bits", m.dataBits},
                    {"parameter", m.parameter}});
  }
  return rows;
}

json::array busesJson(const MemoryMap& map) {
  json::array rows;
  for (const MapBus& b : map.buses()) {
    rows.push_back({{"name", b.name},
                    {"address_bits", b.addressBits},
                    {"data_bits", b.dataBits},
                    {"period_ps", b.periodPs},
                    {"latency_ps", b.latencyPs},
                    {"parameter", b.parameter}});
  }
  return rows;
}

json::array slotsJson(const MemoryMap& map) {
  json::array rows;
  for (const MapSlot& s : map.slots()) {
    rows.push_back({{"slot", s.number},
                    {"device", s.device},
                    {"config_base", s.configBase},
                    {"parameter", s.parameter}});
  }
  return rows;
}

void printJson(std::ostream& out, const LineUp& lineUp, std::size_t chosen, const MemoryMap& map) {
  json::array machines;
  for (std::size_t i = 0; i < lineUp.members().size(); ++i) {
    const LineUp::Member& member = lineUp.members()[i];
    machines.push_back({{"name", member.name},
                        {"kind", std::string(member.kind->info().name)},
                        {"chosen", i < chosen}});
  }
  const json::object all{{"schema_version", kSchemaVersion}, {"machines", std::move(machines)},
                         {"ranges", rangesJson(map)},        {"lines", linesJson(map)},
                         {"masters", mastersJson(map)},      {"buses", busesJson(map)},
                         {"slots", slotsJson(map)}};
  out << json::serialize(all) << "\n";
}

std::unique_ptr<Crew> makeCrew(const LineUp& lineUp, const scene::Scene* scene) {
  if (scene == nullptr) return std::make_unique<Crew>(lineUp);
  host::RenderOptions options;
  options.crop = {0, 0, scene->width, scene->height};
  return std::make_unique<Crew>(lineUp, *scene, options, host::AnsweredFn(), nullptr);
}

}  // namespace

void printMap(std::ostream& out, const LineUp& lineUp, std::size_t chosen,
              const scene::Scene* scene, bool json) {
  const std::unique_ptr<Crew> crew = makeCrew(lineUp, scene);
  const Computer computer(lineUp.settings(), crew->machines(), [](host::HostBus&) {});
  if (json) {
    printJson(out, lineUp, chosen, computer.map());
  } else {
    printText(out, lineUp, chosen, computer.map());
  }
}

ExitStatus mapCommand(const CommandLine& command, const Registry& registry) {
  installReportHandler(false);
  InputFiles inputs;
  LineUp lineUp(command.settings, registry, inputs);
  const std::size_t chosen = lineUp.members().size();
  if (command.files.empty()) {
    lineUp.addHelpers();
    printMap(std::cout, lineUp, chosen, nullptr, command.json);
    return ExitStatus::Done;
  }
  const scene::Scene scene =
      loadScene(command.settings, command.files.front(), lineUp.trianglesOnly(), inputs);
  lineUp.complete(scene);
  printMap(std::cout, lineUp, chosen, &scene, command.json);
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
