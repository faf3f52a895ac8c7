// Traces: what a recorder keeps, how recorded events become one sorted stream, and the two formats.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>

#include "models/common/core/file_io.hpp"
#include "platform/report/trace_file.hpp"
#include "tests/platform/report/scratch_folder.hpp"

namespace rtvp::report {
namespace {

using common::TraceScope;
using common::TraceSignal;
using test::ScratchFolder;

class File {
 public:
  File() : descriptor_(common::openNameless(std::filesystem::temp_directory_path() / "trace")) {}
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

struct Text final : TraceText {
  void write(std::string_view more) override { text += more; }
  std::string text;
};

std::vector<TraceEvent> all(TraceMerge& merge) {
  std::vector<TraceEvent> events;
  while (const auto event = merge.next()) events.push_back(*event);
  return events;
}

using Plain = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>;
std::vector<Plain> plain(const std::vector<TraceEvent>& events) {
  std::vector<Plain> list;
  for (const TraceEvent& e : events) list.emplace_back(e.ps, e.signal, e.value);
  return list;
}

TEST(TraceSelection, NamesAModuleWithAllThatIsInIt) {
  TraceSelection some("board0.dsp1*,unit0,*.pld");
  EXPECT_TRUE(some.wants("board0.dsp1"));
  EXPECT_TRUE(some.wants("board0.dsp12.inner"));
  EXPECT_FALSE(some.wants("board0.dsp2"));
  EXPECT_FALSE(some.wants("board0"));
  EXPECT_FALSE(some.wants("unit01"));
  EXPECT_EQ(some.unmatched(), (std::vector<std::string>{"unit0", "*.pld"}));
  EXPECT_TRUE(some.wants("board1.pld"));
  EXPECT_TRUE(some.wants("unit0.x"));
  EXPECT_TRUE(some.unmatched().empty());
  TraceSelection every("all");
  EXPECT_TRUE(every.wants("anything"));
  EXPECT_TRUE(every.unmatched().empty());
}

TEST(Trace, ASignalNobodyTakesIsSilent) {
  const TraceSignal none = TraceScope().module("a").wire("w", "help");
  EXPECT_FALSE(none);
  none.set(1, 1);
  const File file;
  TraceRecorder recorder(file.descriptor(), TraceSelection("b"), {});
  const TraceScope scope(recorder, "pc0");
  EXPECT_FALSE(scope.module("a").wire("w", "help"));
  EXPECT_EQ(recorder.selection().unmatched().size(), 1U);
  EXPECT_TRUE(scope.module("b").wire("w", "help"));
  EXPECT_TRUE(recorder.selection().unmatched().empty());
  EXPECT_EQ(recorder.modules(), (std::vector<std::string>{"pc0.a", "pc0.b"}));
}

TEST(Trace, EventsAreSortedAndTheLastOfATimeStays) {
  const File file;
  TraceRecorder recorder(file.descriptor(), TraceSelection("all"), {});
  const TraceScope scope = TraceScope(recorder, "pc0").module("m");
  const TraceSignal a = scope.count("a", "help");
  const TraceSignal b = scope.wire("b", "help");
  b.set(50, 1);
  a.set(70, 3);
  a.set(20, 1);
  a.set(20, 2);  // the same time: this one stays
  b.set(10, 0);  // what it is anyway
  a.set(60, 2);  // no change
  b.set(90, 1);
  b.set(90, 0);
  recorder.finish(std::nullopt);
  TraceMerge merge({file.descriptor()});
  EXPECT_EQ(plain(all(merge)),
            (std::vector<Plain>{{20, 0, 2}, {50, 1, 1}, {70, 0, 3}, {90, 1, 0}}));
  EXPECT_EQ(merge.to(), 90U);
}

TEST(Trace, AWindowBeginsWithTheValuesInForce) {
  const File file;
  TraceRecorder recorder(file.descriptor(), TraceSelection("all"), {.from = 100, .to = 200});
  const TraceSignal a = TraceScope(recorder, "pc0").count("a", "help");
  a.set(80, 8);
  a.set(40, 4);  // earlier, though recorded later
  a.set(200, 20);
  a.set(201, 21);
  a.set(100, 10);
  recorder.finish(1000);
  TraceMerge merge({file.descriptor()});
  EXPECT_EQ(merge.signals().front().spec.initial, 8U);
  EXPECT_EQ(merge.from(), 100U);
  EXPECT_EQ(merge.to(), 200U);
  EXPECT_EQ(plain(all(merge)), (std::vector<Plain>{{100, 0, 10}, {200, 0, 20}}));
}

TEST(Trace, WhatLiesBehindTheEndIsVoid) {
  const File file;
  TraceRecorder recorder(file.descriptor(), TraceSelection("all"), {}, 2);
  const TraceScope scope(recorder, "pc0");
  const TraceSignal a = scope.count("a", "help");
  scope.atEnd([&] { a.set(45, 9); });
  for (const std::uint64_t ps : {10U, 50U, 20U, 60U, 30U, 70U}) a.set(ps, ps);
  recorder.finish(45);
  TraceMerge merge({file.descriptor()});
  EXPECT_EQ(plain(all(merge)),
            (std::vector<Plain>{{10, 0, 10}, {20, 0, 20}, {30, 0, 30}, {45, 0, 9}}));
  EXPECT_EQ(merge.to(), 45U);
}

// Whatever the order of recording and the size of the pieces: the stream of a plain sort.
TEST(Trace, RandomEventsOfSeveralComputersEqualAPlainSort) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const std::size_t run :
         {std::size_t{1}, std::size_t{7}, std::size_t{1000}, std::size_t{100'000}}) {
      std::mt19937 random(seed);
      const File files[2];
      std::vector<Plain> expected;
      std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> latest;
      for (std::uint32_t computer = 0; computer < 2; ++computer) {
        TraceRecorder recorder(files[computer].descriptor(), TraceSelection("all"), {}, run);
        const TraceScope scope(recorder, "pc" + std::to_string(computer));
        std::vector<TraceSignal> signals;
        for (int i = 0; i < 5; ++i) signals.push_back(scope.count("s" + std::to_string(i), "help"));
        for (std::uint64_t i = 0; i < 20'000; ++i) {
          const std::uint64_t ps = i + random() % 900;
          const auto signal = static_cast<std::uint32_t>(random() % 5);
          const std::uint64_t value = random() % 4;
          signals[signal].set(ps, value);
          latest[{ps, computer * 5 + signal}] = value;
        }
        recorder.finish(std::nullopt);
      }
      std::map<std::uint32_t, std::uint64_t> values;
      for (const auto& [key, value] : latest) {
        if (values[key.second] == value) continue;
        values[key.second] = value;
        expected.emplace_back(key.first, key.second, value);
      }
      TraceMerge merge({files[0].descriptor(), files[1].descriptor()});
      ASSERT_EQ(plain(all(merge)), expected) << run;
    }
  }
}

TEST(Trace, AnIncompleteRecordingIsRefused) {
  const File file;
  EXPECT_THROW(TraceMerge({file.descriptor()}), std::runtime_error);
  ASSERT_EQ(::pwrite(file.descriptor(), "eleven char", 11, 0), 11);
  EXPECT_THROW(TraceMerge({file.descriptor()}), std::runtime_error);
}

TEST(Trace, AFileThatTakesNothingIsToldAtTheEnd) {
  const int closed = ::open("/dev/null", O_RDONLY);
  TraceRecorder recorder(closed, TraceSelection("all"), {}, 1);
  const TraceSignal a = TraceScope(recorder, "pc0").count("a", "help");
  a.set(1, 1);
  a.set(2, 2);
  EXPECT_THROW(recorder.finish(std::nullopt), std::system_error);
  ::close(closed);
}

TEST(Trace, TextsOfSeveralComputersAreTheirOwn) {
  const File files[2];
  const char* const names[] = {"first", "second"};
  for (int computer = 0; computer < 2; ++computer) {
    TraceRecorder recorder(files[computer].descriptor(), TraceSelection("all"), {});
    const TraceScope scope(recorder, "pc" + std::to_string(computer));
    const TraceSignal symbol = scope.text("symbol", "help");
    const std::uint64_t number = scope.numberOf(names[computer]);
    EXPECT_EQ(scope.numberOf(names[computer]), number);
    EXPECT_NE(scope.numberOf("another"), number);
    symbol.set(10, number);
    symbol.set(20, 0);
    recorder.finish(30);
  }
  const std::vector<int> descriptors{files[0].descriptor(), files[1].descriptor()};
  TraceMerge vcd(descriptors);
  Text out;
  writeVcd(vcd, out);
  EXPECT_NE(out.text.find("#0\n$dumpvars\ns- !\ns- \"\n$end\n"
                          "#10\nsfirst !\nssecond \"\n#20\ns- !\ns- \"\n#30\n"),
            std::string::npos)
      << out.text;
  TraceMerge json(descriptors);
  Text slices;
  writeTraceJson(json, slices);
  EXPECT_NE(slices.text.find("\"name\":\"second\",\"pid\":2,\"tid\":2,\"ts\":0.000010,"
                             "\"dur\":0.000010"),
            std::string::npos)
      << slices.text;
  EXPECT_EQ(slices.text.find("\"name\":\"-\""), std::string::npos);
}

// One signal of each kind.
void recordSmall(int file) {
  TraceRecorder recorder(file, TraceSelection("all"), {});
  const TraceScope pc(recorder, "pc0");
  const TraceScope cpu = pc.module("board").module("cpu");
  const TraceSignal wire = cpu.wire("busy", "it works");
  const TraceSignal word = cpu.word("pc", 12, "instruction");
  const TraceSignal state = cpu.state("state", {"off", "on"}, "power");
  const TraceSignal count = pc.module("host").count("words", "words so far");
  wire.set(1'000'001, 1);
  wire.set(3'000'000, 0);
  word.set(2'000'000, 0x0AB);
  word.set(2'500'000, common::kNoValue);
  state.set(2'000'000, 1);
  count.set(2'500'000, 5);
  recorder.finish(4'000'000);
}

TEST(TraceVcd, HasScopesVariablesAndChanges) {
  const File file;
  recordSmall(file.descriptor());
  TraceMerge merge({file.descriptor()});
  Text out;
  writeVcd(merge, out);
  EXPECT_EQ(out.text,
            "$version rtvp platform $end\n$timescale 1ps $end\n"
            "$comment pc0.board.cpu.busy: it works $end\n"
            "$comment pc0.board.cpu.pc: instruction $end\n"
            "$comment pc0.board.cpu.state: power $end\n"
            "$comment pc0.host.words: words so far $end\n"
            "$scope module pc0 $end\n$scope module board $end\n$scope module cpu $end\n"
            "$var wire 1 ! busy $end\n$var wire 12 \" pc [11:0] $end\n$var string 1 # state $end\n"
            "$upscope $end\n$upscope $end\n"
            "$scope module host $end\n$var integer 32 $ words $end\n$upscope $end\n$upscope $end\n"
            "$enddefinitions $end\n#0\n$dumpvars\n0!\nbz \"\nsoff #\nb0 $\n$end\n"
            "#1000001\n1!\n#2000000\nb10101011 \"\nson #\n#2500000\nbz \"\nb101 $\n"
            "#3000000\n0!\n#4000000\n");
}

TEST(TraceJson, HasExactSlicesAndCounters) {
  const File file;
  recordSmall(file.descriptor());
  TraceMerge merge({file.descriptor()});
  Text out;
  writeTraceJson(merge, out);
  const boost::json::value trace = boost::json::parse(out.text);
  std::vector<std::string> slices;
  std::map<std::string, int> kinds;
  for (const auto& event : trace.at("traceEvents").as_array()) {
    const std::string kind(event.at("ph").as_string());
    ++kinds[kind];
    if (kind == "X") slices.emplace_back(event.at("name").as_string());
  }
  std::sort(slices.begin(), slices.end());
  EXPECT_EQ(slices, (std::vector<std::string>{"0ab", "busy", "off", "on"}));
  EXPECT_EQ(kinds["C"], 2);
  EXPECT_NE(out.text.find("\"name\":\"busy\",\"pid\":1,\"tid\":1,\"ts\":1.000001,\"dur\":1.999999"),
            std::string::npos)
      << out.text;
  EXPECT_NE(out.text.find("\"name\":\"pc0.board\""), std::string::npos);
  EXPECT_NE(out.text.find("\"name\":\"cpu.state\""), std::string::npos);
}

TEST(TraceVcd, ThousandsOfSignalsHaveIdentifiersOfTheirOwn) {
  const File file;
  TraceRecorder recorder(file.descriptor(), TraceSelection("all"), {});
  const TraceScope scope(recorder, "pc0");
  constexpr int kMany = 94 * 94 + 200;
  for (int i = 0; i < kMany; ++i) (void)scope.wire("s" + std::to_string(i), "help");
  recorder.finish(1);
  TraceMerge merge({file.descriptor()});
  Text out;
  writeVcd(merge, out);
  std::map<std::string, int> ids;
  for (std::size_t at = 0; (at = out.text.find("$var wire 1 ", at)) != std::string::npos;) {
    at += 12;
    ++ids[out.text.substr(at, out.text.find(' ', at) - at)];
  }
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kMany));
}

TEST(TraceFile, ReplacesACompleteFileOnly) {
  const ScratchFolder folder;
  const std::filesystem::path target = folder / "t.vcd";
  common::replaceFile(target, std::string_view("before"));
  const File incomplete;
  {
    common::FileReplacement out(target);
    EXPECT_THROW(writeTrace(out, {}, {incomplete.descriptor()}), std::runtime_error);
  }
  const auto text = [&] {
    const auto bytes = common::readBytes(target, 1 << 20);
    return std::string(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(text(), "before");
  const File file;
  recordSmall(file.descriptor());
  common::FileReplacement out(target);
  writeTrace(out, {}, {file.descriptor()});
  EXPECT_EQ(text().substr(0, 8), "$version");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

/// The same text, and the same bytes each time.
TEST(TraceFile, GzipHoldsTheSameText) {
  const ScratchFolder folder;
  const File file;
  recordSmall(file.descriptor());
  const auto written = [&](const char* name, const TraceForm& form) {
    common::FileReplacement out(folder / name);
    writeTrace(out, form, {file.descriptor()});
    const auto bytes = common::readBytes(folder / name, 1 << 20);
    return std::string(bytes.begin(), bytes.end());
  };
  for (const TraceFormat format : {TraceFormat::Vcd, TraceFormat::Json}) {
    const std::string plain = written("plain", {format, false});
    const std::string packed = written("packed.gz", {format, true});
    EXPECT_EQ(packed, written("again.gz", {format, true}));
    EXPECT_NE(packed, plain);
    const gzFile reader = gzopen((folder / "packed.gz").c_str(), "rb");
    ASSERT_NE(reader, nullptr);
    std::string text(plain.size() + 1, '\0');
    const int got = gzread(reader, text.data(), static_cast<unsigned>(text.size()));
    EXPECT_EQ(gzclose(reader), Z_OK);
    ASSERT_EQ(got, static_cast<int>(plain.size()));
    text.resize(plain.size());
    EXPECT_EQ(text, plain);
  }
}

TEST(TraceFile, TheExtensionIsTheFormat) {
  EXPECT_EQ(traceForm("a/b.vcd"), (TraceForm{TraceFormat::Vcd, false}));
  EXPECT_EQ(traceForm("b.json"), (TraceForm{TraceFormat::Json, false}));
  EXPECT_EQ(traceForm("a/b.vcd.gz"), (TraceForm{TraceFormat::Vcd, true}));
  EXPECT_EQ(traceForm("b.json.gz"), (TraceForm{TraceFormat::Json, true}));
  for (const char* other : {"vcd", "a.fst", "a.gz", "a.vcd.zip", "a.vcd.gz.gz", "", "a."})
    EXPECT_FALSE(traceForm(other));
}

}  // namespace
}  // namespace rtvp::report
