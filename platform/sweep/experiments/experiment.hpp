// The experiments of board.md 1.6: what the 1996 text claims, what our machine measures, and what
// follows. Each is a function that runs what it needs and returns its findings.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/options/option_table.hpp"
#include "platform/sweep/chart.hpp"
#include "platform/sweep/sweep.hpp"

namespace rtvp::sweep {

/// A picture of the results: file name without folder, and its contents.
struct Illustration {
  std::string file;
  std::string caption;
  Chart chart;
};

struct Finding {
  std::string id;     ///< "TS-060"
  std::string claim;  ///< as the 1996 text says it
  std::string measurement;
  std::string verdict;
  std::string details;  ///< Markdown: tables and reservations
  std::vector<Illustration> illustrations;
};

/// Where programs, scenes and results are; must outlive its sweeps' results.
class Laboratory {
 public:
  Laboratory(std::filesystem::path program, std::filesystem::path scenes,
             std::filesystem::path scratch, int jobs);

  /// Runs a sweep in a folder of the scratch folder; known points are not run again. Throws
  /// std::runtime_error if a point fails: an experiment needs all of them.
  [[nodiscard]] SweepResult sweep(SweepSpec spec) const;
  /// Path of a scene of the project, or of one beside it; nothing if it is absent.
  [[nodiscard]] std::optional<std::string> scene(const std::string& name) const;
  /// The same for a scene that must be there. Throws InputError.
  [[nodiscard]] std::string shipped(const std::string& name) const;
  /// Writes a scene of our own and returns its path.
  [[nodiscard]] std::string ownScene(const std::string& name, const std::string& text) const;

 private:
  platform::OptionTable options_;
  std::filesystem::path program_;
  std::filesystem::path scenes_;
  std::filesystem::path scratch_;
  int jobs_;
};

/// Facts of the default board, for the arithmetic (options' defaults; board.md 3, 4.5).
inline constexpr double kClockHz = 30e6;       ///< H1 of the 60 MFLOPS part
inline constexpr double kBitClockHz = 11.5e6;  ///< chain
inline constexpr double kClaimedRate = 0.5e6;  ///< tests/s and DSP (TS-060)
inline constexpr double kPracticalPci = 80e6;  ///< bytes/s (TS-047)

// ---- cycles.cpp: what one test costs
[[nodiscard]] std::vector<Finding> testRates(const Laboratory& lab);    ///< TS-060, 061, 062
[[nodiscard]] std::vector<Finding> recordSizes(const Laboratory& lab);  ///< TS-066
[[nodiscard]] std::vector<Finding> spheres(const Laboratory& lab);      ///< TS-070
// ---- memory.cpp: what feeding the board costs
[[nodiscard]] std::vector<Finding> refresh(const Laboratory& lab);         ///< TS-063, 072
[[nodiscard]] std::vector<Finding> smallestMemory(const Laboratory& lab);  ///< TS-064
// ---- scaling.cpp: how it grows
[[nodiscard]] std::vector<Finding> scaling(const Laboratory& lab);    ///< TS-065, 067
[[nodiscard]] std::vector<Finding> coherence(const Laboratory& lab);  ///< TS-068
// ---- software.cpp: what the renderer does
[[nodiscard]] std::vector<Finding> profile(const Laboratory& lab);        ///< TS-071
[[nodiscard]] std::vector<Finding> objectsOnARay(const Laboratory& lab);  ///< TS-073

// ---- text

/// `value` with `digits` significant digits, thousands apart: "1 234 567", "0.0123".
[[nodiscard]] std::string rounded(double value, int digits = 3);
[[nodiscard]] std::string percent(double share, int digits = 2);
/// A Markdown table.
[[nodiscard]] std::string table(const std::vector<std::string>& head,
                                const std::vector<std::vector<std::string>>& rows);
/// Value of a figure that must be there.
[[nodiscard]] double need(const SweepResult& result,
                          const std::vector<std::pair<std::string, std::string>>& where,
                          const std::string& figure);

}  // namespace rtvp::sweep
