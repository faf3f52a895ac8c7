// Several that watch one hart.
#pragma once

#include <vector>

#include "models/xphmg/hart/hart.hpp"

namespace rtvp::rv64 {

class Observers final : public Observer {
 public:
  /// `observer` outlives this.
  void add(Observer* observer) { all_.push_back(observer); }
  [[nodiscard]] bool empty() const { return all_.empty(); }

  /// False if one of them says so; all are asked.
  bool before(const Hart& hart, const Decoded& instruction) override {
    bool goesOn = true;
    for (Observer* const o : all_) goesOn = o->before(hart, instruction) && goesOn;
    return goesOn;
  }
  void after(const Hart& hart, const Decoded& instruction, bool retired) override {
    for (Observer* const o : all_) o->after(hart, instruction, retired);
  }
  void stalled(Spent cause, std::uint64_t cycles) override {
    for (Observer* const o : all_) o->stalled(cause, cycles);
  }

 private:
  std::vector<Observer*> all_;
};

}  // namespace rtvp::rv64
