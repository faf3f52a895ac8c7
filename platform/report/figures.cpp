// See figures.hpp.
#include "platform/report/figures.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace rtvp::report {
namespace {

namespace json = boost::json;

struct Total {
  double sum = 0;
  int groups = 0;
};

// `figure` of every group named `group`, wherever it is: all boards of all hosts.
void gather(const json::object& tree, std::string_view group, std::string_view figure,
            Total& total) {
  for (const auto& [key, value] : tree) {
    const json::object* const inner = value.if_object();
    if (inner == nullptr) continue;
    if (std::string_view(key) == group) {
      if (const json::value* const found = inner->if_contains(figure)) {
        total.sum += numberOf(*found);
        ++total.groups;
      }
    }
    gather(*inner, group, figure, total);
  }
}

Total total(const json::object& tree, std::string_view group, std::string_view figure) {
  Total t;
  gather(tree, group, figure, t);
  return t;
}

// PREFIX0, PREFIX1 ... of every group named `group`.
void gatherNumbered(const json::object& tree, std::string_view group, std::string_view prefix,
                    std::string_view figure, double& sum) {
  for (const auto& [key, value] : tree) {
    const json::object* const inner = value.if_object();
    if (inner == nullptr) continue;
    if (group.empty() || std::string_view(key) == group) {
      for (int i = 0;; ++i) {
        const json::value* const one = inner->if_contains(std::string(prefix) + std::to_string(i));
        if (one == nullptr || !one->is_object()) break;
        if (const json::value* const found = one->get_object().if_contains(figure)) {
          sum += numberOf(*found);
        }
      }
    }
    gatherNumbered(*inner, group, prefix, figure, sum);
  }
}

}  // namespace

double numberOf(const json::value& value) {
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  return value.is_double() ? value.get_double() : 0;
}

double RunFigures::sum(std::string_view group, std::string_view figure) const {
  return total(modules_, group, figure).sum;
}

double RunFigures::mean(std::string_view group, std::string_view figure) const {
  const Total t = total(modules_, group, figure);
  return t.groups > 0 ? t.sum / t.groups : 0;
}

int RunFigures::count(std::string_view group, std::string_view figure) const {
  return total(modules_, group, figure).groups;
}

double RunFigures::sumOfNumbered(std::string_view group, std::string_view prefix,
                                 std::string_view figure) const {
  double sum = 0;
  gatherNumbered(modules_, group, prefix, figure, sum);
  return sum;
}

double RunFigures::scene(std::string_view figure) const {
  const json::value* const found = scene_.if_contains(figure);
  return found == nullptr ? 0 : numberOf(*found);
}

std::string scaled(double value, const char* unit) {
  static constexpr const char* kPrefix[] = {"", "k", "M", "G", "T"};
  std::size_t step = 0;
  while (std::abs(value) >= 1000 && step + 1 < std::size(kPrefix)) {
    value /= 1000;
    ++step;
  }
  std::ostringstream text;
  text << std::setprecision(value < 10 ? 3 : 4) << value << " " << kPrefix[step] << unit;
  return text.str();
}

std::string percent(double share) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << 100 * share << " %";
  return text.str();
}

std::string duration(double seconds) {
  std::ostringstream text;
  text << std::setprecision(4);
  if (seconds >= 1 || seconds == 0) {
    text << seconds << " s";
  } else if (seconds >= 1e-3) {
    text << seconds * 1e3 << " ms";
  } else {
    text << seconds * 1e6 << " us";
  }
  return text.str();
}

}  // namespace rtvp::report
