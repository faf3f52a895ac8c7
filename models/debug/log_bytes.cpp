// See log_bytes.hpp.
#include "models/debug/log_bytes.hpp"

#include <stdexcept>

namespace rtvp::debug {

std::uint64_t LogReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  throw std::runtime_error("the log is damaged: found a number of more than 64 bits");
}

std::string_view LogReader::take(std::uint64_t count) {
  if (count > left_.size()) throw std::runtime_error("the log ends in the middle of a record");
  const std::string_view bytes = left_.substr(0, count);
  left_.remove_prefix(count);
  return bytes;
}

void writeProgram(LogWriter& to, const Program& program) {
  to.number(program.labels.size() + program.edges.size());
  for (const auto& [address, name] : program.labels) {
    to.number(address);
    to.text(name);
  }
  for (const std::uint64_t address : program.edges) {
    to.number(address);
    to.text("");
  }
  to.number(program.files.size());
  for (const std::string& file : program.files) to.text(file);
  to.number(program.lines.size());
  for (const Line& line : program.lines) {
    to.number(line.address);
    to.number(line.file);
    to.number(line.number);
  }
}

Program readProgram(LogReader& from) {
  Program program;
  for (auto n = from.number(); n > 0; --n) {
    const std::uint64_t address = from.number();
    const std::string name = from.text();
    if (name.empty()) {
      program.edges.insert(address);
    } else {
      program.labels[address] = name;
    }
  }
  for (auto n = from.number(); n > 0; --n) program.files.push_back(from.text());
  for (auto n = from.number(); n > 0; --n) {
    Line line;
    line.address = from.number();
    line.file = from.word();
    line.number = from.word();
    if (line.file >= program.files.size())
      throw std::runtime_error("the log is damaged: found a line of no file");
    program.lines.push_back(line);
  }
  return program;
}

}  // namespace rtvp::debug
