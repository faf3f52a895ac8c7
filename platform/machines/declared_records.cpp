#include "platform/machines/declared_records.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <system_error>
#include <utility>

#include "models/c32/float40.hpp"
#include "models/common/core/shared_files.hpp"
#include "models/common/core/text.hpp"
#include "models/common/core/unreadable.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/machines/record_layout.hpp"

namespace rtvp::platform {
namespace {

namespace ts = rtvp::tigershark;
using host::WordFormat;

std::string wordsOf(std::uint32_t address, std::uint32_t word) {
  return common::hex(address, 6) + "h  " + common::hex(word, 8) + "h";
}

/// Text of the words of one board's SRAM.
class DumpText {
 public:
  DumpText(const DeclaredRecords::Dump& of, const host::RecordLayout* layout)
      : of_(of), layout_(layout) {
    for (const c32::Section& section : of.firmware.sections) nameSection(section);
    names_[ts::kResetVector] = "reset vector";
    names_[ts::kParamDatabase] = "first record of the page";
    names_[ts::kParamNodes] = "DSPs";
    names_[ts::kMasterMark] = "mark of DSP 0";
  }

  std::string text() {
    text_ = "# SRAM of " + of_.board + " before the first batch, " + std::to_string(of_.words) +
            " words: address, word, symbol or record\n";
    const std::uint32_t first = of_.word(ts::kParamDatabase);
    plain(0, std::min(first, of_.words));
    plain(records(first), of_.words);
    return std::move(text_);
  }

 private:
  /// Labels lie where their words are loaded.
  void nameSection(const c32::Section& section) {
    for (const auto& [name, symbol] : of_.firmware.symbols) {
      if (symbol.section < 0) continue;
      const auto index = static_cast<std::size_t>(symbol.section);
      if (index >= of_.firmware.sections.size() || &of_.firmware.sections[index] != &section) {
        continue;
      }
      const std::uint32_t offset = symbol.value - section.runAddress;
      if (symbol.value < section.runAddress || offset >= section.words.size()) continue;
      std::string& all = names_[section.loadAddress + offset];
      all += (all.empty() ? "" : ", ") + name;
    }
  }

  void line(std::uint32_t address, const std::string& note) {
    text_ += wordsOf(address, of_.word(address)) + (note.empty() ? "" : "  " + note) + "\n";
  }

  /// Words that are no records; long runs of zeros in a line.
  void plain(std::uint32_t from, std::uint32_t to) {
    constexpr std::uint32_t kLongRun = 8;
    for (std::uint32_t at = from; at < to;) {
      std::uint32_t end = at;
      while (end < to && of_.word(end) == 0 && !names_.contains(end)) ++end;
      if (end - at >= kLongRun) {
        text_ += common::hex(at, 6) + "h  to " + common::hex(end - 1, 6) + "h: zero\n";
        at = end;
        continue;
      }
      const auto name = names_.find(at);
      line(at, name == names_.end() ? "" : name->second);
      ++at;
    }
  }

  /// A record of `count` words if they are there, described by `note` of each word.
  bool record(std::uint32_t at, std::uint32_t count, const std::string& header,
              const std::function<std::string(std::uint32_t)>& note) {
    if (count > of_.words - at) return false;
    line(at, header);
    for (std::uint32_t i = 1; i < count; ++i) line(at + i, "  " + note(i));
    return true;
  }
  std::string single(const char* name, std::uint32_t at) const {
    return name + (" = " + host::wordText(WordFormat::Single, of_.word(at)));
  }
  std::string address(const char* name, std::uint32_t at) const {
    return name + (" = " + host::wordText(WordFormat::Address, of_.word(at)));
  }

  /// From the first record to the terminator; returns the address behind it, or where the words
  /// stop to be records.
  std::uint32_t records(std::uint32_t at) {
    constexpr std::array kTriangle{"",     "v1.x", "v1.y", "v1.z", "e1.x",
                                   "e1.y", "e1.z", "e2.x", "e2.y", "e2.z"};
    constexpr std::array kSphere{"", "centre.x", "centre.y", "centre.z", "radius squared"};
    constexpr std::array kBox{"", "lo.x", "hi.x", "lo.y", "hi.y", "lo.z", "hi.z", "skip link"};
    while (at < of_.words) {
      const std::uint32_t header = of_.word(at);
      const std::string element = " of element " + std::to_string(header & ts::kElementMask);
      const auto named = [&](const auto& names) {
        return [&, this](std::uint32_t i) { return single(names[i], at + i); };
      };
      bool whole = true;
      std::uint32_t size = 0;
      if (const host::DeclaredRecord* type = layout_ != nullptr ? layout_->find(header) : nullptr) {
        size = type->size();
        whole = record(
            at, size,
            type->name + " of element " + std::to_string(header & host::kDeclaredElementMask),
            [&](std::uint32_t i) {
              const host::RecordWord& word = type->words[i - 1];
              return word.name + " = " + host::wordText(word.format, of_.word(at + i));
            });
      } else if (header >> ts::kRecordTypeShift == 0) {
        size = ts::kTriangleWords;
        whole = record(at, size, "triangle" + element, named(kTriangle));
      } else if (header >> ts::kRecordTypeShift == 1) {
        size = ts::kSphereWords;
        whole = record(at, size, "sphere" + element, named(kSphere));
      } else if (header >> ts::kRecordTypeShift == 2) {
        size = ts::kBoxWords;
        whole = record(at, size, "box", [&](std::uint32_t i) {
          return i + 1 == ts::kBoxWords ? address(kBox[i], at + i) : single(kBox[i], at + i);
        });
      } else {
        line(at, "end");
        return at + 1;
      }
      if (!whole) break;
      at += size;
    }
    return at;
  }

  const DeclaredRecords::Dump& of_;
  const host::RecordLayout* layout_;
  std::map<std::uint32_t, std::string> names_;
  std::string text_;
};

}  // namespace

void DeclaredRecords::load(InputFiles& files) {
  if (options_.records.empty()) return;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 20U;
  const auto file = common::inputFile(options_.records, "firmware");
  try {
    const std::vector<std::uint8_t> bytes = files.read("tigershark.records", file, kLargest);
    layout_ = readRecordLayout(file.string(), std::string(bytes.begin(), bytes.end()));
  } catch (const std::system_error&) {
    throw InputError("tigershark.records: " + options_.records + ": " +
                     common::unreadable(file, "a record layout"));
  }
}

void DeclaredRecords::check(const scene::Scene& scene, int hosts) {
  scene_ = &scene;
  const bool writes = !options_.sramDump.empty() || !options_.resultLog.empty();
  if (writes && hosts > 1) {
    throw InputError((options_.sramDump.empty() ? "tigershark.result_log: found "
                                                : "tigershark.sram_dump: found ") +
                     std::to_string(hosts) +
                     " --hosts, expected 1: each of them would write the file");
  }
  if (!layout_) return;
  for (const scene::Implicit& surface : scene.implicits) {
    if (layout_->find(surface) != nullptr) continue;
    std::string declared;
    for (const host::DeclaredRecord& type : layout_->types) {
      declared += (declared.empty() ? "" : ", ") + type.surface;
    }
    throw InputError(surface.where + "found a surface of " +
                     surface.model->file.filename().string() + ", expected one for which " +
                     options_.records +
                     " declares a record: " + (declared.empty() ? "it declares none" : declared));
  }
}

DeclaredRecords::File::File(std::string key, std::string name)
    : file_{std::move(key), std::move(name)} {
  try {
    contents_ = std::make_unique<common::FileReplacement>(file_.name);
  } catch (const std::system_error& e) {
    throw InputError(file_.key + ": " + e.what());
  }
}

void DeclaredRecords::File::write(const std::string& text) {
  if (!file_.problem.empty()) return;
  try {
    contents_->write(text);
  } catch (const std::system_error& e) {
    file_.problem = e.what();
  }
}

DiagnosticFile DeclaredRecords::File::finish() {
  try {
    if (file_.problem.empty()) contents_->commit();
  } catch (const std::system_error& e) {
    file_.problem = e.what();
  }
  return std::move(file_);
}

std::optional<DeclaredRecords::File> DeclaredRecords::opened(const char* key,
                                                             const std::string& name,
                                                             const std::string& instance) {
  if (name.empty()) return std::nullopt;
  return File(key, name == "-" || instance.empty() ? name : name + "." + instance);
}

void DeclaredRecords::open(const std::string& instance) {
  dump_ = opened("tigershark.sram_dump", options_.sramDump, instance);
  log_ = opened("tigershark.result_log", options_.resultLog, instance);
  if (!log_) return;
  std::string header = "time_ps,board,dsp,batch,pixel,kind,element,t";
  if (layout_) {
    for (const host::ResultWord& word : layout_->result) header += "," + word.name;
  }
  log_->write(header + "\n");
}

void DeclaredRecords::observe(host::TigersharkDriverConfig& config,
                              std::function<sc_core::sc_time()> now) {
  if (log_) {
    config.resultSeen = [this, now = std::move(now)](const host::SeenResult& r) { log(r, now()); };
  }
  if (!layout_) return;
  config.ownWords = static_cast<std::uint32_t>(layout_->result.size());
  if (!layout_->hasNormal()) return;
  config.refine = [this](host::Hit& hit, std::span<const std::uint32_t> words) {
    if (hit.element >= scene_->elements.size()) return;  // the ray tree reports it
    const scene::Element& element = scene_->elements[hit.element];
    if (element.kind != scene::Element::Kind::Implicit) return;
    hit.normal = layout_->normal(scene_->implicits[element.index], words);
    hit.hasNormal = !(hit.normal == scene::Vec3{});
  };
}

void DeclaredRecords::log(const host::SeenResult& r, const sc_core::sc_time& now) {
  const bool none = r.element == scene::kNoElement;
  std::string line = std::to_string(now.value()) + "," + std::to_string(r.board) + "," +
                     std::to_string(r.dsp) + "," + std::to_string(r.batch) + "," +
                     (r.ray.pixel == host::kNoPixel ? "" : std::to_string(r.ray.pixel)) + "," +
                     (r.ray.kind == host::Ray::Kind::Any ? "shadow" : "nearest") + "," +
                     (none ? "" : std::to_string(r.element)) + ",";
  std::array<char, 40> t{};
  std::snprintf(t.data(), t.size(), "%.9g", r.t);
  if (!none) line += t.data();
  for (std::size_t i = 0; i < r.words.size(); ++i) {
    line += "," + host::wordText(layout_->result[i].format, r.words[i]);
  }
  log_->write(line + "\n");
}

void DeclaredRecords::dump(const Dump& of) {
  dump_->write(DumpText(of, layout()).text());
}

std::vector<DiagnosticFile> DeclaredRecords::finish() {
  std::vector<DiagnosticFile> files;
  for (std::optional<File>* const file : {&log_, &dump_}) {
    if (!*file) continue;
    files.push_back((*file)->finish());
    file->reset();
  }
  return files;
}

}  // namespace rtvp::platform
