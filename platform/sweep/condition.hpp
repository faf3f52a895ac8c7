// Conditions on the parameters of a point: "dsps*boards <= 512", "engine != theia".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/options/option_table.hpp"
#include "platform/sweep/formula.hpp"

namespace rtvp::sweep {

/// Text of a parameter's value at a point, by its dotted name.
using ValueOf = std::function<std::string(const std::string& key)>;

/// One comparison: FORMULA <= FORMULA, with < > >= == != too. A name is the end of one parameter's
/// dotted name, whole parts; on and off count as 1 and 0. `==` and `!=` between a name and a word
/// compare texts.
class Condition {
 public:
  /// `own`: keys beside those of the table. Throws InputError that begins with `origin`, also for a
  /// name that means no parameter or several.
  Condition(const std::string& text, const platform::OptionTable& table,
            const std::vector<std::string>& own, const std::string& origin);

  /// Throws InputError if a value in it is no number.
  [[nodiscard]] bool holds(const ValueOf& valueOf) const;

 private:
  [[nodiscard]] double evaluate(const Formula& formula, const ValueOf& valueOf) const;
  void resolve(std::string_view name, const platform::OptionTable& table,
               const std::vector<std::string>& own);

  std::string text_, origin_, comparison_;
  std::vector<Formula> sides_;                            ///< two, or none if texts are compared
  std::string key_, word_;                                ///< of a comparison of texts
  std::map<std::string, std::string, std::less<>> keys_;  ///< name in a formula -> parameter
};

}  // namespace rtvp::sweep
