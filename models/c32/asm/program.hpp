// The two passes of the assembler: what is known about the program, and the working steps on it.
// Internal to models/c32/asm.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/directive_table.hpp"
#include "models/c32/asm/instruction.hpp"
#include "models/c32/asm/layout.hpp"
#include "models/c32/asm/preprocessor.hpp"

namespace rtvp::c32 {

/// Something that occupies words, or that must be looked at again when all addresses are known.
struct Statement {
  enum class Kind : std::uint8_t { Instruction, Data, Fill, Assert, Entry };
  Kind kind = Kind::Instruction;
  Half first;
  std::optional<Half> second;
  Location where, where2;  ///< of the halves
  Context context, context2;
  std::size_t order = 0;  ///< number of the source line, for sorting messages
  int section = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t scope = 0;
  std::uint32_t fill = 0;
  std::uint32_t word = 0;  ///< Instruction: result of pass 2
  std::uint8_t bit = 0;    ///< .field: lowest bit
  std::uint8_t bits = 0;   ///< .field: width
  bool valid = false;      ///< pass 2 succeeded
};

/// Work for the linker: `field` of the word at `offset` of `section`.
struct PendingRelocation {
  int section = 0;
  std::uint32_t offset = 0;
  FieldRelocation field;
};

/// `.set` whose value is not known in pass 1.
struct PendingSet {
  std::string name;
  std::string text;
  std::size_t operandsAt = 0;
  Line line;
  std::size_t order = 0;
  int section = 0;
  std::uint32_t offset = 0;
  std::uint32_t scope = 0;
};

struct ListedLine {
  Line line;
  int section = 0;
  std::uint32_t offset = 0;
  std::size_t statements = 0;  ///< number of statements when the line began
};

class Program {
 public:
  Program(const AssemblerOptions& options, AssemblyResult& result);
  void run(const std::string& fileName, const std::string& source);

 private:
  struct Known {
    Value value;
    bool defined = false;
    bool external = false;
    bool declared = false;  ///< by .ref or .global: may be defined in another file
    bool constant = false;  ///< by .set: the same value once more is no mistake
    bool broken = false;    ///< its definition was reported as an error; uses are not
    mutable bool used = false;
    mutable int externalIndex = -1;  ///< in externals_
    std::string where;
    Line line{};
    std::size_t position = 0;
    std::size_t order = 0;
  };
  struct Tracked {
    Diagnostic diagnostic;
    std::size_t order;
  };
  class TooManyErrors {};
  using Severity = Diagnostic::Severity;

  // passes (program.cpp)
  void passOne(const std::string& fileName, const std::string& source);
  void processLine(const Line& line);
  void reportOpenStructures();
  void addInstruction(const Line& line, const LineParts& parts);
  void addSecondHalf(const Line& line, const LineParts& parts);
  void resolveSets();
  void defineSet(const PendingSet& p);
  void reportOpenSets();
  void passTwo();
  void emit(Statement& statement);
  void store(const Statement& statement, std::uint32_t index, std::uint32_t word);
  void finish();
  Image makeImage();
  void startRelocatable();
  Object makeObject();
  void makeObjectSymbols(Object& object, const std::vector<int>& index) const;
  void makeObjectRelocations(Object& object, const std::vector<int>& index);
  void relocateWord(const Statement& statement, std::uint32_t index, const FieldRelocation& field);
  void breakSymbol(const std::string& name);
  bool repeated(const Diagnostic& d);
  /// Whether the line had errors so often (in a loop or macro) that it is not worked on again.
  bool hopeless(const Location& where) const;
  void makeListing();
  std::string cyclesText(const Statement& statement) const;
  void report(Severity severity, const Line& line, std::size_t order, std::size_t position,
              const std::string& text);
  void reportFor(const Statement& statement, int half, Severity severity, std::size_t position,
                 const std::string& text);

  // symbols (program.cpp)
  Value lookup(const std::string& name, std::size_t position);
  std::string keyOf(const std::string& name) const;
  void define(const std::string& name, const Value& value, const Line& line, std::size_t position,
              bool constant = false);
  Value external(const std::string& name, const Known& known);
  Value here() const;
  Value evaluate(const std::string& text, std::size_t position);
  /// lookup() with the habits of the dialect.
  SymbolLookup symbols();

  // names with a dot, registers by other names (predefined.cpp)
  std::optional<Value> dotName(const std::string& name);
  Value sectionStart(std::size_t index) const;
  int registerNamed(const std::string& name) const;

  // structures (structures.cpp)
  struct Structure {
    std::string prefix;  ///< of its members' names
    std::string nested;  ///< its own name
    bool named = false, isUnion = false;
    std::uint32_t start = 0, next = 0, widest = 0;
    std::vector<std::string> members;
    Line opened;
    /// Offset of a new member.
    std::uint32_t place(std::uint32_t size) {
      const std::uint32_t at = next;
      if (isUnion) {
        widest = std::max(widest, size);
      } else {
        next += size;
      }
      return at;
    }
    std::uint32_t end() const { return next + widest; }
  };
  void structureDirective(const Line& line, const LineParts& parts);
  void endStructure(const Line& line, const LineParts& parts);
  void defineMember(const std::string& name, std::uint32_t offset, const Line& line,
                    std::size_t position);
  void tag(Scanner& s, const Line& line, const LineParts& parts);
  bool member(const Line& line, const LineParts& parts);
  std::optional<Value> taggedMember(const std::string& name, std::size_t position);
  std::optional<Value> structureQuestion(const std::string& name) const;

  // directives (directives.cpp)
  // what compilers tell debuggers (debug_directives.cpp)
  struct DebugPending {
    int entry = 0;
    std::string text;
    std::size_t at = 0;  ///< of the value
    int section = 0;
    std::uint32_t offset = 0;
    std::uint32_t scope = 0;
  };
  void debugDirective(const Line& line, const LineParts& parts);
  int addDebugEntry(const std::string& name, std::uint8_t storage);
  int addDebugMarker(const char* name, std::uint8_t storage, std::uint32_t line);
  std::uint32_t debugNumber(Scanner& s, std::uint32_t without);
  void debugSymbol(Scanner& s, const Line& line);
  void debugFunction(Scanner& s, bool begins);
  void debugBlock(Scanner& s, bool begins);
  void debugTag(Scanner& s, const std::string& op);
  void evaluateDebug(const DebugPending& pending);
  DebugInfo takeDebug(const std::vector<int>& index, const std::vector<std::uint32_t>& bases);
  static std::string sectionName(Scanner& s);
  void absoluteSection(Scanner& s, const Line& line);
  void reserve(Scanner& s, const Line& line, const LineParts& parts);
  void alignTo(std::uint32_t n, const Line& line, const LineParts& parts);
  bool directive(const Line& line, const LineParts& parts);
  bool sectionDirective(const Line& line, const LineParts& parts);
  bool symbolDirective(const Line& line, const LineParts& parts);
  void selectSection(const std::string& name, Section::Kind kind, std::size_t position);
  int sectionIndex(const std::string& name, Section::Kind kind, std::size_t position);
  void placeSection(Scanner& s, Building& section, const Line& line);
  void reserveUninitialised(Scanner& s, const Line& line, const LineParts& parts, bool bss);
  void origin(Scanner& s, const Line& line);
  void align(Scanner& s, const Line& line, const LineParts& parts);
  void set(const Line& line, const LineParts& parts);
  void globals(Scanner& s, const Line& line, const LineParts& parts);
  Statement& add(Statement::Kind kind, const Line& line, const LineParts& parts,
                 std::uint32_t size);
  std::int32_t absolute(Scanner& s, std::int32_t least, std::int32_t most, const std::string& what);

  // data (data.cpp)
  static std::uint32_t dataSize(const std::string& line, const LineParts& parts);
  void emitData(const Statement& statement);
  void emitBytes(const Statement& statement, Scanner& s);
  void storeBytes(const Statement& statement, const std::string& bytes, std::uint32_t& index);
  void addField(const Line& line, const LineParts& parts);
  void emitField(const Statement& statement);
  void emitItem(const Statement& statement, Scanner& s, std::uint32_t& index);
  void emitFloat(const Statement& statement, const Value& value, std::size_t at,
                 std::uint32_t& index);

  // warnings (checks.cpp)
  void checkStatements();
  void checkOperands(const Statement& statement, const Instruction& instruction);
  void checkRepeats();
  void checkRepeatEnd(const Statement& s, std::uint32_t begin, std::uint32_t end,
                      const std::map<std::pair<int, std::uint32_t>, const Statement*>& at);
  std::optional<std::uint32_t> repeatEnd(const Statement& s) const;
  void checkSequence();
  void checkDataPage(const Statement& statement, const Instruction& instruction, bool& known);
  void checkUnused();

  const AssemblerOptions& options_;
  AssemblyResult& result_;
  Preprocessor preprocessor_;
  std::vector<Building> sections_;
  std::map<std::string, Known, std::less<>> symbols_;
  std::vector<Statement> statements_;
  std::vector<PendingSet> pendingSets_;
  std::vector<PendingRelocation> relocations_;
  std::map<std::pair<int, std::uint32_t>, std::uint32_t> ownTargets_;  ///< 24-bit operands that
                                                                       ///< name their own section
  std::vector<std::string> externals_;
  std::set<std::string> reported_;  ///< messages that are not to be repeated
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> failures_;  ///< by file, line
  std::vector<std::uint8_t> stalls_;  ///< by statement: cycles an address conflict costs
  std::vector<ListedLine> listed_;
  std::vector<Tracked> diagnostics_;
  std::size_t order_ = 0;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::uint64_t totalWords_ = 0;
  std::uint32_t scope_ = 0;
  std::uint32_t includeFile_ = 0;
  std::uint32_t entry_ = 0;
  bool entryGiven_ = false;
  int section_ = 0;
  std::uint32_t offset_ = 0;           ///< of the statement whose expressions are evaluated
  bool relocatable_ = false;           ///< addresses stay open
  bool fileMissing_ = false;           ///< an include file was not found: unknown names are no news
  std::string entrySymbol_;            ///< relocatable: what .end names
  bool placed_ = false;                ///< addresses are final, as far as they will be
  std::vector<Structure> structures_;  ///< open ones
  std::map<std::string, std::uint32_t> structureSizes_;
  std::map<std::string, std::string> tags_;  ///< label -> structure
  struct {
    int section = -1;
    std::uint32_t end = 0;    ///< offset behind the word
    std::uint32_t used = 32;  ///< bits
  } field_;                   ///< the word that .field fills
  struct {
    DebugInfo info;  ///< places are offsets in sections_
    std::vector<DebugPending> values;
    std::map<std::string, int> tags;
    std::vector<int> blocks;                      ///< open ones
    int function = -1, begin = -1, openTag = -1;  ///< entries
  } debug_;
  bool inFunction_ = false;    ///< between .func and .endfunc
  bool floatAliases_ = false;  ///< .regalias
  bool mayPair_ = false;       ///< a || line would belong to the last statement
};

/// True for names like .word that the assembler or its preprocessor knows.
bool isDirective(const std::string& upperName);

}  // namespace rtvp::c32
