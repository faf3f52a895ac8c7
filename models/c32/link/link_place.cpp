// Giving output sections their load and run addresses, and the checks that follow.
#include <algorithm>

#include "models/c32/asm/diagnostics.hpp"
#include "models/c32/link/link_job.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kAddressSpace = 1u << 24;

std::uint32_t alignUp(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace

void LinkJob::occupy(std::uint32_t base, std::uint32_t size) {
  if (size == 0) return;
  std::uint32_t start = base, end = base + size;
  auto it = occupied_.lower_bound(start);
  if (it != occupied_.begin() && std::prev(it)->second >= start) --it;
  while (it != occupied_.end() && it->first <= end) {
    start = std::min(start, it->first);
    end = std::max(end, it->second);
    it = occupied_.erase(it);
  }
  occupied_[start] = end;
}

/// First free, aligned range of `size` words in a region.
bool LinkJob::fit(const MemoryRegion& region, std::uint32_t size, std::uint32_t alignment,
                  std::uint32_t& base) const {
  const std::uint64_t end = std::uint64_t{region.origin} + region.length;
  std::uint64_t at = alignUp(region.origin, alignment);
  auto it = occupied_.upper_bound(static_cast<std::uint32_t>(at));
  if (it != occupied_.begin()) --it;
  for (; it != occupied_.end() && it->first < at + size; ++it) {
    if (it->second > at) at = alignUp(it->second, alignment);
  }
  if (at + size > end) return false;
  base = static_cast<std::uint32_t>(at);
  return true;
}

bool LinkJob::reserve(const std::string& region, std::uint32_t alignment, const OutputSection& out,
                      std::uint32_t& base, std::string& chosen, const char* what) {
  const LinkScript& script = options_.script;
  for (const MemoryRegion& r : script.memory) {
    if (!region.empty() && r.name != region) continue;
    const std::uint32_t block = out.spec != nullptr ? out.spec->block : 0;
    if (!fit(r, out.size, alignment, base)) continue;
    const bool crosses =
        block != 0 && out.size <= block && base / block != (base + out.size - 1) / block;
    if (crosses && !fit(r, out.size, std::max(alignment, block), base)) continue;
    occupy(base, out.size);
    chosen = r.name;
    return true;
  }
  std::string text = "section \"" + out.name + "\" (" + std::to_string(out.size) + " words";
  if (!out.parts.empty()) text += ", first part from " + inputs_[out.parts.front().input].name;
  text += ") does not fit ";
  if (region.empty()) {
    error("c32-ld", text + "any memory region (" + what + " address)");
    return false;
  }
  const MemoryRegion& r = *script.region(region);
  std::uint64_t used = 0;
  for (const auto& [start, end] : occupied_) {
    const std::uint64_t from = std::max(start, r.origin);
    const std::uint64_t to = std::min<std::uint64_t>(end, std::uint64_t{r.origin} + r.length);
    if (to > from) used += to - from;
  }
  error("c32-ld", text + "memory " + region + ": " + std::to_string(r.length - used) + " of " +
                      std::to_string(r.length) + " words are free (" + what + " address)");
  return false;
}

/// Without MEMORY: as the assembler places (README.md of the assembler, "Sections").
void LinkJob::placeFree() {
  for (const bool initialised : {true, false}) {
    for (std::size_t n = 0; n < outputs_.size(); ++n) {
      OutputSection& out = outputs_[n];
      if (out.initialised() != initialised || out.outside()) continue;
      if (const int group = groupOf(n); group >= 0) settleGroup(static_cast<std::size_t>(group));
      if (initialised) {
        const bool settled = out.inGroup && out.load;
        out.loadBase = out.load ? *out.load : out.run ? cursor_ : alignUp(cursor_, out.alignment);
        if (out.size != 0 && !settled) cursor_ = out.loadBase + out.size;
      } else if (!out.run) {
        out.loadBase = alignUp(cursor_, out.alignment);
        cursor_ = out.loadBase + out.size;
      }
      out.runBase = out.run ? *out.run : out.loadBase;
      if (!initialised) out.loadBase = out.runBase;
      cursor_ = std::min(cursor_, kAddressSpace);
    }
  }
}

void LinkJob::place() {
  if (options_.script.memory.empty()) {
    placeFree();
    return checkPlaces();
  }
  // Fixed addresses first: nothing may be put into their way.
  for (OutputSection& out : outputs_) {
    if (out.outside()) continue;
    if (out.run) occupy(out.runBase = *out.run, out.size);
    if (!out.initialised() && out.load && !out.run) out.run = out.load;
    if (out.load) occupy(out.loadBase = *out.load, out.initialised() ? out.size : 0);
  }
  for (std::size_t n = 0; n < outputs_.size(); ++n) {
    OutputSection& out = outputs_[n];
    if (const int group = groupOf(n); group >= 0) settleGroup(static_cast<std::size_t>(group));
    if ((out.size == 0 && !out.run && !out.load) || out.outside()) continue;
    const std::string wantedLoad = out.spec != nullptr ? out.spec->load.region : "";
    const std::string wantedRun = out.spec != nullptr ? out.spec->run.region : "";
    const bool apart = !wantedRun.empty() || out.run;
    if (out.initialised() && !out.load) {
      if (!reserve(wantedLoad, apart ? 1 : out.alignment, out, out.loadBase, out.loadRegion,
                   "load"))
        continue;
    }
    if (out.run) {
      out.runBase = *out.run;
    } else if (!wantedRun.empty() || !out.initialised()) {
      const std::string& region = wantedRun.empty() ? wantedLoad : wantedRun;
      if (!reserve(region, out.alignment, out, out.runBase, out.runRegion, "run")) continue;
    } else {
      out.runBase = out.loadBase;
      out.runRegion = out.loadRegion;
    }
    if (!out.initialised()) out.loadBase = out.runBase;
  }
  if (errors_ == 0) checkPlaces();
}

void LinkJob::checkRegions(const OutputSection& out) {
  if (options_.script.memory.empty()) return;
  const auto inside = [&](std::uint32_t base) {
    return std::any_of(
        options_.script.memory.begin(), options_.script.memory.end(), [&](const MemoryRegion& r) {
          return base >= r.origin &&
                 std::uint64_t{base} + out.size <= std::uint64_t{r.origin} + r.length;
        });
  };
  if (!inside(out.runBase))
    error("c32-ld", "section \"" + out.name + "\" at run address " + addressText(out.runBase) +
                        " lies outside the memory of the script");
  if (out.initialised() && out.loadBase != out.runBase && !inside(out.loadBase))
    error("c32-ld", "section \"" + out.name + "\" at load address " + addressText(out.loadBase) +
                        " lies outside the memory of the script");
}

void LinkJob::checkPlaces() {
  for (const OutputSection& out : outputs_) {
    if (out.size == 0 || out.outside()) continue;
    if (std::uint64_t{out.loadBase} + out.size > kAddressSpace ||
        std::uint64_t{out.runBase} + out.size > kAddressSpace) {
      error("c32-ld", "section \"" + out.name + "\" ends beyond address FFFFFFh");
      continue;
    }
    if (out.runBase % out.alignment != 0)
      error("c32-ld", "section \"" + out.name + "\" at run address " + addressText(out.runBase) +
                          " is not aligned to " + std::to_string(out.alignment) + " words");
    checkRegions(out);
  }
  checkOverlaps(true);
  checkOverlaps(false);
}

/// Two load images in one place are an error; two run images too, unless both are copied there.
void LinkJob::checkOverlaps(bool load) {
  std::vector<const OutputSection*> order;
  for (const OutputSection& out : outputs_) {
    if (out.size != 0 && !out.outside() && (!load || out.initialised())) order.push_back(&out);
  }
  const auto start = [&](const OutputSection& o) { return load ? o.loadBase : o.runBase; };
  std::stable_sort(order.begin(), order.end(), [&](const OutputSection* a, const OutputSection* b) {
    return start(*a) < start(*b);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const OutputSection &low = *order[i - 1], &high = *order[i];
    if (start(low) + low.size <= start(high)) continue;
    if (!load && low.shared >= 0 && low.shared == high.shared) continue;
    std::string text = std::string(load ? "load" : "run") + " addresses of section \"" + high.name +
                       "\" (from " + addressText(start(high)) + ") overlap section \"" + low.name +
                       "\" (" + addressText(start(low)) + " to " +
                       addressText(start(low) + low.size - 1) + ")";
    const bool overlay = !load && low.loadBase != low.runBase && high.loadBase != high.runBase;
    const std::string where =
        high.parts.empty() ? "c32-ld" : inputs_[high.parts.front().input].name;
    if (overlay) {
      warning(where, text);
    } else {
      error(where, text);
    }
  }
}

}  // namespace rtvp::c32
