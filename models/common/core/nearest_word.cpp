#include "models/common/core/nearest_word.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace rtvp::common {
namespace {

/// Two letters beside each other are exchanged, and nothing else.
bool isExchange(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin());
  if (a.end() - x < 2 || x[0] != y[1] || x[1] != y[0]) return false;
  return std::equal(x + 2, a.end(), y + 2);
}

}  // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitute});
    }
  }
  return row.back();
}

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words) {
  const auto distance = [&](std::string_view other) {
    return std::pair(editDistance(word, other), !other.starts_with(word));
  };
  return *std::min_element(words.begin(), words.end(), [&](std::string_view a, std::string_view b) {
    return distance(a) < distance(b);
  });
}

std::string_view likelyWord(std::string_view word, std::span<const std::string_view> words) {
  constexpr std::size_t kOne = 2, kTwo = 5;  // letters of a word that may have so many edits
  if (words.empty() || word.size() < kOne) return {};
  const std::string_view nearest = nearestWord(word, words);
  const std::size_t most = word.size() < kTwo ? 1 : 2;
  return editDistance(word, nearest) <= most || isExchange(word, nearest) ? nearest
                                                                          : std::string_view();
}

}  // namespace rtvp::common
