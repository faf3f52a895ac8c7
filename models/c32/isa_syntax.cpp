// See isa_syntax.hpp.
#include "models/c32/isa_syntax.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "models/c32/asm/directive_table.hpp"
#include "models/c32/asm/mnemonics.hpp"
#include "models/c32/isa.hpp"

namespace rtvp::c32 {
namespace {

/// Directives without their dot, or mnemonics, or registers, in lower case.
using Words = std::set<std::string>;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

Words mnemonics() {
  Words words;
  for (const std::string& name : mnemonicNames()) words.insert(lower(name));
  return words;
}

Words registers() {
  Words words;
  for (unsigned n = 0; n < reg::kCount; ++n)
    words.insert(lower(registerName(static_cast<std::uint8_t>(n))));
  return words;
}

Words directives() {
  Words words;
  for (const DirectiveRow& row : kDirectives) words.insert(lower(row.name.substr(1)));
  return words;
}

std::string joined(const Words& words, const char* between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

std::string vim() {
  return "\" Vim syntax of TMS320C3x assembler, made by c32-as --syntax vim\n"
         "if exists(\"b:current_syntax\") | finish | endif\n"
         "syn case ignore\n"
         "syn keyword c32Mnemonic " +
         joined(mnemonics(), " ") +
         "\n"
         "syn keyword c32Register " +
         joined(registers(), " ") +
         "\n"
         "syn match c32Directive \"\\.\\(" +
         joined(directives(), "\\|") +
         "\\)\\>\"\n"
         "syn match c32Label \"^[A-Za-z_$][A-Za-z0-9_$]*?\\?:\\?\"\n"
         "syn match c32Number "
         "\"\\<[0-9][0-9A-Fa-f]*[hHqQoObB]\\?\\>\\|\\<0[xX][0-9A-Fa-f]\\+\\>\"\n"
         "syn region c32String start=+\"+ end=+\"+ oneline\n"
         "syn match c32Comment \";.*$\\|^\\*.*$\"\n"
         "hi def link c32Mnemonic Statement\n"
         "hi def link c32Register Identifier\n"
         "hi def link c32Directive PreProc\n"
         "hi def link c32Label Label\n"
         "hi def link c32Number Number\n"
         "hi def link c32String String\n"
         "hi def link c32Comment Comment\n"
         "let b:current_syntax = \"c32\"\n";
}

std::string vscode() {
  const auto rule = [](const std::string& scope, const std::string& match) {
    return "    { \"name\": \"" + scope + ".c32\", \"match\": \"" + match + "\" }";
  };
  return "{\n  \"scopeName\": \"source.c32\",\n  \"name\": \"TMS320C3x assembler\",\n"
         "  \"fileTypes\": [\"asm\", \"inc\"],\n  \"patterns\": [\n" +
         rule("comment.line", "(;.*$)|(^\\\\*.*$)") + ",\n" +
         rule("string.quoted.double", "\\\"[^\\\"]*\\\"") + ",\n" +
         rule("keyword.control.directive", "(?i)\\\\.(" + joined(directives(), "|") + ")\\\\b") +
         ",\n" + rule("entity.name.function", "^[A-Za-z_$][A-Za-z0-9_$]*\\\\??") + ",\n" +
         rule("variable.language.register", "(?i)\\\\b(" + joined(registers(), "|") + ")\\\\b") +
         ",\n" +
         rule("keyword.operator.mnemonic", "(?i)\\\\b(" + joined(mnemonics(), "|") + ")\\\\b") +
         ",\n" +
         rule(
             "constant.numeric",
             "(?i)\\\\b(0x[0-9a-f]+|[0-9][0-9a-f]*h|[0-7]+[qo]|[01]+b|[0-9]+(\\\\.[0-9]+)?)\\\\b") +
         "\n  ]\n}\n";
}

std::string ctags() {
  return "--langdef=C32\n--map-C32=+.asm\n--map-C32=+.inc\n"
         "--kinddef-C32=l,label,labels\n--kinddef-C32=m,macro,macros\n"
         "--kinddef-C32=d,define,constants\n--kinddef-C32=s,struct,structures\n"
         "--regex-C32=/^([A-Za-z_$][A-Za-z0-9_$]*):/\\1/l/\n"
         "--regex-C32=/^([A-Za-z_$][A-Za-z0-9_$]*)[ \\t]+\\.macro/\\1/m/i\n"
         "--regex-C32=/^([A-Za-z_$][A-Za-z0-9_$]*)[ \\t]+(\\.set|\\.equ|equ)[ \\t]/\\1/d/i\n"
         "--regex-C32=/^([A-Za-z_$][A-Za-z0-9_$]*)[ \\t]+\\.(struct|union)/\\1/s/i\n";
}

/// troff takes a dot or quote at a line's begin, and backslashes, as its own.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return out;
}

std::string man() {
  std::string out =
      ".TH C32\\-AS 1\n.SH NAME\nc32\\-as \\- assembler of the TMS320C30, C31 and C32\n"
      ".SH SYNOPSIS\n.B c32\\-as\n[options] FILE.asm\n.SH OPTIONS\nSee\n.B c32\\-as \\-\\-help.\n"
      ".SH DIRECTIVES\n";
  for (const DirectiveRow& row : kDirectives) {
    if (row.kind == DirectiveKind::Ignored) continue;
    out += ".TP\n\\&" + troff(lower(row.name)) + " " + troff(row.operands) + "\n" +
           troff(row.help) + "\n";
  }
  out += ".SH INSTRUCTIONS\n" + joined(mnemonics(), " ") +
         "\n.PP\nTheir meaning:\n"
         ".B c32\\-as \\-\\-manual.\n.SH REGISTERS\n" +
         joined(registers(), " ") + "\n";
  return out;
}

}  // namespace

std::string syntaxFile(std::string_view kind) {
  if (kind == "vim") return vim();
  if (kind == "vscode") return vscode();
  if (kind == "ctags") return ctags();
  if (kind == "man") return man();
  return {};
}

}  // namespace rtvp::c32
