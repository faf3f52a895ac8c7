// Material libraries of OBJ files: what obj.cpp has of them. tinyobjloader reads, after a check.
#pragma once

#include <tiny_obj_loader.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/scene/obj_records.hpp"

namespace rtvp::scene {

/// Text behind `mtllib`, and where it stands.
using ObjLibrary = std::pair<std::string, Where>;

/// Scene textures by file: libraries share pictures.
using TextureNumbers = std::map<std::string, std::uint32_t>;

/// Gives tinyobjloader the checked text of material libraries, which it names by their number.
class MtlLibraries : public tinyobj::MaterialReader {
 public:
  MtlLibraries(Builder& builder, std::filesystem::path obj, std::vector<ObjLibrary> libraries,
               ObjNames& names)
      : builder_(builder), obj_(std::move(obj)), libraries_(std::move(libraries)), names_(names) {}

  bool operator()(const std::string& number, std::vector<tinyobj::material_t>* materials,
                  std::map<std::string, int>* map, std::string* warning,
                  std::string* error) override;

  [[nodiscard]] bool knows(const std::string& id) const { return known_.contains(id); }

 private:
  bool read(std::string_view name, std::vector<tinyobj::material_t>* materials,
            std::map<std::string, int>* map, std::string* warning, std::string* error);

  Builder& builder_;
  std::filesystem::path obj_;
  std::vector<ObjLibrary> libraries_;
  ObjNames& names_;
  std::map<std::string, bool> known_;
  TextureNumbers textures_;
  int read_ = 0;
};

/// In our constants, see obj.hpp.
[[nodiscard]] Material convertedMtl(const tinyobj::material_t& m);

}  // namespace rtvp::scene
