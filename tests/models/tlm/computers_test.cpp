// Whole computers with a protocol checker between every two sockets (models/common/socket_tap.hpp):
// all machines on one bus, boards in which the DSPs, the PLD, the SRAM and the S5933 talk, harts
// with their own drivers. Nothing may be reported, hits and statistics must be those of a run
// without checkers, and every TLM socket that was elaborated must be between checkers: a new one
// that is bound past them fails here.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include "models/common/socket_tap.hpp"
#include "platform/app.hpp"
#include "platform/machines/machine.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/tlm_checker.hpp"

namespace rtvp::test {
namespace {

namespace json = boost::json;

class Checkers final : public common::SocketTap {
 public:
  Checkers() { set(this); }
  ~Checkers() { set(nullptr); }
  Checkers(const Checkers&) = delete;
  Checkers& operator=(const Checkers&) = delete;

  Between between(const char* initiator, const char* target) override {
    if (!watch_) watch_ = std::make_unique<Watch>(*this);
    sockets_.insert(initiator);
    sockets_.insert(target);
    const std::string name = "checker_" + std::to_string(checkers_.size());
    TlmChecker<32>& checker =
        *checkers_.emplace_back(std::make_unique<TlmChecker<32>>(name.c_str()));
    between_.push_back(std::string(initiator) + " -> " + target);
    return {checker.tsock, checker.isock};
  }

  /// After the run: nothing was reported, and these pairs were busy.
  void expectClean(const std::vector<std::string>& busy) const {
    EXPECT_TRUE(watch_ && watch_->looked()) << "nothing was elaborated";
    for (std::size_t i = 0; i < checkers_.size(); ++i)
      EXPECT_EQ(checkers_[i]->text(), "") << between_[i];
    for (const std::string& pair : busy) {
      std::uint64_t calls = 0;
      for (std::size_t i = 0; i < checkers_.size(); ++i)
        if (between_[i].find(pair) != std::string::npos) calls += checkers_[i]->calls();
      EXPECT_GT(calls, 0U) << pair << " did nothing, among " << all();
    }
  }

 private:
  [[nodiscard]] std::string all() const {
    std::string text;
    for (const std::string& pair : between_) text += pair + "\n";
    return text;
  }
  /// Looks at all that there is once it is elaborated.
  class Watch : public sc_core::sc_module {
   public:
    explicit Watch(const Checkers& all) : sc_module(sc_core::sc_module_name("watch")), all_(all) {}
    [[nodiscard]] bool looked() const { return sockets_ > 0; }

   private:
    void end_of_elaboration() override {
      for (const sc_core::sc_object* object : sc_core::sc_get_top_level_objects()) look(*object);
    }
    void look(const sc_core::sc_object& object) {
      if (dynamic_cast<const TlmChecker<32>*>(&object) != nullptr) return;
      if (const auto* socket = dynamic_cast<const tlm::tlm_base_socket_if*>(&object)) {
        ++sockets_;
        EXPECT_TRUE(all_.sockets_.contains(object.name()))
            << object.name() << " is bound past common::bindSockets()";
        EXPECT_EQ(socket->get_bus_width(), 32U) << object.name() << " needs a checker of its width";
      }
      for (const sc_core::sc_object* child : object.get_child_objects()) look(*child);
    }
    const Checkers& all_;
    unsigned sockets_ = 0;
  };

  std::unique_ptr<Watch> watch_;
  std::vector<std::unique_ptr<TlmChecker<32>>> checkers_;
  std::vector<std::string> between_;
  std::set<std::string> sockets_;
};

std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Computers : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("computers" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Renders with and without checkers; `busy`: parts of pairs that must have been used.
  void examine(const std::string& scene, std::vector<std::string> options,
               const std::vector<std::string>& busy) {
    options.insert(options.begin(), RTVP_SOURCE_DIR "/scenes/" + scene);
    for (const char* const name : {"plain", "checked"}) {
      std::vector<std::string> all = options;
      for (const auto& [option, end] :
           {std::pair{"-o", ".ppm"}, {"--stats", ".json"}, {"--hits", ".csv"}}) {
        all.emplace_back(option);
        all.push_back((folder_ / name).string() + end);
      }
      all.insert(all.end(), {"--quiet", "--no-progress"});
      inChild([&] {
        std::unique_ptr<Checkers> checkers;
        if (name == std::string("checked")) checkers = std::make_unique<Checkers>();
        ASSERT_EQ(platform::runApplication(all, platform::builtinMachines()), 0);
        if (checkers) checkers->expectClean(busy);
        // The modules' sockets are gone; the checkers' must not look for them.
        (void)checkers.release();
      });
    }
    for (const char* const end : {".ppm", ".csv"})
      EXPECT_EQ(slurp(folder_ / ("plain" + std::string(end))),
                slurp(folder_ / ("checked" + std::string(end))));
    EXPECT_EQ(statistics("plain"), statistics("checked")) << "checkers change nothing";
  }

 private:
  [[nodiscard]] json::value statistics(const std::string& name) const {
    json::value all = json::parse(slurp(folder_ / (name + ".json")));
    all.as_object().erase("host");
    return all;
  }

  std::filesystem::path folder_;
};

const std::vector<std::string> kBoard{"array.bus_isock -> ",      "pld.sram_isock -> ",
                                      "s5933.passthru_isock -> ", "host.bus_isock -> ",
                                      "board0.s5933.pci_tsock",   "s5933.pci_isock -> "};

TEST_F(Computers, AllMachinesOnOneBus) {
  std::vector<std::string> busy = kBoard;
  busy.insert(busy.end(),
              {"theia.host_tsock", "hart.bus_isock -> ", "mailbox.bus_tsock", "-> dram.bus_tsock"});
  examine("cornell.shk",
          {"--computer", RTVP_SOURCE_DIR "/computers/all.json", "--assign",
           "race:tigershark,theia,xphmg", "--size", "8x8", "--depth", "1"},
          busy);
}

TEST_F(Computers, ImplicitSurfacesAmongTriangles) {
  examine("implicit_mixed.shk", {"--engine", "xphmg", "--size", "10x10", "--depth", "1"},
          {"implicit.host_tsock", "implicit.memory_isock", "unit0.bus_isock", "unit0.host_tsock"});
}

TEST_F(Computers, Shaders) {
  examine("teapot_sl.shk", {"--engine", "theia", "--size", "8x8", "--depth", "1"},
          {"sl.host_tsock", "sl.memory_isock"});
}

// Two masters of the PCI bus.
TEST_F(Computers, TwoBoards) {
  examine("cornell.shk",
          {"--boards", "2", "--dsps", "4", "--size", "8x8", "--depth", "1", "--set",
           "tigershark.double_buffer=on"},
          kBoard);
}

// Masters that wait for one another: the interconnect and the PCI bus add the waiting to delay.
TEST_F(Computers, Contention) {
  examine("cornell.shk",
          {"--machines", "tigershark,xphmg", "--assign", "race:tigershark,xphmg", "--size", "8x8",
           "--depth", "1", "--set", "bus.width=4", "--set", "bus.clock_hz=30e6", "--set",
           "bus.latency=2", "--set", "bus.outstanding=2"},
          {"s5933.pci_isock -> ", "unit0.bus_isock -> ", "pci.memory_isock -> "});
}

// Debug transport, from the DSPs' view of their memory.
TEST_F(Computers, TheDebuggerLooks) {
  examine("cornell.shk",
          {"--dsps", "4", "--size", "4x4", "--depth", "1", "--debug", "-x",
           "break record; run; memory 0 4; disassemble; delete; run"},
          kBoard);
}

// No direct memory access: every word is a transaction.
TEST_F(Computers, WithoutDirectMemory) {
  examine("cornell.shk",
          {"--engine", "xphmg", "--size", "8x8", "--depth", "1", "--set", "xphmg.dmi=off"},
          {"unit0.bus_isock"});
}

}  // namespace
}  // namespace rtvp::test
