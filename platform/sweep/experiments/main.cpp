// Runs the experiments of board.md 1.6 and writes docs/results: `scripts/experiments`.
#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <iostream>
#include <systemc>

#include "models/common/core/file_io.hpp"
#include "platform/exit_status.hpp"
#include "platform/sweep/experiments/experiment.hpp"

namespace rtvp::sweep {
namespace {

namespace po = boost::program_options;

struct Experiment {
  std::vector<std::string_view> ids;
  std::vector<Finding> (*run)(const Laboratory& lab);
};

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list = {{{"TS-060", "TS-061", "TS-062"}, testRates},
                                               {{"TS-063", "TS-072"}, refresh},
                                               {{"TS-064"}, smallestMemory},
                                               {{"TS-065", "TS-067"}, scaling},
                                               {{"TS-066"}, recordSizes},
                                               {{"TS-068"}, coherence},
                                               {{"TS-070"}, spheres},
                                               {{"TS-071"}, profile},
                                               {{"TS-073"}, objectsOnARay}};
  return list;
}

bool wanted(const Experiment& e, const std::vector<std::string>& ids) {
  return ids.empty() || std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
           return std::find(e.ids.begin(), e.ids.end(), id) != e.ids.end();
         });
}

void checkIds(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    const bool known = std::any_of(experiments().begin(), experiments().end(),
                                   [&](const Experiment& e) { return wanted(e, {id}); });
    if (known) continue;
    throw platform::InputError("found '" + id + "', expected TS-060 to TS-068 or TS-070 to TS-073");
  }
}

void print(const Finding& f) {
  std::printf("%s\n  claim     %s\n  measured  %s\n  verdict   %s\n\n", f.id.c_str(),
              f.claim.c_str(), f.measurement.c_str(), f.verdict.c_str());
  std::fflush(stdout);
}

std::string page(const std::vector<Finding>& findings) {
  std::string out =
      "# Results\n\nWhat the 1996 text claims and what the simulated machine measures "
      "(`scripts/experiments` makes this page; requirement numbers are the project's). Every "
      "figure is of the default board unless a line says otherwise: 30 MHz H1, 11.5 Mbit/s chain, "
      "zero wait states.\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const Finding& f : findings) {
    std::string anchor = f.id;
    std::transform(anchor.begin(), anchor.end(), anchor.begin(), [](char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    rows.push_back({"[" + f.id + "](#" + anchor + ")", f.claim, f.verdict});
  }
  out += table({"", "claim", "verdict"}, rows);
  for (const Finding& f : findings) {
    out += "\n## " + f.id + "\n\n**Claim.** " + f.claim + "\n\n**Measured.** " + f.measurement +
           "\n\n**Verdict.** " + f.verdict + "\n";
    for (const Illustration& i : f.illustrations) out += "\n![" + i.caption + "](" + i.file + ")\n";
    if (!f.details.empty()) out += "\n" + f.details;
  }
  return out;
}

void write(const std::filesystem::path& folder, const std::vector<Finding>& findings) {
  std::filesystem::create_directories(folder);
  for (const Finding& f : findings) {
    for (const Illustration& i : f.illustrations)
      common::replaceFile(folder / i.file, svgOf(i.chart));
  }
  common::replaceFile(folder / "README.md", page(findings));
}

int run(int argc, char** argv) {
  po::options_description options(
      "experiments: measures the claims of the 1996 text\n\n"
      "  experiments [options] [TS-060 ...]     all of them, or those named\n\nOptions");
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const auto text = [](const std::string& fallback) {
    return po::value<std::string>()->default_value(fallback);
  };
  auto add = options.add_options();
  add("help,h", "this text");
  add("jobs,j", po::value<int>()->default_value(1), "simulations at a time");
  add("scenes", text("scenes"), "folder of the scenes");
  add("scratch", text("build/experiments"),
      "folder for the runs; what is in it already is not run again");
  add("out", po::value<std::string>(),
      "folder for README.md and its plots; without it the findings are only printed");
  add("platform", text((self.parent_path() / "platform").string()), "the program");
  po::options_description all;
  all.add(options).add_options()("ids", po::value<std::vector<std::string>>());
  po::positional_options_description words;
  words.add("ids", -1);
  po::variables_map values;
  po::store(po::command_line_parser(argc, argv).options(all).positional(words).run(), values);
  if (values.count("help") != 0) {
    std::cout << options;
    return 0;
  }
  const auto ids = values.count("ids") != 0 ? values["ids"].as<std::vector<std::string>>()
                                            : std::vector<std::string>();
  checkIds(ids);
  const Laboratory lab(values["platform"].as<std::string>(), values["scenes"].as<std::string>(),
                       values["scratch"].as<std::string>(),
                       std::clamp(values["jobs"].as<int>(), 1, 256));
  std::vector<Finding> findings;
  for (const Experiment& e : experiments()) {
    if (!wanted(e, ids)) continue;
    for (Finding& f : e.run(lab)) {
      print(f);
      findings.push_back(std::move(f));
    }
  }
  std::sort(findings.begin(), findings.end(),
            [](const Finding& a, const Finding& b) { return a.id < b.id; });
  if (values.count("out") != 0) write(values["out"].as<std::string>(), findings);
  return 0;
}

int runSafely(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const platform::InputError& e) {
    std::fprintf(stderr, "experiments: error: %s\n", e.what());
  } catch (const po::error& e) {
    std::fprintf(stderr, "experiments: error: %s\n", e.what());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "experiments: error: %s\n", e.what());
    return platform::toInt(platform::ExitStatus::Internal);
  }
  return platform::toInt(platform::ExitStatus::BadInput);
}

}  // namespace
}  // namespace rtvp::sweep

int main(int argc, char** argv) {
  return rtvp::sweep::runSafely(argc, argv);
}

// The SystemC library refers to it; nothing here is simulated in this process.
extern "C" int sc_main(int argc, char** argv) {
  return rtvp::sweep::runSafely(argc, argv);
}
