// See material.hpp.
#include "models/implicit/render/material.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "models/implicit/watched.hpp"

namespace rtvp::implicit::render {
namespace {

/// At most four materials and their shares of the surface.
struct Blend {
  struct Part {
    std::uint32_t shape = kNoShape;
    float share = 0;
  };
  std::array<Part, 4> part{Part{kNoShape, 1}, {}, {}, {}};

  static Blend of(std::uint32_t shape) {
    Blend b;
    b.part[0] = {shape, 1};
    return b;
  }
};

void include(std::vector<Blend::Part>& parts, const Blend& blend, float weight) {
  for (const Blend::Part& p : blend.part) {
    if (!(p.share * weight > 0)) continue;
    const auto same = std::find_if(parts.begin(), parts.end(),
                                   [&](const Blend::Part& q) { return q.shape == p.shape; });
    if (same != parts.end())
      same->share += p.share * weight;
    else
      parts.push_back({p.shape, p.share * weight});
  }
}

/// (1 - m) a + m b; the four largest shares stay and fill the whole.
Blend mixed(const Blend& a, const Blend& b, float m) {
  std::vector<Blend::Part> parts;
  include(parts, a, 1 - m);
  include(parts, b, m);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Blend::Part& x, const Blend::Part& y) { return x.share > y.share; });
  parts.resize(std::min<std::size_t>(parts.size(), 4));
  float whole = 0;
  for (const Blend::Part& p : parts) whole += p.share;
  Blend out;
  out.part = {};
  for (std::size_t n = 0; n < parts.size(); ++n)
    out.part[n] = {parts[n].shape, parts[n].share / whole};
  return out;
}

/// Follows materials along an evaluation, value by value.
class Carrier {
 public:
  explicit Carrier(const Tape& tape) : tape_(tape), shape_of_(tape.size(), kNoShape) {
    std::uint32_t next = 0;
    for (std::size_t at = 0; at < tape.size(); ++at)
      if (tape.code()[at].op->name.starts_with("OPSDF")) shape_of_[at] = next++;
    values_.resize(1);  // the query point
  }

  void watch(const Links& links, const std::array<const float*, 4>& in) {
    const OpcodeInfo* const op = links.at < tape_.size() ? tape_.code()[links.at].op : nullptr;
    if (op == nullptr || op->function == Function::Stop) {
      result_ = of(links.in[0]);
      return;
    }
    if (links.out == Links::kConstant) return;
    const std::size_t outputs = op->out.size() - (op->peekDepth() > 0 ? 1U : 0U);
    values_.resize(links.out + outputs);
    for (std::size_t n = 0; n < outputs; ++n)
      values_[links.out + n] = outputOf(*op, links, in, op->function == Function::Swap2 ? n : 0);
  }

  [[nodiscard]] const Blend& result() const { return result_; }

 private:
  [[nodiscard]] Blend of(std::uint32_t value) const {
    return value == Links::kConstant ? Blend{} : values_[value];
  }

  [[nodiscard]] Blend outputOf(const OpcodeInfo& op, const Links& links,
                               const std::array<const float*, 4>& in, std::size_t swapped) const {
    if (shape_of_[links.at] != kNoShape) return Blend::of(shape_of_[links.at]);
    if (op.out[0] != Type::F) return {};
    switch (op.function) {
      case Function::Min:
        return of(links.in[*in[1] < *in[0] ? 1 : 0]);
      case Function::Max:
        return of(links.in[*in[0] < *in[1] ? 1 : 0]);
      case Function::SmoothMin:
      case Function::SmoothMax:
        return blended(op, links, in);
      default:
        break;
    }
    if (op.function == Function::Swap2) return of(links.in[swapped]);
    for (unsigned n = 0; n < op.in.size(); ++n)
      if (op.in[n] == Type::F) return of(links.in[n]);
    return {};
  }

  /// Winner and other by m = h^2 / 2, h = max(k - |a - b|, 0) / k: half each where they are equal,
  /// the winner alone from distance k. The plain forms take the winner's.
  [[nodiscard]] Blend blended(const OpcodeInfo& op, const Links& links,
                              const std::array<const float*, 4>& in) const {
    const float k = *in[0], a = *in[1], b = *in[2];
    const bool second = op.function == Function::SmoothMin ? b < a : a < b;
    const Blend winner = of(links.in[second ? 2 : 1]), other = of(links.in[second ? 1 : 2]);
    if (op.name.find("Material") == std::string_view::npos) return winner;
    const float h = k > 0 ? std::max(k - std::abs(a - b), 0.0F) / k : 0;
    return h > 0 ? mixed(winner, other, h * h / 2) : winner;
  }

  const Tape& tape_;
  std::vector<std::uint32_t> shape_of_;
  std::vector<Blend> values_;
  Blend result_;
};

}  // namespace

MaterialResult materialAt(const Tape& tape, const Mask& mask, const std::array<float, 3>& point,
                          RunWatch* run) {
  Carrier carrier(tape);
  const auto carry = [&](const Links& links, const std::array<const float*, 4>& in) {
    carrier.watch(links, in);
  };
  if (run == nullptr) {
    evaluate(tape, mask, point, carry);
  } else {
    evaluate(tape, mask, point, carry, *run);
  }
  MaterialResult out;
  out.words = {};
  float most = 0;
  for (const Blend::Part& p : carrier.result().part) {
    if (!(p.share > 0)) continue;
    if (p.share > most) {
      most = p.share;
      out.shape = p.shape;
    }
    const Material& words =
        p.shape < tape.materials.size() ? tape.materials[p.shape] : kDefaultMaterial;
    for (std::size_t n = 0; n < words.size(); ++n) out.words[n] += p.share * words[n];
  }
  return out;
}

}  // namespace rtvp::implicit::render
