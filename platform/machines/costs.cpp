// See costs.hpp.
#include "platform/machines/costs.hpp"

#include <algorithm>
#include <numeric>

#include "platform/exit_status.hpp"

namespace rtvp::platform {

std::vector<Measure> parseMeasures(const std::string& text, const std::string& what) {
  std::array<bool, kMeasures.size()> wanted{};
  if (text == "all") wanted.fill(true);
  for (std::size_t at = 0; text != "all" && at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, end - at);
    const auto row = std::find_if(kMeasures.begin(), kMeasures.end(),
                                  [&](const MeasureInfo& m) { return m.name == name; });
    if (row == kMeasures.end()) {
      std::string known;
      for (const MeasureInfo& m : kMeasures) known += ", " + std::string(m.name);
      throw InputError(what + ": found '" + name + "', expected all or some of " + known.substr(2));
    }
    wanted[static_cast<std::size_t>(row - kMeasures.begin())] = true;
    at = end + 1;
  }
  std::vector<Measure> measures;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) measures.push_back(static_cast<Measure>(i));
  }
  return measures;
}

CostAccount::CostAccount(const CostArea& area, std::string machine, std::span<const Cost> costs)
    : area_(area) {
  sums_.machine = std::move(machine);
  index_.fill(kNone);
  for (std::size_t m = 0; m < kMeasures.size(); ++m) {
    const auto measure = static_cast<Measure>(m);
    if (std::none_of(costs.begin(), costs.end(),
                     [&](const Cost& cost) { return cost.measure == measure; })) {
      continue;
    }
    index_[m] = sums_.measures.size();
    sums_.measures.push_back(measure);
  }
  sums_.outside.resize(sums_.measures.size());
  sums_.pixels.resize(sums_.measures.size() * static_cast<std::size_t>(area.crop.width) *
                      static_cast<std::size_t>(area.crop.height));
}

void CostAccount::charge(std::uint32_t pixel, Measure measure, std::uint64_t amount) {
  const std::size_t index = indexOf(measure);
  if (index == kNone) return;
  const auto width = static_cast<std::uint32_t>(area_.pictureWidth);
  const int column = static_cast<int>(pixel % width) - area_.crop.x;
  const int row = static_cast<int>(pixel / width) - area_.crop.y;
  if (pixel == host::kNoPixel || column < 0 || row < 0 || column >= area_.crop.width ||
      row >= area_.crop.height) {
    sums_.outside[index] += amount;
    return;
  }
  const std::size_t place =
      static_cast<std::size_t>(row) * static_cast<std::size_t>(area_.crop.width) +
      static_cast<std::size_t>(column);
  sums_.pixels[sums_.measures.size() * place + index] += amount;
}

void CostAccount::share(std::span<const std::uint32_t> pixels, Measure measure,
                        std::uint64_t amount) {
  if (pixels.empty()) return charge(host::kNoPixel, measure, amount);
  const std::uint64_t each = amount / pixels.size(), over = amount % pixels.size();
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    charge(pixels[i], measure, each + (i < over ? 1 : 0));
  }
}

void CostAccount::share(std::span<const std::uint32_t> pixels,
                        std::span<const std::uint64_t> weights, Measure measure,
                        std::uint64_t amount) {
  const std::uint64_t all = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  if (all == 0) return share(pixels, measure, amount);
  // What has been given away after each is amount * weights so far / all, rounded down, in whole
  // numbers: the quotient and the remainder of `amount` apart, so that nothing overflows before
  // the weights of a batch come to 2^32.
  const std::uint64_t whole = amount / all, rest = amount % all;
  std::uint64_t before = 0, weight = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    weight += weights[i];
    const std::uint64_t given = whole * weight + rest * weight / all;
    charge(pixels[i], measure, given - before);
    before = given;
  }
}

void CostAccount::settle(Measure measure, std::uint64_t total) {
  const std::size_t index = indexOf(measure);
  if (index == kNone) return;
  std::uint64_t charged = sums_.outside[index];
  for (std::size_t at = index; at < sums_.pixels.size(); at += sums_.measures.size()) {
    charged += sums_.pixels[at];
  }
  sums_.outside[index] += total - charged;
}

void CostAccount::withdraw(Measure measure, const std::string& why) {
  const std::size_t index = indexOf(measure);
  if (index == kNone) return;
  std::vector<std::uint64_t> left;
  for (std::size_t at = 0; at < sums_.pixels.size(); ++at) {
    if (at % sums_.measures.size() != index) left.push_back(sums_.pixels[at]);
  }
  sums_.pixels = std::move(left);
  sums_.outside.erase(sums_.outside.begin() + static_cast<std::ptrdiff_t>(index));
  sums_.measures.erase(sums_.measures.begin() + static_cast<std::ptrdiff_t>(index));
  for (std::size_t& i : index_) {
    if (i == index) {
      i = kNone;
    } else if (i != kNone && i > index) {
      --i;
    }
  }
  sums_.missing += (sums_.missing.empty() ? "" : "; ") + why;
}

CostAccount* CostMap::open(const std::string& machine, std::span<const Cost> costs) {
  if (costs.empty()) return nullptr;
  accounts_.push_back(std::make_unique<CostAccount>(area_, machine, costs));
  return accounts_.back().get();
}

std::vector<CostSums> CostMap::sums() const {
  std::vector<CostSums> all;
  for (const auto& account : accounts_) all.push_back(account->sums());
  return all;
}

}  // namespace rtvp::platform
