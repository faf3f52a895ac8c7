// Gathering input sections, and the resulting image.
#include "models/c32/link/link_job.hpp"

#include <algorithm>

namespace rtvp::c32 {
namespace {

constexpr std::uint64_t kAddressSpace = 1u << 24;

std::uint32_t alignUp(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

std::string baseName(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string LinkResult::report() const {
  std::string text;
  for (const LinkMessage& m : messages)
    text += m.where + (m.error ? ": error: " : ": warning: ") + m.text + "\n";
  return text;
}

void LinkJob::error(const std::string& where, const std::string& text) {
  result_.messages.push_back({true, text, where});
  if (++errors_ < options_.maxErrors) return;
  result_.messages.push_back(
      {true, "found " + std::to_string(errors_) + " errors; the rest is not reported", "c32-ld"});
  throw TooMany();
}

void LinkJob::warning(const std::string& where, const std::string& text) {
  result_.messages.push_back({false, text, where});
}

LinkResult LinkJob::run() {
  try {
    takeMembers();
    prepareInitialisation();
    gather();
    sizeRuntimeSections();
    finishSizes();
    if (errors_ == 0) place();
    if (errors_ == 0) {
      defineSymbols();
      defineLinkerSymbols();
      resolve();
      entry_ = findEntry();
    }
  } catch (const TooMany&) {
    // The list ends here.
  }
  result_.map = makeMap();
  if (errors_ == 0) result_.image = makeImage();
  return std::move(result_);
}

void LinkJob::addPart(OutputSection& out, std::size_t input, std::size_t section) {
  const ObjectSection& s = inputs_[input].object.sections[section];
  Home& home = homes_[input][section];
  if (home.output >= 0) return;
  home.output = static_cast<int>(&out - outputs_.data());
  const std::string& file = inputs_[input].name;
  if (s.run || s.load) {
    const bool first = out.parts.empty();
    if (out.spec != nullptr && (out.spec->load.given() || out.spec->run.given())) {
      error(file,
            "section \"" + s.name + "\" has an address in its source and another in the script");
    } else if (!first && (s.run != out.run || s.load != out.load)) {
      error(file, "section \"" + s.name + "\" has an address in its source but stands behind the " +
                      "part of " + inputs_[out.parts.front().input].name);
    } else if (!first) {
      error(file, "section \"" + s.name + "\" has the same address in " +
                      inputs_[out.parts.front().input].name);
    }
    out.run = s.run;
    out.load = s.load;
  }
  if (s.kind != Section::Kind::Bss &&
      (out.kind == Section::Kind::Bss || s.kind == Section::Kind::Text))
    out.kind = s.kind;
  if (s.copy && out.type == OutputType::Normal) out.type = OutputType::Copy;
  out.parts.push_back({input, section, 0});
}

void LinkJob::gatherSpec(const OutputSpec& spec) {
  OutputSection out;
  out.name = spec.name;
  out.spec = &spec;
  out.type = spec.type;
  out.alignment = spec.alignment;
  out.fill = spec.fill;
  out.load = spec.load.address;
  out.run = spec.run.given() ? spec.run.address : spec.load.address;
  outputs_.push_back(std::move(out));
  const std::vector<InputPattern> all{{.file = "*", .sections = {spec.name}, .before = {}}};
  const std::vector<InputPattern>& patterns = spec.inputs.empty() ? all : spec.inputs;
  for (const InputPattern& p : patterns) {
    for (const ScriptAssignment& a : p.before)
      outputs_.back().assigned.push_back({&a, outputs_.back().parts.size(), 0});
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!matches(p.file, inputs_[i].name) && !matches(p.file, baseName(inputs_[i].name)))
        continue;
      for (const std::string& name : p.sections) {
        const auto& sections = inputs_[i].object.sections;
        for (std::size_t k = 0; k < sections.size(); ++k) {
          if (matches(name, sections[k].name)) addPart(outputs_.back(), i, k);
        }
      }
    }
  }
  for (const ScriptAssignment& a : spec.after)
    outputs_.back().assigned.push_back({&a, outputs_.back().parts.size(), 0});
}

/// Sections of the script in its order, then the others by name, in order of appearance.
void LinkJob::gather() {
  for (const LinkInput& input : inputs_) homes_.emplace_back(input.object.sections.size());
  for (const OutputSpec& spec : options_.script.sections) gatherSpec(spec);
  std::map<std::string, std::size_t> others;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    for (std::size_t k = 0; k < inputs_[i].object.sections.size(); ++k) {
      if (homes_[i][k].output >= 0) continue;
      const std::string& name = inputs_[i].object.sections[k].name;
      const auto [it, added] = others.try_emplace(name, outputs_.size());
      if (added) {
        OutputSection out;
        out.name = name;
        outputs_.push_back(std::move(out));
      }
      addPart(outputs_[it->second], i, k);
    }
  }
}

/// `. = expression` inside a section: a hole up to there. '.' counts from the section's begin.
bool LinkJob::move(const OutputSection::Assigned& assigned, const std::string& section,
                   std::uint64_t& size) {
  const auto constant = [&](const std::string& name) -> std::optional<std::uint32_t> {
    for (const auto& [known, value] : options_.script.constants) {
      if (known == name) return value;
    }
    return std::nullopt;
  };
  const std::string where = "line " + std::to_string(assigned.assignment->line) + " of the script";
  const auto to = evaluate(assigned.assignment->value, static_cast<std::uint32_t>(size), constant);
  if (!to || *to < size || *to > kAddressSpace) {
    error(where, "section \"" + section + "\": '.' may only grow, to a number known here");
    return false;
  }
  size = *to;
  return true;
}

void LinkJob::finishSizes() {
  std::uint64_t total = 0;
  for (OutputSection& out : outputs_) {
    std::uint64_t size = 0;
    auto assigned = out.assigned.begin();
    const auto assignUpTo = [&](std::size_t part) {
      for (; assigned != out.assigned.end() && assigned->part <= part; ++assigned) {
        assigned->here = static_cast<std::uint32_t>(size);
        if (assigned->assignment->symbol == "." && !move(*assigned, out.name, size)) return false;
      }
      return true;
    };
    for (std::size_t n = 0; n < out.parts.size(); ++n) {
      LinkPart& part = out.parts[n];
      if (!assignUpTo(n)) return;
      const ObjectSection& s = inputs_[part.input].object.sections[part.section];
      out.alignment = std::max(out.alignment, s.alignment);
      size = alignUp(static_cast<std::uint32_t>(size), s.alignment);
      part.offset = static_cast<std::uint32_t>(size);
      homes_[part.input][part.section].offset = part.offset;
      size += s.size;
      if (size > kAddressSpace) break;
    }
    if (!assignUpTo(out.parts.size())) return;
    if (out.spec != nullptr && out.spec->minimum)
      size = std::max<std::uint64_t>(size, *out.spec->minimum);
    if (out.type == OutputType::NoLoad) out.kind = Section::Kind::Bss;
    size = std::max<std::uint64_t>(size, out.least);
    total += out.initialised() ? size : 0;
    if (size > kAddressSpace || total > kAddressSpace)
      return error("c32-ld", "section \"" + out.name + "\" does not fit the 24-bit address space");
    out.size = static_cast<std::uint32_t>(size);
    if (!out.initialised()) continue;
    out.words.assign(out.size, out.fill);
    for (const LinkPart& part : out.parts) {
      const ObjectSection& s = inputs_[part.input].object.sections[part.section];
      if (s.kind == Section::Kind::Bss) {
        std::fill_n(out.words.begin() + part.offset, s.size, 0u);
      } else {
        std::copy(s.words.begin(), s.words.end(), out.words.begin() + part.offset);
      }
    }
  }
}

std::uint32_t LinkJob::findEntry() {
  const auto value = [&](const std::string& name) -> std::optional<std::uint32_t> {
    const auto it = globals_.find(name);
    if (it == globals_.end()) return std::nullopt;
    return it->second.value;
  };
  const std::string wanted = options_.entry.empty() ? options_.script.entry : options_.entry;
  if (!wanted.empty()) {
    if (const auto v = value(wanted)) return *v & 0xFFFFFFu;
    error("c32-ld", "entry symbol '" + wanted + "' is not defined by any file");
    return 0;
  }
  for (const char* name : {"_c_int00", "_start"}) {
    if (const auto v = value(name)) return *v & 0xFFFFFFu;
  }
  for (const LinkInput& input : inputs_) {
    if (input.object.entry) return *input.object.entry & 0xFFFFFFu;
  }
  const auto first = std::find_if(outputs_.begin(), outputs_.end(), [](const OutputSection& o) {
    return o.size != 0 && o.initialised();
  });
  return first == outputs_.end() ? 0 : first->runBase;
}

Image LinkJob::makeImage() {
  Image image;
  image.entry = entry_;
  std::vector<int> index(outputs_.size(), -1);
  for (std::size_t n = 0; n < outputs_.size(); ++n) {
    OutputSection& out = outputs_[n];
    if (out.size == 0 || out.type == OutputType::Dummy) continue;
    if (out.type == OutputType::Copy) {
      image.copies.push_back({out.name, 0, 0, out.size, out.kind, std::move(out.words)});
      continue;
    }
    index[n] = static_cast<int>(image.sections.size());
    image.sections.push_back(
        {out.name, out.loadBase, out.runBase, out.size, out.kind, std::move(out.words)});
  }
  for (const auto& [name, global] : globals_) {
    const int section = global.output < 0 ? -1 : index[static_cast<std::size_t>(global.output)];
    image.symbols[name] = {global.value, section, true};
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Object& object = inputs_[i].object;
    for (const ObjectSymbol& s : object.symbols) {
      if (s.external || s.sectionSymbol || s.section == ObjectSymbol::kUndefined) continue;
      if (s.name.find_first_of("+@") != std::string::npos) continue;  // made for one relocation
      int section = -1;
      if (s.section >= 0) {
        const Home& home = homes_[i][static_cast<std::size_t>(s.section)];
        section = index[static_cast<std::size_t>(home.output)];
      }
      const Symbol symbol{valueOf(i, s).value_or(0), section, false};
      const auto [it, added] = image.symbols.try_emplace(s.name, symbol);
      if (!added && it->second != symbol)
        image.symbols.try_emplace(s.name + "@" + baseName(inputs_[i].name), symbol);
    }
    joinDebug(i, index, image.debug);
    const auto firstFile = static_cast<std::uint32_t>(image.files.size());
    image.files.insert(image.files.end(), object.files.begin(), object.files.end());
    for (const ObjectLine& l : object.lines) {
      const Home& home = homes_[i][l.section];
      const OutputSection& out = outputs_[static_cast<std::size_t>(home.output)];
      image.lines.push_back({out.runBase + home.offset + l.offset, firstFile + l.file, l.line});
    }
  }
  std::stable_sort(image.lines.begin(), image.lines.end(),
                   [](const LineEntry& a, const LineEntry& b) { return a.address < b.address; });
  return image;
}

/// The debug information of an input behind that of the ones before: entries that name others are
/// renumbered, places become addresses.
void LinkJob::joinDebug(std::size_t input, const std::vector<int>& index, DebugInfo& joined) const {
  const DebugInfo& from = inputs_[input].object.debug;
  const auto first = static_cast<int>(joined.entries.size());
  const auto settle = [&](int& section, std::uint32_t& place) {
    if (section < 0) return;
    const Home& home = homes_[input][static_cast<std::size_t>(section)];
    const auto output = static_cast<std::size_t>(home.output);
    place += outputs_[output].runBase + home.offset;
    section = index[output] < 0 ? DebugEntry::kNowhere : index[output];
  };
  for (DebugEntry e : from.entries) {
    settle(e.section, e.value);
    if (e.tag >= 0) e.tag += first;
    if (e.next >= 0) e.next += first;
    joined.entries.push_back(std::move(e));
  }
  for (DebugLine line : from.lines) {
    settle(line.section, line.place);
    line.function += first;
    if (line.section >= 0) joined.lines.push_back(line);
  }
}

LinkResult link(const std::vector<LinkInput>& inputs, const LinkOptions& options) {
  return LinkJob(inputs, options).run();
}

}  // namespace rtvp::c32
