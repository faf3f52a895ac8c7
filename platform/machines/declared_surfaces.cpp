#include "platform/machines/declared_surfaces.hpp"

#include <algorithm>
#include <string>

namespace rtvp::platform {

bool surfacesDeclared(std::span<const LineUp::Member> members) {
  const auto keyOf = [](const LineUp::Member& m) { return m.kind->info().functionsParameter; };
  const auto declares = [&](const LineUp::Member& m) {
    return !keyOf(m).empty() && !m.settings->text(keyOf(m)).empty();
  };
  const auto taught = std::find_if(members.begin(), members.end(), declares);
  if (taught == members.end()) return false;
  for (const LineUp::Member& m : members) {
    if (&m == &*taught || !m.kind->info().primitives.any()) continue;
    throw InputError(std::string(keyOf(*taught)) + ": found " + m.name + " beside " + taught->name +
                     ", expected it to be the only machine that finds hits");
  }
  return true;
}

}  // namespace rtvp::platform
