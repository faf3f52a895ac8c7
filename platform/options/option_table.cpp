#include "platform/options/option_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <vector>

namespace rtvp::platform {
namespace {

using enum OptionType;

constexpr std::array kTable = {
    // ---- what to simulate
    OptionSpec{.key = "engine",
               .type = Choice,
               .fallback = "tigershark",
               .choices = "tigershark|theia|xphmg|reference",
               .help = "which machine finds the hits; reference = double precision, no machine",
               .flag = "engine"},
    OptionSpec{.key = "system.hosts",
               .type = Integer,
               .fallback = "1",
               .lo = 1,
               .hi = 64,
               .help = "host computers; the picture is divided among them, each has its own boards",
               .flag = "hosts"},
    // ---- the picture
    OptionSpec{.key = "render.size",
               .type = Size,
               .unit = "pixels",
               .fallback = "scene",
               .lo = 1,
               .hi = 16384,
               .help = "picture size",
               .flag = "size"},
    OptionSpec{.key = "render.crop",
               .type = Crop,
               .unit = "pixels",
               .fallback = "all",
               .lo = 0,
               .hi = 16384,
               .help = "render this part only; the picture keeps its perspective",
               .flag = "crop"},
    OptionSpec{.key = "render.spp",
               .type = Integer,
               .unit = "samples",
               .fallback = "1",
               .lo = 1,
               .hi = 256,
               .help = "samples a pixel",
               .flag = "spp"},
    OptionSpec{.key = "render.depth",
               .type = Integer,
               .unit = "levels",
               .fallback = "5",
               .lo = 1,
               .hi = 32,
               .help = "longest chain of rays; 1 = eye rays and their shadow rays",
               .flag = "depth"},
    OptionSpec{
        .key = "render.order",
        .type = Choice,
        .fallback = "hilbert",
        .choices = "hilbert|tiles|scanline",
        .help = "order in which eye rays reach the machine; coherent orders skip more boxes"},
    OptionSpec{.key = "render.ray_offset",
               .type = Number,
               .unit = "scene diagonals",
               .fallback = "1e-05",
               .lo = 0,
               .hi = 0.1,
               .help = "how far a secondary ray starts off the surface"},
    OptionSpec{.key = "render.shade",
               .type = Choice,
               .fallback = "host",
               .choices = "host|sl|theia|tigershark",
               .help = "who shades; surfaces with a shader: the SL unit; theia = its own microcode "
                       "writes the colours, no shadows; tigershark = its boards run the shaders, "
                       "translated to C32 code",
               .flag = "shade"},
    OptionSpec{.key = "render.seed_compat",
               .type = Flag,
               .fallback = "off",
               .help = "near threshold 0.1 and the 1996 program's edge rule, errors included",
               .flag = "seed-compat",
               .flagValue = "on"},
    // ---- how the scene is read
    OptionSpec{.key = "scene.strict",
               .type = Flag,
               .fallback = "off",
               .help = "read .shk exactly as in 1996, refuse the extensions"},
    OptionSpec{.key = "scene.segments",
               .type = Integer,
               .unit = "sides",
               .fallback = "24",
               .lo = 3,
               .hi = 1024,
               .help = "sides of a tessellated cone, cylinder or sphere"},
    OptionSpec{.key = "scene.tessellate",
               .type = Choice,
               .fallback = "needed",
               .choices = "needed|all",
               .help = "all = spheres become triangles too"},
    // ---- the TigerSHARK boards
    OptionSpec{.key = "tigershark.dsps",
               .type = Integer,
               .fallback = "16",
               .lo = 1,
               .hi = 512,
               .help = "TMS320C32 processors on a board (the prototype has 4)",
               .flag = "dsps"},
    OptionSpec{.key = "tigershark.boards",
               .type = Integer,
               .fallback = "1",
               .lo = 1,
               .hi = 16,
               .help = "boards in a host; the database is split among them",
               .flag = "boards"},
    OptionSpec{.key = "tigershark.sram_words",
               .type = Integer,
               .unit = "words",
               .fallback = "131072",
               .lo = 1024,
               .hi = 4194304,
               .help = "shared memory of a board; what does not fit is paged"},
    OptionSpec{.key = "tigershark.wait_states",
               .type = Integer,
               .unit = "H1 cycles",
               .fallback = "0",
               .lo = 0,
               .hi = 7,
               .help = "wait states of the shared memory"},
    OptionSpec{.key = "tigershark.clock_hz",
               .type = Number,
               .unit = "Hz",
               .fallback = "30000000",
               .lo = 1e6,
               .hi = 1e8,
               .help = "H1, the DSPs' cycle clock (60 MFLOPS part: 30 MHz)"},
    OptionSpec{.key = "tigershark.bit_clock_hz",
               .type = Number,
               .unit = "Hz",
               .fallback = "11500000",
               .lo = 1e5,
               .hi = 15e6,
               .help = "serial chain; above H1/2.6 it breaks the receive limit of the part"},
    OptionSpec{.key = "tigershark.fifo_depth",
               .type = Integer,
               .unit = "words",
               .fallback = "8",
               .lo = 4,
               .hi = 1024,
               .help = "FIFO of the PCI controller, each way: 8 = the chip, 32 = the 1996 text"},
    OptionSpec{.key = "tigershark.vote",
               .type = Flag,
               .fallback = "on",
               .help = "boxes and the vote line; off = every ray tests every primitive"},
    OptionSpec{.key = "tigershark.double_buffer",
               .type = Flag,
               .fallback = "off",
               .help = "two page buffers: one loads while the other is traversed"},
    OptionSpec{.key = "tigershark.rise_cycles",
               .type = Integer,
               .unit = "H1 cycles",
               .fallback = "2",
               .lo = 0,
               .hi = 1000,
               .help = "rise time of the released vote line"},
    OptionSpec{
        .key = "tigershark.sync_cycles",
        .type = Integer,
        .unit = "H1 cycles",
        .fallback = "3",
        .lo = 0,
        .hi = 6,
        .help = "delay of the XF input synchroniser; the firmware reads the vote 6 cycles on"},
    OptionSpec{.key = "tigershark.release_cycles",
               .type = Integer,
               .unit = "H1 cycles",
               .fallback = "4",
               .lo = 1,
               .hi = 1000,
               .help = "last arrival at the barrier to release of the bus"},
    OptionSpec{.key = "tigershark.hold_cycles",
               .type = Integer,
               .unit = "H1 cycles",
               .fallback = "3",
               .lo = 0,
               .hi = 1000,
               .help = "HOLD to the floating bus"},
    OptionSpec{.key = "tigershark.firmware",
               .type = Path,
               .help = "COFF file to load instead of the firmware built with the platform"},
    // ---- the THEIA unit
    OptionSpec{.key = "theia.cores",
               .type = Integer,
               .fallback = "4",
               .lo = 1,
               .hi = 16,
               .help = "cores and texture banks: 1, 2, 4, 8 or 16; the height must divide by them"},
    OptionSpec{
        .key = "theia.microcode",
        .type = Choice,
        .fallback = "default",
        .choices = "default|improved|hits|flat|textured",
        .help = "default = hits: the original's; improved = textured, or flat without textures"},
    OptionSpec{.key = "theia.clock_hz",
               .type = Number,
               .unit = "Hz",
               .fallback = "100000000",
               .lo = 1e6,
               .hi = 1e10,
               .help = "clock of the unit; the original names none"},
    OptionSpec{.key = "theia.store_triangles",
               .type = Integer,
               .unit = "triangles",
               .fallback = "0",
               .lo = 0,
               .hi = 16383,
               .help = "triangle store on the chip: these are streamed once a frame (original: 0)"},
    OptionSpec{.key = "theia.store_clocks",
               .type = Integer,
               .unit = "clocks",
               .fallback = "7",
               .lo = 1,
               .hi = 77,
               .help = "what a triangle from the store costs"},
    OptionSpec{.key = "theia.tile",
               .type = Integer,
               .unit = "pixels",
               .fallback = "0",
               .lo = 0,
               .hi = 1024,
               .help = "eye rays in tiles of this side, each with its own triangle list; 0 = off"},
    OptionSpec{.key = "theia.box_test",
               .type = Flag,
               .fallback = "off",
               .help = "eye rays that pass the scene's box test no triangle; improved microcode"},
    OptionSpec{.key = "theia.exact_math",
               .type = Flag,
               .fallback = "off",
               .help = "DIV and MAG of the generations before: true root, 31-bit quotient"},
    OptionSpec{.key = "theia.exact_divide_clocks",
               .type = Integer,
               .unit = "clocks",
               .fallback = "70",
               .lo = 4,
               .hi = 70,
               .help = "of exact_math's divider when it iterates; its law is not recorded"},
    OptionSpec{
        .key = "theia.strict_isa",
        .type = Flag,
        .fallback = "off",
        .help = "the manual's reading where the hardware differs: jumps, swizzles, INTP, MULP"},
    OptionSpec{.key = "theia.fixed_bilinear",
               .type = Flag,
               .fallback = "off",
               .help = "default microcode: no exchange of two texels in the texture filter"},
    OptionSpec{.key = "theia.honour_pixel_shader_slot",
               .type = Flag,
               .fallback = "off",
               .help = "a call of the ROM's pixel shader goes through the entry table"},
    OptionSpec{.key = "theia.user_code",
               .type = Path,
               .help = "THEIA assembly whose entry points replace those of the microcode set"},
    OptionSpec{.key = "theia.output_words",
               .type = Integer,
               .unit = "words",
               .fallback = "250000",
               .lo = 1024,
               .hi = 16777216,
               .help = "output memory of a core; larger pictures are drawn in bands"},
    OptionSpec{.key = "theia.texture_words",
               .type = Integer,
               .unit = "words",
               .fallback = "1048576",
               .lo = 1024,
               .hi = 16777216,
               .help = "texture memory, all banks; bounds a batch of shadow and secondary rays"},
    OptionSpec{.key = "theia.arbiter",
               .type = Choice,
               .fallback = "ascending",
               .choices = "ascending|descending",
               .help = "which way the texture arbiters' pointers walk over the cores"},
    OptionSpec{.key = "theia.register_clocks",
               .type = Integer,
               .unit = "clocks",
               .fallback = "11",
               .lo = 1,
               .hi = 64,
               .help = "a register write of the host port; a triangle is seven"},
    OptionSpec{.key = "theia.instruction_clocks",
               .type = Integer,
               .unit = "clocks",
               .fallback = "8",
               .lo = 1,
               .hi = 64,
               .help = "an instruction write of the host port"},
    // ---- the XPHMG_RT units
    OptionSpec{.key = "xphmg.units",
               .type = Integer,
               .fallback = "1",
               .lo = 1,
               .hi = 16,
               .help = "RT units; jobs are dealt out among them"},
    OptionSpec{.key = "xphmg.format",
               .type = Choice,
               .fallback = "fp32",
               .choices = "fp32|fp16|bf16",
               .help = "number format of the units, set through CAP.PREC"},
    OptionSpec{.key = "xphmg.clock_hz",
               .type = Number,
               .unit = "Hz",
               .fallback = "1e9",
               .lo = 1e6,
               .hi = 1e10,
               .help = "clock of the units"},
    OptionSpec{.key = "xphmg.lmem_kib",
               .type = Integer,
               .unit = "KiB",
               .fallback = "64",
               .lo = 0,
               .hi = 4096,
               .help = "LMEM, read buffer of a unit: 0 or a power of two"},
    OptionSpec{.key = "xphmg.queue_depth",
               .type = Integer,
               .unit = "jobs",
               .fallback = "16",
               .lo = 1,
               .hi = 4096,
               .help = "places of the offload queue"},
    OptionSpec{.key = "xphmg.job_rays",
               .type = Integer,
               .unit = "rays",
               .fallback = "1024",
               .lo = 1,
               .hi = 65535,
               .help = "rays of a job"},
    OptionSpec{.key = "xphmg.jobs_in_flight",
               .type = Integer,
               .unit = "jobs",
               .fallback = "8",
               .lo = 1,
               .hi = 256,
               .help = "jobs the driver has with a unit, as far as its queue allows"},
    OptionSpec{.key = "xphmg.leaf_triangles",
               .type = Integer,
               .unit = "triangles",
               .fallback = "4",
               .lo = 1,
               .hi = 256,
               .help = "most triangles of a leaf that the driver builds"},
    OptionSpec{.key = "xphmg.prefetch",
               .type = Integer,
               .unit = "entries",
               .fallback = "7",
               .lo = 0,
               .hi = 255,
               .help = "prefetch depth of the streaming profile that rays come by"},
    OptionSpec{.key = "xphmg.memory_class",
               .type = Integer,
               .fallback = "0",
               .lo = 0,
               .hi = 3,
               .help = "XMEM class of the jobs; 0 = the default class"},
    OptionSpec{.key = "xphmg.pack_hint",
               .type = Flag,
               .fallback = "off",
               .help = "t, u, v of FP32 hits rounded to FP16 (PACK_HINT)"},
    OptionSpec{.key = "xphmg.memory_mib",
               .type = Integer,
               .unit = "MiB",
               .fallback = "256",
               .lo = 1,
               .hi = 4096,
               .help = "the memory that scene and rings lie in"},
    OptionSpec{.key = "xphmg.memory_tier",
               .type = Choice,
               .fallback = "t3",
               .choices = "t2|t3",
               .help = "tier that this memory answers as"},
    OptionSpec{.key = "xphmg.bus_ns",
               .type = Number,
               .unit = "ns",
               .fallback = "0",
               .lo = 0,
               .hi = 1e6,
               .help = "interconnect, for each transaction, beside the tiers"},
    OptionSpec{.key = "xphmg.bbox_cycles",
               .type = Integer,
               .unit = "cycles",
               .fallback = "4",
               .lo = 1,
               .hi = 10000,
               .help = "a node in the box pipeline"},
    OptionSpec{.key = "xphmg.tri_cycles",
               .type = Integer,
               .unit = "cycles",
               .fallback = "8",
               .lo = 0,
               .hi = 10000,
               .help = "latency of the triangle pipeline"},
    OptionSpec{.key = "xphmg.t0_cycles",
               .type = Integer,
               .unit = "cycles",
               .fallback = "2",
               .lo = 0,
               .hi = 10000,
               .help = "tier T0: a posted write"},
    OptionSpec{.key = "xphmg.t1_cycles",
               .type = Integer,
               .unit = "cycles",
               .fallback = "6",
               .lo = 0,
               .hi = 10000,
               .help = "tier T1: LMEM or LDS"},
    OptionSpec{.key = "xphmg.t2_cycles",
               .type = Integer,
               .unit = "cycles",
               .fallback = "30",
               .lo = 0,
               .hi = 10000,
               .help = "tier T2"},
    OptionSpec{.key = "xphmg.t3_cycles",
               .type = Integer,
               .unit = "cycles",
               .fallback = "120",
               .lo = 0,
               .hi = 10000,
               .help = "tier T3"},
    OptionSpec{.key = "xphmg.descriptor_cycles",
               .type = Integer,
               .unit = "cycles",
               .fallback = "20",
               .lo = 0,
               .hi = 10000,
               .help = "descriptor fetch"},
    OptionSpec{.key = "xphmg.doorbell_cycles",
               .type = Integer,
               .unit = "cycles",
               .fallback = "10",
               .lo = 0,
               .hi = 10000,
               .help = "doorbell to the start of the job"},
    OptionSpec{.key = "xphmg.driver",
               .type = Choice,
               .fallback = "host",
               .choices = "host|hart",
               .help = "who works the offload queue: the host itself, or a driver program on the "
                       "RV64 hart that the host hands jobs to through a mailbox (one unit)"},
    OptionSpec{.key = "xphmg.hart_elf",
               .type = Path,
               .help = "driver program for the hart, an ELF file (default: the platform's own, "
                       "firmware/xphmg/queue_driver.c)"},
    OptionSpec{.key = "xphmg.hart_limit",
               .type = Integer,
               .unit = "instructions",
               .fallback = "100000000",
               .lo = 1000,
               .hi = 1e12,
               .help = "of the driver program without a report to the host: then the run ends"},
    OptionSpec{.key = "xphmg.fault",
               .type = Choice,
               .fallback = "none",
               .choices = "none|tri",
               .help = "tri = RT.TRI always misses: shows that nobody else finds hits"},
    // ---- the PCI bus
    OptionSpec{.key = "pci.clock_hz",
               .type = Number,
               .unit = "Hz",
               .fallback = "33333333.333333332",
               .lo = 1e6,
               .hi = 1e8,
               .help = "bus clock"},
    OptionSpec{.key = "pci.arbitration_idle",
               .type = Integer,
               .unit = "clocks",
               .fallback = "2",
               .lo = 0,
               .hi = 64,
               .help = "REQ# to the address phase on an idle bus"},
    OptionSpec{.key = "pci.arbitration_busy",
               .type = Integer,
               .unit = "clocks",
               .fallback = "1",
               .lo = 0,
               .hi = 64,
               .help = "the same when GNT# was hidden behind other traffic"},
    OptionSpec{.key = "pci.devsel",
               .type = Integer,
               .unit = "clocks",
               .fallback = "2",
               .lo = 1,
               .hi = 3,
               .help = "DEVSEL#: 1 fast, 2 medium, 3 slow"},
    OptionSpec{.key = "pci.read_turnaround",
               .type = Integer,
               .unit = "clocks",
               .fallback = "1",
               .lo = 0,
               .hi = 64,
               .help = "between address and data of a read"},
    OptionSpec{.key = "pci.idle",
               .type = Integer,
               .unit = "clocks",
               .fallback = "1",
               .lo = 0,
               .hi = 64,
               .help = "turnaround between transactions"},
    OptionSpec{.key = "pci.host_burst_words",
               .type = Integer,
               .unit = "words",
               .fallback = "8",
               .lo = 0,
               .hi = 1024,
               .help = "longest burst of the host; 0 = no limit"},
    OptionSpec{.key = "pci.memory_first_wait",
               .type = Integer,
               .unit = "clocks",
               .fallback = "1",
               .lo = 0,
               .hi = 64,
               .help = "wait states of main memory's first data phase"},
    OptionSpec{.key = "pci.memory_next_wait",
               .type = Integer,
               .unit = "clocks",
               .fallback = "0",
               .lo = 0,
               .hi = 64,
               .help = "wait states of each later one"},
    OptionSpec{.key = "pci.memory_disconnect_words",
               .type = Integer,
               .unit = "words",
               .fallback = "0",
               .lo = 0,
               .hi = 1024,
               .help = "main memory cuts a burst after so many; 0 = never"},
    // ---- limits
    OptionSpec{.key = "run.limit_ms",
               .type = Number,
               .unit = "ms",
               .fallback = "0",
               .lo = 0,
               .hi = 1e9,
               .help = "end with status 4 after so much simulated time; 0 = no limit"},
    // ---- speed settings: another wall time, the same bytes
    OptionSpec{.key = "array.engine",
               .type = Choice,
               .fallback = "auto",
               .choices = "auto|simt|scalar",
               .help = "who simulates the DSPs: scalar = one after the other, simt = all at once "
                       "on the host's vector unit; same result",
               .host = true},
    OptionSpec{.key = "array.isa",
               .type = Choice,
               .fallback = "auto",
               .choices = "auto|avx512|avx2|sse42|scalar",
               .help = "instruction set of the host for array.engine = simt; same result",
               .host = true},
    OptionSpec{.key = "array.timing",
               .type = Choice,
               .fallback = "loose",
               .choices = "loose|strict",
               .help =
                   "strict = the simulation kernel takes part in every shared-bus word; slower, "
                   "same result",
               .flag = "timing",
               .host = true},
    OptionSpec{.key = "array.dmi",
               .type = Flag,
               .fallback = "on",
               .help = "the array reads the shared memory through a pointer (TLM direct memory "
                       "interface) instead of a transaction a word; same result",
               .host = true},
    OptionSpec{.key = "array.burst",
               .type = Integer,
               .unit = "words",
               .fallback = "16",
               .lo = 1,
               .hi = 1024,
               .help = "words in a row fetched by one transaction where array.dmi is off; same "
                       "result",
               .host = true},
    OptionSpec{.key = "array.quantum",
               .type = Integer,
               .unit = "cycles",
               .fallback = "1000000",
               .lo = 100,
               .hi = 1e9,
               .help = "how far the DSPs run without a barrier before the simulation kernel gets a "
                       "say; same result",
               .host = true},
    // ---- SL shading unit
    OptionSpec{.key = "sl.pipelines",
               .type = Integer,
               .unit = "pipelines",
               .fallback = "4",
               .lo = 1,
               .hi = 64,
               .help = "programs that run at the same time in the shading unit"},
    OptionSpec{.key = "sl.clock_hz",
               .type = Number,
               .unit = "Hz",
               .fallback = "100e6",
               .lo = 1e3,
               .hi = 1e10,
               .help = "clock of the shading unit"},
    OptionSpec{.key = "sl.program_words",
               .type = Integer,
               .unit = "instructions",
               .fallback = "4096",
               .lo = 1,
               .hi = 8192,
               .help = "program store of the shading unit"},
    OptionSpec{.key = "sl.cache_lines",
               .type = Integer,
               .unit = "lines of 8 texels",
               .fallback = "256",
               .lo = 0,
               .hi = 65536,
               .help = "texture cache of the shading unit; 0 = every texel is a bus transfer"},
    OptionSpec{.key = "sl.memory_ns",
               .type = Number,
               .unit = "ns",
               .fallback = "60",
               .lo = 0,
               .hi = 1e6,
               .help = "latency of a transfer from or to the shading unit's memory"},
    OptionSpec{.key = "sl.word_clocks",
               .type = Integer,
               .unit = "clocks",
               .fallback = "1",
               .lo = 0,
               .hi = 1000,
               .help = "each word of such a transfer"},
    OptionSpec{.key = "sl.shader_path",
               .type = Path,
               .help = "folder of surface shaders, after the scene's own and its shaders folder"},
    OptionSpec{.key = "xphmg.dmi",
               .type = Flag,
               .fallback = "on",
               .help = "units take bytes by direct memory access; off = one b_transport an access; "
                       "same result",
               .host = true},
    OptionSpec{
        .key = "xphmg.quantum_us",
        .type = Number,
        .unit = "us",
        .fallback = "10",
        .lo = 0,
        .hi = 1e6,
        .help = "how far a unit runs ahead of time; same result, unless a program polls rings",
        .host = true},
    OptionSpec{.key = "xphmg.datapath",
               .type = Choice,
               .fallback = "vector",
               .choices = "vector|plain",
               .help = "vector = slab tests on the host's vector unit; same result",
               .host = true},
    // ---- output and host settings: not part of the configuration's hash
    OptionSpec{.key = "output.image",
               .type = Path,
               .help = "image, .png or .ppm (default: the scene's name, .png, current folder)",
               .flag = "output",
               .letter = 'o',
               .host = true},
    OptionSpec{.key = "output.stats",
               .type = Path,
               .help = "statistics, JSON",
               .flag = "stats",
               .host = true},
    OptionSpec{.key = "output.hits",
               .type = Path,
               .help = "primary hits, CSV: x,y,prim,t,u,v",
               .flag = "hits",
               .host = true},
    OptionSpec{
        .key = "output.cost_map",
        .type = Path,
        .help = "eye rays of each pixel, engine xphmg: node visits, triangle tests, cycles; image",
        .flag = "cost-map",
        .host = true},
    OptionSpec{.key = "host.progress",
               .type = Flag,
               .fallback = "on",
               .help = "the progress line that a terminal gets",
               .flag = "no-progress",
               .flagValue = "off",
               .host = true},
    OptionSpec{.key = "host.output",
               .type = Choice,
               .fallback = "normal",
               .choices = "quiet|normal|verbose",
               .help = "quiet = errors only; verbose = every device step",
               .flag = "quiet",
               .letter = 'q',
               .flagValue = "quiet",
               .host = true,
               .flag2 = "verbose",
               .flag2Value = "verbose"},
};

// ---- one option an instruction form of the shading unit, from its table

struct Text {
  std::array<char, 24> characters{};
  std::size_t length = 0;
  constexpr void append(std::string_view text) {
    for (const char c : text) characters[length++] = c;
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters.data(), length}; }
};

constexpr Text cycleKey(const sl::FormInfo& form) {
  Text key;
  key.append("sl.cycles.");
  key.append(form.mnemonic);
  if (!form.operands.empty()) key.append("_");
  key.append(form.operands);
  return key;
}
constexpr Text cycleDefault(const sl::FormInfo& form) {
  Text digits;
  for (unsigned unit = 100; unit > 0; unit /= 10) {
    if (form.cycles < unit && unit > 1) continue;
    digits.characters[digits.length++] = static_cast<char>('0' + form.cycles / unit % 10);
  }
  return digits;
}

struct CycleTexts {
  std::array<Text, sl::kForms> keys;
  std::array<Text, sl::kForms> defaults;
};
constexpr CycleTexts kCycleTexts = [] {
  CycleTexts texts;
  for (std::size_t i = 0; i < sl::kForms; ++i) {
    texts.keys[i] = cycleKey(sl::kInstructions[i]);
    texts.defaults[i] = cycleDefault(sl::kInstructions[i]);
  }
  return texts;
}();

constexpr auto kAll = [] {
  std::array<OptionSpec, kTable.size() + sl::kForms> all{};
  std::copy(kTable.begin(), kTable.end(), all.begin());
  for (std::size_t i = 0; i < sl::kForms; ++i) {
    all[kTable.size() + i] = OptionSpec{
        .key = kCycleTexts.keys[i].view(),
        .type = Integer,
        .unit = "clocks",
        .fallback = kCycleTexts.defaults[i].view(),
        .lo = 0,
        .hi = 100'000,
        .help = "clocks of this instruction in the shading unit (V S destination, v s source)"};
  }
  return all;
}();

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitute});
    }
  }
  return row.back();
}

std::string plain(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

std::span<const OptionSpec> optionTable() {
  return kAll;
}

std::string_view slCycleKey(sl::Form form) {
  return kCycleTexts.keys[static_cast<std::size_t>(form)].view();
}

const OptionSpec* findOption(std::string_view key) {
  const auto found =
      std::find_if(kAll.begin(), kAll.end(), [&](const OptionSpec& o) { return o.key == key; });
  return found == kAll.end() ? nullptr : &*found;
}

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words) {
  return *std::min_element(words.begin(), words.end(), [&](std::string_view a, std::string_view b) {
    return editDistance(word, a) < editDistance(word, b);
  });
}

std::string_view nearestKey(std::string_view word) {
  // A user who forgets the prefix ("dsps") means the key whose last part is nearest.
  const bool dotted = word.find('.') != std::string_view::npos;
  std::size_t best = ~std::size_t{0};
  std::string_view nearest;
  for (const OptionSpec& o : kAll) {
    const std::string_view candidate = dotted ? o.key : o.key.substr(o.key.find_last_of('.') + 1);
    const std::size_t distance = editDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = o.key;
    }
  }
  return nearest;
}

std::string acceptedValues(const OptionSpec& option) {
  switch (option.type) {
    case Integer:
      return "a whole number " + plain(option.lo) + ".." + plain(option.hi);
    case Number:
      return "a number " + plain(option.lo) + ".." + plain(option.hi);
    case Flag:
      return "on or off";
    case Choice: {
      std::string text = "one of ";
      for (const char c : option.choices) text += c == '|' ? std::string(", ") : std::string(1, c);
      return text;
    }
    case Path:
      return "a file name";
    case Size:
      return "WxH, each " + plain(option.lo) + ".." + plain(option.hi) + ", or scene";
    case Crop:
      return "x,y,w,h inside the picture, or all";
  }
  return {};
}

std::string_view typeName(OptionType type) {
  switch (type) {
    case Integer:
      return "int";
    case Number:
      return "float";
    case Flag:
      return "bool";
    case Choice:
      return "enum";
    case Path:
      return "path";
    case Size:
      return "size";
    case Crop:
      return "crop";
  }
  return {};
}

}  // namespace rtvp::platform
