// A client of the Debug Adapter Protocol (https://microsoft.github.io/debug-adapter-protocol,
// version 1.65) at a dialogue: VS Code, Neovim, Emacs. Threads are units, a frame's variables their
// registers; breakpoints of every kind are stops of the watcher. What the client sends is done
// while the machine stands: a running one is held for it, unseen, and goes on.
//
// References the protocol hands out are made of numbers of units and registers, so that nothing
// must be remembered; what must be is part of save(), since an earlier state of the program may be
// the one that answers next.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/debug/file_host.hpp"
#include "models/debug/remote/channel.hpp"
#include "models/debug/remote/source_paths.hpp"

namespace rtvp::debug {

/// What a request cannot have; the client is told.
class DapRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class DapHost final : public FileHost {
 public:
  explicit DapHost(Channel& channel) : channel_(channel) {}

  /// The client wants to say something.
  [[nodiscard]] bool interrupted() const { return !gone_ && channel_.waiting(); }
  /// A character of the simulated program's console.
  void programText(char c);

  void print(const std::string& text) override;
  std::optional<std::string> line(const std::string& prompt) override;
  void stands(Dialogue& dialogue, const Standing& standing) override;
  [[nodiscard]] bool protocol() const override { return true; }
  bool log(const std::string& path) override;
  [[nodiscard]] boost::json::object save() const override;
  void restore(const boost::json::object& state) override;

 private:
  using Arguments = boost::json::object;
  using Body = boost::json::object;
  struct Row {
    std::string_view command;
    Body (DapHost::*handler)(const Arguments&);
  };
  static const Row kRows[];

  // dap.cpp: requests, responses, events
  void handle(const std::string& message);
  void answer(const Arguments& request);
  void respond(std::int64_t request, std::string_view command, Body body);
  void refuse(std::int64_t request, std::string_view command, const std::string& why);
  void event(std::string_view name, Body body);
  void send(Body message);
  void stopped(std::string_view reason, const std::string& text, const std::vector<int>& stops);
  void stoppedBy(const Standing& standing);
  void finish();
  void endConsoleLine();

  // dap_session.cpp
  Body initialize(const Arguments& a);
  Body launch(const Arguments& a);
  Body attach(const Arguments& a);
  Body configurationDone(const Arguments& a);
  Body disconnect(const Arguments& a);
  Body terminate(const Arguments& a);
  Body nothing(const Arguments& a);
  Body loadedSources(const Arguments& a);
  Body sourceText(const Arguments& a);
  Body completions(const Arguments& a);
  Body exceptionInfo(const Arguments& a);
  void leave(bool run);

  // dap_move.cpp
  Body goOn(const Arguments& a);
  Body next(const Arguments& a);
  Body stepIn(const Arguments& a);
  Body stepOut(const Arguments& a);
  Body stepBack(const Arguments& a);
  Body reverseContinue(const Arguments& a);
  Body pause(const Arguments& a);
  void move(const Arguments& a, int kind);
  Body back(const Arguments& a, int kind);

  // dap_stops.cpp
  Body setBreakpoints(const Arguments& a);
  Body setFunctionBreakpoints(const Arguments& a);
  Body setInstructionBreakpoints(const Arguments& a);
  Body setDataBreakpoints(const Arguments& a);
  Body dataBreakpointInfo(const Arguments& a);
  Body breakpointLocations(const Arguments& a);
  /// Commands of the stops that an owner ("source PATH") has from now on; empty: refused, `why`.
  struct Wanted {
    std::string command;
    std::string why;
    Body more{};  ///< of the answer
  };
  Body own(const std::string& owner, const std::vector<Wanted>& wanted);
  std::string clausesOf(const Arguments& breakpoint) const;

  // dap_look.cpp
  Body threads(const Arguments& a);
  Body stackTrace(const Arguments& a);
  Body scopes(const Arguments& a);
  Body variables(const Arguments& a);
  Body setVariable(const Arguments& a);
  Body setExpression(const Arguments& a);
  Body evaluate(const Arguments& a);
  Body disassemble(const Arguments& a);
  Body readMemory(const Arguments& a);
  Body writeMemory(const Arguments& a);
  Body runCommand(const std::string& text);
  Body instructionAt(std::uint64_t address) const;

  // dap_values.cpp
  Body assign(std::size_t unit, const std::string& target, const std::string& value);
  [[nodiscard]] boost::json::array registersOf(std::size_t unit, bool ofMachine) const;
  [[nodiscard]] boost::json::array dataOf(std::size_t unit) const;
  [[nodiscard]] boost::json::array viewsOf(std::size_t unit, const std::string& expression,
                                           bool withReal) const;
  [[nodiscard]] std::vector<std::uint64_t> dataLabels() const;
  /// The expression of a variable that we have shown.
  [[nodiscard]] std::string nameOf(std::size_t unit, std::int64_t reference,
                                   const std::string& name) const;
  [[nodiscard]] Body valued(std::size_t unit, const std::string& expression) const;

  [[nodiscard]] Body sourceBody(std::uint32_t file) const;
  [[nodiscard]] std::size_t threadUnit(const Arguments& a) const;
  [[nodiscard]] std::size_t frameUnit(const Arguments& a) const;
  [[nodiscard]] std::size_t unitOfReference(std::int64_t reference) const;
  [[nodiscard]] Unit& unitAt(std::size_t unit) const { return *dialogue_->scope().units.at(unit); }

  Channel& channel_;
  Dialogue* dialogue_ = nullptr;
  const Standing* standing_ = nullptr;
  std::function<void()> after_;          ///< what follows the response
  std::optional<std::string> captured_;  ///< text of commands, for their response
  std::string console_;                  ///< of the program, a line that is not over
  bool held_ = false;                    ///< a running machine stands to hear, unseen

  // Of the session.
  std::int64_t seq_ = 0;
  bool configured_ = false, running_ = false, launched_ = false;
  bool gone_ = false;  ///< the client; the program goes on without it
  bool stopOnEntry_ = false, stopAtEnd_ = false;
  bool linesFrom1_ = true, columnsFrom1_ = true;
  std::int64_t pending_ = 0;  ///< request that is answered when the past is there; 0: none
  std::string pendingCommand_;
  std::string failure_;  ///< what the latest stop by a fault was about
  SourcePaths paths_;
  /// A stop that the client has set, and the command that made it.
  struct Owned {
    int id = 0;
    std::string command;
  };
  std::map<std::string, std::vector<Owned>> owned_;  ///< by what set them: "data", "source FILE"
};

}  // namespace rtvp::debug
