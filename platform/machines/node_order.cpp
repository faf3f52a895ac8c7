// See node_order.hpp.
#include "platform/machines/node_order.hpp"

#include <string_view>

#include "models/common/core/whole_number.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {

NodeOrder nodeOrder(const std::string& typed) {
  NodeOrder order;
  const std::size_t at = typed.find('@');
  order.unit = typed.substr(0, at);
  const auto wrong = [&] {
    return InputError("--dump-node: found '" + typed +
                      "', expected a unit and what of it, for instance board0.dsp3@batch=7");
  };
  if (order.unit.empty()) throw wrong();
  if (at == std::string::npos) return order;
  const std::size_t equals = typed.find('=', at);
  if (equals == std::string::npos || equals == at + 1) throw wrong();
  order.what = typed.substr(at + 1, equals - at - 1);
  std::string_view values = std::string_view(typed).substr(equals + 1);
  constexpr std::string_view kRun = "run=";
  for (unsigned n = 0;; ++n) {
    const std::size_t comma = values.find(',');
    std::string_view one = values.substr(0, comma);
    const bool isRun = n > 0 && one.starts_with(kRun);
    if (isRun) one.remove_prefix(kRun.size());
    const auto number = common::wholeNumber(one);
    if (!number || order.run || (!isRun && order.second)) throw wrong();
    if (isRun) {
      order.run = number;
    } else if (n == 0) {
      order.number = *number;
    } else {
      order.second = number;
    }
    if (comma == std::string_view::npos) break;
    values.remove_prefix(comma + 1);
  }
  return order;
}

}  // namespace rtvp::platform
