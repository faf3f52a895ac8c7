// The conversation with the user while the machine stands: commands in, text out, until one of
// them sets the machine in motion. One table drives commands, help and completion.
//
// The simulation owns the loop: it calls pause() when it has stopped, and goes on when that
// returns. Commands come from scripts, from the actions of stops and from whoever types.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/debug/stops.hpp"
#include "models/debug/watcher.hpp"
#include "models/debug/words.hpp"

namespace rtvp::debug {

using Action = std::function<void()>;

/// One row of the table of commands.
struct Command {
  enum class Operand : std::uint8_t { None, Place, Expression, Stop, Unit, Command, Text };
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view section;   ///< of help: "moves", "stops", "looking", "changing", "session"
  std::string_view operands;  ///< "[N]", "PLACE [if CONDITION]"
  std::string_view summary;   ///< one line
  std::string_view details;   ///< further lines and examples
  Operand completes = Operand::None;
  bool repeats = false;  ///< an empty line does it again
  /// Reads the operands, and says everything that is wrong with them; the action does it.
  std::function<Action(Words&)> parse;
};

/// A kind of stop that the machine knows beyond places, accesses and conditions.
struct EventKind {
  std::string_view name;     ///< as after `stop`
  std::string_view operand;  ///< what the number behind it means, or empty: it takes none
  std::string_view help;
};

struct Reverse {
  enum class Kind : std::uint8_t { Step, Continue };
  Kind kind = Kind::Step;
  std::size_t unit = 0;     ///< Step: whose instructions
  std::uint64_t count = 1;  ///< Step: how many
};

/// Why the machine stands.
struct Standing {
  enum class Reason : std::uint8_t {
    Begin,        ///< nothing has moved yet
    Stop,         ///< the watcher found `hits`, or the move is over
    Back,         ///< at a place in the past
    Interrupted,  ///< somebody wants to say something
    Over,         ///< the program has come to its end
    Failed,       ///< ... by a fault, a deadlock or a limit
  };
  Reason reason = Reason::Begin;
  std::string text{};  ///< in one line or a few; may be empty at the beginning
  std::vector<Hit> hits{};
  int status = 0;  ///< Over, Failed: of the program
};

/// What the debugger asks of whoever simulates.
class World {
 public:
  virtual ~World() = default;
  [[nodiscard]] virtual std::vector<Unit*> units() = 0;
  [[nodiscard]] virtual std::vector<EventKind> events() const { return {}; }
  /// Cycles of the units' clock in a second.
  [[nodiscard]] virtual double hertz() const = 0;
  /// Goes back in time: does not return, an earlier state of the program goes on. Throws
  /// CommandError if it cannot.
  virtual void reverse(const Reverse& how);
};

/// The outside of the program: who types, files, the log.
class Host {
 public:
  virtual ~Host() = default;
  virtual void print(const std::string& text) = 0;
  /// The machine stands; line() is asked for what to do next. `standing` lives until it moves.
  virtual void stands(class Dialogue& /*dialogue*/, const Standing& /*standing*/) {}
  /// Stops are told by stands() alone, and not printed.
  [[nodiscard]] virtual bool protocol() const { return false; }
  /// The next line typed; empty: the end.
  virtual std::optional<std::string> line(const std::string& prompt) = 0;
  /// Lines of a source file, null: it cannot be read.
  virtual const std::vector<std::string>* source(const std::string& path) = 0;
  /// Whole text of a file of commands.
  virtual std::optional<std::string> commands(const std::string& path) = 0;
  /// Everything also goes to that file; empty: no longer. False: it cannot be written.
  virtual bool log(const std::string& path) = 0;
  /// What must outlive a step back in time, and the same told to an earlier state.
  [[nodiscard]] virtual boost::json::object save() const { return {}; }
  virtual void restore(const boost::json::object& /*state*/) {}
};

class Dialogue {
 public:
  Dialogue(World& world, const Program& program, Host& host, std::string prompt);
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;
  /// Commands of this machine.
  void add(std::vector<Command> commands);

  // --- from the simulation
  [[nodiscard]] Watcher& watcher() { return watcher_; }
  /// The machine stands. Returns when it shall move, or quit() is true.
  void pause(const Standing& standing);
  /// The same, for what the watcher found.
  void pause();
  [[nodiscard]] bool quit() const { return quit_; }
  /// More is to be typed after the end.
  void open() { quit_ = false; }
  /// The user has changed the machine since the last call.
  [[nodiscard]] bool takeTouched() { return std::exchange(touched_, false); }
  /// All that the user has said and that still counts, for an earlier state of the program that
  /// goes on with it. What units hold is not part of it.
  [[nodiscard]] boost::json::object save() const;
  void restore(const boost::json::object& state);

  // --- from scripts
  /// Throws CommandError with a column in `line` for what is wrong, without doing anything.
  void check(const std::string& line);
  /// To be done in front of what is typed. An error then ends the session: failure().
  void queue(const std::string& line, const std::string& where);
  /// The lines of a file, the next things to be done; refused whole if one of them is wrong.
  void script(const std::string& text, const std::string& path);
  [[nodiscard]] const std::string& failure() const { return failure_; }

  /// What may stand instead of the last word of `line`.
  [[nodiscard]] std::vector<std::string> complete(std::string_view line) const;

  // --- from commands
  void print(const std::string& text) { host_.print(text); }
  [[nodiscard]] const Scope& scope() const { return scope_; }
  [[nodiscard]] const Program& program() const { return *scope_.program; }
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] Host& host() { return host_; }
  [[nodiscard]] std::size_t focus() const { return focus_; }
  void setFocus(std::size_t unit) { focus_ = unit; }
  [[nodiscard]] Unit& unit() { return *scope_.units.at(focus_); }
  [[nodiscard]] Moment moment() const { return {&scope_, focus_, 0, {}, {}}; }
  void move(Move move);
  /// Goes on with the move that was interrupted.
  void resume() { moving_ = true; }
  [[nodiscard]] bool moving() const { return moving_; }
  /// Does a line of commands at once. Throws CommandError for the first that is wrong.
  void perform(const std::string& line);
  void leave() { quit_ = true; }
  /// A client goes: without stops the program goes on to its end, if it is not there yet.
  void goOnAlone(const Standing& standing);
  void touch() { touched_ = true; }
  void reverse(Reverse how);
  [[nodiscard]] std::string place(std::uint64_t address) const { return program().place(address); }
  /// Source line or instruction at the focus's PC, indented.
  [[nodiscard]] std::string standing() { return lineAt(unit().pc()); }
  [[nodiscard]] std::string lineAt(std::uint64_t address);
  [[nodiscard]] const std::vector<Command>& table() const { return commands_; }
  /// By name, alias or unique beginning; throws CommandError.
  [[nodiscard]] const Command& find(std::string_view name, std::size_t column) const;
  std::vector<Expression>& displays() { return displays_; }
  [[nodiscard]] std::string describe(const Hit& hit) const;

 private:
  struct Pending {
    std::string text;
    std::string where;  ///< of a script; empty: typed, or an action
    bool typed = false;
  };
  Action parse(const std::string& command) const;
  /// The unit in focus, and one of each other kind.
  [[nodiscard]] std::vector<std::size_t> readers() const;
  void restoreDisplay(const std::string& expression);
  [[nodiscard]] std::string hint(std::string_view name) const;
  void execute(const Pending& pending);
  bool fetch();
  void showDisplays();
  [[nodiscard]] static std::string errorText(const std::string& command, const CommandError& error);

  World& world_;
  Host& host_;
  Scope scope_;
  Watcher watcher_;
  std::string prompt_;
  std::vector<Command> commands_;
  std::deque<Pending> pending_;
  std::string repeat_;  ///< what an empty line does
  std::vector<Expression> displays_;
  std::size_t focus_ = 0;
  bool moving_ = false;
  bool moved_ = false;  ///< at all
  bool quit_ = false;
  bool touched_ = false;
  std::string failure_;
};

/// A stop from the command that makes another of it (Stop::command()).
Stop stopFrom(Dialogue& dialogue, const std::string& command);

// The rows of the table, by section.
std::vector<Command> moveCommands(Dialogue& dialogue);
std::vector<Command> stopCommands(Dialogue& dialogue);
std::vector<Command> lookCommands(Dialogue& dialogue);
std::vector<Command> changeCommands(Dialogue& dialogue);
std::vector<Command> sessionCommands(Dialogue& dialogue);

}  // namespace rtvp::debug
