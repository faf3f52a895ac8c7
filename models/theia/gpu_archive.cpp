// State of the GPU between two frames as bytes, and back.
#include "models/common/core/state.hpp"
#include "models/theia/gpu.hpp"

namespace rtvp::theia {

using common::StateArchive;

/// What the fast executor has decoded is made again.
void Core::state(StateArchive& a) {
  a.mark("theia core");
  for (Lanes& place : places_) place.lane[3] = 0;  // nobody's
  a(places_, active_);
  a.sized(ram_);
  a.sized(ram_loaded_);
  a.sized(output_);
  a(pc_, return_address_, previous_destination_, previous_result_, texture_address_,
    texture_destination_, loop_.clocks, loop_.executed, flag_, pixel_);
  // By opcode, whether counted one by one or as runs of the fast executor.
  if (!a.reading()) {
    CoreStatistics sum = statistics();
    a(sum);
    return;
  }
  a(statistics_);
  for (Table& table : decoded_) table.clear();  // and their counts
  forgetRoutines();
  makeStale();
}

void Arbiter::state(StateArchive& a) {
  a(pointer_, since_);
}

void Gpu::state(StateArchive& a) {
  a.mark("theia");
  for (auto& lane : lanes_) {
    a(lane->core, lane->phase, lane->ready, lane->flip, lane->flipped, lane->inMain,
      lane->committed, lane->word, lane->asked, lane->issued, lane->texels, lane->texture_wait,
      lane->divider_before, lane->clocks, lane->accounted);
  }
  a.sized(texture_);
  for (Arbiter& arbiter : arbiters_) a(arbiter);
  a.sized(bank_statistics_);
  a(host_, port_free_, rendering_, commits_, store_, next_triangle_);
}

}  // namespace rtvp::theia
