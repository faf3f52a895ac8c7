// What `platform machines` found out: every machine on one scene, and the three forms it is shown
// in.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/report/image.hpp"
#include "platform/report/machine_figures.hpp"

namespace rtvp::report {

/// Of machines.json.
inline constexpr int kComparisonSchemaVersion = 1;

/// A line of a machine's parts list (docs/machines/parts.json).
struct ListedPart {
  std::string name, role, each, source;
  bool guess = false;
  double count = 0;
  /// Of all `count`: what can be compared between machines of different times.
  std::optional<double> multipliers, memoryBytes, bytesPerSecond, dollars;
  /// At work all the time; packages on a board, or silicon where there are none. For sweeps.
  std::optional<double> watts, areaMm2;
};

/// What one machine of a run says: the one that was asked for, or a unit beside it.
struct MemberFigures {
  std::string machine;
  MachineFigures figures;
};

/// What each pixel cost, of one measure.
struct CostPicture {
  std::string title;   ///< "tests", "theia: cycles"
  double mean = 0;     ///< a pixel
  double white = 0;    ///< what one pixel in 500 exceeds
  double outside = 0;  ///< of all pixels' sum and this, what is no pixel's: a share
  Image picture;
};

/// One machine in one setting.
struct ComparedRun {
  enum class State : std::uint8_t {
    Done,
    Refused,  ///< it cannot take the scene
    Failed,   ///< it should have, and did not
  };
  std::string machine, help;
  std::string setting;                                   ///< "original", "best", "defaults"
  std::string title, note;                               ///< of the setting
  std::vector<std::pair<std::string, std::string>> set;  ///< parameters of the setting
  State state = State::Refused;
  std::string reason;  ///< unless Done, one line
  int status = 0;      ///< exit status of the run; 0 if it was refused before it began

  // The rest is there if Done.
  double simulatedSeconds = 0;
  double rays = 0;                     ///< eye, shadow and secondary
  std::vector<MemberFigures> members;  ///< the machine first; parts may be missing
  std::string limit;                   ///< of `resources`, the largest: "xphmg: memory"
  double limitShare = 0;
  std::optional<double> psnr;  ///< dB against the reference's picture; nothing if they are equal
  std::uint64_t pixels = 0, wrongPixels = 0, excusedPixels = 0;
  bool accepted = false;  ///< by the acceptance rule for hits
  std::vector<ListedPart> parts;
  std::string configurationHash;
  double hostSeconds = 0;  ///< differs from run to run
  Image picture;
  std::vector<CostPicture> costs;
  std::vector<std::string> uncounted;  ///< sentences: what the machine and those beside it do not

  [[nodiscard]] std::string label() const { return machine + ", " + setting; }
  [[nodiscard]] double raysPerSecond() const {
    return simulatedSeconds > 0 ? rays / simulatedSeconds : 0;
  }
  /// Of the machine's clock.
  [[nodiscard]] std::optional<double> cycles() const;
  /// Of the machine itself, over rays; nothing where the figure has no meaning.
  [[nodiscard]] std::optional<double> perRay(std::optional<double> MachineFigures::*figure) const;
  /// Over its outer paths.
  [[nodiscard]] std::optional<double> bytesPerRay() const;
};

struct Comparison {
  std::string scene;  ///< file name without folder
  int width = 0, height = 0;
  std::uint64_t primitives = 0, triangles = 0, spheres = 0, functions = 0;
  std::vector<std::pair<std::string, std::string>> said;  ///< parameters of every run
  std::vector<ComparedRun> runs;
  Image reference;
  double referenceSeconds = 0;
};

/// Everything but pictures. What may differ between two equal comparisons, seconds on this
/// computer, is in the member `host`, or left out with `host` = false; so with the other forms.
[[nodiscard]] boost::json::object comparisonJson(const Comparison& all, bool host);
/// Tables for a terminal.
[[nodiscard]] std::string comparisonText(const Comparison& all, bool host);
/// A page that needs no other file and no script.
[[nodiscard]] std::string comparisonPage(const Comparison& all, bool host);

}  // namespace rtvp::report
