// `--cost-map`: what each pixel cost the machines of a run, as a picture, as figures in JSON or
// CSV, in the statistics and in words (docs/costs.md).
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/commands/part.hpp"
#include "platform/machines/line_up.hpp"
#include "platform/report/figures.hpp"
#include "platform/report/image.hpp"

namespace rtvp::platform {

/// One measure of the whole picture, of all machines that count it together or of one.
struct CostPanel {
  Measure measure;
  std::vector<std::string> machines;
  std::string name;                   ///< in files: "tests", or "theia.tests" of one machine
  std::vector<std::uint64_t> pixels;  ///< by rows
  std::uint64_t total = 0;            ///< of all pixels
  std::uint64_t outside = 0;          ///< no pixel's
  std::uint64_t white = 0;            ///< what is white in a picture: one pixel in 500 has more
};

class CostSheet {
 public:
  /// What the machines of `lineUp` counted in `parts`, of the measures that output.cost_measure
  /// wants; throws InputError if none of them was counted. `whole`: what the parts cover.
  CostSheet(const LineUp& lineUp, const std::vector<PartResult>& parts, const host::Crop& whole);

  /// True if contents() knows the file's extension.
  [[nodiscard]] static bool isFileName(const std::string& file);
  /// An image, .json or .csv by the extension; a PNG for "-".
  [[nodiscard]] std::vector<std::uint8_t> contents(const std::string& file) const;

  /// Sums of the machines where their measures agree; a panel each where they do not.
  [[nodiscard]] const std::vector<CostPanel>& panels() const { return panels_; }
  [[nodiscard]] report::Image image() const;
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] boost::json::object json() const;
  /// For stats.json: the panels without pixels; totals of each machine, what they mean and what it
  /// does not count.
  [[nodiscard]] boost::json::object statistics() const;
  [[nodiscard]] std::vector<report::SummaryLine> summary() const;

 private:
  struct Machine {
    std::string name;
    const MachineInfo* info;
    std::uint64_t clockPs;
    std::vector<CostPanel> panels;
    std::string uncounted;  ///< a sentence
  };
  void gather(const LineUp& lineUp, const std::vector<PartResult>& parts,
              const std::vector<Measure>& wanted);
  void combine(Measure measure);

  host::Crop whole_;
  std::vector<Machine> machines_;
  std::vector<CostPanel> panels_;
  std::vector<std::string> notes_;  ///< sentences on what was not added
};

/// One of the `count` panels of a picture that CostSheet::image() made.
[[nodiscard]] report::Image panelOf(const report::Image& picture, std::size_t count,
                                    std::size_t index);

}  // namespace rtvp::platform
