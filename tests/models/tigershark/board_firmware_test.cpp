// The real firmware on the board's SystemC models with a hand-made batch of rays and no PCI:
// nothing but the firmware and the words in the SRAM decide what is hit.
#include <array>
#include <vector>

#include "firmware/tigershark_firmware.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/float40.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/drivers/tigershark/database.hpp"
#include "tests/models/tigershark/pld_bench.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::tigershark::test {
namespace {

constexpr int kNodes = 4;

/// Two triangles behind each other and a sphere beside them, seen along -z.
scene::Scene smallScene() {
  scene::Scene s;
  s.materials.emplace_back();
  const auto triangle = [&](double z) {
    auto& t = s.triangles.emplace_back();
    t.v = {scene::Vec3{-1, -1, z}, {1, -1, z}, {0, 1, z}};
    s.elements.push_back({.kind = scene::Element::Kind::Triangle,
                          .index = static_cast<std::uint32_t>(s.triangles.size() - 1),
                          .primitive = static_cast<std::uint32_t>(s.elements.size())});
  };
  triangle(-5);
  triangle(-7);
  s.spheres.push_back({.center = {4, 0, -6}, .radius = 1});
  s.elements.push_back({.kind = scene::Element::Kind::Sphere, .index = 0, .primitive = 2});
  s.primitiveCount = 3;
  return s;
}

struct Answer {
  std::uint32_t element;
  double t;
};

class FirmwareBench : public PldBench {
 public:
  FirmwareBench() : PldBench(c32::loadCoff(tigersharkFirmware()), kNodes) { fifo.capacity = 64; }

  /// Firmware, database, reset released, token out and back.
  void bringUp() {
    load();
    for (const auto& section : image.sections) {
      base_ = std::max(base_, section.loadAddress + section.size);
    }
    host::DatabaseOptions options;
    options.baseAddress = base_;
    options.pageWords = kWords - base_;
    page_ = host::buildDatabases(smallScene(), options).front().pages.front().words;
    for (std::size_t i = 0; i < page_.size(); ++i) {
      EXPECT_TRUE(poke(base_ + static_cast<std::uint32_t>(i), page_[i]));
    }
    EXPECT_TRUE(poke(kParamDatabase, base_));
    setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
    sc_core::wait(sc_core::sc_time(2, sc_core::SC_MS));
    fifo.push(messageHeader(Message::Token, kAllNodes, 0));
    fifo.push(0);
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
    ASSERT_EQ(fifo.out.size(), 2U);
    EXPECT_EQ(fifo.out[1], static_cast<std::uint32_t>(kNodes));
  }

  /// Rays from z = 0 along -z at these x; one a node.
  std::array<Answer, kNodes> shoot(const std::array<double, kNodes>& xs) {
    fifo.out.clear();
    for (int node = kNodes - 1; node >= 0; --node) {
      const auto n = static_cast<std::uint32_t>(node);
      fifo.push(messageHeader(Message::Ray, n, n));
      for (const double value : {xs[n], 0.0, 0.0, 0.0, 0.0, -1.0, 1e30}) {
        fifo.push(c32::singleFromDouble(value));
      }
    }
    fifo.push(messageHeader(Message::Go, kAllNodes, 0));
    sc_core::wait(sc_core::sc_time(2, sc_core::SC_MS));
    std::array<Answer, kNodes> answers{};
    EXPECT_EQ(fifo.out.size(), 1U + kNodes * kResultWords) << "go, then the results";
    for (std::size_t i = 1; i + 2 < fifo.out.size(); i += kResultWords) {
      answers.at(fifo.out[i] & 0xFFFF) = {fifo.out[i + 2], c32::doubleFromSingle(fifo.out[i + 1])};
    }
    return answers;
  }

  /// Flips bits of an SRAM word through debug transport.
  void alter(std::uint32_t address, std::uint32_t bits) {
    std::uint32_t word = 0;
    tlm::tlm_generic_payload p;
    p.set_address((std::uint64_t{1} << S5933::kRegionShift) | address * 4);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    p.set_data_length(4);
    p.set_command(tlm::TLM_READ_COMMAND);
    EXPECT_EQ(host->transport_dbg(p), 4U);
    word ^= bits;
    p.set_address((std::uint64_t{1} << S5933::kRegionShift) | address * 4);
    p.set_command(tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(host->transport_dbg(p), 4U);
  }
  /// SRAM address of the record of `element`.
  [[nodiscard]] std::uint32_t record(std::uint32_t element, RecordType type) const {
    const std::uint32_t header = static_cast<std::uint32_t>(type) << kRecordTypeShift | element;
    for (std::size_t i = 0; i < page_.size(); ++i) {
      if (page_[i] == header) return base_ + static_cast<std::uint32_t>(i);
    }
    ADD_FAILURE() << "no record of element " << element;
    return 0;
  }

 private:
  std::uint32_t base_ = 0;
  std::vector<std::uint32_t> page_;
};

TEST(BoardFirmware, TS_023_EachNodeFindsTheHitOfItsOwnRay) {
  rtvp::test::inChild([] {
    FirmwareBench b;
    simulate(b, [&] {
      b.bringUp();
      const auto answers = b.shoot({0, 0.25, 4, 20});
      EXPECT_EQ(answers[0].element, 0U);
      EXPECT_NEAR(answers[0].t, 5, 1e-5);
      EXPECT_EQ(answers[1].element, 0U);
      EXPECT_EQ(answers[2].element, 2U);
      EXPECT_NEAR(answers[2].t, 5, 1e-5);
      EXPECT_EQ(answers[3].element, kNoHit);
    });
  });
}

TEST(BoardFirmware, TS_006_OneAlteredDatabaseWordChangesTheHits) {
  rtvp::test::inChild([] {
    FirmwareBench b;
    simulate(b, [&] {
      b.bringUp();
      ASSERT_EQ(b.shoot({0, 0.25, 4, 20})[0].element, 0U);
      // v1.z of the near triangle: its sign bit. -5 becomes a positive number: behind the eye.
      const std::uint32_t z = b.record(0, RecordType::Triangle) + 3;
      b.alter(z, 0x00800000);
      const auto altered = b.shoot({0, 0.25, 4, 20});
      EXPECT_EQ(altered[0].element, 1U) << "the triangle behind it";
      EXPECT_NEAR(altered[0].t, 7, 1e-5);
      EXPECT_EQ(altered[2].element, 2U) << "the sphere is where it was";
      b.alter(z, 0x00800000);
      EXPECT_EQ(b.shoot({0, 0.25, 4, 20})[0].element, 0U);
    });
  });
}

TEST(BoardFirmware, TS_032_AVoterTakesTheResultOfItsOwnVote) {
  // One lane hits the boxes, three do not: all four go on together, and only the one reports a hit.
  rtvp::test::inChild([] {
    FirmwareBench b;
    simulate(b, [&] {
      b.bringUp();
      const auto answers = b.shoot({50, 0, 50, 50});
      EXPECT_EQ(answers[1].element, 0U);
      for (const std::size_t lane : {0U, 2U, 3U}) EXPECT_EQ(answers[lane].element, kNoHit);
      const ArrayCounters c = b.array->engine().counters(b.array->now());
      EXPECT_GT(c.votes, c.skips);
    });
  });
}

TEST(BoardFirmware, TS_033_AVoteIsOneBarrierAndOneReading) {
  rtvp::test::inChild([] {
    FirmwareBench b;
    simulate(b, [&] {
      b.bringUp();
      b.shoot({50, 50, 50, 50});
      const ArrayCounters c = b.array->engine().counters(b.array->now());
      // Nobody hits the root box: its vote is the only one, after the barrier that starts the walk.
      EXPECT_EQ(c.votes, 1U);
      EXPECT_EQ(c.skips, 1U);
      EXPECT_EQ(c.barriers, 2U);
    });
  });
}

TEST(BoardFirmware, TS_017_RecordsStayFarBelowFiftyWords) {
  EXPECT_LE(kTriangleWords, 50U);
  EXPECT_LE(kSphereWords, kTriangleWords) << "TS-056: a sphere is the cheaper primitive";
  EXPECT_LE(kBoxWords, 50U);
}

}  // namespace
}  // namespace rtvp::tigershark::test
