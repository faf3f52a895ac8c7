// Primary hits as text (design.md section 7): one row a pixel, so that two engines can be compared
// by what they found rather than by what it looked like.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::report {

/// First line of a hit dump.
inline constexpr std::string_view kHitHeader = "x,y,prim,t,u,v";
/// Primitive number of a miss; t, u and v are empty in the file and 0 here.
inline constexpr std::int64_t kMiss = -1;

struct HitRow {
  int x = 0;  ///< column in the whole picture, 0 at the left
  int y = 0;  ///< row in the whole picture, 0 at the top
  std::int64_t prim = kMiss;
  double t = 0;  ///< distance from the eye, > 0
  double u = 0;  ///< point = (1-u-v) v1 + u v2 + v v3; 0 on a sphere
  double v = 0;
  bool operator==(const HitRow&) const = default;
};

/// Rows by y, then x. A cropped picture has the rows of the crop only.
using HitDump = std::vector<HitRow>;

/// what() is "file:line:column: found ..., expected ..." (1-based).
class HitError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Numbers are written with the fewest digits that read back as the same double.
[[nodiscard]] std::string formatHits(const HitDump& hits);
/// Strict inverse of formatHits(): every row complete and in order, numbers finite. `name` appears
/// in messages.
[[nodiscard]] HitDump parseHits(std::string_view text, const std::string& name);

/// Replaces the file in one step; throws std::system_error.
void writeHits(const std::filesystem::path& file, const HitDump& hits);
/// Throws HitError, or std::system_error when the file cannot be read.
[[nodiscard]] HitDump readHits(const std::filesystem::path& file);

}  // namespace rtvp::report
