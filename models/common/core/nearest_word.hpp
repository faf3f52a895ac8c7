// What a user may have meant by a word that is none.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace rtvp::common {

/// The least number of letters to insert, remove or replace that makes `b` of `a` (Levenshtein).
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);

/// The word of `words` nearest to `word` by edit distance; of words equally near one that goes on
/// as the user began. `words` must not be empty.
[[nodiscard]] std::string_view nearestWord(std::string_view word,
                                           std::span<const std::string_view> words);

/// The same if it is a slip away: one edit of two letters or more, two of five or more, or two
/// letters exchanged. Else empty: a hint would only be in the way.
[[nodiscard]] std::string_view likelyWord(std::string_view word,
                                          std::span<const std::string_view> words);

}  // namespace rtvp::common
