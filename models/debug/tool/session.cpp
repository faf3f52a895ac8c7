// See session.hpp.
#include "models/debug/tool/session.hpp"

#include <iostream>
#include <stdexcept>
#include <system_error>

#include "models/common/tool/failure.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"

namespace rtvp::debug {
namespace {

namespace po = boost::program_options;

/// Null: nobody is expected.
std::unique_ptr<Front> frontFor(const std::string& tool, const ToolWishes& wishes) {
  if (wishes.dap.empty()) return nullptr;
  if (wishes.interactive || !wishes.execute.empty() || !wishes.commands.empty())
    throw tool::Failure(
        "found --dap and another way to say what to do, expected one of --dap, or -i, -x and "
        "--commands");
  try {
    return std::make_unique<Front>(
        Protocol::Dap, doorFrom(wishes.dap), [tool](const std::string& place) {
          std::cerr << tool << ": a debugger's client may connect to " << place << std::endl;
        });
  } catch (const std::invalid_argument& error) {
    throw tool::Failure(std::string("--dap: ") + error.what());
  } catch (const std::system_error& error) {
    throw tool::Failure("--dap " + wishes.dap + ": " + error.what());
  }
}

}  // namespace

void ToolWishes::declare(po::options_description& options, const std::string& example) {
  auto add = options.add_options();
  const std::string execute = "commands instead of running to the end: \"" + example + "\"";
  add("execute,x", po::value<std::vector<std::string>>()->value_name("COMMANDS"), execute.c_str());
  add("commands", po::value<std::string>()->value_name("FILE"), "commands, a line each");
  add("interactive,i", "commands from a prompt with history and completion (help lists them)");
  add("dap", po::value<std::string>()->value_name("PORT"),
      "serves the Debug Adapter Protocol of editors: PORT or ADDRESS:PORT (loopback), 0 any free "
      "one, - standard input and output");
}

ToolWishes ToolWishes::of(const po::variables_map& given) {
  return {tool::has(given, "interactive"), tool::listOf(given, "execute"),
          tool::textOf(given, "commands"), tool::textOf(given, "dap")};
}

ToolSession::ToolSession(const std::string& tool, const ToolWishes& wishes)
    : wishes_(wishes), front_(frontFor(tool, wishes)) {
  if (front_) {
    editor_ = std::make_unique<DapHost>(*front_);
    return;
  }
  const bool written = !wishes.execute.empty() || !wishes.commands.empty();
  // After written commands only a person is asked for more.
  terminal_ =
      std::make_unique<Terminal>(tool, wishes.interactive && (!written || Terminal::isTerminal()));
}

Snapshots& ToolSession::snapshots() {
  if (!snapshots_) snapshots_ = std::make_unique<Snapshots>();
  return *snapshots_;
}

Host& ToolSession::host() {
  if (editor_) return *editor_;
  return *terminal_;
}

std::function<bool()> ToolSession::interrupted() {
  if (editor_) return [this] { return editor_->interrupted(); };
  return [] { return Terminal::interrupted(); };
}

void ToolSession::attach(Dialogue& dialogue) {
  if (!terminal_) return;
  terminal_->complete = [&dialogue](std::string_view line) { return dialogue.complete(line); };
  try {
    if (!wishes_.commands.empty()) {
      const std::string name = tool::inputName(wishes_.commands);
      dialogue.script(tool::readInput(wishes_.commands, tool::Failure(name + ": cannot be read")),
                      name);
    }
    for (const std::string& line : wishes_.execute) {
      dialogue.check(line);
      dialogue.queue(line, "-x");
    }
  } catch (const CommandError& error) {
    throw tool::Failure(error.what());
  }
}

void ToolSession::finish(const Dialogue& dialogue) {
  if (!dialogue.failure().empty()) throw tool::Failure(dialogue.failure());
}

}  // namespace rtvp::debug
