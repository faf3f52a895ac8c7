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
  const auto number = common::wholeNumber(std::string_view(typed).substr(equals + 1));
  if (!number) throw wrong();
  order.number = *number;
  return order;
}

}  // namespace rtvp::platform
