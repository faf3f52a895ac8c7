// Points and results as lines of JSON: what travels to a worker and back (docs/sweeps.md has the
// members). Files are named by paths below one folder, the root, and known by their contents.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/sweep/spec.hpp"
#include "platform/sweep/store.hpp"

namespace rtvp::sweep {

/// Longest line that is read, in bytes.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 24U;

/// A point as a worker gets it. What is left out is not checked.
struct PointLine {
  std::optional<std::int64_t> point;  ///< its number in the sweep
  std::string identity;
  std::string build;
  std::string scene;
  std::vector<std::pair<std::string, std::string>> set;
  std::optional<std::vector<platform::InputFile>> inputs;
  std::string problem;
  std::vector<Figure> figures;
  bool quality = false;  ///< compare the picture with the reference's
};

/// How a point ended.
struct ResultLine {
  std::optional<std::int64_t> point;
  std::string identity;
  std::string build;
  PointResult result;
};

/// A point's line. Throws InputError for a file that does not lie below `root`.
[[nodiscard]] std::string lineOf(const SweepSpec& spec, const Point& point, std::size_t position,
                                 const Subject& subject, const std::filesystem::path& root,
                                 bool quality = false);
/// Throws InputError that names the member.
[[nodiscard]] PointLine readPointLine(const boost::json::object& line,
                                      const platform::OptionTable& table);

/// Without line feed. `figures`: computed for who asked, with the result.
[[nodiscard]] boost::json::object lineOf(
    const ResultLine& result,
    const std::vector<std::pair<std::string, std::optional<double>>>& figures = {});
/// Throws InputError that names the member, also for an {"error": ...}.
[[nodiscard]] ResultLine readResultLine(const boost::json::object& line);

/// One line as an object. Throws InputError "column 3: ...".
[[nodiscard]] boost::json::object parseLine(std::string_view line);

/// The name of a file below `root` relative to it. Throws InputError if it lies elsewhere.
[[nodiscard]] std::string belowRoot(const std::filesystem::path& file,
                                    const std::filesystem::path& root);
/// Refuses (InputError) a name that could lead out of the folder that it is looked up in.
void checkBelow(const std::string& name, const std::string& what);

}  // namespace rtvp::sweep
