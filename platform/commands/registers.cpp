// See registers.hpp.
#include "platform/commands/registers.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <systemc>

#include "models/common/core/output_set.hpp"
#include "models/common/core/text.hpp"
#include "models/common/core/version.hpp"
#include "models/common/register_export.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/crew.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;
using common::RegisterDescriptor;

constexpr int kSchemaVersion = 1;
constexpr const char* kHelp =
    R"(platform registers: registers of the machines, from the tables that they are made of

  platform registers [NAME...] [--format text|rdl|svd|json] [-o FILE]

  platform registers theia
  platform registers xphmg --format rdl -o xphmg.rdl
  platform registers implicit --format svd -o implicit.svd

NAME is a block, or a machine (all its blocks); without one, everything. Addresses are those of a
computer with that machine alone and default options (`platform map`). A block that has no fixed
address there, because it is on a bus of its own or where a PCI base register says, begins at 0.

  --format FORMAT    text [default]
                     rdl: SystemRDL 2.0, an addrmap for each block, and one of all at their
                     addresses if each has one
                     svd: CMSIS-SVD 1.3, one device; blocks without a fixed address: one at a time
                     json: the tables as they are
  -o, --output FILE  instead of standard output, "-"
  -h, --help

Exit status: 0 done; 2 the options are wrong; 70 the file cannot be written.
)";

/// A block, and whose it is.
struct Block {
  const MachineKind* kind;
  const RegisterSpace* space;
  common::RegisterPage page;
  bool placed = false;  ///< its address is fixed
};

/// Where the blocks of a machine lie in a computer that has it alone.
void place(std::vector<Block>& blocks, const MachineKind& kind, const OptionTable& table,
           const Registry& registry) {
  // One computer after the other in this process, none of which runs: their names may be the same.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_INSTANCE_EXISTS_, sc_core::SC_DO_NOTHING);
  Settings settings(table);
  if (takesPieces(kind.info()) || kind.info().primitives.functions)
    settings.set("engine", std::string(kind.info().name), "registers");
  InputFiles inputs;
  LineUp lineUp(settings, registry, inputs);
  lineUp.addHelpers();
  Crew crew(lineUp);
  const Computer computer(lineUp.settings(), crew.machines(), [](host::HostBus&) {});
  for (Block& block : blocks) {
    if (block.kind != &kind || block.space->range.empty()) continue;
    for (const MapRange& range : computer.map().ranges()) {
      if (range.name != block.space->range) continue;
      block.page.base = range.base;
      block.placed = true;
    }
  }
}

bool isBlock(const Registry& registry, std::string_view name) {
  return std::ranges::any_of(registry.kinds(), [&](const MachineKind* kind) {
    return std::ranges::any_of(kind->info().registers,
                               [&](const RegisterSpace& space) { return space.name == name; });
  });
}

std::vector<Block> blocksOf(const std::vector<std::string>& names, const OptionTable& table,
                            const Registry& registry) {
  std::vector<Block> blocks;
  std::vector<std::string> left = names;
  for (const MachineKind* const kind : registry.kinds()) {
    for (const RegisterSpace& space : kind->info().registers) {
      bool wanted = names.empty();
      for (const std::string& name : names) {
        if (name != space.name && (name != kind->info().name || isBlock(registry, name))) continue;
        wanted = true;
        std::erase(left, name);
      }
      if (!wanted) continue;
      blocks.push_back({kind,
                        &space,
                        {std::string(space.name), std::string(space.description), space.base,
                         space.bytes, space.table()},
                        space.base != 0});
    }
  }
  if (!left.empty()) {
    std::string known;
    for (const MachineKind* const kind : registry.kinds()) {
      for (const RegisterSpace& space : kind->info().registers)
        known += (known.empty() ? "" : ", ") + std::string(space.name);
    }
    throw InputError("registers: found '" + left.front() +
                     "', expected a machine with registers or one of the blocks " + known);
  }
  const MachineKind* last = nullptr;
  for (const Block& block : std::vector<Block>(blocks)) {
    if (block.kind != last) place(blocks, *block.kind, table, registry);
    last = block.kind;
  }
  return blocks;
}

std::vector<common::RegisterPage> pagesOf(const std::vector<Block>& blocks) {
  std::vector<common::RegisterPage> pages;
  for (const Block& block : blocks) pages.push_back(block.page);
  return pages;
}

bool allPlaced(const std::vector<Block>& blocks) {
  return std::ranges::all_of(blocks, &Block::placed);
}

/// The document's name: the machine's if it is of one.
std::string nameOf(const std::vector<Block>& blocks) {
  if (blocks.size() == 1) return blocks.front().page.name;
  const auto other = [&](const Block& b) { return b.kind != blocks.front().kind; };
  return std::ranges::any_of(blocks, other) ? "rtvp"
                                            : std::string(blocks.front().kind->info().name);
}

std::string describe(const std::vector<Block>& blocks) {
  return blocks.size() == 1
             ? blocks.front().page.description
             : "registers of " + nameOf(blocks) + ", rtvp " + std::string(common::version());
}

// ---- text and JSON

std::string bitsText(const common::FieldDescriptor& field) {
  std::string text = std::to_string(field.msb);
  if (field.msb != field.lsb) text += ":" + std::to_string(field.lsb);
  return text;
}

std::string_view nameOf(common::ReadEffect effect) {
  switch (effect) {
    case common::ReadEffect::None:
      return "none";
    case common::ReadEffect::Takes:
      return "takes";
    case common::ReadEffect::Others:
      return "others";
  }
  return "?";
}

void printText(std::ostream& out, const std::vector<Block>& blocks) {
  const char* gap = "";
  for (const Block& block : blocks) {
    out << gap << block.page.name << ": " << block.page.description << "\n";
    gap = "\n";
    for (const RegisterDescriptor& reg : block.page.table) {
      out << "  " << common::hexH(block.page.base + reg.offset, 8) << "  " << std::left
          << std::setw(22) << reg.name << " " << 8 * reg.width << " bits, reset "
          << common::hexH(reg.reset);
      if (!reg.unit.empty()) out << ", " << reg.unit;
      if (reg.number != 0) out << ", CSR " << common::hexH(reg.number);
      if (reg.onRead == common::ReadEffect::Takes) out << ", a read takes";
      if (reg.onRead == common::ReadEffect::Others) out << ", a read changes others";
      out << "\n";
      for (const common::FieldDescriptor& field : reg.fields)
        out << "             " << std::setw(6) << bitsText(field) << std::setw(16) << field.name
            << " " << std::setw(4) << common::nameOf(field.access) << field.description << "\n";
    }
  }
}

json::array fieldsJson(const RegisterDescriptor& reg) {
  json::array fields;
  for (const common::FieldDescriptor& field : reg.fields)
    fields.push_back({{"name", field.name},
                      {"msb", field.msb},
                      {"lsb", field.lsb},
                      {"access", common::nameOf(field.access)},
                      {"description", field.description},
                      {"needs", field.needs}});
  return fields;
}

json::object blockJson(const Block& block) {
  json::array registers;
  for (const RegisterDescriptor& reg : block.page.table)
    registers.push_back({{"name", reg.name},
                         {"offset", reg.offset},
                         {"bytes", reg.width},
                         {"reset", reg.reset},
                         {"side_effects", reg.side_effects},
                         {"on_read", nameOf(reg.onRead)},
                         {"unit", reg.unit},
                         {"csr", reg.number},
                         {"source", reg.source},
                         {"fields", fieldsJson(reg)}});
  return {{"name", block.page.name},
          {"machine", block.kind->info().name},
          {"description", block.page.description},
          {"base", block.placed ? json::value(block.page.base) : json::value(nullptr)},
          {"bytes", block.page.bytes},
          {"registers", std::move(registers)}};
}

std::string jsonText(const std::vector<Block>& blocks) {
  json::array all;
  for (const Block& block : blocks) all.push_back(blockJson(block));
  return json::serialize(
             json::object{{"schema_version", kSchemaVersion}, {"blocks", std::move(all)}}) +
         "\n";
}

// ---- the forms

std::string svd(const std::vector<Block>& blocks) {
  if (blocks.size() > 1 && !allPlaced(blocks)) {
    std::string names;
    for (const Block& block : blocks)
      if (!block.placed) names += (names.empty() ? "" : ", ") + block.page.name;
    throw InputError("registers: found " + std::to_string(blocks.size()) +
                     " blocks for one SVD device, but these have no fixed address: " + names +
                     "; name one block");
  }
  return common::cmsisSvd(nameOf(blocks), describe(blocks), common::version(), pagesOf(blocks));
}

std::string write(const std::string& format, const std::vector<Block>& blocks) {
  if (format == "rdl")
    return common::systemRdl(nameOf(blocks), describe(blocks), pagesOf(blocks), allPlaced(blocks));
  if (format == "svd") return svd(blocks);
  if (format == "json") return jsonText(blocks);
  if (format != "text")
    throw InputError("--format: found '" + format + "', expected text, rdl, svd or json");
  std::ostringstream out;
  printText(out, blocks);
  return out.str();
}

po::variables_map read(const std::vector<std::string>& arguments) {
  po::options_description own;
  auto add = own.add_options();
  add("format", po::value<std::string>()->default_value("text"), "");
  add("output,o", po::value<std::string>()->default_value("-"), "");
  add("help,h", "");
  add("names", po::value<std::vector<std::string>>(), "");
  po::positional_options_description words;
  words.add("names", -1);
  po::variables_map given;
  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(own).positional(words).style(style).run(),
              given);
  } catch (const po::error& e) {
    throw InputError(std::string(e.what()) + " (`platform registers --help`)");
  }
  return given;
}

}  // namespace

ExitStatus registersCommand(const std::vector<std::string>& arguments, const OptionTable& table,
                            const Registry& registry) {
  const po::variables_map given = read(arguments);
  if (given.count("help") != 0) {
    std::cout << kHelp;
    return ExitStatus::Done;
  }
  const auto names = given.count("names") == 0 ? std::vector<std::string>()
                                               : given["names"].as<std::vector<std::string>>();
  const std::string text =
      write(given["format"].as<std::string>(), blocksOf(names, table, registry));
  const std::string file = given["output"].as<std::string>();
  if (file == "-") {
    std::cout << text;
    return ExitStatus::Done;
  }
  common::OutputSet outputs;
  outputs.open(file).write(text);
  outputs.commit();
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
