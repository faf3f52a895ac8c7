// Which file a name means: the one that is there before an installed one, and never a folder.
#include "models/common/core/shared_files.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace rtvp::common {
namespace {

namespace fs = std::filesystem;

class SharedFiles : public testing::Test {
 protected:
  void SetUp() override {
    shared_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(shared_);
    fs::create_directories(shared_ / "scenes" / "folder");
    std::ofstream(shared_ / "scenes" / "rtvp_one.shk") << "x";
    std::ofstream(shared_ / "scenes" / "rtvp_here.shk") << "x";
    fs::current_path(fs::path(testing::TempDir()));
  }
  fs::path shared_;
};

TEST_F(SharedFiles, AreFoundByTheirNameAndBelowTheFolderOfTheirKind) {
  EXPECT_EQ(inputFile("scenes/rtvp_one.shk", "scenes", shared_), shared_ / "scenes/rtvp_one.shk");
  EXPECT_EQ(inputFile("rtvp_one.shk", "scenes", shared_), shared_ / "scenes/rtvp_one.shk");
  EXPECT_EQ(inputFile("rtvp_one.shk", "computers", shared_), "rtvp_one.shk");
}

TEST_F(SharedFiles, YieldToAFileThatIsThere) {
  std::ofstream("rtvp_here.shk") << "mine";
  EXPECT_EQ(inputFile("rtvp_here.shk", "scenes", shared_), "rtvp_here.shk");
  fs::remove("rtvp_here.shk");
  EXPECT_EQ(inputFile("rtvp_here.shk", "scenes", shared_), shared_ / "scenes/rtvp_here.shk");
}

TEST_F(SharedFiles, AreNotFoldersNorMeantByAbsoluteNames) {
  EXPECT_EQ(inputFile("folder", "scenes", shared_), "folder");
  EXPECT_EQ(inputFile("/rtvp_one.shk", "scenes", shared_), "/rtvp_one.shk");
  EXPECT_EQ(inputFile("rtvp_none.shk", "scenes", shared_), "rtvp_none.shk");
  EXPECT_EQ(inputFile("", "scenes", shared_), "");
}

TEST_F(SharedFiles, WithoutAnInstalledFolderANameMeansItself) {
  EXPECT_EQ(inputFile("rtvp_one.shk", "scenes", fs::path()), "rtvp_one.shk");
}

}  // namespace
}  // namespace rtvp::common
