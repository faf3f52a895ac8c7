#include "platform/sweep/store.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "platform/exit_status.hpp"
#include "platform/inputs/input_json.hpp"

namespace rtvp::sweep {
namespace {

namespace json = boost::json;

constexpr const char* kTaken =
    "another sweep has this file, which one at a time may write: wait until it ends, or give -o "
    "another folder";
constexpr const char* kVersion = "3";
constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS point (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE,"
    " status INTEGER NOT NULL, message TEXT NOT NULL, wall_s REAL NOT NULL, asked TEXT NOT NULL,"
    " build TEXT NOT NULL, inputs TEXT NOT NULL, warnings TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS point_asked ON point (asked);"
    "CREATE TABLE IF NOT EXISTS stat (point INTEGER NOT NULL REFERENCES point(id) ON DELETE"
    " CASCADE, path TEXT NOT NULL, value REAL NOT NULL, unit TEXT NOT NULL, PRIMARY KEY (point,"
    " path)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS result (position INTEGER PRIMARY KEY, point INTEGER NOT NULL"
    " REFERENCES point(id) ON DELETE CASCADE);"
    "CREATE TABLE IF NOT EXISTS setting (position INTEGER NOT NULL REFERENCES result(position) ON"
    " DELETE CASCADE, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (position, key)) WITHOUT"
    " ROWID;"
    "CREATE TABLE IF NOT EXISTS figure (position INTEGER NOT NULL REFERENCES result(position) ON"
    " DELETE CASCADE, name TEXT NOT NULL, unit TEXT NOT NULL, value REAL, PRIMARY KEY (position,"
    " name)) WITHOUT ROWID;";

void flattenInto(Stats& stats, const json::object& object, const std::string& prefix) {
  const json::value* const units = object.if_contains("units");
  for (const auto& member : object) {
    const std::string key(member.key());
    if (key == "units" || key == "dsps") continue;
    const json::value& value = member.value();
    if (value.is_object()) {
      flattenInto(stats, value.get_object(), prefix + key + ".");
    } else if (value.is_number() || value.is_bool()) {
      Stat stat;
      stat.value = value.is_bool() ? (value.get_bool() ? 1 : 0) : value.to_number<double>();
      if (units != nullptr && units->is_object()) {
        const json::value* const unit = units->get_object().if_contains(key);
        if (unit != nullptr && unit->is_string()) stat.unit = std::string(unit->get_string());
      }
      stats[prefix + key] = std::move(stat);
    }
  }
}

}  // namespace

bool endsWithPath(std::string_view path, std::string_view name) {
  if (path.size() < name.size() || path.substr(path.size() - name.size()) != name) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '.';
}

Stats flatten(const json::object& statistics) {
  Stats stats;
  flattenInto(stats, statistics, "");
  return stats;
}

namespace {

// modules.pc1.board0.array: modules.pc#.board#.array
std::string withoutNumbers(std::string_view path) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string text;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    std::size_t word = end;
    while (word > at && digit(path[word - 1])) --word;
    text += (at == 0 ? "" : ".") + std::string(path.substr(at, word - at));
    if (word < end) text += '#';
    at = end + 1;
  }
  return text;
}

std::string inputsText(const std::vector<platform::InputFile>& inputs) {
  return json::serialize(json::array{platform::contentsOf(inputs), platform::pathsOf(inputs)});
}

std::vector<platform::InputFile> inputsOfText(const std::string& text) {
  const json::array both = json::parse(text).as_array();
  return platform::inputsFrom(both.at(0).as_array(), both.at(1).as_array());
}

}  // namespace

Meaning meaningOf(const Stats& stats, std::string_view name) {
  Meaning meaning;
  for (const auto& [path, stat] : stats) {
    if (!endsWithPath(path, name)) continue;
    std::string general = withoutNumbers(path);
    auto& known = meaning.candidates;
    if (std::find(known.begin(), known.end(), general) == known.end()) {
      known.push_back(std::move(general));
    }
    meaning.value = meaning.value.value_or(0) + stat.value;
  }
  if (!meaning.one()) meaning.value.reset();
  return meaning;
}

// Use of a prepared statement, one at a time of each text; the store keeps it for the next use.
// Every error becomes an exception with SQLite's text.
class Store::Statement {
 public:
  Statement(Store& store, const char* sql) : store_(store) {
    sqlite3_stmt*& known = store.statements_[sql];
    if (known == nullptr) {
      check(
          sqlite3_prepare_v3(store.database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &known, nullptr));
    }
    statement_ = known;
  }
  ~Statement() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int index, std::int64_t v) {
    check(sqlite3_bind_int64(statement_, index, v));
    return *this;
  }
  Statement& bind(int index, double v) {
    check(sqlite3_bind_double(statement_, index, v));
    return *this;
  }
  Statement& bind(int index, std::string_view v) {
    // A static destructor: the text outlives the step that follows.
    check(
        sqlite3_bind_text(statement_, index, v.data(), static_cast<int>(v.size()), SQLITE_STATIC));
    return *this;
  }
  Statement& bindNull(int index) {
    check(sqlite3_bind_null(statement_, index));
    return *this;
  }
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) check(code);
    return code == SQLITE_ROW;
  }
  void run() {
    step();
    check(sqlite3_reset(statement_));
  }
  std::int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }
  double number(int column) { return sqlite3_column_double(statement_, column); }
  std::string text(int column) {
    const auto* const bytes = sqlite3_column_text(statement_, column);
    return bytes == nullptr ? std::string() : reinterpret_cast<const char*>(bytes);
  }

 private:
  void check(int code) {
    if (code == SQLITE_OK) return;
    const std::string text = sqlite3_errmsg(store_.database_);
    throw platform::InputError(store_.name_ + ": " + (code == SQLITE_BUSY ? kTaken : text));
  }
  Store& store_;
  sqlite3_stmt* statement_ = nullptr;
};

Store::Store(const std::filesystem::path& file) : name_(file.string()) {
  const int code = sqlite3_open(name_.c_str(), &database_);
  try {
    if (code != SQLITE_OK) {
      throw platform::InputError(name_ + ": " + sqlite3_errmsg(database_));
    }
    // Exclusive from the first write on until the file is closed.
    execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA foreign_keys = ON; BEGIN IMMEDIATE;");
    execute(kSchema);
    checkVersion();
    // A log that is appended to: a point's transaction then waits for no disk. A process that dies
    // loses nothing by it; a computer that does may lose the last points, and no more.
    execute("COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  } catch (...) {
    close();
    throw;
  }
}

void Store::checkVersion() {
  Statement(*this, "INSERT OR IGNORE INTO meta VALUES ('schema_version', ?)")
      .bind(1, std::string_view(kVersion))
      .run();
  Statement version(*this, "SELECT value FROM meta WHERE key = 'schema_version'");
  if (version.step() && version.text(0) == kVersion) return;
  throw platform::InputError(name_ + ": made by another version of this program, expected " +
                             "schema version " + kVersion +
                             ": give -o another folder, or remove the file");
}

Store::~Store() {
  close();
}

void Store::close() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  // One file again, that can be read from anywhere; if that fails SQLite finds both.
  sqlite3_exec(database_, "PRAGMA journal_mode = DELETE;", nullptr, nullptr, nullptr);
  sqlite3_close_v2(database_);
}

void Store::execute(const char* sql) {
  const int code = sqlite3_exec(database_, sql, nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return;
  throw platform::InputError(
      name_ + ": " +
      (code == SQLITE_BUSY ? std::string(kTaken) : std::string(sqlite3_errmsg(database_))));
}

std::optional<PointResult> Store::find(const std::string& identity) {
  Statement point(
      *this, "SELECT id, status, message, wall_s, inputs, warnings FROM point WHERE identity = ?");
  point.bind(1, identity);
  if (!point.step()) return std::nullopt;
  PointResult result;
  result.status = static_cast<int>(point.integer(1));
  result.message = point.text(2);
  result.wallSeconds = point.number(3);
  try {
    result.inputs = inputsOfText(point.text(4));
    const json::value warnings = json::parse(point.text(5));
    for (const json::value& w : warnings.as_array()) result.warnings.emplace_back(w.as_string());
  } catch (const std::exception& e) {
    throw platform::InputError(name_ + ": damaged, point " + std::to_string(point.integer(0)) +
                               ": " + e.what() + ": give -o another folder, or remove the file");
  }
  Statement stat(*this, "SELECT path, value, unit FROM stat WHERE point = ?");
  stat.bind(1, point.integer(0));
  while (stat.step()) result.stats[stat.text(0)] = {stat.number(1), stat.text(2)};
  return result;
}

std::optional<Store::Earlier> Store::lastFor(const std::string& asked) {
  Statement point(
      *this, "SELECT build, inputs FROM point WHERE asked = ? AND status = 0 ORDER BY id DESC");
  point.bind(1, asked);
  if (!point.step()) return std::nullopt;
  try {
    return Earlier{point.text(0), inputsOfText(point.text(1))};
  } catch (const std::exception&) {
    return std::nullopt;  // it only explains why a point runs again
  }
}

void Store::save(const Point& asked, const std::string& build, const PointResult& result) {
  execute("BEGIN;");
  Statement(*this, "DELETE FROM point WHERE identity = ?").bind(1, asked.identity).run();
  const std::string inputs = inputsText(result.inputs);
  json::array list;
  for (const std::string& w : result.warnings) list.push_back(json::string(w));
  const std::string warnings = json::serialize(list);
  Statement(*this,
            "INSERT INTO point (identity, status, message, wall_s, asked, build, inputs, "
            "warnings) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(1, asked.identity)
      .bind(2, std::int64_t{result.status})
      .bind(3, result.message)
      .bind(4, result.wallSeconds)
      .bind(5, asked.asked)
      .bind(6, build)
      .bind(7, inputs)
      .bind(8, warnings)
      .run();
  const std::int64_t id = sqlite3_last_insert_rowid(database_);
  Statement stat(*this, "INSERT INTO stat VALUES (?, ?, ?, ?)");
  for (const auto& [path, s] : result.stats) {
    stat.bind(1, id).bind(2, path).bind(3, s.value).bind(4, s.unit).run();
  }
  execute("COMMIT;");
}

void Store::clear() {
  execute("DELETE FROM point;");
}

void Store::saveTable(const SweepSpec& spec, const std::vector<Point>& points,
                      const std::vector<std::vector<std::optional<double>>>& figures) {
  execute("BEGIN; DELETE FROM result;");
  Statement(*this, "INSERT OR REPLACE INTO meta VALUES ('name', ?)").bind(1, spec.name).run();
  Statement result(*this, "INSERT INTO result SELECT ?, id FROM point WHERE identity = ?");
  Statement setting(*this, "INSERT INTO setting VALUES (?, ?, ?)");
  Statement figure(*this, "INSERT INTO figure VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto position = static_cast<std::int64_t>(i);
    result.bind(1, position).bind(2, points[i].identity).run();
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
      setting.bind(1, position).bind(2, spec.axes[a].key).bind(3, points[i].values[a]).run();
    }
    for (std::size_t f = 0; f < spec.figures.size(); ++f) {
      figure.bind(1, position).bind(2, spec.figures[f].name).bind(3, spec.figures[f].unit);
      if (figures[i][f]) {
        figure.bind(4, *figures[i][f]);
      } else {
        figure.bindNull(4);
      }
      figure.run();
    }
  }
  execute("COMMIT;");
}

}  // namespace rtvp::sweep
