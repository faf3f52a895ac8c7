// What contention must come to, found the slow and obvious way: time goes on picosecond by
// picosecond, and at each of them whoever may begin begins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "models/common/grant_queue.hpp"

namespace rtvp::test {

using common::Arbitration;
using common::LinkConfig;
using Ps = common::GrantQueue::Ps;

/// One access of a master: asked for `gap` after the last one began, not before `notBefore`.
struct Access {
  Ps gap = 1, notBefore = 0;
  std::uint64_t bytes = 0;
  unsigned links = 0;
};
using Accesses = std::vector<Access>;

struct Served {
  unsigned master;
  Ps asked, at;
  bool operator==(const Served&) const = default;
  auto operator<=>(const Served&) const = default;
};

class SlowSimulation {
 public:
  SlowSimulation(std::vector<LinkConfig> links, Arbitration arbitration,
                 std::vector<Accesses> scripts)
      : links_(std::move(links)),
        arbitration_(arbitration),
        scripts_(std::move(scripts)),
        masters_(scripts_.size()),
        transfers_(links_.size()) {}

  /// In the order of grants.
  std::vector<Served> run() {
    std::size_t left = 0;
    for (std::size_t m = 0; m < scripts_.size(); ++m) {
      left += scripts_[m].size();
      if (!scripts_[m].empty()) plan(m, 0);
    }
    std::vector<Served> served;
    for (Ps now = 0; served.size() < left; ++now) {
      for (Master& m : masters_) m.waits = m.waits || (m.active && m.asked == now);
      for (unsigned m = 0; next(now, m);) {
        served.push_back({m, masters_[m].asked, now});
        begin(now, m);
      }
    }
    return served;
  }

 private:
  struct Master {
    bool active = false, waits = false;
    Ps asked = 0;
    std::size_t index = 0;
  };
  struct Transfer {
    Ps end, leaves;
  };

  void plan(std::size_t m, Ps last) {
    const Access& access = scripts_[m][masters_[m].index];
    masters_[m].asked = std::max(last + access.gap, access.notBefore);
    masters_[m].active = true;
    masters_[m].waits = false;
  }
  [[nodiscard]] const Access& wish(unsigned m) const { return scripts_[m][masters_[m].index]; }
  [[nodiscard]] bool linkFree(std::size_t link, Ps now) const {
    std::size_t under_way = 0;
    for (const Transfer& t : transfers_[link]) {
      if (t.end > now) return false;
      under_way += t.leaves > now ? 1 : 0;
    }
    return links_[link].outstanding == 0 || under_way < links_[link].outstanding;
  }
  [[nodiscard]] bool canBegin(Ps now, unsigned m) const {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if ((wish(m).links >> i & 1U) != 0 && !linkFree(i, now)) return false;
    }
    return true;
  }
  bool next(Ps now, unsigned& chosen) {
    std::vector<unsigned> order;
    for (unsigned m = 0; m < masters_.size(); ++m) {
      if (masters_[m].active && masters_[m].waits) order.push_back(m);
    }
    const auto n = static_cast<unsigned>(masters_.size());
    const auto rank = [&](unsigned m) -> Ps {
      if (arbitration_ == Arbitration::Fifo) return masters_[m].asked;
      return arbitration_ == Arbitration::Priority ? m : (m + n - (last_ + 1) % n) % n;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
    unsigned taken = 0;  // links on which somebody before waits
    for (const unsigned m : order) {
      const bool passes = arbitration_ != Arbitration::Fifo || (wish(m).links & taken) == 0;
      if (passes && canBegin(now, m)) {
        chosen = m;
        return true;
      }
      taken |= wish(m).links;
    }
    return false;
  }
  void begin(Ps now, unsigned m) {
    const Access access = wish(m);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if ((access.links >> i & 1U) == 0) continue;
      Ps end = now;
      if (links_[i].widthBytes != 0)
        for (std::uint64_t sent = 0; sent < access.bytes; sent += links_[i].widthBytes)
          end += links_[i].periodPs;
      transfers_[i].push_back({end, end + links_[i].latencyClocks * links_[i].periodPs});
    }
    if (access.links != 0) last_ = m;
    masters_[m].active = false;
    if (++masters_[m].index < scripts_[m].size()) plan(m, now);
  }

  std::vector<LinkConfig> links_;
  Arbitration arbitration_;
  std::vector<Accesses> scripts_;
  std::vector<Master> masters_;
  std::vector<std::vector<Transfer>> transfers_;
  unsigned last_ = ~0U;
};

/// A random machine.
struct RandomCase {
  std::vector<LinkConfig> links;
  Arbitration arbitration;
  std::vector<Accesses> scripts;

  explicit RandomCase(unsigned seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned low, unsigned high) {
      return low + static_cast<unsigned>(random()) % (high - low + 1);
    };
    for (unsigned i = 0; i < 2; ++i) {
      LinkConfig link{.name = "link" + std::to_string(i),
                      .widthBytes = pick(0, 2) == 0 ? 0 : pick(1, 16),
                      .periodPs = pick(1, 7),
                      .latencyClocks = pick(0, 12),
                      .outstanding = pick(0, 1) == 0 ? 0 : pick(1, 4)};
      if (!link.limited()) link.widthBytes = 4;
      links.push_back(link);
    }
    arbitration = static_cast<Arbitration>(pick(0, 2));
    scripts.resize(pick(1, 6));
    for (Accesses& script : scripts) {
      Ps earliest = 0;
      for (unsigned n = pick(0, 30); n != 0; --n) {
        earliest += pick(0, 60);
        script.push_back({.gap = pick(1, pick(0, 3) == 0 ? 200 : 12),
                          .notBefore = pick(0, 4) == 0 ? earliest : 0,
                          .bytes = pick(0, 64),
                          .links = pick(1, 3)});
      }
    }
  }
};

}  // namespace rtvp::test
