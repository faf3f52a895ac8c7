// The map file: what lies where.
#include <algorithm>
#include <cstdio>

#include "models/c32/link/link_job.hpp"
#include "models/common/core/print.hpp"

namespace rtvp::c32 {

using common::print;

std::string LinkJob::makeMap() const {
  std::string out = "MEMORY (words)\n";
  print(out, "  %-12s %8s %8s %8s %8s\n", "name", "origin", "length", "used", "free");
  for (const MemoryRegion& r : options_.script.memory) {
    std::uint64_t used = 0;
    for (const auto& [start, end] : occupied_) {
      const std::uint64_t from = std::max(start, r.origin);
      const std::uint64_t to = std::min<std::uint64_t>(end, std::uint64_t{r.origin} + r.length);
      if (to > from) used += to - from;
    }
    print(out, "  %-12.60s   %06X %8u %8u %8u\n", r.name.c_str(), r.origin, r.length,
          static_cast<unsigned>(used), static_cast<unsigned>(r.length - used));
  }
  out += "\nSECTIONS (words)\n";
  print(out, "  %-20s %6s %6s %8s  %s\n", "section", "run", "load", "size", "kind, parts");
  for (const OutputSection& o : outputs_) {
    const char* kind = o.kind == Section::Kind::Text   ? "text"
                       : o.kind == Section::Kind::Data ? "data"
                                                       : "bss";
    print(out, "  %-20.100s %06X %06X %8u  %s\n", o.name.c_str(), o.runBase, o.loadBase, o.size,
          kind);
    for (const LinkPart& part : o.parts) {
      const ObjectSection& s = inputs_[part.input].object.sections[part.section];
      print(out, "    %-18.60s %06X %6s %8u  ", s.name.c_str(), o.runBase + part.offset, "",
            s.size);
      out += inputs_[part.input].name + "\n";
    }
  }
  out += "\nSYMBOLS by name\n";
  std::vector<std::pair<std::uint32_t, std::string>> byAddress;
  for (const auto& [name, global] : globals_) {
    print(out, "  %08X  ", global.value);
    out += name + "\n";
    byAddress.emplace_back(global.value, name);
  }
  std::sort(byAddress.begin(), byAddress.end());
  out += "\nSYMBOLS by value\n";
  for (const auto& [value, name] : byAddress) {
    print(out, "  %08X  ", value);
    out += name + "\n";
  }
  out += unreferenced();
  if (options_.crossReference) out += crossReference();
  print(out, "\nENTRY %06X\n", entry_);
  return out;
}

}  // namespace rtvp::c32
