// One run of the linker: what is known about it, and its steps. Internal to models/c32/link.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/c32/link/linker.hpp"

namespace rtvp::c32 {

/// An input section inside an output section.
struct LinkPart {
  std::size_t input = 0, section = 0;
  std::uint32_t offset = 0;  ///< in the output section
};

struct OutputSection {
  std::string name;
  Section::Kind kind = Section::Kind::Bss;
  std::vector<LinkPart> parts;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  std::uint32_t fill = 0;
  std::uint32_t least = 0;  ///< words of the C runtime's stack and heap
  const OutputSpec* spec = nullptr;
  std::optional<std::uint32_t> run, load;  ///< demanded by script or source
  std::uint32_t runBase = 0, loadBase = 0;
  std::string runRegion, loadRegion;  ///< chosen, for the map
  std::vector<std::uint32_t> words;
  OutputType type = OutputType::Normal;
  /// Assignments of the script, each in front of a part, and the place it then has.
  struct Assigned {
    const ScriptAssignment* assignment = nullptr;
    std::size_t part = 0;
    std::uint32_t here = 0;
  };
  std::vector<Assigned> assigned;
  bool inGroup = false;
  int shared = -1;  ///< the UNION whose run addresses it shares

  bool initialised() const { return kind != Section::Kind::Bss; }
  /// Takes no place in the processor's memory.
  bool outside() const { return type == OutputType::Copy || type == OutputType::Dummy; }
};

class LinkJob {
 public:
  LinkJob(std::vector<LinkInput> inputs, const LinkOptions& options)
      : inputs_(std::move(inputs)), options_(options) {}
  LinkResult run();

 private:
  struct Global {
    std::uint32_t value = 0;
    int output = -1;  ///< index of the output section, -1: a constant
    std::string where;
  };
  struct Home {
    int output = -1;
    std::uint32_t offset = 0;
  };
  struct TooMany {};

  // what TI's linker adds: libraries, C initialisation, its own symbols (link_runtime.cpp)
  void takeMembers();
  void takeMember(const std::string& library, const LinkInput& member);
  bool wants(const std::string& symbol) const;
  void prepareInitialisation();
  void sizeRuntimeSections();
  void defineLinkerSymbols();
  std::string crossReference() const;
  std::string unreferenced() const;

  // gathering (link_job.cpp)
  void gather();
  void gatherSpec(const OutputSpec& spec);
  void addPart(OutputSection& out, std::size_t input, std::size_t section);
  void finishSizes();
  Image makeImage();
  void joinDebug(std::size_t input, const std::vector<int>& index, DebugInfo& joined) const;
  std::uint32_t findEntry();
  void error(const std::string& where, const std::string& text);
  void warning(const std::string& where, const std::string& text);

  // placement (link_place.cpp)
  void place();
  void placeFree();
  bool reserve(const std::string& region, std::uint32_t alignment, const OutputSection& out,
               std::uint32_t& base, std::string& chosen, const char* what);
  // GROUP and UNION (link_group.cpp)
  struct GroupLayout {
    struct Place {
      std::size_t output = 0;
      std::uint32_t offset = 0;
      bool shared = false;
    };
    std::uint64_t next = 0;
    std::uint32_t alignment = 1;
    int unions = 0;  ///< open ones around
    std::vector<Place> places;
  };
  void layGroup(std::size_t number, GroupLayout& layout) const;
  void settleGroup(std::size_t number);
  bool reserveGroup(const Placement& where, const OutputSection& whole, std::uint32_t& base,
                    const char* what);
  int groupOf(std::size_t output) const;
  bool fit(const MemoryRegion& region, std::uint32_t size, std::uint32_t alignment,
           std::uint32_t& base) const;
  void occupy(std::uint32_t base, std::uint32_t size);
  void checkPlaces();
  void checkOverlaps(bool load);
  void checkRegions(const OutputSection& out);

  // symbols and relocations (link_resolve.cpp)
  void defineSymbols();
  void defineAssigned();
  bool move(const OutputSection::Assigned& assigned, const std::string& section,
            std::uint64_t& size);
  void define(const std::string& name, const Global& global);
  void resolve();
  void relocate(std::size_t input, std::size_t section, const Relocation& relocation);
  std::optional<std::uint32_t> valueOf(std::size_t input, const ObjectSymbol& symbol);
  void reportUndefined();
  std::string place(std::size_t input, std::size_t section, std::uint32_t offset) const;

  std::string makeMap() const;  // link_map.cpp

  std::vector<LinkInput> inputs_;
  const LinkOptions& options_;
  LinkResult result_;
  std::vector<OutputSection> outputs_;
  std::vector<std::vector<Home>> homes_;  ///< by input and section
  std::map<std::string, Global> globals_;
  std::set<std::size_t> settled_;           ///< groups that have their addresses
  std::set<std::string> needed_, defined_;  ///< of the inputs, while libraries are searched
  std::map<std::string, std::vector<std::string>> undefined_;  ///< name -> places that use it
  std::map<std::uint32_t, std::uint32_t> occupied_;            ///< start -> end, disjoint
  std::uint32_t cursor_ = 0;
  std::size_t errors_ = 0;
  std::uint32_t entry_ = 0;
};

}  // namespace rtvp::c32
