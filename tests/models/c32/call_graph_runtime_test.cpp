// The static bounds of the runtime library against what its routines take on the processor model:
// figures of firmware/runtime/README.md and of the sources' heads, measured with c32-run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "models/c32/analysis/call_graph.hpp"
#include "models/c32/link/archive.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::c32::analysis {
namespace {

CallGraph runtimeGraph() {
  const auto path =
      std::filesystem::path(RTVP_BIN_DIR).parent_path() / "firmware/runtime/register/c32rt.lib";
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  std::vector<LinkInput> inputs;
  for (const ArchiveMember& m : readArchive(bytes)) inputs.push_back({m.name, readObject(m.bytes)});
  const LinkResult result = link(inputs, {});
  EXPECT_TRUE(result.image) << result.report();
  return result.image ? makeCallGraph(*result.image, {}) : CallGraph{};
}

TEST(C32CallGraphOfRuntime, BoundsAreWhatCallsTake) {
  struct Row {
    const char* name;
    Cycles measured;
    bool oneWay;  ///< every call takes the same
  };
  const CallGraph graph = runtimeGraph();
  for (const Row& row : {Row{"_sin", 43, true},   {"_cos", 43, true},     {"_tan", 81, true},
                         {"_exp", 53, true},      {"_log", 60, true},     {"_log10", 73, true},
                         {"_log2", 69, true},     {"_recip", 30, true},   {"_fdiv", 42, true},
                         {"INV_F30", 40, true},   {"DIV_F30", 54, true},  {"_sqrt", 39, true},
                         {"_rsqrt", 43, true},    {"_asin", 160, true},   {"_atan", 104, true},
                         {"_atan2", 100, true},   {"_floor", 8, true},    {"_ceil", 11, true},
                         {"_mull", 15, true},     {"_mulhi", 40, true},   {"MPY_I30", 21, true},
                         {"_fromieee", 26, true}, {"_toieee", 20, false}, {"_pow", 117, false}}) {
    bool found = false;
    for (const RoutineReport& r : graph.routines) {
      if (r.name != row.name) continue;
      found = true;
      ASSERT_TRUE(r.cycles) << row.name;
      if (row.oneWay) {
        EXPECT_EQ(*r.cycles, row.measured) << row.name;
      } else {
        EXPECT_GE(*r.cycles, row.measured) << row.name;
      }
      EXPECT_TRUE(r.stack) << row.name;
    }
    EXPECT_TRUE(found) << row.name;
  }
}

/// Compare's address is its caller's: no bound, and the stack that sorting itself needs (13 words
/// and compare's) cannot be told.
TEST(C32CallGraphOfRuntime, SortingCallsWhatItIsGiven) {
  for (const RoutineReport& r : runtimeGraph().routines) {
    if (r.name != "order") continue;
    ASSERT_EQ(r.problems.size(), 1);
    EXPECT_NE(r.problems[0].text.find("it calls an address in "), std::string::npos);
    return;
  }
  ADD_FAILURE() << "no routine order";
}

}  // namespace
}  // namespace rtvp::c32::analysis
