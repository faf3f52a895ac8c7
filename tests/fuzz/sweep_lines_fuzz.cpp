// Lines to and from workers, and what stands in them, from any bytes: read or refused with a
// message that names the place; what is read means the same when it is written again.
#include <boost/json/serialize.hpp>

#include "platform/exit_status.hpp"
#include "platform/options/run_params.hpp"
#include "platform/sweep/condition.hpp"
#include "platform/sweep/formula.hpp"
#include "platform/sweep/point_line.hpp"
#include "platform/sweep/sample.hpp"
#include "platform/sweep/values.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;
using namespace rtvp::sweep;  // NOLINT(google-build-using-namespace): a program about this

namespace {

constexpr std::size_t kMostText = 2000;  // values and formulas; lines may be longer

const rtvp::platform::OptionTable& table() {
  static const rtvp::platform::OptionTable kTable = [] {
    rtvp::platform::OptionTable
        own;  // those that no machine brings along: every type is among them
    own.add(rtvp::platform::kRunParams);
    return own;
  }();
  return kTable;
}

void readResult(const std::string& text) {
  const ResultLine line = readResultLine(parseLine(text));
  const std::string written = boost::json::serialize(lineOf(line));
  const ResultLine again = readResultLine(parseLine(written));
  require(again.identity == line.identity && again.point == line.point, "who it is survives");
  require(again.result.status == line.result.status, "its status survives");
  require(again.result.stats.size() == line.result.stats.size(), "its figures survive");
  require(boost::json::serialize(lineOf(again)) == written, "written again it is the same");
}

void readText(const std::string& text) {
  const Lookup some = [](std::string_view name) -> std::optional<double> {
    return name.size() % 3 == 0 ? std::nullopt : std::optional(double(name.size()));
  };
  const Formula formula(text, "fuzz");
  const auto value = formula.evaluate(some, some);
  require(!value || *value - *value == 0, "values are finite");
  for (const std::string& name : formula.names()) require(!name.empty(), "names are not empty");
}

}  // namespace

std::vector<std::string> rtvp::fuzz::seeds() {
  return {
      R"(p{"scene": "a.shk", "set": {"render.depth": 4, "render.order": "tiles", "render.size": "8x8"}, "figures": {"ms": "simulated_time_ps / 1e9"}, "point": 3, "quality": true})",
      R"(p{"scene": "a.shk", "inputs": [{"role": "scene", "sha256": "00", "bytes": 7}], "paths": ["a.shk"], "build": "1 x", "identity": "ab"})",
      R"(r{"point": 1, "identity": "ab", "build": "1 x", "status": 0, "message": "", "warnings": ["w"], "wall_s": "0.5", "statistics": {"a.b": ["1", "ps"]}, "inputs": [], "paths": []})",
      R"(r{"point": 1, "identity": "ab", "error": "no"})",
      "fmax(first(a.b) / c, log2(2 * (d - 1e-3))) + min(1, -x)",
      "crender.depth*spp <= 512",
      "v1,2,...,512",
      "v0..1:0.25;a;b",
      "s16:32"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] != 'p' && data[0] != 'r' && text.size() > kMostText) return 0;
  try {
    switch (data[0]) {
      case 'p':
        (void)readPointLine(parseLine(text), table());
        break;
      case 'r':
        readResult(text);
        break;
      case 'f':
        readText(text);
        break;
      case 'c':
        (void)Condition(text, table(), {"render.depth"}, "fuzz");
        break;
      case 'v':
        require(!expandValues(text, "fuzz").empty(), "there are values");
        break;
      case 's':
        require(sampleChoice(text).crops >= kFewestCrops, "crops are enough");
        break;
      default:
        break;
    }
  } catch (const rtvp::platform::InputError& e) {
    require(*e.what() != '\0', "a refusal says why");
  }
  return 0;
}
