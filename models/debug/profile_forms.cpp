// Profiles as people and their tools read them. See profile.hpp.
#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "models/common/core/print.hpp"
#include "models/common/core/text.hpp"
#include "models/debug/profile.hpp"

namespace rtvp::debug {
namespace {

using Big = unsigned long long;

using common::percent;
using common::print;

/// What a form shows one after the other: the machine, or its units.
std::vector<Profile::Unit> rowsOf(const Profile& profile, bool each) {
  return each ? profile.units : std::vector<Profile::Unit>{together(profile)};
}

ProfileSum sumOf(const Profile::Unit& unit, std::size_t causes) {
  ProfileSum sum;
  sum.cycles.resize(causes);
  for (const Profile::Place& place : unit.places) sum.add(place);
  return sum;
}

/// Causes that anything was lost to, by number.
std::vector<std::size_t> causesMet(const ProfileSum& sum) {
  std::vector<std::size_t> met;
  for (std::size_t c = 0; c < sum.cycles.size(); ++c) {
    if (sum.cycles[c] != 0) met.push_back(c);
  }
  return met;
}

// ---- table

using Named = std::pair<std::string, ProfileSum>;

void tableOf(std::string& out, const char* what, const std::vector<std::string>& causes,
             const std::vector<std::size_t>& met, std::uint64_t whole,
             const std::vector<Named>& rows) {
  print(out, "%14s %6s %13s %6s", "cycles", "%", "instructions", "CPI");
  for (const std::size_t c : met)
    print(out, " %*s", std::max<int>(12, static_cast<int>(causes[c].size())), causes[c].c_str());
  print(out, "  %s\n", what);
  for (const auto& [name, sum] : rows) {
    const std::uint64_t total = sum.total();
    print(out, "%14llu %6.2f %13llu", static_cast<Big>(total), percent(total, whole),
          static_cast<Big>(sum.executions));
    if (sum.executions == 0) {
      print(out, " %6s", "-");
    } else {
      print(out, " %6.2f", static_cast<double>(total) / static_cast<double>(sum.executions));
    }
    for (const std::size_t c : met) {
      print(out, " %*llu", std::max<int>(12, static_cast<int>(causes[c].size())),
            static_cast<Big>(sum.cycles[c]));
    }
    out += "  " + name + "\n";
  }
  out += "\n";
}

std::vector<Named> bySymbol(const Profile& profile, const Profile::Unit& unit) {
  std::map<std::string, ProfileSum> sums;
  for (const Profile::Place& place : unit.places)
    sums[symbolOf(profile.program, place.address)].add(place);
  std::vector<Named> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(), [](const Named& a, const Named& b) {
    return a.second.total() > b.second.total();
  });
  return rows;
}

std::vector<Named> byLine(const Profile& profile, const Profile::Unit& unit) {
  std::map<std::pair<std::string, std::uint32_t>, ProfileSum> sums;
  for (const Profile::Place& place : unit.places) {
    const Line* const line = profile.program.lineAt(place.address);
    if (line == nullptr) {
      sums[{common::hex(place.address, profile.program.addressDigits), 0}].add(place);
    } else {
      sums[{profile.program.files[line->file], line->number}].add(place);
    }
  }
  std::vector<Named> rows;
  for (const auto& [where, sum] : sums) {
    rows.emplace_back(
        where.second == 0 ? where.first : where.first + ":" + std::to_string(where.second), sum);
  }
  return rows;
}

}  // namespace

std::string profileTable(std::span<const Profile> profiles, bool each, std::string_view title) {
  std::string out = "profile of " + std::string(title) + "\n\n";
  for (const Profile& profile : profiles) {
    for (const Profile::Unit& row : rowsOf(profile, each)) {
      const ProfileSum sum = sumOf(row, profile.causes.size());
      const std::vector<std::size_t> met = causesMet(sum);
      print(out, "%s, %zu %s: %llu cycles, %llu instructions\n\n", row.name.c_str(),
            each ? std::size_t{1} : profile.units.size(),
            each || profile.units.size() == 1 ? "unit" : "units", static_cast<Big>(sum.total()),
            static_cast<Big>(sum.executions));
      tableOf(out, "symbol", profile.causes, met, sum.total(), bySymbol(profile, row));
      tableOf(out, "source line", profile.causes, met, sum.total(), byLine(profile, row));
    }
    if (each || profile.units.size() < 2) continue;
    const ProfileSum sum = sumOf(together(profile), profile.causes.size());
    std::vector<Named> rows;
    for (const Profile::Unit& unit : profile.units)
      rows.emplace_back(unit.name, sumOf(unit, profile.causes.size()));
    tableOf(out, "unit", profile.causes, causesMet(sum), sum.total(), rows);
  }
  return out;
}

// ---- callgrind

std::string profileCallgrind(std::span<const Profile> profiles, bool each, std::string_view title) {
  std::string out = "# callgrind format\nversion: 1\ncreator: rtvp\ncmd: ";
  out += std::string(title) + "\npositions: line\n";
  // One list of events for all machines: causes by their names.
  std::vector<std::string> events;
  for (const Profile& profile : profiles) {
    for (const std::string& cause : profile.causes) {
      if (std::find(events.begin(), events.end(), cause) == events.end()) events.push_back(cause);
    }
  }
  out += "events: cycles instructions";
  for (const std::string& event : events) out += " " + event;
  out += "\n";
  std::vector<std::uint64_t> totals(events.size() + 2);
  std::string body;
  for (const Profile& profile : profiles) {
    std::vector<std::size_t> column;
    for (const std::string& cause : profile.causes)
      column.push_back(static_cast<std::size_t>(std::find(events.begin(), events.end(), cause) -
                                                events.begin()));
    for (const Profile::Unit& row : rowsOf(profile, each)) {
      body += "ob=" + row.name + "\n";
      std::string file, function;
      for (const Profile::Place& place : row.places) {
        const Line* const line = profile.program.lineAt(place.address);
        std::string inFile = line == nullptr ? "???" : profile.program.files[line->file];
        std::string inFunction = symbolOf(profile.program, place.address);
        if (inFile != file || inFunction != function) {
          body += "fl=" + inFile + "\nfn=" + inFunction + "\n";
          file = std::move(inFile);
          function = std::move(inFunction);
        }
        std::vector<std::uint64_t> costs(totals.size());
        costs[1] = place.executions;
        for (std::size_t c = 0; c < place.cycles.size(); ++c) {
          costs[0] += place.cycles[c];
          costs[2 + column[c]] = place.cycles[c];
        }
        body += std::to_string(line == nullptr ? 0 : line->number);
        for (std::size_t e = 0; e < costs.size(); ++e) {
          totals[e] += costs[e];
          body += " " + std::to_string(costs[e]);
        }
        body += "\n";
      }
    }
  }
  std::string sums;
  for (const std::uint64_t total : totals) sums += " " + std::to_string(total);
  return out + "summary:" + sums + "\n\n" + body + "\ntotals:" + sums + "\n";
}

// ---- flame graph

namespace {

/// A rectangle with those that stand on it.
struct Flame {
  std::uint64_t cycles = 0;
  std::map<std::string, Flame> above;

  Flame& grow(const std::string& name, std::uint64_t more) {
    Flame& next = above[name];
    next.cycles += more;
    return next;
  }
  [[nodiscard]] int height() const {
    int most = 0;
    for (const auto& [name, flame] : above) most = std::max(most, flame.height());
    return most + 1;
  }
};

constexpr double kWide = 1200, kRow = 18, kLetter = 7;

/// Warm, and the same for the same name.
std::string colourOf(const std::string& name) {
  std::uint32_t h = 2166136261u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return "rgb(" + std::to_string(205 + h % 50) + "," + std::to_string(90 + h / 50 % 130) + "," +
         std::to_string(40 + h / 6500 % 40) + ")";
}

void draw(std::string& out, const std::string& name, const Flame& flame, double x, double wide,
          double y, std::uint64_t whole) {
  constexpr double kVisible = 0.3;
  if (wide < kVisible) return;
  const std::string safe = common::markup(name);
  print(out, "<g><rect x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\" fill=\"%s\"/>", x, y,
        wide, kRow - 1, colourOf(name).c_str());
  print(out, "<title>%s: %llu cycles, %.2f %%</title>", safe.c_str(),
        static_cast<Big>(flame.cycles), percent(flame.cycles, whole));
  const auto letters = static_cast<std::size_t>((wide - 6) / kLetter);
  if (wide > 6 + 3 * kLetter) {
    const std::string text = name.size() <= letters ? name : name.substr(0, letters - 2) + "..";
    print(out, "<text x=\"%.1f\" y=\"%.0f\">%s</text>", x + 3, y + kRow - 5,
          common::markup(text).c_str());
  }
  out += "</g>\n";
  for (const auto& [other, above] : flame.above) {
    const double part =
        wide * static_cast<double>(above.cycles) / static_cast<double>(flame.cycles);
    draw(out, other, above, x, part, y - kRow, whole);
    x += part;
  }
}

}  // namespace

std::string profileFlameGraph(std::span<const Profile> profiles, bool each,
                              std::string_view title) {
  Flame all;
  for (const Profile& profile : profiles) {
    for (const Profile::Unit& row : rowsOf(profile, each)) {
      for (const Profile::Place& place : row.places) {
        const std::uint64_t cycles =
            std::accumulate(place.cycles.begin(), place.cycles.end(), std::uint64_t{0});
        if (cycles == 0) continue;
        all.cycles += cycles;
        const Line* const line = profile.program.lineAt(place.address);
        const std::string file = line == nullptr ? "???" : profile.program.files[line->file];
        Flame& symbol = all.grow(row.name, cycles)
                            .grow(file, cycles)
                            .grow(symbolOf(profile.program, place.address), cycles);
        for (std::size_t c = 0; c < place.cycles.size(); ++c) {
          if (place.cycles[c] != 0) symbol.grow(profile.causes[c], place.cycles[c]);
        }
      }
    }
  }
  const double high = kRow * all.height() + 40;
  std::string out;
  print(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "font-family=\"monospace\" font-size=\"11\">\n",
        kWide, high);
  out += "<text x=\"10\" y=\"18\" font-size=\"13\">" + common::markup(title) +
         ": cycles by unit, file, symbol and cause</text>\n";
  draw(out, "all", all, 0, kWide, high - kRow, std::max<std::uint64_t>(all.cycles, 1));
  return out + "</svg>\n";
}

}  // namespace rtvp::debug
