// Tokens and parameters of PBRT files, see pbrt_text.hpp.
#include "platform/scene/pbrt_text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "platform/scene/files.hpp"

namespace rtvp::scene {

namespace {

bool endsWord(char c) {
  return isBlank(c) || c == '[' || c == ']' || c == '"' || c == '#';
}

double toNumber(const PbrtToken& token, std::string_view expected) {
  std::string_view digits = token.text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range && digits.find("e-") != std::string_view::npos) {
    return 0;
  }
  if (token.kind != PbrtToken::Kind::Word || error != std::errc{} ||
      stop != digits.data() + digits.size()) {
    token.where.fail(
        token.kind == PbrtToken::Kind::End ? "the end of the file" : inQuotes(token.text),
        expected);
  }
  // "infinity" is a number there, for far ends of ranges.
  if (std::isinf(value)) return value > 0 ? kMaxNumber : -kMaxNumber;
  if (!(std::abs(value) <= kMaxNumber)) token.where.fail(inQuotes(token.text), "at most 1e+12");
  return value;
}

}  // namespace

const PbrtParam* PbrtParams::find(std::string_view name) const {
  for (const PbrtParam& param : all) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

double PbrtParams::number(std::string_view name, double fallback) const {
  const PbrtParam* const param = find(name);
  return param != nullptr && !param->numbers.empty() ? param->numbers[0] : fallback;
}

std::string PbrtParams::text(std::string_view name, std::string_view fallback) const {
  const PbrtParam* const param = find(name);
  return param != nullptr && !param->texts.empty() ? param->texts[0] : std::string(fallback);
}

Vec3 PbrtParams::vector(std::string_view name, const Vec3& fallback) const {
  const PbrtParam* const param = find(name);
  if (param == nullptr) return fallback;
  if (param->numbers.size() < 3) {
    param->where.fail(std::to_string(param->numbers.size()) + " numbers", "three");
  }
  return {param->numbers[0], param->numbers[1], param->numbers[2]};
}

PbrtText::PbrtText(Builder& builder, const std::filesystem::path& file)
    : builder_(builder), first_(file) {
  const TextFile& text = keep(TextFile::read(file, builder.reader("scene")));
  bytes_ = text.text().size();
  open_.push_back({&text});
}

const TextFile& PbrtText::keep(TextFile text) {
  files_.push_back(std::make_unique<TextFile>(std::move(text)));
  return *files_.back();
}

void PbrtText::advance(Source& source, std::size_t count) {
  const std::string_view text = source.file->text();
  for (; count > 0 && source.at < text.size(); --count, ++source.at) {
    if (text[source.at] == '\n') {
      ++source.place.line;
      source.place.column = 1;
    } else {
      ++source.place.column;
    }
  }
}

// Skips blanks and comments; false at the end.
bool PbrtText::skipBlanks(Source& source) {
  const std::string_view text = source.file->text();
  while (source.at < text.size()) {
    if (text[source.at] == '#') {
      const std::size_t end = text.find('\n', source.at);
      advance(source, (end == std::string_view::npos ? text.size() : end) - source.at);
    } else if (isBlank(text[source.at])) {
      advance(source, 1);
    } else {
      return true;
    }
  }
  return false;
}

void PbrtText::scan() {
  while (open_.size() > 1 && !skipBlanks(open_.back())) open_.pop_back();
  Source& source = open_.back();
  const bool more = skipBlanks(source);
  PbrtToken token;
  token.where = {source.file, source.place};
  if (!more) {
    next_ = token;
    return;
  }
  const std::string_view left = source.file->text().substr(source.at);
  if (left[0] == '[' || left[0] == ']') {
    token.kind = left[0] == '[' ? PbrtToken::Kind::Open : PbrtToken::Kind::Close;
    token.text = left.substr(0, 1);
    advance(source, 1);
  } else if (left[0] == '"') {
    const std::size_t end = left.find_first_of("\"\n", 1);
    if (end == std::string_view::npos || left[end] != '"') {
      token.where.fail("a text without an end", "\" on the same line");
    }
    token.kind = PbrtToken::Kind::Text;
    token.text = left.substr(1, end - 1);
    advance(source, end + 1);
  } else {
    std::size_t end = 1;
    while (end < left.size() && !endsWord(left[end])) ++end;
    token.kind = PbrtToken::Kind::Word;
    token.text = left.substr(0, end);
    advance(source, end);
  }
  next_ = token;
}

const PbrtToken& PbrtText::peek() {
  if (!next_) scan();
  return *next_;
}

PbrtToken PbrtText::take() {
  const PbrtToken token = peek();
  next_.reset();
  return token;
}

PbrtToken PbrtText::quoted(std::string_view expected) {
  const PbrtToken token = take();
  if (token.kind != PbrtToken::Kind::Text) {
    token.where.fail(
        token.kind == PbrtToken::Kind::End ? "the end of the file" : inQuotes(token.text),
        expected);
  }
  return token;
}

double PbrtText::number(std::string_view expected) {
  return toNumber(take(), expected);
}

std::vector<double> PbrtText::numbers(std::size_t count, std::string_view expected) {
  const bool brackets = peek().kind == PbrtToken::Kind::Open;
  if (brackets) take();
  std::vector<double> result;
  for (std::size_t k = 0; k < count; ++k) result.push_back(number(expected));
  if (brackets) {
    const PbrtToken token = take();
    if (token.kind != PbrtToken::Kind::Close) token.where.fail(inQuotes(token.text), "]");
  }
  return result;
}

PbrtParams PbrtText::params() {
  PbrtParams params;
  while (peek().kind == PbrtToken::Kind::Text) {
    const PbrtToken declaration = take();
    const TextFile text("", std::string(declaration.text));
    Words words(text, text.text(), {1, 1}, false);
    PbrtParam param;
    param.where = declaration.where;
    param.type = words.peek();
    if (!words.atEnd()) words.word("a type");
    param.name = words.rest();
    if (param.type.empty() || param.name.empty()) {
      declaration.where.fail(inQuotes(declaration.text), "\"TYPE NAME\" of a parameter");
    }
    values(param);
    params.all.push_back(std::move(param));
  }
  return params;
}

void PbrtText::values(PbrtParam& param) {
  if (peek().kind != PbrtToken::Kind::Open) {
    value(param);
    return;
  }
  take();
  while (peek().kind != PbrtToken::Kind::Close) value(param);
  take();
}

void PbrtText::value(PbrtParam& param) {
  const PbrtToken token = take();
  if (token.kind == PbrtToken::Kind::Text || token.text == "true" || token.text == "false") {
    param.texts.emplace_back(token.text);
  } else {
    param.numbers.push_back(toNumber(token, "a value of a parameter, ] behind the last one"));
  }
}

std::filesystem::path PbrtText::file(const std::string& name, const Where& where) const {
  std::filesystem::path found = fileBeside(first_, name);
  if (found.empty()) found = fileBeside(where.file->name(), name);
  if (found.empty()) where.fail("no such file: " + inQuotes(name), "a file beside the scene");
  return found;
}

void PbrtText::include(const PbrtToken& name) {
  const std::filesystem::path path = file(std::string(name.text), name.where);
  if (open_.size() >= kMaxOpen || files_.size() >= kMaxFiles) {
    name.where.fail("one file more", "files at most 32 deep and 4096 in all");
  }
  const TextFile& text = keep(TextFile::read(path, builder_.reader("include")));
  charge(text.text().size(), name.where);
  open_.push_back({&text});
}

void PbrtText::charge(std::size_t bytes, const Where& where) {
  bytes_ += bytes;
  if (bytes_ > kMaxBytes) {
    where.fail("files of " + std::to_string(bytes_) + " bytes together",
               "at most " + std::to_string(kMaxBytes));
  }
}

}  // namespace rtvp::scene
