// Hostile input: whatever the bytes, load() answers with a sound scene or a located SceneError.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "platform/scene/parameters.hpp"
#include "tests/platform/scene/picture_files.hpp"

namespace rtvp::scene::test {
namespace {

struct Sample {
  const char* name;
  std::string text;
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"a.shk",
       "# x\nw 64\nh 32\nb 0 .5 1\ne 1 2 3\nlo 0 0 0\nu 0 1 0\nli 1 2 3 1 1 1\nm 1 1 1 .8 .2 .2 5 "
       "0 0 1\n"
       "t 0 0 0 1 0 0 0 1 0\nn 0 0 0 1 0 0 0 1 0 0 0 1 0 0 1 0 1 1\nsphere 1 2 3 4\ng 0 0 0 1 1 1 "
       "1\n"
       "t 0 0 0 1 0 0 0 1 0\nobj b.obj\ninclude b.shk\n"},
      {"a.shk",
       "texture wood a.png\nbump \"dents\" a.png 3\ncubemap sky a.png a.png a.png a.png a.png "
       "a.png\nsurface \"b\" \"Kd\" 0.6 t0 wood t1 dents t2 sky r0 [ 1 0.5 0 ] s2 4 C0[1 1 1] "
       "roughness .1\nst 0 0 1 0 0 1\nt 0 0 0 1 0 0 0 1 0\nobject 1 2 3 2 30 40\nsphere 0 0 0 1\n"
       "surface none\npaint wood\nobj b.obj\npaint none\nobject none\nt 0 0 0 1 0 0 0 1 0\n"},
      {"a.nff",
       "b 0 0 0\nv\nfrom 1 2 3\nat 0 0 0\nup 0 0 1\nangle 45\nhither 1\nresolution 64 64\nl 1 2 "
       "3\nl 1 2 3 1 1 1\n"
       "f 1 1 1 .8 .2 5 0 0\ns 0 0 0 1\nc 0 0 0 1 0 0 1 0.5\np 4 0 0 0 1 0 0 1 1 0 0 1 0\n"
       "pp 3 0 0 0 0 0 1 1 0 0 0 0 1 0 1 0 0 0 1\n"},
      {"a.obj",
       "mtllib b.mtl\no x\nv 0 0 0\nv 1 0 0 1\nv 1 1 0 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl a\n"
       "f 1 2 3 4\nf 1/1/1 2/1/1 3/1/1\nf -1//-1 -2//-1 -3//-1\ns 1\ng y\n"},
  };
  return all;
}

// Files that the samples name.
void writeCompanions(const Folder& folder) {
  folder.write("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  folder.write("b.shk", kTriangle);
  folder.write("b.mtl", "newmtl a\nKd 1 .5 0\nmap_Kd a.png\n");
  folder.write("b.sl", "sl 1.0\nret\n");
  writeGrey(folder, "a.png", 2, 2, 100);
}

bool finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// Returns whether the file loaded; a message must name the file, and a position unless the file as
// a whole is at fault.
bool survives(const Folder& folder, const std::string& name, std::string_view text,
              const LoadOptions& options = {.segments = 6}) {
  const auto file = folder.write(name, text);
  try {
    const Scene s = load(file, options);
    EXPECT_FALSE(s.elements.empty());
    for (std::uint32_t k = 0; k < s.elements.size(); ++k) {
      const Bounds b = s.bounds(s.elements[k]);
      EXPECT_TRUE(finite(b.lo) && finite(b.hi));
      const Vec3 normal = s.geometricNormal(k, b.lo);
      EXPECT_TRUE(finite(normal));
      const Parameters at = parametersAt(s, k, b.lo);
      EXPECT_TRUE(std::isfinite(at.u) && std::isfinite(at.v) && finite(at.du) && finite(at.dv));
      const TangentFrame frame = tangentFrame(at, normal);
      EXPECT_TRUE(finite(frame.ds) && finite(frame.dt));
    }
    EXPECT_TRUE(finite(s.camera.direction(0.5, 0.5, s.width, s.height)));
    return true;
  } catch (const SceneError& e) {
    const std::string message = e.what();
    EXPECT_EQ(message.rfind(folder.path().string(), 0), 0U) << message;
    EXPECT_NE(message.find(": found "), std::string::npos) << message;
    EXPECT_NE(message.find(", expected "), std::string::npos) << message;
    return false;
  }
}

TEST(SceneMalformed, SamplesLoad) {
  const Folder folder;
  writeCompanions(folder);
  for (const Sample& s : samples()) EXPECT_TRUE(survives(folder, s.name, s.text)) << s.name;
}

TEST(SceneMalformed, TruncationAtEveryByte) {
  const Folder folder;
  writeCompanions(folder);
  for (const Sample& s : samples()) {
    for (std::size_t n = 0; n < s.text.size(); ++n) {
      survives(folder, s.name, std::string_view(s.text).substr(0, n));
    }
  }
}

TEST(SceneMalformed, EveryByteReplaced) {
  const Folder folder;
  writeCompanions(folder);
  std::mt19937 random(20);
  for (const Sample& s : samples()) {
    for (std::size_t n = 0; n < s.text.size(); ++n) {
      SCOPED_TRACE("seed 20, byte " + std::to_string(n));
      std::string text = s.text;
      text[n] = static_cast<char>(random() & 255U);
      survives(folder, s.name, text);
      text[n] = "0-e. #/\n9"[random() % 9];
      survives(folder, s.name, text);
    }
  }
}

TEST(SceneMalformed, WordsReplacedBetweenEachOther) {
  const char* const words[] = {
      "-1",      "0",     "1e12",     "-1e12", "1e-300", "1e13", "1e309", "nan",     "99999999999",
      "s",       "t",     "c",        "pp",    "v",      "f",    "from",  "include", "#",
      "\"",      "1/1/1", "1//9",     "-7",    "[",      "]",    "none",  "Kd",      "object",
      "surface", "st",    "\"wood\"", "t9",    "1e-7",   "1e6"};
  const Folder folder;
  writeCompanions(folder);
  for (const unsigned seed : {31U, 32U}) {
    std::mt19937 random(seed);
    for (const Sample& s : samples()) {
      for (int round = 0; round < 300; ++round) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
        std::string text = s.text;
        for (int change = 0; change < 2; ++change) {
          const std::size_t at = text.find(' ', random() % text.size());
          if (at == std::string::npos) continue;
          const std::size_t end = text.find_first_of(" \n", at + 1);
          text.replace(at + 1, end - at - 1, words[random() % std::size(words)]);
        }
        survives(folder, s.name, text);
      }
    }
  }
}

TEST(SceneMalformed, RandomBytes) {
  const Folder folder;
  for (const unsigned seed : {41U, 42U, 43U, 44U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (const Sample& s : samples()) {
      std::string bytes(5000, '\0');
      for (char& c : bytes) c = static_cast<char>(random() & 255U);
      EXPECT_FALSE(survives(folder, s.name, bytes));
      for (char& c : bytes) c = "tnsfcpvl 0123456789.-e\n"[random() % 23];
      survives(folder, s.name, bytes);
    }
  }
}

TEST(SceneMalformed, ExtremeCoordinatesStayFinite) {
  const Folder folder;
  EXPECT_TRUE(survives(folder, "a.shk",
                       "t -1e12 -1e12 1e12 1e12 -1e12 1e12 0 1e12 -1e12\ne 1e12 1e12 1e12\n"));
  EXPECT_TRUE(survives(folder, "a.nff", "c -1e12 0 0 1e12 1e12 1e12 1e12 1e-12 s 1e12 0 0 1e12"));
  EXPECT_FALSE(survives(folder, "a.shk", "t 0 0 0 1e-200 0 0 0 1e-200 0\n"));
  EXPECT_TRUE(survives(folder, "a.shk", "t 0 0 0 1e-30 0 0 0 1e-30 0\n"));
}

TEST(SceneMalformed, LongLinesAndManyLights) {
  const Folder folder;
  EXPECT_FALSE(survives(folder, "a.shk", std::string(1U << 20U, 'w')));
  EXPECT_FALSE(survives(folder, "a.shk", "w " + std::string(1U << 20U, '9')));
  EXPECT_FALSE(survives(folder, "a.nff", "s " + std::string(1U << 20U, '1')));
  std::string lights;
  for (std::uint32_t k = 0; k <= kMaxLights; ++k) lights += "li 0 0 0 1 1 1\n";
  EXPECT_FALSE(survives(folder, "a.shk", lights + std::string(kTriangle)));
}

}  // namespace
}  // namespace rtvp::scene::test
