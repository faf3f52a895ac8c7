// See wire.hpp.
#include "models/debug/remote/wire.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>

#include "models/common/core/text.hpp"

namespace rtvp::debug {
namespace {

constexpr std::string_view kEnd = "\r\n";
constexpr std::string_view kBlank = "\r\n\r\n";

bool sameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<unsigned> digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

}  // namespace

std::size_t DapWire::lengthOf(std::string_view header) {
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(kEnd), header.size());
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + kEnd.size(), header.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      throw WireError("found the header line " + common::quoted(line) +
                      ", expected `Content-Length: N`");
    if (!sameName(trimmed(line.substr(0, colon)), "Content-Length")) continue;
    const std::string_view text = trimmed(line.substr(colon + 1));
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size() || value > kMostMessage || length)
      throw WireError("found the header line " + common::quoted(line) +
                      ", expected one Content-Length of 0 to " + std::to_string(kMostMessage));
    length = value;
  }
  if (!length) throw WireError("found a header without Content-Length");
  return *length;
}

void DapWire::feed(std::string_view bytes, const std::function<void(const std::string&)>& message,
                   const std::function<void(const std::string&)>& /*answer*/) {
  bytes_ += bytes;
  std::size_t at = 0;
  for (;;) {
    if (!inMessage_) {
      const std::size_t end = bytes_.find(kBlank, at);
      const std::size_t size = std::min(end, bytes_.size()) - at;
      if (size > kMostHeader)
        throw WireError("found a header of more than " + std::to_string(kMostHeader) + " bytes");
      if (end == std::string::npos) break;
      length_ = lengthOf(std::string_view(bytes_).substr(at, size));
      at = end + kBlank.size();
      inMessage_ = true;
    }
    if (bytes_.size() - at < length_) break;
    message(bytes_.substr(at, length_));
    at += length_;
    inMessage_ = false;
  }
  bytes_.erase(0, at);
}

std::string DapWire::framed(const std::string& message) {
  return "Content-Length: " + std::to_string(message.size()) + std::string(kBlank) + message;
}

void GdbWire::feed(std::string_view bytes, const std::function<void(const std::string&)>& message,
                   const std::function<void(const std::string&)>& answer) {
  for (const char c : bytes) take(c, message, answer);
}

void GdbWire::take(char c, const std::function<void(const std::string&)>& message,
                   const std::function<void(const std::string&)>& answer) {
  switch (in_) {
    case In::Between:
      if (c == '$') {
        message_.clear();
        sum_ = 0;
        in_ = In::Message;
      } else if (c == kGdbInterrupt[0]) {
        message(kGdbInterrupt);
      } else if (c == '-' && acknowledges_ && !last_.empty()) {
        answer(last_);
      }  // + and anything else between messages means nothing
      return;
    case In::Message:
      if (c == '#') {
        in_ = In::Check1;
        return;
      }
      if (message_.size() >= kMostMessage)
        throw WireError("found a packet of more than " + std::to_string(kMostMessage) + " bytes");
      sum_ += static_cast<unsigned char>(c);
      if (c == '}') {
        in_ = In::Escape;
      } else {
        message_ += c;
      }
      return;
    case In::Escape:
      sum_ += static_cast<unsigned char>(c);
      message_ += static_cast<char>(static_cast<unsigned char>(c) ^ 0x20U);
      in_ = In::Message;
      return;
    case In::Check1:
      check_[0] = c;
      in_ = In::Check2;
      return;
    case In::Check2:
      check_[1] = c;
      in_ = In::Between;
      whole(message, answer);
      return;
  }
}

void GdbWire::whole(const std::function<void(const std::string&)>& message,
                    const std::function<void(const std::string&)>& answer) {
  const auto high = digit(check_[0]), low = digit(check_[1]);
  const bool right = high && low && (*high << 4U | *low) == (sum_ & 0xFFU);
  if (acknowledges_) answer(right ? "+" : "-");
  if (!right) return;
  ceases_ |= message_ == "QStartNoAckMode";
  message(message_);
}

std::string GdbWire::framed(const std::string& message) {
  unsigned sum = 0;
  std::string body;
  for (const char c : message) {
    if (c == '$' || c == '#' || c == '}' || c == '*') {
      body += '}';
      body += static_cast<char>(static_cast<unsigned char>(c) ^ 0x20U);
    } else {
      body += c;
    }
  }
  for (const char c : body) sum += static_cast<unsigned char>(c);
  char check[4];
  std::snprintf(check, sizeof check, "#%02x", sum & 0xFFU);
  last_ = "$" + body + check;
  if (ceases_) acknowledges_ = false;
  return last_;
}

}  // namespace rtvp::debug
