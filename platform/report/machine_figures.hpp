// What a kind of machine says of a run when it is compared with others: counts that mean the same
// for all, and shares of the time that its parts were at work.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rtvp::report {

/// Part of a machine that may be what limits it. Shares may overlap: parts work at the same time.
struct Resource {
  std::string name;     ///< "chain in"
  double share = 0;     ///< of the simulated time that it was at work or waited for, 0..1
  std::string meaning;  ///< one sentence: what counts as being at work
};

/// Bytes over one path.
struct Traffic {
  std::string path;    ///< "PCI"
  double bytes = 0;    ///< in the whole run
  bool inner = false;  ///< between parts of the machine: not among the bytes a ray of the table
};

/// A figure that only this kind has.
struct OwnFigure {
  std::string name, unit;
  double value = 0;
};

/// Totals of a run. What has no meaning for a machine is absent, not zero.
struct MachineFigures {
  std::optional<double> cycles;      ///< of the machine's clock, from time zero to the end
  std::optional<double> tests;       ///< of a triangle, sphere or surface against a ray
  std::optional<double> boxTests;    ///< of a box against a ray
  std::optional<double> nodeVisits;  ///< nodes of a tree that a ray was led to
  std::vector<Traffic> traffic;
  std::vector<Resource> resources;  ///< what limits the machine: the one with the largest share
  /// Of the time, its processing elements have nothing to do: rays are elsewhere or on their way.
  std::optional<double> idle;
  std::vector<OwnFigure> own;
};

}  // namespace rtvp::report
