#include "models/c32/simt/row.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "models/c32/single.hpp"

namespace rtvp::c32::simt {

void RowShape::choose(Active& active, const LaneMask& mask) const {
  active.mask = mask;
  active.full = mask == all;
  active.once = false;
  if (active.full) {
    active.lanes = processors;
    active.vectors = lanes / k->width;
    active.once = active.vectors > 1;
    active.lanes_ = {active.vectors, nullptr, nullptr};
    return;
  }
  LaneMask counted = mask;
  counted &= real;
  active.lanes = counted.count();
  const unsigned width = k->width;
  const std::uint64_t bits = (std::uint64_t{1} << width) - 1;
  std::uint32_t count = 0;
  for (unsigned word = 0; word < kMaskWords; ++word) {
    for (std::uint64_t x = mask.w[word]; x != 0;) {
      const auto first = static_cast<unsigned>(std::countr_zero(x)) / width;
      active.list[count++] = static_cast<std::uint16_t>(word * (64 / width) + first);
      x &= ~(bits << (first * width));
    }
  }
  active.vectors = count;
  active.lanes_ = {count, active.list, &active.mask};
}

double exactDouble(Float40 x) {
  if (x.isZero()) return 0.0;
  const std::int64_t m = static_cast<std::int32_t>(x.mantissa);
  const auto sign = static_cast<std::uint64_t>(m >> 63);
  const std::uint64_t fraction = (static_cast<std::uint64_t>(m) ^ sign) & 0x7FFFFFFFu;
  const auto exponent = static_cast<std::uint64_t>(x.exponent + 1023);
  const std::uint64_t t = (exponent << 52) | (fraction << 21) | (sign & 0x1FFFFFu);
  return std::bit_cast<double>((t - sign) | (sign << 63));
}

Float40 exactFloat40(double x) {
  const auto b = std::bit_cast<std::uint64_t>(x);
  if (b == 0) return kFloatZero;
  const std::uint64_t t = b - (b >> 63);
  const std::uint64_t sign = 0 - (b >> 63);
  return {static_cast<std::int8_t>(static_cast<int>(t >> 52 & 0x7FFu) - 1023),
          static_cast<std::uint32_t>((t >> 21 & 0x7FFFFFFFu) ^ sign)};
}

void Row::Free::operator()(void* p) const {
  ::operator delete (p, std::align_val_t{64});
}

Row::Row(const RowShape& shape, bool ram) : short_(ram), ram_(ram), shape_(shape) {
  const std::size_t n = shape.lanes;
  // Whole cache lines each, and never two rows a multiple of 4096 bytes apart.
  const auto padded = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
  bytes_ = padded(8 * n) + padded(4 * n) + (ram ? 0 : padded(4 * n)) + 192;
  memory_.reset(::operator new (bytes_, std::align_val_t{64}));
  std::memset(memory_.get(), 0, bytes_);
  auto* p = static_cast<unsigned char*>(memory_.get());
  f_ = reinterpret_cast<double*>(p);
  p += padded(8 * n) + 64;
  m_ = reinterpret_cast<std::uint32_t*>(p);
  p += padded(4 * n) + 64;
  if (!ram) e_ = reinterpret_cast<std::int32_t*>(p);
}

void Row::exponentsToRow() {
  if (ram_) return;
  if (exponents_ == Exponents::One) {
    std::fill_n(e_, shape_.lanes, ue_);
  } else if (exponents_ == Exponents::FromF) {
    shape_.k->toExponent(everyLane(), e_, f_);
  }
  exponents_ = Exponents::Row;
}

/// The M view takes over all lanes: finds out where its exponents are.
void Row::keepExponents() {
  if (ram_) return;
  if (uniform_) {
    if (!hasM_) {
      ue_ = exactFloat40(uf_[0]).exponent;
      exponents_ = Exponents::One;
    }
  } else if (mixed_) {
    Active rest;
    shape_.choose(rest, without(laneF_, laneM_));
    shape_.k->toExponent(rest.set(), e_, f_);
    exponents_ = Exponents::Row;
  } else if (!hasM_) {
    exponents_ = Exponents::FromF;
  }
}

void Row::expandM() {
  const Refresh refresh(*this);
  std::fill_n(m_, shape_.lanes, um_[0]);
  uniform_ = false;
  hasM_ = true;
  hasF_ = false;
}

void Row::expandF() {
  const Refresh refresh(*this);
  std::fill_n(f_, shape_.lanes, uf_[0]);
  uniform_ = false;
  hasF_ = true;
  hasM_ = false;
}

bool Row::lanesToF(const LaneMask& lanes) {
  Active some;
  shape_.choose(some, lanes);
  LaneMask raw;
  if (ram_) {
    shape_.k->fromWords(some.set(), f_, m_, raw);
  } else {
    shape_.k->fromExtended(some.set(), f_, m_, e_, raw);
  }
  return !raw.any();
}

void Row::lanesToM(const LaneMask& lanes) {
  Active some;
  shape_.choose(some, lanes);
  if (ram_) {
    shape_.k->toWords(some.set(), m_, f_);
  } else {
    shape_.k->toMantissa(some.set(), m_, f_);
    shape_.k->toExponent(some.set(), e_, f_);
  }
}

Source Row::makeF(const Active& active) {
  const Refresh refresh(*this);
  if (uniform_) {
    if (ram_ || exponents_ == Exponents::One) {
      const Float40 x =
          ram_ ? extendedFromSingle(um_[0]) : Float40{static_cast<std::int8_t>(ue_), um_[0]};
      if (!fitsDouble(x)) return {};
      std::fill_n(uf_, kBlock, exactDouble(x));
      hasF_ = true;
      shortF_ = (x.mantissa & 0xFFu) == 0;
      return {uf_, 0};
    }
    expandM();
  }
  if (mixed_) {
    const LaneMask need = without(active.mask, laneF_);
    if (need.any() && !lanesToF(need)) return {};
    laneF_ |= need;
    return {f_, 1};
  }
  exponentsToRow();
  if (!lanesToF(active.mask)) return {};
  shortF_ = false;
  if (active.full) {
    hasF_ = true;
  } else {
    mixed_ = true;
    hasM_ = false;
    laneF_ = active.mask;
    laneM_ = shape_.all;
  }
  return {f_, 1};
}

WordSource Row::makeM(const Active& active) {
  const Refresh refresh(*this);
  if (uniform_) {
    const Float40 x = exactFloat40(uf_[0]);
    std::fill_n(um_, kBlock, ram_ ? singleFromExtended(x) : x.mantissa);
    ue_ = x.exponent;
    exponents_ = Exponents::One;
    hasM_ = true;
    return {um_, 0};
  }
  if (mixed_) {
    const LaneMask need = without(active.mask, laneM_);
    if (need.any()) lanesToM(need);
    laneM_ |= need;
    return {m_, 1};
  }
  if (!active.full) {
    lanesToM(active.mask);
    exponents_ = Exponents::Row;
    mixed_ = true;
    hasF_ = false;
    laneF_ = shape_.all;
    laneM_ = active.mask;
    return {m_, 1};
  }
  if (ram_) {
    shape_.k->toWords(everyLane(), m_, f_);
  } else {
    shape_.k->toMantissa(everyLane(), m_, f_);
    exponents_ = Exponents::FromF;
  }
  hasM_ = true;
  return {m_, 1};
}

double* Row::writeSomeF(const Active& active, bool isShort) {
  const Refresh refresh(*this);
  if (uniform_) leaveUniform();
  if (hasF_) {
    hasM_ = false;
    shortF_ = shortF_ && isShort;
    return f_;
  }
  if (mixed_) {
    laneF_ |= active.mask;
    laneM_.remove(active.mask);
    if (laneF_ == shape_.all) {
      mixed_ = false;
      hasF_ = true;
      shortF_ = false;
    }
    return f_;
  }
  exponentsToRow();
  mixed_ = true;
  hasM_ = false;
  laneF_ = active.mask;
  laneM_ = without(shape_.all, active.mask);
  return f_;
}

double* Row::updateSomeF(const Active& active, bool isShort) {
  const Refresh refresh(*this);
  if (readF(active).p == nullptr) return nullptr;
  if (uniform_) expandF();
  if (mixed_) {
    laneM_.remove(active.mask);
    if (laneF_ == shape_.all) {
      mixed_ = false;
      hasF_ = true;
      shortF_ = false;
    }
    return f_;
  }
  hasM_ = false;
  shortF_ = shortF_ && isShort;
  return f_;
}

void Row::leaveUniform() {
  if (hasF_) {
    expandF();
  } else {
    expandM();
  }
}

std::uint32_t* Row::remakeM(const Active& active) {
  const Refresh refresh(*this);
  if (active.full) {
    keepExponents();
    uniform_ = mixed_ = hasF_ = false;
    hasM_ = true;
    return m_;
  }
  if (uniform_) {
    if (hasM_) {
      expandM();
    } else {
      expandF();
    }
  }
  if (hasM_) {
    hasF_ = false;
    return m_;
  }
  if (!mixed_) {
    exponents_ = Exponents::Row;
    mixed_ = true;
    hasF_ = false;
    laneF_ = shape_.all;
    laneM_ = {};
  }
  if (!ram_) {
    const LaneMask need = without(active.mask, laneM_);
    if (need.any()) {
      Active some;
      shape_.choose(some, need);
      shape_.k->toExponent(some.set(), e_, f_);
    }
  }
  laneM_ |= active.mask;
  laneF_.remove(active.mask);
  if (laneM_ == shape_.all) {
    mixed_ = false;
    hasM_ = true;
    exponents_ = Exponents::Row;
  }
  return m_;
}

void Row::fillM(std::uint32_t value) {
  const Refresh refresh(*this);
  keepExponents();
  std::fill_n(um_, kBlock, value);
  uniform_ = hasM_ = true;
  mixed_ = hasF_ = false;
}

void Row::fillExtended(Float40 value) {
  const Refresh refresh(*this);
  std::fill_n(um_, kBlock, value.mantissa);
  ue_ = value.exponent;
  exponents_ = Exponents::One;
  uniform_ = hasM_ = true;
  mixed_ = false;
  hasF_ = fitsDouble(value);
  if (!hasF_) return;
  std::fill_n(uf_, kBlock, exactDouble(value));
  shortF_ = (value.mantissa & 0xFFu) == 0;
}

void Row::storeExtended(const Active& active, Float40 value) {
  std::uint32_t* m = writeM(active);
  exponentsToRow();
  active.mask.forEach([&](unsigned lane) {
    m[lane] = value.mantissa;
    e_[lane] = value.exponent;
  });
}

void Row::importWords(const std::uint32_t* words) {
  const Refresh refresh(*this);
  const bool same =
      std::all_of(words, words + shape_.processors, [&](std::uint32_t w) { return w == words[0]; });
  uniform_ = same;
  mixed_ = hasF_ = false;
  hasM_ = true;
  if (same) {
    std::fill_n(um_, kBlock, words[0]);
    return;
  }
  std::copy_n(words, shape_.processors, m_);
  std::fill_n(m_ + shape_.processors, shape_.lanes - shape_.processors, words[0]);
}

void Row::importExtended(const std::uint32_t* mantissas, const std::int32_t* exponents) {
  const Refresh refresh(*this);
  importWords(mantissas);
  const unsigned n = shape_.processors;
  if (std::all_of(exponents, exponents + n, [&](std::int32_t e) { return e == exponents[0]; })) {
    ue_ = exponents[0];
    exponents_ = Exponents::One;
    return;
  }
  std::copy_n(exponents, n, e_);
  std::fill_n(e_ + n, shape_.lanes - n, exponents[0]);
  exponents_ = Exponents::Row;
}

const std::uint32_t* Row::exportWords() {
  const Refresh refresh(*this);
  if (uniform_) {
    Active every;
    shape_.choose(every, shape_.all);
    readM(every);
    expandM();
  } else if (mixed_) {
    lanesToM(without(shape_.all, laneM_));
    mixed_ = hasF_ = false;
    hasM_ = true;
    exponents_ = Exponents::Row;
  } else if (!hasM_) {
    Active every;
    shape_.choose(every, shape_.all);
    readM(every);
  }
  return m_;
}

const std::int32_t* Row::exportExponents() {
  exponentsToRow();
  return e_;
}

bool Row::isAboveZero(unsigned processor) const {
  if (uniform_) return hasF_ ? uf_[0] > 0 : aboveZero(um_[0]);
  const bool inF = mixed_ ? laneF_.test(processor) : hasF_;
  return inF ? f_[processor] > 0 : aboveZero(m_[processor]);
}

unsigned Row::countAboveZero() const {
  const unsigned n = shape_.processors;
  if (uniform_) return (hasF_ ? uf_[0] > 0 : aboveZero(um_[0])) ? n : 0;
  unsigned count = 0;
  if (mixed_) {
    for (unsigned i = 0; i < n; ++i)
      count += (laneF_.test(i) ? f_[i] > 0 : aboveZero(m_[i])) ? 1U : 0U;
  } else if (hasF_) {
    for (unsigned i = 0; i < n; ++i) count += f_[i] > 0 ? 1U : 0U;
  } else {
    for (unsigned i = 0; i < n; ++i) count += aboveZero(m_[i]) ? 1U : 0U;
  }
  return count;
}

}  // namespace rtvp::c32::simt
