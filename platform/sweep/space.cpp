// See space.hpp.
#include "platform/sweep/space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "models/common/core/text.hpp"
#include "platform/exit_status.hpp"
#include "platform/options/settings.hpp"
#include "platform/sweep/condition.hpp"
#include "platform/sweep/values.hpp"

namespace rtvp::sweep {
namespace {

using platform::InputError;
using Digits = std::vector<std::size_t>;  ///< a point: which value of each dimension

constexpr std::array<std::pair<std::string_view, SpaceKind>, 5> kKinds = {
    {{"grid", SpaceKind::Grid},
     {"random", SpaceKind::Random},
     {"lhs", SpaceKind::LatinHypercube},
     {"one_at_a_time", SpaceKind::OneAtATime},
     {"refine", SpaceKind::Refine}}};

/// Combinations that are looked at one by one.
constexpr double kMostCombinations = 4e6;
/// Draws of a Latin hypercube, of which the one with the most points is taken.
constexpr int kDraws = 64;

// The dimensions of a spec and its conditions.
class Space {
 public:
  Space(const SweepSpec& spec, const platform::OptionTable& table)
      : spec_(spec), dimensions_(dimensionsOf(spec)), defaults_(table) {
    std::vector<std::string> keys;
    for (const Axis& axis : spec.axes) keys.push_back(axis.key);
    for (const std::string& text : spec.where) conditions_.emplace_back(text, table, keys, "where");
  }

  [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }
  [[nodiscard]] double combinations() const {
    double product = 1;
    for (const Dimension& d : dimensions_) product *= static_cast<double>(d.values);
    return product;
  }
  [[nodiscard]] Row row(const Digits& digits) const {
    Row row(spec_.axes.size());
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      for (const std::size_t axis : dimensions_[d].axes) {
        row[axis] = spec_.axes[axis].values[digits[d]];
      }
    }
    return row;
  }
  /// The first digits that give the row.
  [[nodiscard]] Digits digits(const Row& row) const {
    Digits digits;
    for (const Dimension& d : dimensions_) {
      std::size_t at = 0;
      const auto fits = [&] {
        return std::all_of(d.axes.begin(), d.axes.end(),
                           [&](std::size_t a) { return spec_.axes[a].values[at] == row[a]; });
      };
      while (at + 1 < d.values && !fits()) ++at;
      digits.push_back(at);
    }
    return digits;
  }
  [[nodiscard]] bool allows(const Digits& digits) const {
    if (conditions_.empty()) return true;
    const Row values = row(digits);
    const ValueOf valueOf = [&](const std::string& key) {
      for (std::size_t a = 0; a < values.size(); ++a) {
        if (spec_.axes[a].key == key) return values[a];
      }
      return std::string(defaults_.find(key)->fallback);
    };
    return std::all_of(conditions_.begin(), conditions_.end(),
                       [&](const Condition& c) { return c.holds(valueOf); });
  }
  /// All that are allowed, the last dimension fastest; at most kMaxPoints of them or an InputError.
  [[nodiscard]] std::vector<Digits> all(std::size_t most) const {
    if (combinations() > kMostCombinations) tooMany();
    std::vector<Digits> list;
    Digits digits(dimensions_.size(), 0);
    for (;;) {
      if (allows(digits)) list.push_back(digits);
      if (list.size() > most) tooMany();
      std::size_t d = digits.size();
      while (d > 0 && ++digits[d - 1] == dimensions_[d - 1].values) digits[--d] = 0;
      if (d == 0) return list;
    }
  }

 private:
  [[noreturn]] static void tooMany() {
    throw InputError("the sweep has more than " + std::to_string(kMaxPoints) +
                     " points, expected fewer values, conditions, or random points");
  }

  const SweepSpec& spec_;
  std::vector<Dimension> dimensions_;
  const platform::OptionTable& defaults_;
  std::vector<Condition> conditions_;
};

// The standard library's distributions may differ between libraries; these draws do not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  template <typename T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  std::mt19937_64 random_;
};

std::vector<Digits> sorted(std::vector<Digits> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::vector<Digits> randomPoints(const Space& space, std::size_t count, Dice& dice) {
  if (space.combinations() <= kMostCombinations / 4) {
    std::vector<Digits> all = space.all(static_cast<std::size_t>(kMostCombinations));
    dice.shuffle(all);
    if (all.size() > count) all.resize(count);
    return sorted(std::move(all));
  }
  std::set<Digits> drawn;
  for (std::size_t tries = 0; drawn.size() < count && tries < 100 * count + 100'000; ++tries) {
    Digits digits;
    for (const Dimension& d : space.dimensions()) digits.push_back(dice.below(d.values));
    if (space.allows(digits)) drawn.insert(std::move(digits));
  }
  return {drawn.begin(), drawn.end()};
}

// Of each dimension every value as often as every other, as far as the numbers allow.
std::vector<Digits> latinHypercube(const Space& space, std::size_t count, Dice& dice) {
  std::vector<Digits> best;
  for (int draw = 0; draw < kDraws && best.size() < count; ++draw) {
    std::vector<Digits> points(count);
    for (const Dimension& d : space.dimensions()) {
      std::vector<std::size_t> column(count);
      for (std::size_t i = 0; i < count; ++i) column[i] = i * d.values / count;
      dice.shuffle(column);
      for (std::size_t i = 0; i < count; ++i) points[i].push_back(column[i]);
    }
    std::erase_if(points, [&](const Digits& p) { return !space.allows(p); });
    points = sorted(std::move(points));
    if (points.size() > best.size()) best = std::move(points);
  }
  return best;
}

// The first value of everything, then every other value alone.
std::vector<Digits> oneAtATime(const Space& space) {
  std::vector<Digits> list;
  const Digits baseline(space.dimensions().size(), 0);
  const auto add = [&](const Digits& digits) {
    if (space.allows(digits)) list.push_back(digits);
  };
  add(baseline);
  for (std::size_t d = 0; d < baseline.size(); ++d) {
    for (std::size_t v = 1; v < space.dimensions()[d].values; ++v) {
      Digits digits = baseline;
      digits[d] = v;
      add(digits);
    }
  }
  return list;
}

std::vector<Row> rowsOf(const Space& space, const std::vector<Digits>& points) {
  std::vector<Row> rows;
  rows.reserve(points.size());
  for (const Digits& p : points) rows.push_back(space.row(p));
  return rows;
}

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

}  // namespace

std::vector<Dimension> dimensionsOf(const SweepSpec& spec) {
  std::vector<Dimension> list;
  std::set<std::size_t> taken;
  const auto indexOf = [&](const std::string& key) {
    for (std::size_t i = 0; i < spec.axes.size(); ++i) {
      if (spec.axes[i].key == key) return i;
    }
    throw InputError("link: found " + common::quoted(key) + ", expected a parameter that is set");
  };
  for (const std::vector<std::string>& keys : spec.links) {
    Dimension d;
    for (const std::string& key : keys) {
      const std::size_t axis = indexOf(key);
      if (!taken.insert(axis).second) throw InputError("link: " + key + ": linked twice");
      const std::size_t values = spec.axes[axis].values.size();
      if (!d.axes.empty() && values != d.values) {
        throw InputError("link: " + key + " has " + std::to_string(values) + " values, " +
                         keys.front() + " has " + std::to_string(d.values) +
                         ", expected as many of each");
      }
      d.values = values;
      d.axes.push_back(axis);
    }
    if (!d.axes.empty()) list.push_back(std::move(d));
  }
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    if (taken.count(i) == 0) list.push_back({{i}, spec.axes[i].values.size()});
  }
  for (Dimension& d : list) std::sort(d.axes.begin(), d.axes.end());
  std::sort(list.begin(), list.end(),
            [](const Dimension& a, const Dimension& b) { return a.axes.front() < b.axes.front(); });
  return list;
}

SpaceKind spaceKind(std::string_view word) {
  for (const auto& [name, kind] : kKinds) {
    if (name == word) return kind;
  }
  throw InputError("found " + common::quoted(word) +
                   ", expected grid, random, lhs, one_at_a_time or refine");
}

std::vector<Row> firstRows(const SweepSpec& spec, const platform::OptionTable& table) {
  const Space space(spec, table);
  Dice dice(spec.space.seed);
  std::vector<Digits> points;
  switch (spec.space.kind) {
    case SpaceKind::Grid:
      points = space.all(kMaxPoints);
      break;
    case SpaceKind::Random:
      points = randomPoints(space, spec.space.points, dice);
      break;
    case SpaceKind::LatinHypercube:
      points = latinHypercube(space, spec.space.points, dice);
      break;
    case SpaceKind::OneAtATime:
      points = oneAtATime(space);
      break;
    case SpaceKind::Refine:
      points = latinHypercube(space, std::max<std::size_t>(4, spec.space.points / 4), dice);
      if (points.size() > spec.space.points) points.resize(spec.space.points);
      break;
  }
  if (points.empty()) throw InputError("where: no point is left, expected weaker conditions");
  return rowsOf(space, points);
}

std::vector<std::size_t> frontOf(const std::vector<std::optional<std::vector<double>>>& goals) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < goals.size(); ++i) {
    if (!goals[i]) continue;
    const bool beaten = std::any_of(goals.begin(), goals.end(), [&](const auto& other) {
      return other && dominates(*other, *goals[i]);
    });
    if (!beaten) front.push_back(i);
  }
  return front;
}

std::vector<Row> nextRows(const SweepSpec& spec, const platform::OptionTable& table,
                          const std::vector<Row>& rows,
                          const std::vector<std::optional<std::vector<double>>>& goals) {
  const Space space(spec, table);
  std::set<Digits> known;
  for (const Row& row : rows) known.insert(space.digits(row));
  std::vector<Digits> next;
  const auto offer = [&](const Digits& digits) {
    if (rows.size() + next.size() >= spec.space.points) return;
    if (space.allows(digits) && known.insert(digits).second) next.push_back(digits);
  };
  for (const std::size_t i : frontOf(goals)) {
    const Digits at = space.digits(rows[i]);
    for (std::size_t d = 0; d < at.size(); ++d) {
      Digits step = at;
      if (at[d] > 0) {
        step[d] = at[d] - 1;
        offer(step);
      }
      if (at[d] + 1 < space.dimensions()[d].values) {
        step[d] = at[d] + 1;
        offer(step);
      }
    }
  }
  return rowsOf(space, next);
}

}  // namespace rtvp::sweep
