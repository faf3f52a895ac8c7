// --batch of the machine tools: one JSON object a line in, one a line out (design of the tools).
// The tool answers one request; what it throws becomes {"error": "..."} and the next line is
// served.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <exception>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>

namespace rtvp::common {

/// `answer(line)` gives the reply as JSON text. Lines of blanks are no requests; longer lines than
/// `max_line` are refused. Returns at the end of input.
template <typename Answer>
void serveLines(std::istream& in, std::ostream& out, std::size_t max_line, const Answer& answer) {
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::string reply;
    try {
      if (line.size() > max_line)
        throw std::length_error("found a line of " + std::to_string(line.size()) +
                                " bytes, expected at most " + std::to_string(max_line));
      reply = answer(line);
    } catch (const std::exception& e) {
      reply = boost::json::serialize(boost::json::object{{"error", e.what()}});
    }
    out << reply << '\n' << std::flush;
  }
}

}  // namespace rtvp::common
