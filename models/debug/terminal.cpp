// See terminal.hpp. libedit's functions: editline(3).
#include "models/debug/terminal.hpp"

#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value_to.hpp>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iostream>

namespace rtvp::debug {
namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t pressed = 0;

void press(int /*signal*/) {
  pressed = 1;
}

/// A line of standard input; not a character more is taken, since an earlier state of the program
/// may be the one that reads the next line. False: the end.
bool readLine(std::string& text) {
  text.clear();
  bool any = false;
  for (char c = 0;;) {
    const ssize_t n = read(STDIN_FILENO, &c, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return any;
    if (c == '\n') return true;
    any = true;
    text += c;
  }
}

}  // namespace

struct Terminal::Editor {
  explicit Editor(const std::string& program, Terminal& owner) : terminal(owner) {
    constexpr int kRemembered = 1000;
    HistEvent event;
    remembered = history_init();
    history(remembered, &event, H_SETSIZE, kRemembered);
    history(remembered, &event, H_SETUNIQUE, 1);
    edit = el_init(program.c_str(), stdin, stdout, stderr);
    el_set(edit, EL_CLIENTDATA, this);
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_PROMPT, &Editor::promptOf);
    el_set(edit, EL_HIST, history, remembered);
    el_set(edit, EL_SIGNAL, 1);
    el_set(edit, EL_ADDFN, "rtvp-complete", "completes a word", &Editor::completed);
    el_set(edit, EL_BIND, "^I", "rtvp-complete", nullptr);
    el_source(edit, nullptr);
  }
  ~Editor() {
    el_end(edit);
    history_end(remembered);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  static Editor& of(EditLine* e) {
    void* self = nullptr;
    el_get(e, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }
  static char* promptOf(EditLine* e) { return of(e).prompt.data(); }

  static unsigned char completed(EditLine* e, int /*key*/) {
    Editor& self = of(e);
    if (!self.terminal.complete) return CC_ERROR;
    const LineInfo* const info = el_line(e);
    const std::string_view typed(info->buffer,
                                 static_cast<std::size_t>(info->cursor - info->buffer));
    const std::vector<std::string> names = self.terminal.complete(typed);
    if (names.empty()) return CC_ERROR;
    // As much as all of them share, behind what is typed of it.
    std::string common = names[0];
    for (const std::string& n : names) {
      const auto parts = std::mismatch(common.begin(), common.end(), n.begin(), n.end());
      common.erase(parts.first, common.end());
    }
    std::size_t have = std::min(common.size(), typed.size());
    while (have > 0 && !typed.ends_with(std::string_view(common).substr(0, have))) --have;
    std::string more = common.substr(have);
    if (names.size() == 1) more += ' ';
    if (!more.empty()) return el_insertstr(e, more.c_str()) == -1 ? CC_ERROR : CC_REFRESH;
    std::cout << "\n";
    for (const std::string& n : names) std::cout << n << "  ";
    std::cout << std::endl;
    return CC_REDISPLAY;
  }

  Terminal& terminal;
  EditLine* edit = nullptr;
  History* remembered = nullptr;
  std::string prompt;
};

Terminal::Terminal(const std::string& program, bool typing) : typing_(typing) {
  if (!typing) return;
  struct sigaction action = {};
  action.sa_handler = press;
  sigaction(SIGINT, &action, nullptr);
  if (isTerminal()) editor_ = std::make_unique<Editor>(program, *this);
}

Terminal::~Terminal() = default;

bool Terminal::interrupted() {
  const bool was = pressed != 0;
  pressed = 0;
  return was;
}

bool Terminal::isTerminal() {
  return isatty(STDIN_FILENO) == 1;
}

void Terminal::print(const std::string& text) {
  if (beforeText) beforeText();
  std::cout << text;
  toLog(text);
}

std::optional<std::string> Terminal::line(const std::string& prompt) {
  if (!typing_) return std::nullopt;
  std::string text;
  if (editor_ == nullptr) {
    if (!readLine(text)) return std::nullopt;
    print(prompt + text + "\n");
    return text;
  }
  if (beforeText) beforeText();
  std::cout << std::flush;
  editor_->prompt = prompt;
  int length = 0;
  const char* const typed = el_gets(editor_->edit, &length);
  if (typed == nullptr || length <= 0) {
    std::cout << std::endl;
    // Ctrl-C throws the line away; an empty one would repeat the last move.
    if (interrupted()) return " ";
    return std::nullopt;
  }
  text.assign(typed, static_cast<std::size_t>(length));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (!text.empty()) remember(text);
  toLog(prompt + text + "\n");
  return text;
}

void Terminal::remember(const std::string& line) {
  lines_.push_back(line);
  HistEvent event;
  if (editor_ != nullptr) history(editor_->remembered, &event, H_ENTER, (line + "\n").c_str());
}

/// Opened for each text: an earlier state of the program may be the next to write.
void Terminal::toLog(const std::string& text) const {
  if (!log_.empty()) std::ofstream(log_, std::ios::binary | std::ios::app) << text;
}

boost::json::object Terminal::save() const {
  boost::json::array lines;
  for (const std::string& line : lines_) lines.emplace_back(line);
  return {{"log", log_}, {"lines", std::move(lines)}};
}

void Terminal::restore(const boost::json::object& state) {
  log_ = boost::json::value_to<std::string>(state.at("log"));
  const boost::json::array& lines = state.at("lines").as_array();
  for (std::size_t n = lines_.size(); n < lines.size(); ++n)
    remember(boost::json::value_to<std::string>(lines[n]));
}

bool Terminal::log(const std::string& path) {
  log_ = path;
  return path.empty() || std::ofstream(path, std::ios::binary).is_open();
}

}  // namespace rtvp::debug
