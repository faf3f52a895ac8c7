// The code of a lap (lap.hpp): its times are compared with a timing that is known, two words at
// once; then its words are worked on as a passage's are; then the times come from the timing.
//
// Host registers: rbx the TurnFrame, rsi the LapTiming, r12 the next word of the inbox, r13 where
// the next word sent goes, r15 the internal RAM, ymm14 the cycle of the going to sleep beside each
// word's arrival; rax, rcx, rdx and the other vector registers as in passages.
#include "models/c32/blocks/lap.hpp"
#include "models/c32/blocks/turn_writer.hpp"
#include "models/hostcode/convention.hpp"

namespace rtvp::c32::blocks {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers
using Code = Operation::Code;

namespace {

const Gp kFrame = rbx, kTiming = rsi, kIn = r12, kOut = r13;
const Ymm kOrigin = ymm14;
constexpr std::uint32_t kKeptVectors = 14;  ///< for values: not the origin's, not ymm15
constexpr int kArrivalsOfTwo = 0x33;        ///< doublewords of two SerialWords that are times

Mem timing(std::size_t offset, unsigned size = 8) {
  return Mem(kTiming, static_cast<std::int32_t>(offset), size);
}
Mem wordAt(const Gp& base, std::size_t number, std::size_t inside, unsigned size) {
  return Mem(base, static_cast<std::int32_t>(number * sizeof(SerialWord) + inside), size);
}

}  // namespace

bool TurnWriter::writeLap() {
  readFacts();
  findLiveFlags();
  mostVectors_ = kKeptVectors;
  std::uint32_t received = 0;
  for (const Operation& op : to_.operations) received += op.code == Code::Arrive ? 1 : 0;
  if (received == 0 || received > kMostLapWords) return false;
  const Gp registers[] = {rbx, r12, r13, r15};
  const hostcode::Saved saved(registers, hostcode::Saved::Inside::NoCalls);
  saved.enter(a_);
  a_.mov(kFrame, rdi);
  a_.mov(kIn, field(offsetof(TurnFrame, in)));
  a_.mov(kOut, field(offsetof(TurnFrame, out)));
  a_.mov(r15, field(offsetof(TurnFrame, ram)));
  arrivals_ = received;
  lapBegins();
  arrivals_ = 0;
  if (!values()) return false;
  std::vector<Where> words;
  for (const Operation& op : to_.operations) {
    if (op.code == Code::Write) words.push_back(operand(op.b, op));
  }
  if (words.size() > kMostLapWords || arrivals_ != received) return false;
  sent_ = static_cast<std::uint32_t>(words.size());
  lapSends(words);
  commitValues();
  lapEnds();
  const asmjit::Label out = a_.newLabel();
  a_.mov(eax, 1);
  a_.bind(out);
  a_.vzeroupper();
  saved.leave(a_);
  a_.ret();
  takeBack();
  a_.xor_(eax, eax);
  a_.jmp(out);
  return true;
}

/// It begins like the timing.
void TurnWriter::lapBegins() {
  a_.mov(rax, field(offsetof(TurnFrame, cycle)));
  a_.vmovq(kOrigin.xmm(), rax);
  a_.vinserti128(kOrigin, kOrigin, kOrigin.xmm(), 1);
  const auto known = [](std::uint32_t n, unsigned size) {
    return timing(offsetof(LapTiming, arrivals) + n * sizeof(LapTiming::Word), size);
  };
  a_.vpxor(ymm1, ymm1, ymm1);  // gathers the differences; only arrivals count
  for (std::uint32_t n = 0; n < arrivals_; n += 2) {
    if (n + 1 < arrivals_) {
      a_.vmovdqu(ymm0, wordAt(kIn, n, 0, 32));
      a_.vpsubq(ymm0, ymm0, kOrigin);
      a_.vpxor(ymm0, ymm0, known(n, 32));
    } else {
      a_.vmovdqu(xmm0, wordAt(kIn, n, 0, 16));
      a_.vpsubq(xmm0, xmm0, kOrigin.xmm());
      a_.vpxor(xmm0, xmm0, known(n, 16));
    }
    a_.vpor(ymm1, ymm1, ymm0);
  }
  a_.vextracti128(xmm0, ymm1, 1);
  a_.vpor(xmm1, xmm1, xmm0);
  a_.vmovq(rcx, xmm1);
  a_.test(rcx, rcx);
  fail(CondCode::kNE);
  const auto same = [&](std::size_t frame, std::size_t expected) {
    a_.mov(rcx, field(frame));
    a_.sub(rcx, rax);
    a_.cmp(rcx, timing(expected));
    fail(CondCode::kNE);
  };
  if (from_.transferring) same(offsetof(TurnFrame, transfer), offsetof(LapTiming, transfer));
  if (from_.emptying) same(offsetof(TurnFrame, empty), offsetof(LapTiming, empty));
  a_.mov(rcx, wordAt(kIn, arrivals_, offsetof(SerialWord, arrival), 8));
  a_.sub(rcx, rax);
  a_.cmp(rcx, timing(offsetof(LapTiming, cycles)));
  fail(CondCode::kLE);
  a_.add(rax, timing(offsetof(LapTiming, most)));
  a_.cmp(rax, field(offsetof(TurnFrame, horizon)));
  fail(CondCode::kAE);
}

/// What it sends; two words at once where they are two that have arrived.
void TurnWriter::lapSends(const std::vector<Where>& words) {
  const std::size_t departures = offsetof(LapTiming, departures);
  for (std::size_t n = 0; n < words.size(); ++n) {
    const Where& w = words[n];
    const bool two = n + 1 < words.size() && w.kind == Where::Kind::Inbox &&
                     words[n + 1] == Where{Where::Kind::Inbox, w.at + 1};
    const Mem departure = timing(departures + n * sizeof(LapTiming::Word), two ? 32 : 8);
    if (two) {
      a_.vpaddq(ymm15, kOrigin, departure);
      a_.vpblendd(ymm15, ymm15, wordAt(kIn, w.at, 0, 32), 0xFF ^ kArrivalsOfTwo);
      a_.vmovdqu(wordAt(kOut, n, 0, 32), ymm15);
      ++n;
      continue;
    }
    fetch(ecx, w);
    a_.mov(wordAt(kOut, n, offsetof(SerialWord, word), 4), ecx);
    a_.mov(rcx, departure);
    a_.add(rcx, field(offsetof(TurnFrame, cycle)));
    a_.mov(wordAt(kOut, n, offsetof(SerialWord, arrival), 8), rcx);
  }
}

/// Behind all words: the times, and where it goes on.
void TurnWriter::lapEnds() {
  a_.mov(rax, field(offsetof(TurnFrame, cycle)));
  const auto after = [&](std::size_t known, std::size_t frame) {
    a_.mov(rcx, timing(known));
    a_.add(rcx, rax);
    a_.mov(field(frame), rcx);
  };
  const auto port = [&](bool underWay, bool was, std::size_t known, std::size_t frame) {
    if (underWay) {
      after(known, frame);
    } else if (was) {
      a_.mov(field(frame), -1);
    }
  };
  port(to_.transferring, from_.transferring, offsetof(LapTiming, transferAfter),
       offsetof(TurnFrame, transfer));
  port(to_.emptying, from_.emptying, offsetof(LapTiming, emptyAfter), offsetof(TurnFrame, empty));
  after(offsetof(LapTiming, cycles), offsetof(TurnFrame, cycle));
  a_.mov(rcx, timing(offsetof(LapTiming, edges)));
  a_.add(field(offsetof(TurnFrame, last)), rcx);
  a_.mov(ecx, timing(offsetof(LapTiming, placeAfter), 4));
  a_.mov(field(offsetof(TurnFrame, place), 4), ecx);
  const auto words = [](std::uint32_t n) {
    return static_cast<std::int32_t>(n * sizeof(SerialWord));
  };
  a_.add(field(offsetof(TurnFrame, in)), words(arrivals_));
  if (sent_ != 0) a_.add(field(offsetof(TurnFrame, out)), words(sent_));
}

}  // namespace rtvp::c32::blocks
