// Every parameter's default against the reference that names it. The table is written by hand from
// docs/reference: key, value as `platform params --json` writes it, file, section, and the words
// there that say so, which the test looks up. What no reference names stands in kOurs.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

struct Named {
  const char* key;
  const char* value;
  const char* file;
  const char* section;
  const char* words;
};

constexpr Named kNamed[] = {
    {"engine", "\"tigershark\"", "design.md", "7",
     "which machine finds the hits (default tigershark"},
    {"render.shade", "\"host\"", "design.md", "7", "who shades (default host"},
    {"render.depth", "5", "board.md", "5.5", "depth limit (not given, use 5)"},
    {"render.ray_offset", "1E-5", "design.md", "10",
     "by 1e-5 x scene diagonal (`render.ray_offset`)"},
    {"render.order", "\"hilbert\"", "design.md", "8", "coherent ray order (Hilbert or tiles)"},
    {"render.seed_compat", "false", "board.md", "5.4",
     "keep the seed rule as `--seed-compat`, default to an exact edge test"},
    {"render.size", "\"scene\"", "board.md", "5.1", "| w | width (int) | 640 |"},
    {"scene.strict", "false", "design.md", "6", "plus extensions that a strict mode refuses"},

    {"tigershark.dsps", "16", "board.md", "TS-018", "A 16-DSP board is the unit of comparison"},
    {"tigershark.sram_words", "131072", "board.md", "TS-015", "128K words of 32 bits (512 KiB)"},
    {"tigershark.wait_states", "0", "board.md", "TS-014", "Memory is zero-wait-state SRAM."},
    {"tigershark.clock_hz", "3E7", "board.md", "1.6", "H1 = 33.33 ns (60 MHz part: 30 MIPS)"},
    {"tigershark.bit_clock_hz", "1.15E7", "board.md", "3",
     "Default [P]: that oscillator, 11.5 MHz, continuous mode"},
    {"tigershark.cpu.serial_block_sync", "false", "board.md", "3",
     "continuous mode (32 clocks a word, 34 to the far side)"},
    {"tigershark.fifo_depth", "8", "board.md", "TS-042", "8 x 32 bits (32 **bytes**) each way"},
    {"tigershark.vote", "true", "board.md", "TS-030",
     "If none hit, the contents are skipped by all"},
    {"tigershark.double_buffer", "false", "board.md", "TS-045",
     "The database was first double-buffered; that was dropped"},
    {"tigershark.rise_cycles", "2", "board.md", "1.3", "`t_rise` (say 2 H1 cycles)"},
    {"tigershark.sync_cycles", "3", "c32.md", "9.1", "allow **3 cycles**"},
    {"tigershark.release_cycles", "4", "board.md", "2.1",
     "fixed release latency (parameter, default 4 H1)"},
    {"tigershark.hold_cycles", "3", "c32.md", "9.3", "Response about 2-3 H1 cycles"},
    {"tigershark.s5933.fifo_strobe_broken", "false", "board.md", "4.4", "F1 fifo-strobe-broken"},
    {"tigershark.s5933.hang_on_disable", "false", "board.md", "4.4", "F2 hang-on-disable"},
    {"tigershark.s5933.stale_words", "false", "board.md", "4.4", "F3 stale-words"},
    {"tigershark.s5933.residue", "false", "board.md", "4.4", "F4 residue"},
    {"tigershark.s5933.target_read_hang", "0", "board.md", "4.4", "F5 target-read-hang"},
    {"tigershark.s5933.master_read_hang", "0", "board.md", "4.4", "F6 master-dma-hang"},
    {"tigershark.s5933.nv_fail", "false", "board.md", "4.4", "F7 nv-fail"},
    {"tigershark.s5933.mailbox_interrupt_stuck", "false", "board.md", "4.4",
     "resulting switches, all default off"},

    {"tigershark.cpu.n_flag_exact", "true", "c32.md", "1.2",
     "keep `n_flag_exact` as an option, default on"},
    {"tigershark.cpu.cc_reads_back", "false", "c32.md", "1.2", "reads 0 (self-clearing"},
    {"tigershark.cpu.reserved_bits", "\"zero\"", "c32.md", "1.2", "| 31-16 | - | reserved, 0 |"},
    {"tigershark.cpu.addf_alignment", "\"ignore-from-32\"", "design.md", "10",
     "(operand ignored) is the default in every engine"},
    {"tigershark.cpu.parallel_float_nz", "\"cleared\"", "c32.md", "4.3", "N=Z=0: int form [M]"},
    {"tigershark.cpu.parallel_store_order", "\"first-remains\"", "c32.md", "4.4.6",
     "so the first written store (bits 7-0) remains"},
    {"tigershark.cpu.idle2_wake_cycles", "2", "c32.md", "4.5",
     "wake-up needs a low of at least 2 H1 cycles"},
    {"tigershark.cpu.repeat_count_end", "\"minus-one\"", "c32.md", "4.6", "RC ends as FFFFFFFFh"},
    {"tigershark.cpu.call_cond_cycles", "5", "c32.md", "7.2", "| CALLcond | 5 (unverified) |"},
    {"tigershark.cpu.bcond_untaken_cycles", "4", "c32.md", "7.3",
     "Implement as `bcond_untaken_cycles`, default 4"},
    {"tigershark.cpu.ar_read_stall", "1", "c32.md", "7.4", "an option `ar_read_stall`, default 1"},
    {"tigershark.cpu.execute_only_cycles", "1", "c32.md", "7.5",
     "(c) interlocked loads waiting | 1 cycle typically"},
    {"tigershark.cpu.interrupt_synchroniser_cycles", "2", "c32.md", "7.7",
     "Model: 2 cycles synchroniser + 5 cycles entry"},
    {"tigershark.cpu.interrupt_entry_cycles", "5", "c32.md", "7.7",
     "Model: 2 cycles synchroniser + 5 cycles entry"},
    {"tigershark.cpu.timing", "\"interlock\"", "c32.md", "7.8", "within a few % (recommended)"},
    {"tigershark.cpu.microprocessor_mode", "true", "design.md", "10", "C32 in microprocessor mode"},
    {"tigershark.cpu.strb_reset", "987384", "c32.md", "8.4", "000F10F8h: 7 wait states"},
    {"tigershark.cpu.iostrb_reset", "248", "c32.md", "8.4", "| IOSTRB (808060) | 000000F8h |"},
    {"tigershark.cpu.zero_fill_is_one", "true", "c32.md", "8.4", "0 = sign-extend, 1 = zero-fill"},
    {"tigershark.cpu.external_write_cycles", "2", "c32.md", "7.5",
     "read 1 cycle, write 2 cycles at zero wait states"},
    {"tigershark.cpu.iostrb_cycles", "2", "c32.md", "12", "IOSTRB 2 cycles, bank switch"},
    {"tigershark.cpu.bank_switch_cycles", "1", "c32.md", "8.4",
     "a change inserts one cycle between reads"},
    {"tigershark.cpu.outxf0_follows", "true", "c32.md", "9.2",
     "follows what the instruction put on the pin"},
    {"tigershark.cpu.interlock_interruptible", "true", "c32.md", "9.2",
     "LDFI/LDII/SIGI waiting may be interrupted"},

    {"theia.cores", "4", "theia.md", "4", "Multi-core organisation (default 4 cores"},
    {"theia.store_triangles", "0", "theia.md", "3.3", "the whole list is re-sent for every pixel"},
    {"theia.box_test", "false", "theia.md", "5.4", "the box test is switched off"},
    {"theia.exact_math", "false", "theia.md", "0", "model G1c as the default profile"},
    {"theia.exact_divide_clocks", "70", "theia.md", "2.6", "a parameter, default 70"},
    {"theia.fixed_bilinear", "false", "theia.md", "5.6", "what the oracle frames contain"},
    {"theia.honour_pixel_shader_slot", "false", "theia.md", "3.1", "this slot has no effect"},
    {"theia.output_words", "250000", "theia.md", "3.4", "(250,000 words in the bench)"},
    {"theia.arbiter_service_clocks", "2", "theia.md", "2.9", "is not asking), then 2-3 clocks"},
    {"theia.arbiter_hold_clocks", "1", "theia.md", "4", "grant is registered (1 clock)"},
    {"theia.register_clocks", "11", "theia.md", "3.3", "8 clocks per instruction, 11 per register"},
    {"theia.instruction_clocks", "8", "theia.md", "3.3",
     "8 clocks per instruction, 11 per register"},

    {"xphmg.clock_hz", "1E9", "xphmg.md", "14.3", "doorbell 10; clock 1 GHz"},
    {"xphmg.lmem_kib", "64", "xphmg.md", "16.4", "`xphmg.lmem_kib` = 64"},
    {"xphmg.queue_depth", "16", "xphmg.md", "10", "Queue depth parameter (16)"},
    {"xphmg.bbox_cycles", "4", "xphmg.md", "14.3", "bbox_cycles=4 latency"},
    {"xphmg.tri_cycles", "8", "xphmg.md", "14.3", "tri_cycles=8"},
    {"xphmg.t0_cycles", "2", "xphmg.md", "14.3", "mem latency by tier T0 2, T1 6, T2 30, T3 120"},
    {"xphmg.t1_cycles", "6", "xphmg.md", "14.3", "mem latency by tier T0 2, T1 6, T2 30, T3 120"},
    {"xphmg.t2_cycles", "30", "xphmg.md", "14.3", "mem latency by tier T0 2, T1 6, T2 30, T3 120"},
    {"xphmg.t3_cycles", "120", "xphmg.md", "14.3", "mem latency by tier T0 2, T1 6, T2 30, T3 120"},
    {"xphmg.memory_tier", "\"t3\"", "xphmg.md", "5", "T3 (DRAM)"},
    {"xphmg.descriptor_cycles", "20", "xphmg.md", "14.3", "descriptor fetch 20"},
    {"xphmg.doorbell_cycles", "10", "xphmg.md", "14.3", "doorbell 10"},
    {"xphmg.pack_hint", "false", "xphmg.md", "D-52", "PACK_HINT: EW=32 only"},

    {"pci.clock_hz", "33333333.333333332", "board.md", "4.5", "Clock 30 ns."},
    {"pci.arbitration_idle", "2", "board.md", "4.5", "REQ# to GNT# 2 clocks minimum when idle"},
    {"pci.arbitration_busy", "1", "board.md", "4.5", "T = 5 (grant 1, address 1, decode 1"},
    {"pci.devsel", "2", "board.md", "4.5", "DEVSEL# fast/medium/slow = 1/2/3 clocks"},
    {"pci.read_turnaround", "1", "board.md", "4.5",
     "Read: one turnaround clock after the address phase"},
    {"pci.idle", "1", "board.md", "4.5", "One idle/turnaround clock between transactions"},
    {"pci.host_burst_words", "8", "board.md", "4.5", "n = 8 (FIFO depth) gives 82 MB/s"},
    {"pci.memory_first_wait", "1", "board.md", "4.5", "idle 1, wait 1)"},

    {"implicit.eps", "0.001", "sdf.md", "10", "1e-3 default"},
    {"implicit.steps", "50", "sdf.md", "10", "50 default, register-set"},
    {"implicit.lanes", "32", "sdf.md", "18", "lane width 32 with divergence"},
    {"implicit.cycles.simple", "1", "sdf.md", "18", "add/mul/min/max/compare 1 issue per lane"},
    {"implicit.cycles.mul", "1", "sdf.md", "18", "add/mul/min/max/compare 1 issue per lane"},
    {"implicit.cycles.fma", "1", "sdf.md", "18", "FMA 1, div/sqrt 4-8"},
    {"implicit.cycles.div", "6", "sdf.md", "18", "FMA 1, div/sqrt 4-8"},
    {"implicit.cycles.root", "6", "sdf.md", "18", "FMA 1, div/sqrt 4-8"},
    {"implicit.cycles.transcendental", "8", "sdf.md", "18", "transcendental 4-16"},
    {"implicit.interval.simple", "2", "sdf.md", "18", "interval forms 2-4 times the point form"},
    {"implicit.interval.mul", "4", "sdf.md", "18", "(mul 4 products)"},
    {"implicit.interval.fma", "4", "sdf.md", "18", "(mul 4 products)"},
    {"implicit.interval.div", "4", "sdf.md", "18", "interval forms 2-4 times the point form"},
    {"implicit.interval.root", "2", "sdf.md", "18", "interval forms 2-4 times the point form"},
    {"implicit.interval.transcendental", "2", "sdf.md", "18",
     "interval forms 2-4 times the point form"},
    {"implicit.decode_cycles", "1", "sdf.md", "18", "decode 1; skipped instruction 1 slot"},
    {"implicit.skip_cycles", "1", "sdf.md", "18", "decode 1; skipped instruction 1 slot"},
};

/// No reference names them: the platform's own choices, and what stands for nothing at all.
constexpr const char* kOurs[] = {
    "computer.machines",
    "computer.file",
    "computer.assign",
    "computer.strands",
    "system.hosts",
    "render.crop",
    "render.camera",
    "render.look_from",
    "render.exposure",
    "render.tone_map",
    "render.spp",
    "scene.segments",
    "scene.tessellate",
    "tigershark.boards",
    "tigershark.firmware",
    "tigershark.records",
    "tigershark.sram_dump",
    "tigershark.result_log",
    "tigershark.cpu.gie_clear_cycles",
    "tigershark.cpu.trap_uninitialised",
    "tigershark.cpu.prgw_pin",
    "tigershark.cpu.prgw_selects_16",
    "tigershark.cpu.timer0_clock",
    "tigershark.cpu.timer1_clock",
    "tigershark.cpu.serial_external_sync",
    "profile.units",
    "theia.microcode",
    "theia.clock_hz",
    "theia.store_clocks",
    "theia.tile",
    "theia.strict_isa",
    "theia.user_code",
    "theia.texture_words",
    "theia.arbiter",
    "xphmg.units",
    "xphmg.format",
    "xphmg.job_rays",
    "xphmg.jobs_in_flight",
    "xphmg.leaf_triangles",
    "xphmg.prefetch",
    "xphmg.memory_class",
    "xphmg.memory_mib",
    "xphmg.bus_ns",
    "xphmg.driver",
    "xphmg.hart_elf",
    "xphmg.hart_limit",
    "xphmg.fault",
    "xphmg.dmi",
    "xphmg.quantum_us",
    "xphmg.datapath",
    "pci.memory_next_wait",
    "pci.memory_disconnect_words",
    "run.limit_ms",
    "run.threads",
    "implicit.mode",
    "implicit.slope_steps",
    "implicit.stepping",
    "implicit.relaxation",
    "implicit.normals",
    "implicit.near",
    "implicit.prune",
    "implicit.smooth_prune",
    "implicit.early_depth",
    "implicit.code",
    "implicit.trim",
    "implicit.front_to_back",
    "implicit.exact_exit",
    "implicit.front_faces",
    "implicit.near_patch",
    "implicit.carry",
    "implicit.slopes",
    "implicit.last_step",
    "implicit.best_candidate",
    "implicit.materials",
    "implicit.clock_hz",
    "implicit.cores",
    "implicit.opcode_lines",
    "implicit.constant_lines",
    "implicit.leaf_lines",
    "implicit.slope_passes",
    "implicit.constant_cycles",
    "implicit.prune_cycles",
    "implicit.warp_cycles",
    "implicit.step_cycles",
    "implicit.resolve_cycles",
    "implicit.face_cycles",
    "implicit.raster_rate",
    "implicit.job_cycles",
    "implicit.port_bytes",
    "implicit.memory_mib",
    "implicit.memory_ns",
    "implicit.job_rays",
    "implicit.dmi",
    "implicit.quantum_us",
};
/// Groups of them.
constexpr const char* kOurGroups[] = {"array.",  "bus.",   "dram.", "processor.",        "sl.",
                                      "output.", "trace.", "host.", "implicit.gradient."};

class Defaults : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    const Outcome r = run("params --json");
    ASSERT_EQ(r.status, 0) << r.err;
    const boost::json::value parsed = boost::json::parse(r.out);
    for (const boost::json::value& row : parsed.as_array())
      values_[std::string(row.at("key").as_string())] = boost::json::serialize(row.at("default"));
  }
  std::map<std::string, std::string> values_;
};

std::string textOf(const std::string& file) {
  std::ifstream in(RTVP_SOURCE_DIR "/docs/reference/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(Defaults, AreWhatTheReferenceNames) {
  std::map<std::string, std::string> files;
  for (const Named& row : kNamed) {
    SCOPED_TRACE(std::string(row.key) + ", " + row.file + " " + row.section);
    ASSERT_TRUE(values_.contains(row.key));
    const boost::json::value is = boost::json::parse(values_.at(row.key));
    const boost::json::value expected = boost::json::parse(row.value);
    if (is.is_number() && expected.is_number()) {
      EXPECT_DOUBLE_EQ(is.to_number<double>(), expected.to_number<double>());
    } else {
      EXPECT_EQ(values_.at(row.key), row.value);
    }
    std::string& text = files[row.file];
    if (text.empty()) text = textOf(row.file);
    EXPECT_NE(text.find(row.words), std::string::npos) << "no such words: " << row.words;
  }
}

TEST_F(Defaults, EveryParameterIsNamedOrOurs) {
  std::set<std::string> known;
  for (const Named& row : kNamed) EXPECT_TRUE(known.insert(row.key).second) << row.key << " twice";
  for (const char* const key : kOurs) {
    EXPECT_TRUE(known.insert(key).second) << key << " twice";
    EXPECT_TRUE(values_.contains(key)) << key << " is no parameter";
  }
  for (const auto& [key, value] : values_) {
    const bool ours = std::any_of(std::begin(kOurGroups), std::end(kOurGroups),
                                  [&key = key](const char* g) { return key.rfind(g, 0) == 0; });
    EXPECT_TRUE(ours || known.contains(key))
        << key << " = " << value << ": name its reference, or list it as ours";
  }
}

}  // namespace
}  // namespace rtvp::test
