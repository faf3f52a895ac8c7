// The GPU's statistics as a tree: where each core's clocks went, what it executed, who waited for
// what.
#include "models/theia/gpu_statistics.hpp"

#include "models/common/statistics.hpp"

namespace rtvp::theia {
namespace {

using common::StatGroup;

void reportCore(const Gpu& gpu, unsigned index, StatGroup& parent) {
  const CoreStatistics s = gpu.core(index).statistics();
  const ControlClocks c = gpu.controlClocks(index);
  StatGroup& g = parent.group("core" + std::to_string(index), "One core and its control unit");
  g.count("clocks", "clocks", "Time since reset; the sum of the following", c.sum());
  g.count("configuration", "clocks", "Before rendering was enabled", c.configuration);
  g.count("initial", "clocks", "In INITIAL", c.initial);
  g.count("cppu", "clocks", "In CPPU", c.cppu);
  g.count("user_constants", "clocks", "In USERCONSTANTS", c.userConstants);
  g.count("main_busy", "clocks", "In MAIN, divider and texture waits apart", c.mainBusy);
  g.count("main_divider", "clocks", "In MAIN, in DIV", c.mainDivider);
  g.count("main_texture_stall", "clocks", "In MAIN, waiting for texture arbiters", c.mainTexture);
  g.count("host_stall", "clocks", "Waiting for a triangle: streaming, slower cores, the host",
          c.waitHost);
  g.count("idle", "clocks", "After the last phase", c.idle);
  const double total = static_cast<double>(c.sum());
  const double busy = static_cast<double>(c.initial + c.cppu + c.userConstants + c.mainBusy +
                                          c.mainDivider + c.mainTexture);
  g.ratio("utilisation", "1", "Share of the time in which a routine runs",
          total > 0 ? busy / total : 0);
  g.count("output_words", "words", "Written by OMWRITE", s.outputWrites);
  StatGroup& ops = g.group("instructions", "Instructions executed, by opcode");
  for (const OpInfo& info : kInstructions) {
    if (const auto n = s.opcodes[info.code()]; n != 0)
      ops.count(std::string(info.mnemonic), "1", std::string(info.effect), n);
  }
}

}  // namespace

void reportGpu(const Gpu& gpu, StatGroup& group) {
  const HostClocks& h = gpu.hostClocks();
  group.count("pixels_committed", "pixels", "Pixels that every core has finished", gpu.commits());
  StatGroup& host = group.group("host_port", "The host's side of the GPU");
  const Clock writing = h.instructions + h.registers + h.triangles;
  host.count("instruction_clocks", "clocks", "Writing instruction memory", h.instructions);
  host.count("register_clocks", "clocks", "Writing configuration registers", h.registers);
  host.count("triangle_clocks", "clocks", "Streaming triangles", h.triangles);
  host.count("handshake_clocks", "clocks", "From the offer of a triangle to the end of HDLACK",
             h.handshake);
  host.count("commit_clocks", "clocks", "Waiting for pixels to be committed", h.commit);
  host.count("triangles", "1", "Triangles streamed", h.triangleCount);
  host.count("store_hits", "1", "Triangles taken from the triangle store", h.storeHits);
  host.count("repeated_offers", "1",
             "Times a core was ready again while HDA was still up: the original would take the "
             "triangle twice",
             h.repeatedOffers);
  host.count("words", "words", "Data words over the port", h.words);
  host.ratio(
      "bus_share", "1", "Share of the time in which the host writes",
      gpu.portFree() > 0 ? static_cast<double>(writing) / static_cast<double>(gpu.portFree()) : 0);
  for (unsigned b = 0; b < gpu.banks().size(); ++b) {
    StatGroup& bank = group.group("texture_bank" + std::to_string(b), "One texture memory bank");
    bank.count("words", "words", "Words read", gpu.banks()[b].words);
    bank.count("wait_clocks", "clocks", "Clocks that requests waited for the arbiter",
               gpu.banks()[b].waitClocks);
  }
  for (unsigned i = 0; i < gpu.cores(); ++i) reportCore(gpu, i, group);
}

}  // namespace rtvp::theia
