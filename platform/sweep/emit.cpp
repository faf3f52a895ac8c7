// See emit.hpp.
#include "platform/sweep/emit.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <utility>

#include "models/common/core/text.hpp"
#include "platform/exit_status.hpp"
#include "platform/sweep/values.hpp"

namespace rtvp::sweep {
namespace {

using platform::InputError;

constexpr std::array<std::pair<std::string_view, EmitFormat>, 4> kFormats = {
    {{"jsonl", EmitFormat::JsonLines},
     {"make", EmitFormat::Make},
     {"slurm", EmitFormat::Slurm},
     {"snakemake", EmitFormat::Snakemake}}};

// Slurm's MaxArraySize is 1001 unless a site changes it: more points than tasks share them.
constexpr std::size_t kMostTasks = 1000;

// As many digits of an identity as name a file.
std::string fileOf(const std::string& identity) {
  return identity.substr(0, 24);
}

std::string replaced(std::string_view text, char c, std::string_view by) {
  std::string out;
  for (const char at : text) {
    if (at == c) {
      out += by;
    } else {
      out += at;
    }
  }
  return out;
}

std::string shellWord(const std::string& text) {
  return "'" + replaced(text, '\'', R"('\'')") + "'";
}

std::string makeWord(const std::string& text) {
  return replaced(replaced(text, '$', "$$"), '#', "\\#");
}

std::string pythonWord(const std::string& text) {
  return boost::json::serialize(boost::json::string(text));
}

// What may stand in a comment and in a job's name.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += word || c == '-' || c == '_' || c == '.' ? c : '_';
  }
  return out;
}

std::string timeoutOf(const EmitOptions& options) {
  return options.timeoutSeconds > 0 ? " --timeout " + numberText(options.timeoutSeconds) : "";
}

Script makefileOf(const EmitOptions& options, const std::string& sweep,
                  const std::vector<std::string>& identities) {
  std::string text = "# Points of the sweep " + plain(sweep) +
                     ", written by `platform sweep --emit make`: make -k -jN.\n"
                     "# A result that is there is not made again; what a killed worker leaves is.\n"
                     "export PLATFORM ?= " +
                     makeWord(options.program.string()) +
                     "\nexport ROOT ?= " + makeWord(options.root.string()) + "\n\nRESULTS :=";
  for (const std::string& id : identities) text += " \\\n  results/" + fileOf(id) + ".json";
  text +=
      "\n\n.PHONY: all check\nall: $(RESULTS)\n\n"
      "# Folder, program, files and their contents, before the first point runs.\n"
      "check:\n"
      "\t@mkdir -p results && touch results/.writable && rm results/.writable\n"
      "\t@\"$$PLATFORM\" --worker --root \"$$ROOT\" --check < points.jsonl\n";
  for (std::size_t i = 0; i < identities.size(); ++i) {
    text += "\nresults/" + fileOf(identities[i]) + ".json: | check\n\t@sed -n " +
            std::to_string(i + 1) + "p points.jsonl | \"$$PLATFORM\" --worker --root \"$$ROOT\"" +
            timeoutOf(options) + " > $@.part && mv $@.part $@\n";
  }
  return {"Makefile", text, "make -k -j2"};
}

Script slurmOf(const EmitOptions& options, const std::string& sweep,
               const std::vector<std::string>& identities) {
  const std::string tasks =
      std::to_string(std::max<std::size_t>(1, std::min(identities.size(), kMostTasks)));
  return {"points.slurm",
          "#!/usr/bin/env bash\n"
          "# Points of the sweep " +
              plain(sweep) +
              ", written by `platform sweep --emit slurm`: `sbatch points.slurm` in this folder.\n"
              "# Each task of the array runs every " +
              tasks +
              "th line of points.jsonl.\n"
              "#SBATCH --job-name=" +
              plain(sweep) + "\n#SBATCH --array=1-" + tasks +
              "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n"
              "#SBATCH --output=slurm-%A_%a.log\n"
              "set -euo pipefail\n"
              "platform=${PLATFORM:-" +
              shellWord(options.program.string()) + "}\nroot=${ROOT:-" +
              shellWord(options.root.string()) +
              "}\ntask=${SLURM_ARRAY_TASK_ID:?expected a task of an array job (sbatch)}\n"
              "job=${SLURM_ARRAY_JOB_ID:-0}\n"
              "cd \"${SLURM_SUBMIT_DIR:-$(dirname \"${BASH_SOURCE[0]}\")}\"\n"
              "mkdir -p results && touch \"results/.writable-$job-$task\" && rm "
              "\"results/.writable-$job-$task\"\n"
              "mine() { awk -v task=\"$task\" 'NR % " +
              tasks + " == task % " + tasks +
              "' points.jsonl; }\n"
              "# Program, files and their contents too, before the first point runs.\n"
              "mine | \"$platform\" --worker --root \"$root\" --check\n"
              "mine | \"$platform\" --worker --root \"$root\"" +
              timeoutOf(options) + " > \"results/job-$job-$task.jsonl\"\n",
          "sbatch points.slurm"};
}

Script snakefileOf(const EmitOptions& options, const std::string& sweep) {
  return {
      "Snakefile",
      "# Points of the sweep " + plain(sweep) +
          ", written by `platform sweep --emit snakemake`: snakemake -k -jN.\n"
          "import json\nimport os\n\n"
          "PLATFORM = os.environ.get(\"PLATFORM\", " +
          pythonWord(options.program.string()) + ")\nROOT = os.environ.get(\"ROOT\", " +
          pythonWord(options.root.string()) +
          ")\nwith open(\"points.jsonl\", encoding=\"utf-8\") as points:\n"
          "    LINES = {json.loads(line)[\"identity\"][:24]: number for number, line in "
          "enumerate(points, 1)}\n\n\n"
          "rule all:\n"
          "    input:\n"
          "        expand(\"results/{point}.json\", point=LINES),\n\n\n"
          "# Folder, program, files and their contents, before the first point runs.\n"
          "rule check:\n"
          "    input:\n"
          "        \"points.jsonl\",\n"
          "    output:\n"
          "        touch(\"checked\"),\n"
          "    params:\n"
          "        platform=PLATFORM,\n"
          "        root=ROOT,\n"
          "    shell:\n"
          "        \"mkdir -p results && touch results/.writable && rm results/.writable && \"\n"
          "        \"{params.platform:q} --worker --root {params.root:q} --check < {input:q}\"\n"
          "\n\n"
          "rule point:\n"
          "    input:\n"
          "        ancient(\"checked\"),\n"
          "    output:\n"
          "        \"results/{point}.json\",\n"
          "    params:\n"
          "        line=lambda wildcards: LINES[wildcards.point],\n"
          "        platform=PLATFORM,\n"
          "        root=ROOT,\n"
          "    shell:\n"
          "        \"sed -n {params.line}p points.jsonl | {params.platform:q} --worker\"\n"
          "        \" --root {params.root:q}" +
          timeoutOf(options) + " > {output:q}\"\n",
      "snakemake -k -j2"};
}

}  // namespace

EmitFormat emitFormat(std::string_view word) {
  for (const auto& [name, format] : kFormats) {
    if (name == word) return format;
  }
  throw InputError("--emit: found " + common::quoted(word) +
                   ", expected jsonl, make, slurm or snakemake");
}

Script scriptOf(const EmitOptions& options, const std::string& sweep,
                const std::vector<std::string>& identities) {
  for (const auto& path : {options.program, options.root}) {
    if (path.string().find_first_of("\n\r\\") != std::string::npos) {
      throw InputError(common::quoted(path.string()) +
                       ": no script can name this, expected no line feed and no backslash");
    }
  }
  if (options.format == EmitFormat::Make) return makefileOf(options, sweep, identities);
  if (options.format == EmitFormat::Slurm) return slurmOf(options, sweep, identities);
  return snakefileOf(options, sweep);
}

}  // namespace rtvp::sweep
