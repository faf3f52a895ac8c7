// Record layouts from any bytes: a refusal names the file and a line of it, what was found and what
// was expected; what is accepted makes records of the promised size with numbers in them.
#include <algorithm>
#include <charconv>
#include <set>

#include "models/c32/float40.hpp"
#include "platform/exit_status.hpp"
#include "platform/machines/record_layout.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;
using namespace rtvp::host;  // NOLINT(google-build-using-namespace): a program about this

namespace {

void checkRefusal(const std::string& what, int lines) {
  require(what.starts_with("a.json:"), "a refusal names the file");
  int line = 0;
  const auto [end, error] = std::from_chars(what.data() + 7, what.data() + what.size(), line);
  require(error == std::errc{} && line >= 1 && line <= lines, "a refusal names a line of it");
  require(std::string_view(end).starts_with(": found "), "a refusal says what was found");
  require(what.find(", expected ") != std::string::npos, "a refusal says what was expected");
}

void check(const RecordLayout& layout) {
  std::set<std::uint32_t> codes;
  rtvp::scene::Implicit surface;
  surface.model = std::make_shared<rtvp::scene::ImplicitModel>();
  surface.placement = rtvp::scene::Placement({1e12, -1e12, 0}, {10, 20, 30}, {1e-6, 1, 1e6});
  for (const DeclaredRecord& type : layout.types) {
    require(type.code >= 1 && type.code <= kMostRecordCodes, "codes fit their bits");
    require(codes.insert(type.code).second, "codes differ");
    require(type.size() <= kMostRecordWords, "records are short");
    const auto words = encodeRecord(type, {surface, 5, {}, 100, 100 + type.size()});
    require(words.size() == type.size(), "a record has its words");
    require(layout.find(words[0]) == &type, "its header says what it is");
  }
  require(layout.result.size() <= kMostResultWords, "results are short");
  const std::vector<std::uint32_t> words(layout.result.size(), rtvp::c32::singleFromDouble(1));
  for (const ResultWord& word : layout.result) {
    require(!wordText(word.format, 0x80000000).empty(), "words have a text");
  }
  if (layout.hasNormal())
    require(length(layout.normal(surface, words)) < 1.001, "normals are unit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  RecordLayout layout;
  try {
    layout = rtvp::platform::readRecordLayout("a.json", text);
  } catch (const rtvp::platform::InputError& e) {
    checkRefusal(e.what(), lines);
    return 0;
  }
  check(layout);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {
      R"({"schema_version": 1})",
      R"({"schema_version": 1,
  // one of each
  "records": [{"name": "egg", "code": 63, "surface": "ball.sdf", "cycles": 1e2, "margin": 0.5,
    "values": {"half": 0.5}, "words": [
      {"name": "a", "format": "single", "value": "-2 * half * inverse.xy*origin.z"},
      {"name": "b", "format": "integer", "value": 7},
      {"name": "c", "format": "integer", "value": "element*low.x*high.y*axis_z.z"},
      {"name": "d", "format": "address", "value": "next"}]}],
  "result": [{"name": "x", "format": "single", "use": "normal.x"},
    {"name": "y", "format": "single", "use": "normal.y"},
    {"name": "z", "format": "single", "use": "normal.z"}, {"name": "w", "format": "address"}],
  "normal_space": "object"}
)",
  };
}

}  // namespace rtvp::fuzz
