// See layout.hpp.
#include "models/c32/asm/layout.hpp"

#include <algorithm>
#include <numeric>

#include "models/c32/asm/diagnostics.hpp"

namespace rtvp::c32 {
namespace {

using Severity = Diagnostic::Severity;
constexpr std::uint32_t kAddressSpace = 1u << 24;

std::uint32_t alignUp(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// A section may ask to lie behind another one, which may ask the same: each round settles at least
/// one.
void placeAfterOthers(std::vector<Building>& sections, std::vector<bool>& placed,
                      const PlacementReport& report) {
  bool progress = true;
  while (progress) {
    progress = false;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      Building& s = sections[i];
      if (placed[i]) continue;
      for (std::size_t k = 0; k < sections.size(); ++k) {
        if (!placed[k] || sections[k].name != s.runAfter) continue;
        s.runBase = alignUp(sections[k].runBase + sections[k].size, s.alignment);
        if (!s.initialised()) s.loadBase = s.runBase;
        placed[i] = progress = true;
        break;
      }
    }
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (placed[i]) continue;
    report(Severity::Error, sections[i].placedBy,
           "found section \"" + sections[i].name + "\" behind \"" + sections[i].runAfter +
               "\", expected a section that exists and does not lie behind this one");
  }
}

void checkRanges(const std::vector<Building>& sections, const PlacementReport& report) {
  struct Range {
    std::uint32_t start;
    const Building* section;
  };
  const auto check = [&](bool load, Severity severity, const char* what) {
    std::vector<Range> ranges;
    for (const Building& s : sections) {
      if (s.size == 0 || s.copy || (load && !s.initialised())) continue;
      ranges.push_back({load ? s.loadBase : s.runBase, &s});
    }
    std::stable_sort(ranges.begin(), ranges.end(),
                     [](const Range& a, const Range& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      const Range &low = ranges[i - 1], &high = ranges[i];
      if (low.start + low.section->size <= high.start) continue;
      report(severity, high.section->placedBy,
             "found " + std::string(what) + " addresses of section \"" + high.section->name +
                 "\" (from " + addressText(high.start) + ") inside section \"" + low.section->name +
                 "\" (" + addressText(low.start) + " to " +
                 addressText(low.start + low.section->size - 1) + "), expected free addresses");
    }
  };
  check(true, Severity::Error, "load");
  check(false, Severity::Warning, "run");
}

}  // namespace

void place(std::vector<Building>& sections, const PlacementReport& report) {
  std::vector<bool> placed(sections.size(), true);
  std::uint32_t cursor = 0;
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sections[a].firstUse < sections[b].firstUse;
  });
  for (const bool initialised : {true, false}) {
    for (const std::size_t i : order) {
      Building& s = sections[i];
      if (s.initialised() != initialised || s.copy) continue;
      const bool runFollowsLoad = !s.run && s.runAfter.empty();
      if (initialised) {
        s.loadBase = s.load ? *s.load : runFollowsLoad ? alignUp(cursor, s.alignment) : cursor;
        if (s.size != 0) cursor = s.loadBase + s.size;
      } else if (runFollowsLoad) {
        s.loadBase = alignUp(cursor, s.alignment);
        cursor = s.loadBase + s.size;
      }
      s.runBase = s.run ? *s.run : s.loadBase;
      if (!initialised) s.loadBase = s.runBase;
      placed[i] = s.runAfter.empty();
      cursor = std::min(cursor, kAddressSpace);
    }
  }
  placeAfterOthers(sections, placed, report);
  for (const Building& s : sections) {
    if (s.size == 0 || s.copy) continue;
    if (std::uint64_t{s.loadBase} + s.size > kAddressSpace ||
        std::uint64_t{s.runBase} + s.size > kAddressSpace) {
      report(Severity::Error, s.placedBy,
             "found section \"" + s.name +
                 "\" beyond the last address, expected its end at or below FFFFFFh");
    }
    if (s.runBase % s.alignment != 0) {
      report(Severity::Error, s.placedBy,
             "found section \"" + s.name + "\" at run address " + addressText(s.runBase) +
                 ", expected a multiple of " + std::to_string(s.alignment) + " (.align inside)");
    }
  }
  checkRanges(sections, report);
}

}  // namespace rtvp::c32
