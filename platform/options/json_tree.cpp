#include "platform/options/json_tree.hpp"

#include <algorithm>
#include <map>

#include "platform/exit_status.hpp"
#include "platform/options/json_events.hpp"

namespace rtvp::platform {
namespace {

constexpr std::size_t kDeepest = 8;
constexpr std::size_t kLongestQuote = 60;  // of the user's text in a message

std::string quoted(const std::string& text) {
  return "'" + (text.size() <= kLongestQuote ? text : text.substr(0, kLongestQuote) + "...") + "'";
}

class TreeReader : public JsonReader {
 public:
  JsonNode root;

  Fault beginObject(int line) override { return open(JsonNode::Kind::Object, line); }
  void endObject() override { open_.pop_back(); }
  Fault beginArray(int line) override { return open(JsonNode::Kind::Array, line); }
  void endArray() override { open_.pop_back(); }
  Fault key(std::string name, int line) override {
    const auto [before, isNew] = open_.back().names.emplace(name, line);
    if (!isNew) {
      return "found a second member " + quoted(name) + ", expected one; the first is in line " +
             std::to_string(before->second);
    }
    key_ = std::move(name);
    return {};
  }
  Fault scalar(Scalar kind, std::string text, int line) override {
    JsonNode& node = append(kindOf(kind), line);
    node.text = std::move(text);
    return {};
  }

 private:
  // An open object or array. Nodes stay where they are while a child of theirs is open: only the
  // innermost one grows.
  struct Open {
    JsonNode* node = nullptr;
    std::map<std::string, int> names;  // of the members so far, and their lines
  };

  static JsonNode::Kind kindOf(Scalar kind) {
    switch (kind) {
      case Scalar::String:
        return JsonNode::Kind::String;
      case Scalar::Number:
        return JsonNode::Kind::Number;
      case Scalar::Flag:
        return JsonNode::Kind::Flag;
      case Scalar::Null:
        break;
    }
    return JsonNode::Kind::Null;
  }

  JsonNode& append(JsonNode::Kind kind, int line) {
    JsonNode* node = &root;
    if (!open_.empty()) node = &open_.back().node->children.emplace_back();
    node->kind = kind;
    node->line = line;
    node->key.swap(key_);
    key_.clear();
    return *node;
  }
  Fault open(JsonNode::Kind kind, int line) {
    if (open_.size() == kDeepest) {
      return "found objects and lists nested more than " + std::to_string(kDeepest) +
             " deep, expected at most that";
    }
    open_.push_back({&append(kind, line), {}});
    return {};
  }

  std::string key_;
  std::vector<Open> open_;
};

}  // namespace

const JsonNode* JsonNode::find(std::string_view name) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const JsonNode& child) { return child.key == name; });
  return kind == Kind::Object && found != children.end() ? &*found : nullptr;
}

std::string JsonNode::describe() const {
  switch (kind) {
    case Kind::Object:
      return "an object";
    case Kind::Array:
      return "a list";
    case Kind::String:
      return "the text " + quoted(text);
    case Kind::Number:
      return "the number " + text.substr(0, kLongestQuote);
    case Kind::Flag:
      return text == "on" ? "true" : "false";
    case Kind::Null:
      break;
  }
  return "null";
}

JsonNode readJsonTree(const std::string& name, std::string_view text, const std::string& what) {
  TreeReader reader;
  const auto problem = readJson(text, reader);
  if (!problem) return std::move(reader.root);
  switch (problem->kind) {
    case JsonProblem::Kind::Refused:
      throw InputError(name + ":" + std::to_string(problem->line) + ": " + problem->text);
    case JsonProblem::Kind::Syntax:
      refuseAt(name, problem->line, "what is no JSON (" + problem->text + ")", what);
    case JsonProblem::Kind::Trailing:
      break;
  }
  refuseAt(name, problem->line, "text after the end", "nothing after " + what);
}

void refuseAt(const std::string& name, int line, const std::string& found,
              const std::string& expected) {
  throw InputError(name + ":" + std::to_string(line) + ": found " + found + ", expected " +
                   expected);
}

}  // namespace rtvp::platform
