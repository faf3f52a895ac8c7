// The page of a sweep in a real browser: sorting, filtering, selecting, charts, no console error.
#include <sstream>

#include "tests/platform/app/run_platform.hpp"

namespace rtvp::test {
namespace {

// What a reader does, and what the page then shows, as JSON in an element of its own.
constexpr const char* kProbe = R"js(<script>
(() => {
  const out = {};
  const rows = () => [...document.querySelectorAll("#body tr[data-row]")];
  const cell = (row, name) => row.children[names.indexOf(name)].textContent;
  const names = [...document.querySelectorAll("#head button")].map((b) => b.textContent);
  const type = (name, text) => {
    const field = document.querySelector(`input[aria-label="filter ${name}"]`);
    field.value = text;
    field.dispatchEvent(new Event("input"));
  };
  const counted = () => document.getElementById("count").textContent;
  out.names = names;
  out.all = counted();
  const button = (name) => [...document.querySelectorAll("#head button")].find((b) => b.textContent === name);
  button("rays").click();
  out.least = rows().map((r) => cell(r, "rays"));
  button("rays").click();
  out.most = rows().map((r) => cell(r, "rays"));
  type("render.depth", ">= 2");
  out.deep = counted();
  type("render.size", "8x8");
  out.both = counted();
  rows()[0].click();
  out.command = document.querySelector("#detail code").textContent;
  document.querySelector("#detail button").click();
  document.getElementById("relative").click();
  out.relative = rows().map((r) => cell(r, "rays"));
  type("render.depth", "");
  type("render.size", "");
  for (const b of document.querySelectorAll("#tabs button")) {
    b.click();
    out[b.dataset.chart] = document.querySelectorAll("#chart canvas, #chart svg").length;
  }
  document.querySelector("[data-chart=scatter]").click();
  document.getElementById("pareto").click();
  out.front = document.getElementById("front").textContent;
  out.failed = document.querySelectorAll("tr.failed").length;
  const result = document.createElement("pre");
  result.id = "probe";
  result.textContent = JSON.stringify(out);
  document.body.append(result);
})();
</script></body>)js";

class SweepPage : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "chromium is not installed";
    }
  }
  /// The document after its programs have run; what the console says goes to standard error.
  [[nodiscard]] std::string opened(const std::string& file, const std::string& more = "") const {
    const std::string command = "cd '" + path("") + "' && HOME='" + path("") +
                                "' timeout 100 chromium --headless --no-sandbox --disable-gpu "
                                "--enable-logging=stderr --v=0 "
                                "--host-resolver-rules='MAP * ~NOTFOUND' " +
                                more + " --dump-dom 'file://" + path(file) +
                                "' >dom.html 2>console.txt";
    EXPECT_EQ(std::system(command.c_str()), 0) << slurp(path("console.txt"));
    return slurp(path("dom.html"));
  }
  void addProbe(const std::string& page) const {
    std::string text = slurp(path(page));
    text.replace(text.rfind("</body>"), 7, kProbe);
    write("probed.html", text);
  }
};

TEST_F(SweepPage, SortsFiltersSelectsAndDraws) {
  write("a.shk", kSmallScene);
  // A size that is refused: a failed point.
  const Outcome r =
      run("sweep a.shk --engine reference --set render.depth=1,2,3 --set 'render.size=4x4;8x8;0x4' "
          "--figure rays=picture.rays --figure 'more=2*picture.rays' -q -o out");
  ASSERT_EQ(r.status, 2) << r.err;
  addProbe("out/index.html");
  const std::string dom = opened("probed.html");
  const std::string begin = "<pre id=\"probe\">";
  const std::size_t at = dom.find(begin);
  ASSERT_NE(at, std::string::npos) << slurp(path("console.txt"));
  std::string text = dom.substr(at + begin.size());
  text = text.substr(0, text.find("</pre>"));
  for (std::size_t gt = 0; (gt = text.find("&gt;")) != std::string::npos;) text.replace(gt, 4, ">");
  const auto out = boost::json::parse(text).as_object();
  const auto list = [&](const char* name) {
    std::vector<std::string> words;
    for (const auto& v : out.at(name).as_array()) words.emplace_back(v.as_string());
    return words;
  };
  EXPECT_EQ(out.at("all").as_string(), "9 of 9 points shown");
  const auto least = list("least"), most = list("most");
  ASSERT_EQ(least.size(), 9U);
  // The absent figures of failed points come last, whichever way.
  EXPECT_EQ(least[8], "");
  EXPECT_EQ(most[8], "");
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_LE(std::stod(least[i - 1]), std::stod(least[i]));
    EXPECT_GE(std::stod(most[i - 1]), std::stod(most[i]));
  }
  EXPECT_EQ(out.at("deep").as_string(), "6 of 9 points shown");
  EXPECT_EQ(out.at("both").as_string(), "2 of 9 points shown");
  const std::string command(out.at("command").as_string());
  EXPECT_EQ(command.rfind("platform run a.shk --set engine=reference --set render.depth=", 0), 0U)
      << command;
  EXPECT_TRUE(command.ends_with("--set render.size=8x8")) << command;
  EXPECT_EQ(list("relative").at(0), "1×");
  for (const char* chart : {"scatter", "heat", "tornado", "parallel"}) {
    EXPECT_EQ(out.at(chart).to_number<int>(), 1) << chart;
  }
  EXPECT_EQ(out.at("multiples").to_number<int>(), 3);
  EXPECT_TRUE(contains(std::string(out.at("front").as_string()), "On the front: points "));
  EXPECT_EQ(out.at("failed").to_number<int>(), 3);
  // The command is the point's own run.
  EXPECT_EQ(run(command.substr(9)).status, 0);
  const std::string console = slurp(path("console.txt"));
  EXPECT_FALSE(contains(console, "CONSOLE")) << console;
  EXPECT_FALSE(contains(console, "Uncaught")) << console;
}

TEST_F(SweepPage, IsLegibleAtTwoWidths) {
  write("a.shk", kSmallScene);
  ASSERT_EQ(
      run("sweep a.shk --engine reference --size 4x4 --set render.depth=1..32 -q -o out").status,
      0);
  for (const char* size : {"1200,900", "500,900"}) {
    (void)opened("out/index.html",
                 std::string("--window-size=") + size + " --screenshot='" + path("shot.png") + "'");
    EXPECT_GT(std::filesystem::file_size(path("shot.png")), 5000U) << size;
    std::filesystem::remove(path("shot.png"));
  }
}

}  // namespace
}  // namespace rtvp::test
