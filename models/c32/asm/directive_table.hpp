// THE table of the assembler's directives: the assembler, its documentation and the syntax files of
// editors read it. Meaning: TI, Assembly Language Tools User's Guide (SPRU035), c32.md 10.2; what
// is this project's own says so.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rtvp::c32 {

enum class DirectiveKind : std::uint8_t {
  Section,       ///< sections and space
  Data,          ///< words with contents
  Symbol,        ///< symbols, messages, end
  Structure,     ///< structures and unions
  Preprocessor,  ///< decides what is assembled
  Debug,         ///< for debuggers, written by compilers
  Ignored,       ///< listing and options of other tools
};

struct DirectiveRow {
  std::string_view name;  ///< upper case, with its dot
  DirectiveKind kind;
  std::string_view operands;
  std::string_view help;
};

inline constexpr std::array kDirectives = {
    DirectiveRow{".TEXT", DirectiveKind::Section, "", "continue in section .text"},
    DirectiveRow{".DATA", DirectiveKind::Section, "", "continue in section .data"},
    DirectiveRow{".CONST", DirectiveKind::Section, "", "continue in section .const"},
    DirectiveRow{".SECT", DirectiveKind::Section, "\"name\"[,run[,load]]",
                 "continue in a named initialised section; addresses are ours"},
    DirectiveRow{".SECTION", DirectiveKind::Section, "\"name\"", "the same"},
    DirectiveRow{".ASECT", DirectiveKind::Section, "\"name\",address",
                 "continue in a section that runs and loads at an address"},
    DirectiveRow{".COPYSECT", DirectiveKind::Section, "\"name\"",
                 "continue in a section of the file that no loader puts into memory (ours)"},
    DirectiveRow{".USECT", DirectiveKind::Section, "\"name\",size[,align]",
                 "label: reserve words in a named uninitialised section"},
    DirectiveRow{".BSS", DirectiveKind::Section, "symbol,size[,align]", "reserve words in .bss"},
    DirectiveRow{".PLACE", DirectiveKind::Section, "\"name\",run[,load]",
                 "addresses of a section mentioned before (ours)"},
    DirectiveRow{".ORG", DirectiveKind::Section, "address",
                 "load and run address of an empty section, else move forward"},
    DirectiveRow{".ALIGN", DirectiveKind::Section, "[n]", "to a multiple of n words (32)"},
    DirectiveRow{".EVEN", DirectiveKind::Section, "", "to an even word"},
    DirectiveRow{".SPACE", DirectiveKind::Section, "n", "n words of 0, the label at the first"},
    DirectiveRow{".BLOCK", DirectiveKind::Section, "n",
                 "n words of 0; a debug directive between .func and .endfunc"},
    DirectiveRow{".BES", DirectiveKind::Section, "n", "n words of 0, the label at the last"},
    DirectiveRow{".FILL", DirectiveKind::Section, "count[,size[,value]]", "words of one value"},
    DirectiveRow{".WORD", DirectiveKind::Data, "value,...", "32-bit values"},
    DirectiveRow{".INT", DirectiveKind::Data, "value,...", "32-bit values"},
    DirectiveRow{".LONG", DirectiveKind::Data, "value,...", "32-bit values"},
    DirectiveRow{".UWORD", DirectiveKind::Data, "value,...", "32-bit values"},
    DirectiveRow{".UINT", DirectiveKind::Data, "value,...", "32-bit values"},
    DirectiveRow{".ULONG", DirectiveKind::Data, "value,...", "32-bit values"},
    DirectiveRow{".FLOAT", DirectiveKind::Data, "value,...", "single precision of this processor"},
    DirectiveRow{".SINGLE", DirectiveKind::Data, "value,...", "the same"},
    DirectiveRow{".DOUBLE", DirectiveKind::Data, "value,...",
                 "the same: the processor has no longer type in one word"},
    DirectiveRow{".LDOUBLE", DirectiveKind::Data, "value,...", "extended precision in two words"},
    DirectiveRow{".IEEE", DirectiveKind::Data, "value,...", "IEEE single precision"},
    DirectiveRow{".BYTE", DirectiveKind::Data, "value|\"text\",...", "8-bit values, a word each"},
    DirectiveRow{".CHAR", DirectiveKind::Data, "value|\"text\",...", "8-bit values, a word each"},
    DirectiveRow{".UBYTE", DirectiveKind::Data, "value|\"text\",...", "8-bit values, a word each"},
    DirectiveRow{".UCHAR", DirectiveKind::Data, "value|\"text\",...", "8-bit values, a word each"},
    DirectiveRow{".HWORD", DirectiveKind::Data, "value|\"text\",...", "16-bit values, a word each"},
    DirectiveRow{".HALF", DirectiveKind::Data, "value|\"text\",...", "16-bit values, a word each"},
    DirectiveRow{".SHORT", DirectiveKind::Data, "value|\"text\",...", "16-bit values, a word each"},
    DirectiveRow{".USHORT", DirectiveKind::Data, "value|\"text\",...",
                 "16-bit values, a word each"},
    DirectiveRow{".FIELD", DirectiveKind::Data, "value[,bits]",
                 "bits of the current word, from the lowest on"},
    DirectiveRow{".STRING", DirectiveKind::Data, "\"text\"|value,...",
                 "bytes packed four a word, the first lowest"},
    DirectiveRow{".CSTRING", DirectiveKind::Data, "\"text\"|value,...",
                 ".string with a 0 byte behind each text"},
    DirectiveRow{".PSTRING", DirectiveKind::Data, "\"text\"|value,...",
                 "bytes packed four a word, the first highest"},
    DirectiveRow{".ASCII", DirectiveKind::Data, "\"text\",...",
                 "bytes packed four a word, each text from a word of its own (GNU)"},
    DirectiveRow{".ASCIZ", DirectiveKind::Data, "\"text\",...",
                 ".ascii with a 0 byte behind each text (GNU)"},
    DirectiveRow{".SET", DirectiveKind::Symbol, "value|register",
                 "label: a constant, or another name of a register"},
    DirectiveRow{".EQU", DirectiveKind::Symbol, "value|register",
                 "the same; EQU without a dot too"},
    DirectiveRow{".GLOBAL", DirectiveKind::Symbol, "symbol,...",
                 "defined here for others, or elsewhere for this file"},
    DirectiveRow{".GLOBL", DirectiveKind::Symbol, "symbol,...", "the same"},
    DirectiveRow{".DEF", DirectiveKind::Symbol, "symbol,...", "defined here for others"},
    DirectiveRow{".REF", DirectiveKind::Symbol, "symbol,...", "defined elsewhere"},
    DirectiveRow{".LABEL", DirectiveKind::Symbol, "symbol", "the load address of this place"},
    DirectiveRow{".NEWBLOCK", DirectiveKind::Symbol, "", "local labels start anew"},
    DirectiveRow{".END", DirectiveKind::Symbol, "[entry]", "end of the source; entry point"},
    DirectiveRow{".ASSERT", DirectiveKind::Symbol, "condition[,\"text\"]",
                 "error if the condition is 0 when all addresses are known (ours)"},
    DirectiveRow{".EMSG", DirectiveKind::Symbol, "\"text\"", "an error"},
    DirectiveRow{".WMSG", DirectiveKind::Symbol, "\"text\"", "a warning"},
    DirectiveRow{".MMSG", DirectiveKind::Symbol, "\"text\"", "a warning"},
    DirectiveRow{".STRUCT", DirectiveKind::Structure, "[offset]", "label: begin of a structure"},
    DirectiveRow{".ENDSTRUCT", DirectiveKind::Structure, "", "label: its size"},
    DirectiveRow{".UNION", DirectiveKind::Structure, "[offset]", "label: begin of a union"},
    DirectiveRow{".ENDUNION", DirectiveKind::Structure, "", "label: its size"},
    DirectiveRow{".TAG", DirectiveKind::Structure, "structure[,count]",
                 "label has the members of a structure"},
    DirectiveRow{".MACRO", DirectiveKind::Preprocessor, "parameter,...", "label: begin of a macro"},
    DirectiveRow{".ENDM", DirectiveKind::Preprocessor, "", "end of a macro"},
    DirectiveRow{".MEXIT", DirectiveKind::Preprocessor, "", "leave the macro"},
    DirectiveRow{".VAR", DirectiveKind::Preprocessor, "symbol,...",
                 "substitution symbols of this expansion"},
    DirectiveRow{".ASG", DirectiveKind::Preprocessor, "\"text\",symbol", "substitution symbol"},
    DirectiveRow{".EVAL", DirectiveKind::Preprocessor, "expression,symbol",
                 "substitution symbol with a number"},
    DirectiveRow{".UNASG", DirectiveKind::Preprocessor, "symbol", "forget a substitution symbol"},
    DirectiveRow{".LOOP", DirectiveKind::Preprocessor, "[count]", "repeat (1024 times)"},
    DirectiveRow{".BREAK", DirectiveKind::Preprocessor, "[condition]", "leave the loop"},
    DirectiveRow{".ENDLOOP", DirectiveKind::Preprocessor, "", "end of a loop"},
    DirectiveRow{".IF", DirectiveKind::Preprocessor, "condition",
                 "assemble what follows if it is not 0"},
    DirectiveRow{".ELSEIF", DirectiveKind::Preprocessor, "condition", "else if"},
    DirectiveRow{".ELSE", DirectiveKind::Preprocessor, "", "else"},
    DirectiveRow{".ENDIF", DirectiveKind::Preprocessor, "", "end of .if"},
    DirectiveRow{".INCLUDE", DirectiveKind::Preprocessor, "\"file\"", "read another file here"},
    DirectiveRow{".COPY", DirectiveKind::Preprocessor, "\"file\"", "the same"},
    DirectiveRow{".MLIB", DirectiveKind::Preprocessor, "\"file\"",
                 "a library of macros: an archive or a source file"},
    DirectiveRow{".FILE", DirectiveKind::Debug, "\"name\"", "source file of a compiler"},
    DirectiveRow{".LINE", DirectiveKind::Debug, "n",
                 "line of the source, from the function's first on"},
    DirectiveRow{".FUNC", DirectiveKind::Debug, "[line]", "begin of a function"},
    DirectiveRow{".ENDFUNC", DirectiveKind::Debug, "line,mask,frame", "end of a function"},
    DirectiveRow{".ENDBLOCK", DirectiveKind::Debug, "line", "end of a block"},
    DirectiveRow{".SYM", DirectiveKind::Debug, "name,value,type,class,size,...",
                 "a variable, function or type"},
    DirectiveRow{".STAG", DirectiveKind::Debug, "name,size", "structure"},
    DirectiveRow{".ETAG", DirectiveKind::Debug, "name,size", "enumeration"},
    DirectiveRow{".UTAG", DirectiveKind::Debug, "name,size", "union"},
    DirectiveRow{".MEMBER", DirectiveKind::Debug, "name,value,type,class,size,...",
                 "member of the three"},
    DirectiveRow{".EOS", DirectiveKind::Debug, "", "end of the three"},
    DirectiveRow{".REGALIAS", DirectiveKind::Debug, "", "F0 to F7 are names of R0 to R7"},
    DirectiveRow{".TITLE", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".LENGTH", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".WIDTH", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".PAGE", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".LIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".NOLIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".VERSION", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".MLIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".MNOLIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".FCLIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".FCNOLIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".SSLIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".SSNOLIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".OPTION", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".TAB", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".DRLIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".DRNOLIST", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".CLINK", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".SBLOCK", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".MMREGS", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".NOREMARK", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".REMARK", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".COMMENT", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".SSTEP", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".GROUP", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".GMEMBER", DirectiveKind::Ignored, "...", "accepted, no effect"},
    DirectiveRow{".ENDGROUP", DirectiveKind::Ignored, "...", "accepted, no effect"},
};

/// The row of `upperName`, or null.
const DirectiveRow* findDirective(std::string_view upperName);

}  // namespace rtvp::c32
