// glTF scenes, see gltf.hpp.
#include "platform/scene/gltf.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/scene/affine.hpp"
#include "platform/scene/gltf_data.hpp"
#include "platform/scene/gltf_material.hpp"
#include "platform/scene/imported_lights.hpp"
#include "platform/scene/mesh.hpp"

namespace rtvp::scene {

namespace {

constexpr int kMaxDepth = 128;
constexpr std::size_t kMaxVisits = 1'000'000;

Affine rotation(const std::vector<double>& q) {
  const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  const double s = n > 0 ? 2 / n : 0;
  const double x = q[0];
  const double y = q[1];
  const double z = q[2];
  const double w = q[3];
  return {{{{1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
            {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)},
            {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)}}},
          {}};
}

Affine transformOf(const JsonPlace& node) {
  const JsonPlace matrix = node.at("matrix");
  if (matrix.there()) {
    const std::vector<double> m = matrix.numbers(16);
    return {{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}}, {m[12], m[13], m[14]}};
  }
  Affine result;
  if (node.at("rotation").there()) result = rotation(node.at("rotation").numbers(4));
  if (node.at("scale").there()) {
    const std::vector<double> s = node.at("scale").numbers(3);
    for (std::size_t k = 0; k < 3; ++k) result.columns[k] = result.columns[k] * s[k];
  }
  if (node.at("translation").there()) {
    const std::vector<double> t = node.at("translation").numbers(3);
    result.origin = {t[0], t[1], t[2]};
  }
  return result;
}

class GltfScene {
 public:
  GltfScene(Builder& builder, const std::filesystem::path& file)
      : builder_(builder), data_(builder, file), materials_(builder, data_, leftOut_) {}

  void read() {
    checkExtensions();
    const JsonPlace scenes = data_.root().at("scenes");
    const JsonPlace nodes = data_.root().at("nodes");
    if (scenes.size() > 0) {
      const JsonPlace scene =
          scenes.at(data_.root().at("scene").index(scenes.size(), "a scene", 0));
      const JsonPlace roots = scene.at("nodes");
      for (std::size_t k = 0; k < roots.size(); ++k) visit(roots.at(k), {}, 0);
    } else {
      for (std::size_t k = 0; k < nodes.size(); ++k) visitRoot(nodes, k);
    }
    if (triangles_ == 0) data_.root().fail("no triangle", "a scene with meshes of triangles");
    if (data_.root().at("animations").size() > 0) leftOut_.insert("animations");
    lights_.place(builder_, data_.root().file());
    warn();
  }

 private:
  void checkExtensions() {
    static constexpr std::array<std::string_view, 4> kGeometry{
        "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression",
        "EXT_mesh_gpu_instancing"};
    const JsonPlace required = data_.root().at("extensionsRequired");
    for (std::size_t k = 0; k < required.size(); ++k) {
      const std::string name = required.at(k).text();
      if (std::find(kGeometry.begin(), kGeometry.end(), name) != kGeometry.end()) {
        required.at(k).fail(inQuotes(name),
                            "a file without it (a glTF tool can write it uncompressed)");
      }
    }
  }

  // Without scenes every node that is nobody's child is a root.
  void visitRoot(const JsonPlace& nodes, std::size_t number) {
    if (children_.empty()) {
      children_.resize(nodes.size());
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const JsonPlace list = nodes.at(k).at("children");
        for (std::size_t c = 0; c < list.size(); ++c) {
          children_[list.at(c).index(nodes.size(), "a node")] = true;
        }
      }
    }
    if (!children_[number]) visitNode(nodes.at(number), {}, 0);
  }

  void visit(const JsonPlace& place, const Affine& above, int depth) {
    const JsonPlace nodes = data_.root().at("nodes");
    const JsonPlace node = nodes.at(place.index(nodes.size(), "a node"));
    if (depth > kMaxDepth) place.fail("nodes more than 128 deep, or in a circle", "a tree");
    visitNode(node, above, depth);
  }

  void visitNode(const JsonPlace& node, const Affine& above, int depth) {
    if (++visits_ > kMaxVisits) node.fail("one node more", "at most 1000000");
    const Affine here = above.after(transformOf(node));
    if (!here.finite()) node.fail("a transform that is not finite", "a finite one");
    if (node.at("mesh").there()) mesh(node.at("mesh"), here);
    if (node.at("skin").there()) leftOut_.insert("skins");
    if (node.at("camera").there()) camera(node.at("camera"), here);
    const JsonPlace light = node.at("extensions").at("KHR_lights_punctual").at("light");
    if (light.there()) this->light(light, here);
    const JsonPlace children = node.at("children");
    for (std::size_t k = 0; k < children.size(); ++k) visit(children.at(k), here, depth + 1);
  }

  void mesh(const JsonPlace& place, const Affine& here) {
    const JsonPlace all = data_.root().at("meshes");
    const JsonPlace primitives = all.at(place.index(all.size(), "a mesh")).at("primitives");
    for (std::size_t k = 0; k < primitives.size(); ++k) primitive(primitives.at(k), here);
  }

  void primitive(const JsonPlace& primitive, const Affine& here) {
    constexpr std::size_t kTriangles = 4;
    const std::size_t mode = primitive.at("mode").index(7, "a mode", kTriangles);
    if (primitive.at("targets").size() > 0) leftOut_.insert("morph targets");
    if (mode < kTriangles) {
      leftOut_.insert("points and lines");
      return;
    }
    const JsonPlace attributes = primitive.at("attributes");
    if (!attributes.at("POSITION").there()) {
      leftOut_.insert("primitives without positions");
      return;
    }
    if (attributes.at("COLOR_0").there()) leftOut_.insert("colours of vertices");
    const GltfMaterials::Look& look = materials_.of(primitive.at("material"));
    const Mesh mesh = vertices(attributes, look, here);
    const JsonPlace list = primitive.at("indices");
    std::vector<std::uint32_t> indices;
    if (list.there()) {
      indices = data_.indices(list);
    } else {
      for (std::uint32_t k = 0; k < mesh.positions.size(); ++k) indices.push_back(k);
    }
    for (const std::uint32_t index : indices) {
      if (index < mesh.positions.size()) continue;
      list.fail("the vertex " + std::to_string(index),
                "one of the " + std::to_string(mesh.positions.size()) + " positions");
    }
    builder_.setMaterial(look.material);
    addTriangles(mode, indices, mesh, here.determinant() < 0, primitive);
  }

  Mesh vertices(const JsonPlace& attributes, const GltfMaterials::Look& look, const Affine& here) {
    Mesh mesh;
    const JsonPlace position = attributes.at("POSITION");
    const std::vector<float> p = data_.floats(position, 3);
    const TextFile self = position.file();
    for (std::size_t k = 0; k < p.size(); k += 3) {
      const Vec3 v = here.point({double{p[k]}, double{p[k + 1]}, double{p[k + 2]}});
      for (int axis = 0; axis < 3; ++axis) checkedNumber(v[axis], "a vertex", {&self, {}});
      mesh.positions.push_back(v);
    }
    const JsonPlace normal = attributes.at("NORMAL");
    if (normal.there()) {
      const std::vector<float> n = data_.floats(normal, 3);
      for (std::size_t k = 0; k < n.size(); k += 3) {
        const double sign = here.determinant() < 0 ? -1 : 1;
        mesh.normals.push_back(
            unit(here.normal({double{n[k]}, double{n[k + 1]}, double{n[k + 2]}}) * sign));
      }
      same(normal, mesh.normals.size(), mesh);
    }
    const JsonPlace st = attributes.at("TEXCOORD_" + std::to_string(look.set));
    if (look.material.texture != kNoIndex && st.there()) {
      const std::vector<float> t = data_.floats(st, 2);
      // Rows of a texture are counted from the top there.
      for (std::size_t k = 0; k < t.size(); k += 2) mesh.st.push_back({t[k], 1 - t[k + 1]});
      same(st, mesh.st.size(), mesh);
    }
    return mesh;
  }

  static void same(const JsonPlace& place, std::size_t count, const Mesh& mesh) {
    if (count == mesh.positions.size()) return;
    place.fail(std::to_string(count) + " elements",
               "as many as positions, " + std::to_string(mesh.positions.size()));
  }

  void addTriangles(std::size_t mode, const std::vector<std::uint32_t>& indices, const Mesh& mesh,
                    bool mirrored, const JsonPlace& primitive) {
    constexpr std::size_t kStrip = 5;
    constexpr std::size_t kFan = 6;
    const TextFile self = primitive.file();
    const Where where{&self, {}};
    MeshFaces faces(builder_, mesh);
    const std::size_t step = mode == kStrip || mode == kFan ? 1 : 3;
    for (std::size_t k = 0; k + 2 < indices.size(); k += step) {
      std::array<std::uint32_t, 3> corners{indices[k], indices[k + 1], indices[k + 2]};
      if (mode == kFan) corners[0] = indices[0];
      if (mode == kStrip && k % 2 == 1) std::swap(corners[0], corners[1]);
      if (mirrored) std::swap(corners[1], corners[2]);
      faces.add(corners, where);
    }
    triangles_ += faces.count();
  }

  void camera(const JsonPlace& place, const Affine& here) {
    const JsonPlace all = data_.root().at("cameras");
    const JsonPlace camera = all.at(place.index(all.size(), "a camera"));
    const JsonPlace perspective = camera.at("perspective");
    if (builder_.hasCamera()) return;
    if (!perspective.there()) {
      leftOut_.insert("orthographic cameras");
      return;
    }
    Camera result;
    result.projection = Camera::Projection::Nff;
    result.angle = perspective.at("yfov").number() * 180 / std::numbers::pi;
    if (!(result.angle > 0 && result.angle < 180)) {
      perspective.at("yfov").fail("an angle out of range", "more than 0 and less than pi");
    }
    result.eye = here.origin;
    result.lookAt = here.origin - unit(here.columns[2]);
    result.up = unit(here.columns[1]);
    constexpr double kSide = 512;
    const double aspect = std::clamp(perspective.at("aspectRatio").number(1), 0.25, 4.0);
    const TextFile self = place.file();
    for (int axis = 0; axis < 3; ++axis) checkedNumber(result.eye[axis], "the eye", {&self, {}});
    builder_.setCamera(result, static_cast<int>(std::lround(aspect > 1 ? kSide : kSide * aspect)),
                       static_cast<int>(std::lround(aspect > 1 ? kSide / aspect : kSide)));
  }

  void light(const JsonPlace& place, const Affine& here) {
    const JsonPlace all = data_.root().at("extensions").at("KHR_lights_punctual").at("lights");
    const JsonPlace light = all.at(place.index(all.size(), "a light"));
    std::vector<double> color{1, 1, 1};
    if (light.at("color").there()) color = light.at("color").numbers(3);
    const double intensity = light.at("intensity").number(1);
    const Vec3 strength = Vec3{color[0], color[1], color[2]} * intensity;
    if (light.at("type").text() == "directional") {
      lights_.addDistant(here.columns[2], strength);
    } else {
      lights_.addPoint(here.origin, strength);
    }
  }

  void warn() {
    if (leftOut_.empty()) return;
    std::string list;
    for (const std::string& what : leftOut_) list += (list.empty() ? "" : ", ") + what;
    const TextFile self = data_.root().file();
    builder_.warn({&self, {}}, "not in the picture: " + list);
  }

  Builder& builder_;
  GltfData data_;
  LeftOut leftOut_;
  GltfMaterials materials_;
  ImportedLights lights_;
  std::vector<bool> children_;
  std::size_t visits_ = 0;
  std::size_t triangles_ = 0;
};

}  // namespace

void readGltf(Builder& builder, const std::filesystem::path& file) {
  GltfScene(builder, file).read();
}

}  // namespace rtvp::scene
