// See account.hpp.
#include "models/xphmg/hart/account.hpp"

namespace rtvp::rv64 {

std::string_view spentName(Spent cause) {
  static constexpr std::array<std::string_view, kSpent> kNames{"executing", "trap",    "inline_rt",
                                                               "device",    "blocked", "idle"};
  return kNames[static_cast<unsigned>(cause)];
}

void Account::clear() {
  for (const auto& [number, page] : pages_) page->fill(0);  // code of the hart counts there
  stalls_.clear();
}

void Account::turnTo(std::uint64_t number) {
  std::unique_ptr<Page>& page = pages_[number];
  if (!page) page = std::make_unique<Page>();
  page_ = page.get();
  number_ = number;
}

std::vector<Account::Place> Account::places() const {
  constexpr auto kExecuting = static_cast<unsigned>(Spent::Executing);
  constexpr auto kTrap = static_cast<unsigned>(Spent::Trap);
  std::map<std::uint64_t, Cycles> all = stalls_;
  for (const auto& [number, page] : pages_) {
    for (std::uint64_t half = 0; half < page->size(); ++half) {
      if ((*page)[half] != 0) all[(number << kPageBits) + half * 2][kExecuting] = (*page)[half];
    }
  }
  std::vector<Place> places;
  for (const auto& [address, cycles] : all)
    places.push_back({address, cycles[kExecuting] + cycles[kTrap], cycles});
  return places;
}

}  // namespace rtvp::rv64
