// The command language of c32-run: one command a line, `help` lists them. Works on text in and text
// out; who reads lines from where is the caller's business.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/c32/debug/session.hpp"

namespace rtvp::c32 {

class Commands {
 public:
  Commands(Session& session, std::function<void(const std::string&)> print)
      : session_(session), print_(std::move(print)) {}

  /// Executes one line; `;` separates commands. False if one of them is wrong (a message was
  /// printed).
  bool execute(const std::string& line);
  bool quit() const { return quit_; }
  /// How the last run, step ... ended; empty before the first.
  const std::optional<StopReport>& last() const { return last_; }

  static std::string help();

 private:
  using Words = std::vector<std::string>;
  bool single(const std::string& text);
  bool runCommand(const Words& words);
  bool stopCommand(const Words& words);
  bool showCommand(const Words& words);
  bool changeCommand(const Words& words);
  void report(StopReport stop);
  void traceTo(const std::string& what);

  std::uint32_t value(const std::string& text) const;
  std::uint32_t location(const std::string& text) const;

  Session& session_;
  std::function<void(const std::string&)> print_;
  std::optional<StopReport> last_;
  bool quit_ = false;
};

}  // namespace rtvp::c32
