// Whoever types: a terminal with line editing, history and completion (libedit), or lines of a
// pipe, which are repeated so that the output reads as the dialogue it is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/debug/file_host.hpp"

namespace rtvp::debug {

class Terminal final : public FileHost {
 public:
  /// `typing`: standard input is read. Ctrl-C then sets interrupted() instead of ending the
  /// program.
  Terminal(const std::string& program, bool typing);
  ~Terminal() override;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  std::function<std::vector<std::string>(std::string_view)> complete;
  /// Called in front of text, so that it can begin on a line of its own.
  std::function<void()> beforeText;

  /// Ctrl-C since the last call.
  [[nodiscard]] static bool interrupted();
  [[nodiscard]] static bool isTerminal();

  void print(const std::string& text) override;
  std::optional<std::string> line(const std::string& prompt) override;
  bool log(const std::string& path) override;
  [[nodiscard]] boost::json::object save() const override;
  void restore(const boost::json::object& state) override;

 private:
  struct Editor;
  std::unique_ptr<Editor> editor_;  ///< null: no terminal
  bool typing_;
  void toLog(const std::string& text) const;
  void remember(const std::string& line);

  std::string log_;                 ///< path; empty: none
  std::vector<std::string> lines_;  ///< typed so far
};

}  // namespace rtvp::debug
