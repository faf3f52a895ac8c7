// See components.hpp.
#include "models/c32/analysis/components.hpp"

#include <algorithm>
#include <utility>

namespace rtvp::c32::analysis {
namespace {

class Components {
 public:
  Components(const std::vector<int>& members, std::size_t count,
             const std::function<std::vector<int>(int)>& next)
      : members_(members), next_(next), index_(count, kOutside), low_(count), open_(count) {}

  std::vector<std::vector<int>> run() {
    for (const int m : members_) index_[at(m)] = kNew;
    for (const int m : members_) {
      if (index_[at(m)] == kNew) search(m);
    }
    return std::move(found_);
  }

 private:
  static constexpr int kOutside = -2, kNew = -1;
  struct Visit {
    int node;
    std::vector<int> next;
    std::size_t done = 0;
  };
  static std::size_t at(int n) { return static_cast<std::size_t>(n); }

  void enter(int n) {
    index_[at(n)] = low_[at(n)] = counter_++;
    path_.push_back(n);
    open_[at(n)] = true;
    visits_.push_back({n, next_(n)});
  }

  void search(int root) {
    enter(root);
    while (!visits_.empty()) {
      Visit& v = visits_.back();
      if (v.done < v.next.size()) {
        const int n = v.node, to = v.next[v.done++];
        if (index_[at(to)] == kNew) {
          enter(to);
        } else if (index_[at(to)] >= 0 && open_[at(to)]) {
          low_[at(n)] = std::min(low_[at(n)], index_[at(to)]);
        }
        continue;
      }
      const int n = v.node;
      if (low_[at(n)] == index_[at(n)]) close(n);
      visits_.pop_back();
      if (visits_.empty()) continue;
      const int up = visits_.back().node;
      low_[at(up)] = std::min(low_[at(up)], low_[at(n)]);
    }
  }

  void close(int head) {
    std::vector<int> part;
    for (int m = -1; m != head;) {
      m = path_.back();
      path_.pop_back();
      open_[at(m)] = false;
      part.push_back(m);
    }
    found_.push_back(std::move(part));
  }

  const std::vector<int>& members_;
  const std::function<std::vector<int>(int)>& next_;
  std::vector<int> index_, low_;
  std::vector<bool> open_;
  std::vector<int> path_;
  std::vector<Visit> visits_;
  std::vector<std::vector<int>> found_;
  int counter_ = 0;
};

}  // namespace

std::vector<std::vector<int>> components(const std::vector<int>& members, std::size_t count,
                                         const std::function<std::vector<int>(int)>& next) {
  return Components(members, count, next).run();
}

}  // namespace rtvp::c32::analysis
