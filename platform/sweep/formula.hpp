// Formulas over the figures of one run: "driver.rays_traced / driver.batches_ps * 1e12".
//
// A name is the end of a figure's path in stats.json, whole parts of it: `array.cycles_idle` is
// modules.pc0.board0.array.cycles_idle. Of several instances of a statistic (boards, hosts) it is
// the sum; a name that means several statistics is refused (store.hpp).
// Operators + - * / and parentheses, numbers, min(a,b), max(a,b), log2(a), and first(e): e at the
// point with the first value of the sweep's first axis, all else equal.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::sweep {

/// Value of a name; nothing if there is no such figure.
using Lookup = std::function<std::optional<double>(std::string_view name)>;

class Formula {
 public:
  /// Throws InputError that begins with `origin` and names column and what was expected.
  Formula(std::string_view text, const std::string& origin);

  /// Nothing if a name is unknown or the result is not finite. `first` looks up names at the first
  /// point.
  [[nodiscard]] std::optional<double> evaluate(const Lookup& here, const Lookup& first) const;

  /// Every name in it, in the order of the text.
  [[nodiscard]] std::vector<std::string> names() const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace rtvp::sweep
