// Objects as the unit holds them between jobs: what it loaded, the hull, where codes and leaves
// lie in memory, and what running a code costs.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "models/implicit/render/hull.hpp"
#include "models/implicit/render/object.hpp"
#include "models/implicit/unit/loader.hpp"
#include "models/implicit/unit/plan.hpp"

namespace rtvp::implicit::unit {

/// Settings that a hull depends on.
struct HullKey {
  render::Mode mode = render::Mode::Improved;
  bool prune = true, smooth = true, compact = true, trim = true, slopes = true;
  bool operator==(const HullKey&) const = default;
  static HullKey of(const render::Settings& s) {
    return {s.mode, s.prune, s.smooth_prune, s.compact, s.trim, s.findsSlopes()};
  }
};

class LoadedObject {
 public:
  LoadedObject(const ObjectRecord& record, LoadedCode code, const HullKey& key)
      : record_(record), code_(std::move(code)), key_(key) {}
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  [[nodiscard]] const ObjectRecord& record() const { return record_; }
  [[nodiscard]] const LoadedCode& code() const { return code_; }
  [[nodiscard]] const HullKey& key() const { return key_; }
  [[nodiscard]] const render::Object& object() const { return *object_; }
  [[nodiscard]] const render::Hull& hull() const { return hull_; }

  /// Id, matrix and Lipschitz bound may change without a new hull. Throws render::ObjectError.
  void place(const ObjectRecord& record);
  void setHull(render::Hull hull) { hull_ = std::move(hull); }

  /// The words of a code lie at `address` from now on.
  void storeProgram(std::uint32_t code, std::uint64_t address, std::vector<std::uint8_t> bytes,
                    const Region& area);
  [[nodiscard]] bool stored(std::uint32_t code) const { return programs_.contains(code); }
  /// Mask or leaf entry of a leaf, by its number; of a task cell, by half * 32 + lane.
  void storeLeaf(std::uint32_t number, std::uint64_t address, std::vector<std::uint8_t> bytes,
                 const Region& area);
  /// What the trim stage found, one byte a leaf, lies at `address`.
  void storeExtents(std::uint64_t address, const Region& area) {
    extents_ = &keep(address, std::vector<std::uint8_t>(leaf::kLeaves), area);
  }
  [[nodiscard]] const Region* extents() const { return extents_; }
  [[nodiscard]] std::uint8_t& extent(std::uint32_t leaf) { return extents_->copy[leaf]; }
  /// What the slope stage found of a leaf.
  void storeSlope(std::uint32_t number, std::uint64_t address, std::vector<std::uint8_t> bytes,
                  const Region& area);
  void storeTask(std::uint32_t number, std::uint64_t address, std::vector<std::uint8_t> bytes,
                 const Region& area);
  [[nodiscard]] const Region* leafRegion(std::uint32_t number) const;
  [[nodiscard]] const Region* slopeRegion(std::uint32_t number) const;
  [[nodiscard]] const Region* taskRegion(std::uint32_t number) const;
  [[nodiscard]] const Region* programRegion(std::uint32_t code) const;

  /// Made when first asked for.
  const Plan& plan(std::uint32_t code, Flavour flavour, const Timing& timing);

 private:
  Region& keep(std::uint64_t address, std::vector<std::uint8_t> bytes, const Region& area);

  ObjectRecord record_;
  LoadedCode code_;
  HullKey key_;
  std::unique_ptr<render::Object> object_;
  render::Hull hull_;
  std::deque<Region> regions_;  // a deque: plans point into it
  std::map<std::uint32_t, const Region*> programs_, tasks_;
  /// By the leaf's number; null where nothing is stored, and they may be shorter than it.
  std::vector<const Region*> leaves_, slopes_;
  Region* extents_ = nullptr;
  std::map<std::pair<std::uint32_t, Flavour>, std::unique_ptr<Plan>> plans_;
};

/// The bump allocator of leaf programs and the objects themselves.
struct ObjectStore {
  std::map<std::uint32_t, std::unique_ptr<LoadedObject>> objects;
  std::uint64_t words_used = 0;

  void clear() {
    objects.clear();
    words_used = 0;
  }
};

}  // namespace rtvp::implicit::unit
