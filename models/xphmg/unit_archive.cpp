// State of an XPHMG_RT unit without a job as bytes, and back.
#include "models/common/core/state.hpp"
#include "models/xphmg/unit.hpp"

namespace rtvp::xphmg {

using common::StateArchive;

// Found by their argument, which no unnamed namespace is looked through for.
static void stateOf(StateArchive& a, EffectiveState& e) {
  a(e.pet, e.ew, e.accw, e.pack, e.roundingCode, e.nanPolicy, e.altEnabled, e.sat, e.q,
    e.isUnsigned, e.ftz, e.zmode, e.sae, e.zeroPoint, e.scaleShift);
}

static void stateOf(StateArchive& a, XmemTags& t) {
  a(t.dom, t.mclass, t.wayMask, t.qos, t.hyb, t.sec, t.sprof, t.stride, t.prefetchDepth,
    t.nontemporal, t.compMode, t.compLevel, t.compDictionary);
}

void CapPrecision::state(StateArchive& a) {
  a(mode_, alt_, stagedMode_, stagedAlt_, excEn_, ieMask_, eff_, sticky_);
}

void CsrFile::state(StateArchive& a) {
  a(precision_, values_, lastEc_, busy_, boxes_, triangles_);
}

void JobQueue::state(StateArchive& a) {
  a(last_, done_);
}

void FenceTokens::state(StateArchive& a) {
  a(posts_);
}

/// LMEM is emptied at the begin of a job: it has none.
void UnitPort::state(StateArchive& a) {
  a(extension_.tags, extension_.ticket, now_, unmapped_, node8_, secondTile_, last_, rayTag_,
    cycles_, totals_, classBytes_, lmemHits_, lmemMisses_);
  setTags(extension_.tags);
}

bool RtUnit::quiescent() const {
  return !running_ && completions_.empty() && queue_.occupied() == 0 && tokens_.quiescent();
}

void RtUnit::state(StateArchive& a) {
  a.mark("xphmg");
  a(csrs_, queue_, tokens_, port_);
  a(totals_.rays, totals_.hits, totals_.misses, totals_.nodes, totals_.tiles, totals_.leaves,
    totals_.triangles);
  a(jobs_, failed_, registerAccesses_, registerErrors_, maxDepth_, heldCycles_, residence_,
    lmemBase_, busyBase_, most_);
  if (a.reading()) irq_event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace rtvp::xphmg
