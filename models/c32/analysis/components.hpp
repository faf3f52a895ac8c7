// Strongly connected components of a graph (Tarjan 1972), without recursion.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace rtvp::c32::analysis {

/// Of the nodes `members` among 0 to count-1; `next` gives a node's successors, those that are no
/// members are left out. Ways between components lead only from later ones to earlier ones.
std::vector<std::vector<int>> components(const std::vector<int>& members, std::size_t count,
                                         const std::function<std::vector<int>(int)>& next);

}  // namespace rtvp::c32::analysis
