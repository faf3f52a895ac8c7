// GROUP and UNION of command files: sections that lie side by side in their order, or in one place
// at run time.
#include <algorithm>

#include "models/c32/link/link_job.hpp"

namespace rtvp::c32 {
namespace {

std::uint64_t alignUp(std::uint64_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

/// Where the members lie, counted from the group's begin.
void LinkJob::layGroup(std::size_t number, GroupLayout& layout) const {
  const SectionGroup& group = options_.script.groups[number];
  layout.alignment = std::max(layout.alignment, group.alignment);
  const std::uint64_t start = alignUp(layout.next, group.alignment);
  std::uint64_t end = start;
  for (const SectionGroup::Member& m : group.members) {
    layout.next = group.isUnion ? start : end;
    if (m.isGroup) {
      layout.unions += group.isUnion ? 1 : 0;
      layGroup(m.number, layout);
      layout.unions -= group.isUnion ? 1 : 0;
    } else {
      const OutputSection& out = outputs_[m.number];
      layout.next = alignUp(layout.next, out.alignment);
      layout.alignment = std::max(layout.alignment, out.alignment);
      const bool shared = group.isUnion || layout.unions != 0;
      layout.places.push_back({m.number, static_cast<std::uint32_t>(layout.next), shared});
      layout.next += out.size;
    }
    end = std::max(end, layout.next);
  }
  layout.next = end;
}

/// Gives the members of a group their run addresses, and load addresses to those that need no other
/// place for them: words that share their run addresses are loaded elsewhere.
void LinkJob::settleGroup(std::size_t number) {
  if (!settled_.insert(number).second) return;
  const SectionGroup& group = options_.script.groups[number];
  GroupLayout layout;
  layGroup(number, layout);
  OutputSection whole;
  whole.name =
      std::string(group.isUnion ? "UNION" : "GROUP") + " of line " + std::to_string(group.line);
  if (layout.next > (1u << 24))
    return error("c32-ld", "section \"" + whole.name + "\" does not fit the 24-bit address space");
  whole.size = static_cast<std::uint32_t>(layout.next);
  whole.alignment = layout.alignment;
  const bool apart = group.run.given();
  std::uint32_t run = 0, load = 0;
  if (!reserveGroup(apart ? group.run : group.load, whole, run, "run")) return;
  load = run;
  if (apart && !group.isUnion && !reserveGroup(group.load, whole, load, "load")) return;
  for (const GroupLayout::Place& p : layout.places) {
    OutputSection& out = outputs_[p.output];
    const bool fromSource = out.run && !out.spec->load.address;
    if (fromSource || out.spec->run.given() || (!p.shared && out.spec->load.given()))
      error("c32-ld", "section \"" + out.name + "\" has an address of its own in " + whole.name);
    out.run = run + p.offset;
    out.inGroup = true;
    out.shared = p.shared ? static_cast<int>(number) : -1;
    if (out.initialised() && !p.shared) out.load = load + p.offset;
    out.runBase = *out.run;
    if (out.load) out.loadBase = *out.load;
  }
}

bool LinkJob::reserveGroup(const Placement& where, const OutputSection& whole, std::uint32_t& base,
                           const char* what) {
  if (where.address) {
    base = *where.address;
    occupy(base, whole.size);
    return true;
  }
  if (options_.script.memory.empty()) {
    base = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(alignUp(cursor_, whole.alignment), 1u << 24));
    cursor_ = std::min(base + whole.size, 1u << 24);
    return true;
  }
  std::string chosen;
  return reserve(where.region, whole.alignment, whole, base, chosen, what);
}

/// The group an output section belongs to, outermost; -1: none.
int LinkJob::groupOf(std::size_t output) const {
  const auto& groups = options_.script.groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].nested) continue;
    GroupLayout layout;
    layGroup(g, layout);
    for (const GroupLayout::Place& p : layout.places) {
      if (p.output == output) return static_cast<int>(g);
    }
  }
  return -1;
}

}  // namespace rtvp::c32
