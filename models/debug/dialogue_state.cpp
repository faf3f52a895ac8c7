// What of a dialogue outlives a step back in time: dialogue.hpp, save() and restore().
#include <boost/json/array.hpp>
#include <boost/json/value_to.hpp>

#include "models/debug/dialogue.hpp"

namespace rtvp::debug {
namespace {

namespace json = boost::json;

json::object saved(const Stop& stop, const std::vector<Unit*>& units) {
  return {{"id", stop.id},
          {"command", stop.command(units)},
          {"focus", stop.focus},
          {"hits", stop.hits},
          {"enabled", stop.enabled}};
}

std::string text(const json::value& v) {
  return json::value_to<std::string>(v);
}

}  // namespace

json::object Dialogue::save() const {
  json::array stops, displays, pending, ignored;
  for (const Stop& s : watcher_.stops().all()) stops.push_back(saved(s, scope_.units));
  for (const Expression& e : displays_) displays.emplace_back(e.text());
  for (const Pending& p : pending_)
    pending.push_back(json::object{{"text", p.text}, {"where", p.where}, {"typed", p.typed}});
  for (std::size_t u = 0; u < scope_.units.size(); ++u) {
    if (watcher_.ignored(u)) ignored.push_back(u);
  }
  return {{"stops", std::move(stops)},
          {"next", watcher_.stops().nextId()},
          {"displays", std::move(displays)},
          {"pending", std::move(pending)},
          {"ignored", std::move(ignored)},
          {"focus", focus_},
          {"repeat", repeat_},
          {"moved", moved_},
          {"host", host_.save()}};
}

/// It may be about units of another kind than the focus.
void Dialogue::restoreDisplay(const std::string& expression) {
  for (const std::size_t reader : readers()) {
    try {
      std::size_t at = 0;
      displays_.push_back(Expression::parse(expression, at, scope_, reader));
      return;
    } catch (const CommandError&) {
      continue;
    }
  }
}

void Dialogue::restore(const json::object& state) {
  host_.restore(state.at("host").as_object());
  repeat_ = text(state.at("repeat"));
  moved_ = state.at("moved").as_bool();
  watcher_.stops().clear();
  for (const json::value& v : state.at("stops").as_array()) {
    const json::object& s = v.as_object();
    focus_ = s.at("focus").to_number<std::size_t>();
    Stop stop = stopFrom(*this, text(s.at("command")));
    stop.id = s.at("id").to_number<int>();
    stop.hits = s.at("hits").to_number<std::uint64_t>();
    stop.enabled = s.at("enabled").as_bool();
    watcher_.stops().restore(std::move(stop));
  }
  focus_ = state.at("focus").to_number<std::size_t>();
  watcher_.stops().setNextId(state.at("next").to_number<int>());
  watcher_.changed();
  displays_.clear();
  for (const json::value& v : state.at("displays").as_array()) restoreDisplay(text(v));
  pending_.clear();
  for (const json::value& v : state.at("pending").as_array()) {
    const json::object& p = v.as_object();
    pending_.push_back({text(p.at("text")), text(p.at("where")), p.at("typed").as_bool()});
  }
  for (std::size_t u = 0; u < scope_.units.size(); ++u) watcher_.setIgnored(u, false);
  for (const json::value& v : state.at("ignored").as_array())
    watcher_.setIgnored(v.to_number<std::size_t>(), true);
}

}  // namespace rtvp::debug
