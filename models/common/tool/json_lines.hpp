// Batch mode of the machine tools: one JSON object a line in, one a line out; a bad line is
// answered
// {"error": "..."} and the run goes on. Header only: who uses it links Boost::json.
#pragma once

#include <boost/json.hpp>
#include <charconv>
#include <cstdint>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "models/common/core/text.hpp"

namespace rtvp::tool {

/// A request that cannot be answered; what() goes into {"error": ...}.
class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A hexadecimal number of at most (`exact`: exactly) `digits` digits, without prefix. Throws
/// BadRequest naming `what`.
[[nodiscard]] inline std::uint64_t parseHex(std::string_view text, std::size_t digits, bool exact,
                                            std::string_view what) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, 16);
  const bool length = exact ? text.size() == digits : !text.empty() && text.size() <= digits;
  if (!length || error != std::errc{} || end != last) {
    throw BadRequest(std::string(what) + ": found " + common::quotedAsIs(text) + ", expected " +
                     (exact ? "" : "at most ") + std::to_string(digits) + " hexadecimal digits");
  }
  return value;
}

/// Answers every line of `in` by `answer(line)`, which returns the reply as JSON text or throws.
/// Empty lines are skipped. Ends early only if `out` takes no more; what `answer` throws is
/// answered, a line of more than `max_line` bytes with `too_long`.
template <class Answer>
void answerLines(std::istream& in, std::ostream& out, std::size_t max_line,
                 const std::string& too_long, Answer&& answer) {
  for (std::string line; out && std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::string reply;
    try {
      if (line.size() > max_line) throw BadRequest(too_long);
      reply = answer(line);
    } catch (const std::exception& e) {
      reply = boost::json::serialize(boost::json::object{{"error", e.what()}});
    }
    out << reply << '\n' << std::flush;
  }
}

/// The same with the words most tools use.
template <class Answer>
void answerLines(std::istream& in, std::ostream& out, std::size_t max_line, Answer&& answer) {
  answerLines(in, out, max_line, "the line is longer than " + std::to_string(max_line) + " bytes",
              answer);
}

/// The same with requests and replies as objects: `answer(object)` returns an object or throws.
template <class Answer>
void answerJsonLines(std::istream& in, std::ostream& out, std::size_t max_line, Answer&& answer) {
  namespace json = boost::json;
  json::parse_options options;
  options.max_depth = 8;
  answerLines(in, out, max_line, [&](const std::string& line) {
    boost::system::error_code error;
    json::parser parser({}, options);
    const std::size_t used = parser.write_some(line, error);
    const std::size_t more = line.find_first_not_of(" \t\r", used);
    if (!error && more != std::string::npos) error = json::error::extra_data;
    if (error) throw BadRequest("column " + std::to_string(used + 1) + ": " + error.message());
    const json::value request = parser.release();
    if (!request.is_object()) throw BadRequest("expected a JSON object");
    return json::serialize(json::object(answer(request.get_object())));
  });
}

}  // namespace rtvp::tool
