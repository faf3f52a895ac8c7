// What a program's command line looks like, as data, and what is made of it for whoever installs
// the program: a manual page, and completion for bash and zsh.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::common {

struct CommandOption {
  std::string name = {};       ///< without dashes
  char letter = 0;             ///< its short form; 0: none
  std::string parameter = {};  ///< what it takes, as --help shows it; empty: nothing
  std::vector<std::string> values =
      {};                 ///< all that it takes; empty: anything, a file's name mostly
  std::string help = {};  ///< one line
};

/// A word that may come first, and selects what the program does.
struct CommandVerb {
  std::string word = {};
  std::string help = {};  ///< one line
};

/// What may follow --set: key=value.
struct CommandKey {
  std::string key = {};
  std::vector<std::string> values = {};  ///< as above
  std::string help = {};                 ///< one line
};

struct CommandForm {
  std::string program = {};   ///< as it is called
  std::string summary = {};   ///< one line, no capital, no full stop
  std::string synopsis = {};  ///< first lines of --help
  std::string notes = {};     ///< last lines of --help
  std::vector<CommandVerb> verbs = {};
  std::vector<CommandOption> options = {};
  std::vector<CommandKey> keys = {};  ///< of the option called "set"
};

/// A page for man(1).
void writeManual(std::ostream& out, const CommandForm& form);
/// A file for /usr/share/bash-completion/completions.
void writeBashCompletion(std::ostream& out, const CommandForm& form);
/// A file for zsh's $fpath, to be called _PROGRAM.
void writeZshCompletion(std::ostream& out, const CommandForm& form);

/// The three by what they are for: "man", "bash", "zsh". False, and nothing is written, for another
/// word.
bool writeForm(std::ostream& out, const CommandForm& form, std::string_view what);

}  // namespace rtvp::common
