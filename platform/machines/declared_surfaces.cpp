#include "platform/machines/declared_surfaces.hpp"

#include <algorithm>
#include <string>

#include "platform/options/option_table.hpp"

namespace rtvp::platform {

bool surfacesDeclared(std::span<const LineUp::Member> members) {
  const auto keyOf = [](const LineUp::Member& m) {
    return std::string(m.kind->info().name) + ".records";
  };
  const auto declares = [&](const LineUp::Member& m) {
    const std::string key = keyOf(m);
    return m.settings->table().find(key) != nullptr && !m.settings->text(key).empty();
  };
  const auto taught = std::find_if(members.begin(), members.end(), declares);
  if (taught == members.end()) return false;
  for (const LineUp::Member& m : members) {
    if (&m == &*taught || !m.kind->info().primitives.any()) continue;
    throw InputError(keyOf(*taught) + ": found " + m.name + " beside " + taught->name +
                     ", expected it to be the only machine that finds hits");
  }
  return true;
}

}  // namespace rtvp::platform
