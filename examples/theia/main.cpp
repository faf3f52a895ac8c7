// The THEIA ray-casting GPU behind a socket: camera, microcode and two triangles go in, an index of
// a triangle a pixel comes out.
#include <tlm_utils/simple_initiator_socket.h>

#include <cmath>
#include <cstdio>
#include <rtvp/firmware/theia/firmware.hpp>
#include <rtvp/models/theia/assembler.hpp>
#include <rtvp/models/theia/frame.hpp>
#include <rtvp/models/theia/theia_unit.hpp>
#include <rtvp/models/theia/tlm_host_port.hpp>
#include <systemc>

using namespace rtvp;
using namespace rtvp::theia;

constexpr unsigned kSide = 8, kCores = 2;

Word fixedPoint(double value) {
  return static_cast<Word>(static_cast<std::int32_t>(std::lround(value * kOne)));
}
Vec vector(double x, double y, double z) {
  return {fixedPoint(x), fixedPoint(y), fixedPoint(z)};
}

/// A right-angled triangle in the plane z = -8, its legs along x and y.
Triangle triangle(double x, double y, double width, double height) {
  Triangle t{};
  t[0] = vector(x, y, -8);
  t[2] = vector(x + width, y, -8);
  t[4] = vector(x, y + height, -8);
  for (const unsigned texture : {1U, 3U, 5U}) t[texture] = vector(0, 0, 1);
  t[6] = vector(1, 1, 1);
  return t;
}

/// The picture is a window of 8 x 8 at distance 8, looked at along -z; each core has a band of
/// rows.
Frame frame() {
  Frame f;
  f.cores = kCores;
  f.width = f.height = kSide;
  // The left half below its diagonal, and the right half whole (it sticks out).
  f.triangles = {triangle(-4, -4, 4, 8), triangle(0, -12, 20, 20)};
  f.texture.assign(3 * 16 * 16, 0);
  const auto constants = assemble("constants", "ENTRYPOINT_ADRR_USERCONSTANTS:\nRETURN RT_TRUE\n");
  f.instructions = constants.program->image();
  const Microcode* const hits = findMicrocode("hits");
  for (unsigned slot = 0; slot < kEntries; ++slot) {
    if (!constants.program->defined[slot]) f.instructions[slot].word = hits->table[slot];
  }
  const auto all = [&f](std::string_view name, const Vec& value) {
    f.registers.push_back({-1, *findRegister(name), value});
  };
  constexpr double kStep = 8.0 / kSide;
  all("CREG_CAMERA_POSITION", {});
  all("CREG_PROJECTION_WINDOW_MIN", vector(-4 + kStep / 2, 4 - kStep / 2, -8));
  all("CREG_PROJECTION_WINDOW_MAX", vector(4 + kStep / 2, -4 - kStep / 2, -8));
  all("CREG_RESOLUTION", vector(kSide, kSide, 0));
  all("CREG_TEXTURE_SIZE", vector(16, 16, 0));
  for (unsigned core = 0; core < kCores; ++core) {
    f.registers.push_back({static_cast<int>(core), 6, vector(0, kSide * core / kCores, 0)});
    f.registers.push_back(
        {static_cast<int>(core), 7, vector(kSide, kSide * (core + 1) / kCores, 0)});
  }
  all("CREG_MAX_PRIMITIVES", {static_cast<Word>(f.triangles.size()), 0, 0});
  return f;
}

struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host, 32> socket{"socket"};
  const TheiaUnit& unit;

  Host(sc_core::sc_module_name name, const TheiaUnit& its) : sc_module(name), unit(its) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  void run() {
    const Frame f = frame();
    TlmHostPort port(socket, unit.clock().period());
    port.loadTexture(f.texture);
    Clock clock = playFrame(port, f, 0);
    const auto pixels = static_cast<std::uint32_t>(f.pixelsPerCore());
    for (unsigned core = 0; core < kCores; ++core) {
      std::vector<Word> planes(
          6 * pixels);  // six words a pixel behind the colours: index + 1, t, u, v, ...
      clock = port.readOutput(clock, core, 3 * pixels, planes);
      for (std::uint32_t p = 0; p < pixels; ++p) {
        std::printf("%c%s", planes[6 * p] == 0 ? '.' : static_cast<char>('0' + planes[6 * p]),
                    p % kSide == kSide - 1 ? "\n" : "");
      }
    }
    std::printf("%s\n", port.failed() ? "the unit has failed" : "done");
  }
};

int sc_main(int, char**) {
  TheiaUnitConfig config;
  config.gpu.cores = kCores;
  TheiaUnit unit("theia", config, microcodeRom());
  Host host("host", unit);
  host.socket.bind(unit.host_tsock);
  sc_core::sc_start();
  return 0;
}
