// See comparison.hpp: one page with tables, bars and pictures, without script or other files.
#include <algorithm>
#include <array>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <cmath>
#include <cstdio>
#include <span>
#include <sstream>

#include "models/common/core/text.hpp"
#include "platform/report/comparison.hpp"
#include "platform/report/figures.hpp"

namespace rtvp::report {
namespace {

constexpr const char* kStyle = R"(<style>
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:78em;padding:0 1em;color:#222;background:#fff}
h1{margin-bottom:.1em}h2{margin-top:2em;border-bottom:1px solid #ddd}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px;margin:.6em 0}
th,td{border:1px solid #d4d4d4;padding:3px 8px;text-align:left;vertical-align:top}
th{background:#f3f4f6}.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.best{font-weight:600;background:#eaf6ea}.bad{background:#fde7e0}.note{color:#555;font-size:13px}
.bars{display:grid;grid-template-columns:max-content 1fr;gap:3px 12px;font-size:13px;align-items:center}
.bars .l{text-align:right}.track{background:#f1f2f4;position:relative;height:1.35em}
.fill{background:#a9cbee;height:100%}.fill.o{background:#d3d9df}.fill.m{background:#f3b39b}
.track span{position:absolute;left:6px;top:0;line-height:1.35em;text-shadow:0 0 3px #fff,0 0 3px #fff,0 0 3px #fff}
.shots{display:flex;flex-wrap:wrap;gap:18px}.shot{font-size:13px;max-width:100%}
.shot img{image-rendering:pixelated;display:block;border:1px solid #ddd;max-width:100%}
.cost{max-width:200px}
</style>
)";

std::string base64(std::span<const std::uint8_t> bytes) {
  using Sixes = boost::archive::iterators::transform_width<const std::uint8_t*, 6, 8>;
  using Letters = boost::archive::iterators::base64_from_binary<Sixes>;
  // The iterators read whole groups: three bytes at a time.
  std::vector<std::uint8_t> padded(bytes.begin(), bytes.end());
  padded.resize((bytes.size() + 2) / 3 * 3);
  std::string text(Letters(padded.data()), Letters(padded.data() + padded.size()));
  for (std::size_t i = 0; i < padded.size() - bytes.size(); ++i) text[text.size() - 1 - i] = '=';
  return text;
}

/// `times`: how many pixels of the page a pixel of the picture is.
std::string image(const Image& picture, const std::string& what, int times) {
  return "<img width=\"" + std::to_string(picture.width * times) + "\" alt=\"" +
         common::markup(what) + "\" src=\"data:image/png;base64," + base64(encodePng(picture)) +
         "\">";
}

std::string number(const std::optional<double>& value) {
  if (!value) return "&ndash;";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), *value >= 1000 ? "%.0f" : "%.4g", *value);
  return text.data();
}

std::string amount(const std::optional<double>& value) {
  return value ? scaled(*value, "") : "&ndash;";
}

std::string cell(const std::string& text, const char* kind = "n") {
  return "<td class=\"" + std::string(kind) + "\">" + text + "</td>";
}

bool isDone(const ComparedRun& run) {
  return run.state == ComparedRun::State::Done;
}

double fastest(const Comparison& all) {
  double most = 0;
  for (const ComparedRun& run : all.runs) most = std::max(most, run.raysPerSecond());
  return most;
}

void head(std::ostream& out, const Comparison& all) {
  const std::string title = all.scene + ", " + std::to_string(all.width) + "x" +
                            std::to_string(all.height) + ": machines side by side";
  out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\"><title>"
      << common::markup(title) << "</title>\n"
      << kStyle << "</head>\n<body>\n<h1>" << common::markup(title) << "</h1>\n<p>" << all.triangles
      << " triangles, " << all.spheres << " spheres, " << all.functions << " implicit surfaces.";
  for (const auto& [key, value] : all.said) {
    out << " <code>" << common::markup(key + "=" + value) << "</code>";
  }
  out << "</p>\n";
}

void mainTable(std::ostream& out, const Comparison& all, bool host) {
  out << "<h2>Every machine</h2>\n<div class=\"wide\"><table>\n<tr><th>machine</th><th>setting</th>"
         "<th>simulated time</th><th>rays/s</th><th>cycles</th><th>tests a ray</th><th>box tests a "
         "ray</th><th>node visits a ray</th><th>bytes moved a ray</th><th>limited by</th>"
         "<th>PSNR</th><th>wrong pixels</th><th>excused</th>"
      << (host ? "<th>host s</th>" : "") << "</tr>\n";
  const double most = fastest(all);
  for (const ComparedRun& run : all.runs) {
    if (!isDone(run)) continue;
    std::array<char, 32> psnr{"equal"};
    if (run.psnr) std::snprintf(psnr.data(), psnr.size(), "%.1f dB", *run.psnr);
    out << "<tr><td title=\"" << common::markup(run.help) << "\">" << common::markup(run.machine)
        << "</td><td title=\"" << common::markup(run.title) << "\">" << common::markup(run.setting)
        << "</td>" << cell(duration(run.simulatedSeconds))
        << cell(amount(run.raysPerSecond()), run.raysPerSecond() == most ? "n best" : "n")
        << cell(amount(run.cycles())) << cell(number(run.perRay(&MachineFigures::tests)))
        << cell(number(run.perRay(&MachineFigures::boxTests)))
        << cell(number(run.perRay(&MachineFigures::nodeVisits))) << cell(number(run.bytesPerRay()))
        << "<td>" << common::markup(run.limit) << " " << percent(run.limitShare) << "</td>"
        << cell(psnr.data()) << cell(std::to_string(run.wrongPixels), run.accepted ? "n" : "n bad")
        << cell(std::to_string(run.excusedPixels)) << (host ? cell(number(run.hostSeconds)) : "")
        << "</tr>\n";
  }
  out << "</table></div>\n";
  for (const ComparedRun& run : all.runs) {
    if (isDone(run)) continue;
    out << "<p><b>" << common::markup(run.label())
        << "</b> does not take this scene: " << common::markup(run.reason) << "</p>\n";
  }
}

void bar(std::ostream& out, const std::string& label, double share, const std::string& text,
         const char* kind) {
  std::array<char, 16> width{};
  std::snprintf(width.data(), width.size(), "%.2f", 100 * std::clamp(share, 0.0, 1.0));
  out << "<div class=\"l\">" << common::markup(label)
      << "</div><div class=\"track\"><div class=\"fill" << kind
      << "\" style=\"width:" << width.data() << "%\"></div><span>" << common::markup(text)
      << "</span></div>\n";
}

/// Every bar of a factor of ten is as long as the next: rates differ by thousands.
void rateBars(std::ostream& out, const Comparison& all) {
  double least = 0, most = 0;
  for (const ComparedRun& run : all.runs) {
    const double rate = run.raysPerSecond();
    if (!isDone(run) || rate <= 0) continue;
    least = least == 0 ? rate : std::min(least, rate);
    most = std::max(most, rate);
  }
  if (most == 0) return;
  const double low = std::floor(std::log10(least)) - 0.3;
  const double high = std::max(std::ceil(std::log10(most)), low + 1);
  out << "<h2>Rays a second of simulated time</h2>\n<p class=\"note\">Logarithmic: from 10<sup>"
      << std::floor(std::log10(least)) << "</sup> to 10<sup>" << high
      << "</sup>. Grey: original settings.</p>\n<div class=\"bars\">\n";
  for (const ComparedRun& run : all.runs) {
    if (!isDone(run) || run.raysPerSecond() <= 0) continue;
    bar(out, run.label(), (std::log10(run.raysPerSecond()) - low) / (high - low),
        scaled(run.raysPerSecond(), "rays/s"), run.setting == "best" ? "" : " o");
  }
  out << "</div>\n";
}

void resourceBars(std::ostream& out, const Comparison& all) {
  out << "<h2>What each part does</h2>\n<p class=\"note\">Share of the simulated time that a part "
         "is at work or waited for; parts work at the same time, so shares need not add up. Red: "
         "the largest, what limits the machine.</p>\n";
  for (const ComparedRun& run : all.runs) {
    if (!isDone(run)) continue;
    out << "<h3>" << common::markup(run.label()) << "</h3>\n<p class=\"note\">"
        << common::markup(run.title);
    for (const auto& [key, value] : run.set) {
      out << " <code>" << common::markup(key + "=" + value) << "</code>";
    }
    out << "</p>\n";
    // What a setting rests on, its guesses among it, stands where the setting does.
    if (!run.note.empty()) out << "<p class=\"note\">" << common::markup(run.note) << "</p>\n";
    out << "<div class=\"bars\">\n";
    for (const MemberFigures& member : run.members) {
      for (const Resource& r : member.figures.resources) {
        const std::string name = (run.members.size() > 1 ? member.machine + ": " : "") + r.name;
        bar(out, name, r.share, percent(r.share) + "  " + r.meaning, name == run.limit ? " m" : "");
      }
      if (!member.figures.idle) continue;
      bar(out, (run.members.size() > 1 ? member.machine + ": " : "") + "idle", *member.figures.idle,
          percent(*member.figures.idle) + "  nothing to do: rays are elsewhere or on their way",
          " o");
    }
    out << "</div>\n";
  }
}

void pictures(std::ostream& out, const Comparison& all) {
  const int times = std::max(1, 256 / std::max(1, std::max(all.width, all.height)));
  out << "<h2>Pictures</h2>\n<div class=\"shots\">\n<div class=\"shot\">"
      << image(all.reference, "reference", times) << "reference, double precision</div>\n";
  for (const ComparedRun& run : all.runs) {
    if (!isDone(run)) continue;
    out << "<div class=\"shot\">" << image(run.picture, run.label(), times)
        << common::markup(run.label()) << ": "
        << (run.psnr ? number(*run.psnr) + " dB" : "equal to the reference") << ", "
        << run.wrongPixels << " wrong pixels</div>\n";
  }
  out << "</div>\n";
}

void costMaps(std::ostream& out, const Comparison& all) {
  const int times = std::max(1, 192 / std::max(1, std::max(all.width, all.height)));
  out << "<h2>Cost maps</h2>\n<p class=\"note\">What each pixel cost, all rays that descend from "
         "it "
         "included: black (nothing) over blue, red and yellow to white (what one pixel in 500 "
         "exceeds), in a scale of its own for each picture.</p>\n";
  for (const ComparedRun& run : all.runs) {
    if (!isDone(run)) continue;
    out << "<h3>" << common::markup(run.label()) << "</h3>\n<div class=\"shots\">\n";
    for (const CostPicture& cost : run.costs) {
      out << "<div class=\"shot cost\">"
          << image(cost.picture, run.label() + ", " + cost.title, times) << "<b>"
          << common::markup(cost.title) << "</b>: mean " << number(cost.mean) << ", white "
          << number(cost.white)
          << (cost.outside > 0 ? ", no pixel's: " + percent(cost.outside) : "") << "</div>\n";
    }
    out << "</div>\n";
  }
  // One list: it is the same for all settings of a machine.
  std::vector<std::string> said;
  for (const ComparedRun& run : all.runs) {
    for (const std::string& sentence : run.uncounted) {
      if (std::find(said.begin(), said.end(), sentence) == said.end()) said.push_back(sentence);
    }
  }
  out << "<p class=\"note\">Not counted by pixel:</p>\n<ul class=\"note\">\n";
  for (const std::string& sentence : said) out << "<li>" << common::markup(sentence) << "</li>\n";
  out << "</ul>\n";
}

void parts(std::ostream& out, const Comparison& all) {
  out << "<h2>Parts</h2>\n<p class=\"note\">Multipliers, bytes and dollars are those of all parts "
         "of "
         "a line. A guess is marked as one.</p>\n";
  for (const ComparedRun& run : all.runs) {
    if (!isDone(run) || run.parts.empty()) continue;
    out << "<h3>" << common::markup(run.label())
        << "</h3>\n<div class=\"wide\"><table>\n<tr><th>part</th>"
           "<th>kind</th><th>how many</th><th>each</th><th>multipliers</th><th>memory, bytes</th>"
           "<th>bytes/s</th><th>dollars</th><th>source</th></tr>\n";
    for (const ListedPart& p : run.parts) {
      out << "<tr><td>" << common::markup(p.name) << "</td><td>" << common::markup(p.role)
          << "</td>" << cell(number(p.count)) << "<td>" << common::markup(p.each) << "</td>"
          << cell(number(p.multipliers)) << cell(amount(p.memoryBytes))
          << cell(amount(p.bytesPerSecond)) << cell(number(p.dollars)) << "<td>"
          << (p.guess ? "<b>guess</b>: " : "") << common::markup(p.source) << "</td></tr>\n";
    }
    out << "</table></div>\n";
  }
}

constexpr const char* kMeaning = R"(<h2>What the figures mean</h2>
<ul>
<li>A ray is an eye, shadow or secondary ray of the picture. Figures a ray are means over all of them, of the
machine itself without the units beside it.</li>
<li>A test is one record (triangle, sphere, surface) against one ray that may still hit; fillers and rays that are
blocked already do not count. A box test is one box against one ray.</li>
<li>Bytes moved: between the machine and the host or main memory, not inside it.</li>
<li>Wrong pixels: the eye ray's hit is another primitive's, or elsewhere on it, without an excuse (an outline or a tie
that rounding decides). Machines without spheres are compared with the reference's view of the same triangles.</li>
<li>Times, rates and what limits a machine follow from its clock and latencies. Where no part was
measured these are guesses, as the settings' notes say: who is faster, and by how much, moves with them.</li>
<li>The host's own work costs no simulated time unless <code>processor.profile</code> says otherwise. Host seconds are
those of the computer that simulated, with all it had to do.</li>
</ul>
)";

}  // namespace

std::string comparisonPage(const Comparison& all, bool host) {
  std::ostringstream out;
  head(out, all);
  mainTable(out, all, host);
  rateBars(out, all);
  resourceBars(out, all);
  pictures(out, all);
  costMaps(out, all);
  parts(out, all);
  out << kMeaning << "</body></html>\n";
  return out.str();
}

}  // namespace rtvp::report
