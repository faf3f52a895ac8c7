// See command_form.hpp.
#include "models/common/core/command_form.hpp"

#include <algorithm>
#include <cctype>
#include <ostream>

#include "models/common/core/version.hpp"

namespace rtvp::common {
namespace {

/// troff takes a dot or quote at a line's begin, and backslashes, as its own.
std::string troff(std::string_view text) {
  std::string out;
  bool begin = true;
  for (const char c : text) {
    if (begin && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    begin = c == '\n';
  }
  return out;
}

std::string upperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// One word of a shell, whatever is in it.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

/// "c32-as" as part of a function's name.
std::string identifier(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(between)) + word;
  return out;
}

std::string spellings(const CommandOption& option, std::string_view between) {
  const std::string name = (option.name.size() == 1 ? "-" : "--") + option.name;
  return option.letter == 0 ? name : std::string("-") + option.letter + std::string(between) + name;
}

bool takesKeys(const CommandForm& form, const CommandOption& option) {
  return option.name == "set" && !form.keys.empty();
}

/// In zsh's descriptions brackets and colons have a meaning.
std::string zshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

/// What zsh shall offer for a value: those that there are, or files.
std::string zshAction(const std::vector<std::string>& values) {
  return values.empty() ? "_files" : "(" + joined(values, " ") + ")";
}

void writeBashKeys(std::ostream& out, const CommandForm& form) {
  // Bash may split a word at '='; what is typed is put together again.
  out << "  local word=$cur i=$COMP_CWORD\n"
         "  while ((i > 1)) && [[ ${COMP_WORDS[i]} == = || ${COMP_WORDS[i-1]} == = ]]; do\n"
         "    ((--i)); word=${COMP_WORDS[i]}$word\n"
         "  done\n"
         "  if [[ ${COMP_WORDS[i-1]} == --set ]]; then\n"
         "    local value=${cur#=}\n"
         "    case $word in\n";
  for (const CommandKey& key : form.keys) {
    if (key.values.empty()) continue;
    out << "      " << key.key << "=*) value=${value#" << key.key << "=}; COMPREPLY=($(compgen -W "
        << quoted(joined(key.values, " ")) << " -- \"$value\")) ;;\n";
  }
  std::vector<std::string> names;
  for (const CommandKey& key : form.keys) names.push_back(key.key + "=");
  out << "      *=*) COMPREPLY=($(compgen -f -- \"${value#*=}\")) ;;\n"
         "      *) compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -W "
      << quoted(joined(names, " "))
      << " -- \"$cur\")) ;;\n"
         "    esac\n"
         "    return\n"
         "  fi\n";
}

}  // namespace

void writeManual(std::ostream& out, const CommandForm& form) {
  out << ".TH " << troff(upperCase(form.program)) << " 1 \"\" \"" << version() << "\"\n.SH NAME\n"
      << troff(form.program) << " \\- " << troff(form.summary) << "\n.SH SYNOPSIS\n.nf\n"
      << troff(form.synopsis) << ".fi\n.SH OPTIONS\n";
  for (const CommandOption& option : form.options) {
    out << ".TP\n\\fB" << troff(spellings(option, ", ")) << "\\fR"
        << (option.parameter.empty() ? "" : " " + troff(option.parameter)) << "\n"
        << troff(option.help) << "\n";
  }
  if (!form.keys.empty()) {
    out << ".SH PARAMETERS\n.nf\n";
    for (const CommandKey& key : form.keys) {
      out << "\\fB" << troff(key.key) << "\\fR  " << troff(key.help) << "\n";
    }
    out << ".fi\n";
  }
  if (!form.notes.empty()) out << ".SH NOTES\n.nf\n" << troff(form.notes) << ".fi\n";
}

void writeBashCompletion(std::ostream& out, const CommandForm& form) {
  const std::string function = "_rtvp_" + identifier(form.program);
  out << "# bash completion of " << form.program << "\n"
      << function
      << "() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  COMPREPLY=()\n";
  if (!form.keys.empty()) writeBashKeys(out, form);
  out << "  case $prev in\n";
  std::vector<std::string> all, files;
  for (const CommandOption& option : form.options) {
    all.push_back(spellings(option, " "));
    if (option.parameter.empty() || takesKeys(form, option)) continue;
    if (option.values.empty()) {
      files.push_back(spellings(option, "|"));
    } else {
      out << "    " << spellings(option, "|") << ") COMPREPLY=($(compgen -W "
          << quoted(joined(option.values, " ")) << " -- \"$cur\")); return ;;\n";
    }
  }
  if (!files.empty()) {
    out << "    " << joined(files, "|") << ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n";
  }
  out << "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W "
      << quoted(joined(all, " ")) << " -- \"$cur\"))\n    return\n  fi\n";
  std::vector<std::string> verbs;
  for (const CommandVerb& verb : form.verbs) verbs.push_back(verb.word);
  if (!verbs.empty()) {
    out << "  ((COMP_CWORD == 1)) && COMPREPLY=($(compgen -W " << quoted(joined(verbs, " "))
        << " -- \"$cur\"))\n";
  }
  out << "  COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
         "}\n"
         "complete -o filenames -F "
      << function << " " << form.program << "\n";
}

void writeZshCompletion(std::ostream& out, const CommandForm& form) {
  out << "#compdef " << form.program << "\n";
  if (!form.keys.empty()) {
    out << "_rtvp_keys() {\n  local -a keys\n  if compset -P 1 '*='; then\n"
           "    case ${IPREFIX%=} in\n";
    for (const CommandKey& key : form.keys) {
      if (key.values.empty()) continue;
      out << "      *" << key.key << ") compadd -- " << joined(key.values, " ") << " ;;\n";
    }
    out << "      *) _files ;;\n    esac\n    return\n  fi\n  keys=(\n";
    for (const CommandKey& key : form.keys) {
      out << "    " << quoted(zshText(key.key) + ":" + zshText(key.help)) << "\n";
    }
    out << "  )\n  _describe parameter keys -S =\n}\n";
  }
  if (!form.verbs.empty()) {
    out << "_rtvp_first() {\n  local -a verbs\n  verbs=(\n";
    for (const CommandVerb& verb : form.verbs) {
      out << "    " << quoted(zshText(verb.word) + ":" + zshText(verb.help)) << "\n";
    }
    out << "  )\n  _describe command verbs\n  _files\n}\n";
  }
  out << "_arguments -s";
  for (const CommandOption& option : form.options) {
    const std::string rest =
        "[" + zshText(option.help) + "]" +
        (option.parameter.empty()
             ? ""
             : ":" + zshText(option.name) + ":" +
                   (takesKeys(form, option) ? "_rtvp_keys" : zshAction(option.values)));
    const std::string dashes = option.name.size() == 1 ? "-" : "--";
    out << " \\\n  " << quoted("*" + dashes + option.name + rest);
    if (option.letter != 0) out << " \\\n  " << quoted(std::string("*-") + option.letter + rest);
  }
  if (form.verbs.empty()) {
    out << " \\\n  '*:file:_files'\n";
  } else {
    out << " \\\n  '1:command or scene:_rtvp_first' \\\n  '*:file:_files'\n";
  }
}

bool writeForm(std::ostream& out, const CommandForm& form, std::string_view what) {
  if (what == "man") {
    writeManual(out, form);
  } else if (what == "bash") {
    writeBashCompletion(out, form);
  } else if (what == "zsh") {
    writeZshCompletion(out, form);
  } else {
    return false;
  }
  return true;
}

}  // namespace rtvp::common
