// PBRT directives, see pbrt.hpp.
#include "platform/scene/pbrt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/scene/affine.hpp"
#include "platform/scene/imported_lights.hpp"
#include "platform/scene/pbrt_material.hpp"
#include "platform/scene/pbrt_shape.hpp"
#include "platform/scene/pbrt_text.hpp"

namespace rtvp::scene {

namespace {

constexpr std::size_t kMaxNesting = 1000;
constexpr std::size_t kMaxInstances = 1'000'000;
constexpr std::size_t kMaxVertices = 3 * std::size_t{kMaxElements};

struct Attributes {
  Affine transform;
  std::optional<Material> material = Material{};
  std::optional<Vec3> emission;
};

Affine rotationBy(double degrees, const Vec3& about) {
  const Vec3 a = unit(about);
  const double angle = degrees * std::numbers::pi / 180;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  Affine result;
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 e;
    e[static_cast<int>(k)] = 1;
    result.columns[k] = e * c + cross(a, e) * s + a * (dot(a, e) * (1 - c));
  }
  return result;
}

std::optional<Affine> inverse(const Affine& m) {
  const double d = m.determinant();
  if (d == 0 || !std::isfinite(1 / d)) return std::nullopt;
  const std::array<Vec3, 3> rows{cross(m.columns[1], m.columns[2]) * (1 / d),
                                 cross(m.columns[2], m.columns[0]) * (1 / d),
                                 cross(m.columns[0], m.columns[1]) * (1 / d)};
  Affine result;
  for (int k = 0; k < 3; ++k) {
    result.columns[static_cast<std::size_t>(k)] = {rows[0][k], rows[1][k], rows[2][k]};
  }
  result.origin = -result.vector(m.origin);
  return result;
}

class PbrtScene {
 public:
  PbrtScene(Builder& builder, const std::filesystem::path& file)
      : builder_(builder),
        text_(builder, file),
        file_(file.string(), {}),
        materials_(builder, text_, leftOut_) {
    root_.columns[0].x = -1;
  }

  void read() {
    while (text_.peek().kind != PbrtToken::Kind::End) {
      const PbrtToken token = text_.take();
      if (token.kind != PbrtToken::Kind::Word || !directive(token)) {
        token.where.fail(inQuotes(token.text), "a directive of PBRT 3 or 4");
      }
    }
    if (!saved_.empty()) saved_.back().second.fail("no end of this block", "one before the file's");
    lights_.place(builder_, file_);
    warn();
  }

 private:
  bool directive(const PbrtToken& token) {
    return transform(token) || block(token) || look(token) || world(token) || ignored(token);
  }

  // ---- the current transform

  bool transform(const PbrtToken& token) {
    const std::string_view word = token.text;
    Affine& here = now_.transform;
    if (word == "Identity") {
      here = {};
    } else if (word == "Translate") {
      const std::vector<double> v = text_.numbers(3, "three numbers of a move");
      here = here.after({Affine{}.columns, {v[0], v[1], v[2]}});
    } else if (word == "Scale") {
      const std::vector<double> v = text_.numbers(3, "three factors");
      here = here.after({{{{v[0], 0, 0}, {0, v[1], 0}, {0, 0, v[2]}}}, {}});
    } else if (word == "Rotate") {
      const std::vector<double> v = text_.numbers(4, "an angle and an axis, four numbers");
      here = here.after(rotationBy(v[0], {v[1], v[2], v[3]}));
    } else if (word == "LookAt") {
      here = here.after(lookAt(token.where));
    } else if (word == "Transform") {
      here = matrix(token.where);
    } else if (word == "ConcatTransform") {
      here = here.after(matrix(token.where));
    } else if (word == "CoordinateSystem") {
      systems_[std::string(text_.quoted("a name").text)] = here;
    } else if (word == "CoordSysTransform") {
      const auto found = systems_.find(std::string(text_.quoted("a name").text));
      if (found != systems_.end()) here = found->second;
    } else {
      return false;
    }
    if (!here.finite()) token.where.fail("a transform that is not finite", "a finite one");
    return true;
  }

  Affine matrix(const Where& where) {
    const std::vector<double> m = text_.numbers(16, "a matrix of 16 numbers");
    if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] == 0) {
      where.fail("a matrix with a projection", "an affine one, 0 0 0 1 in its last places");
    }
    Affine result{{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}},
                  {m[12], m[13], m[14]}};
    for (Vec3& column : result.columns) column = column * (1 / m[15]);
    result.origin = result.origin * (1 / m[15]);
    return result;
  }

  Affine lookAt(const Where& where) {
    const std::vector<double> v = text_.numbers(9, "eye, target and up, nine numbers");
    const Vec3 eye{v[0], v[1], v[2]};
    const Vec3 direction = unit(Vec3{v[3], v[4], v[5]} - eye);
    const Vec3 right = unit(cross(unit({v[6], v[7], v[8]}), direction));
    const auto result = inverse({{{right, cross(direction, right), direction}}, eye});
    if (!result) where.fail("a view without a direction or along its up vector", "both apart");
    return *result;
  }

  // ---- blocks

  bool block(const PbrtToken& token) {
    const std::string_view word = token.text;
    if (word == "AttributeBegin" || word == "TransformBegin") {
      push(token.where);
    } else if (word == "AttributeEnd") {
      pop(token.where);
    } else if (word == "TransformEnd") {
      const Attributes before = now_;
      pop(token.where);
      now_.material = before.material;
      now_.emission = before.emission;
    } else if (word == "WorldBegin") {
      now_.transform = {};
    } else if (word == "WorldEnd") {
      // Later frames of version 2 files would begin here.
    } else if (word == "ObjectBegin") {
      push(token.where);
      if (object_ != nullptr) token.where.fail("an object in an object", "ObjectEnd before it");
      object_ = &objects_[std::string(text_.quoted("a name").text)];
      object_->clear();
    } else if (word == "ObjectEnd") {
      if (object_ == nullptr) token.where.fail("ObjectEnd", "ObjectBegin before it");
      object_ = nullptr;
      pop(token.where);
    } else if (word == "ObjectInstance") {
      instance(text_.quoted("a name"));
    } else if (word == "Include" || word == "Import") {
      text_.include(text_.quoted("the name of a file"));
    } else {
      return false;
    }
    return true;
  }

  void push(const Where& where) {
    if (saved_.size() >= kMaxNesting) where.fail("one block more", "at most 1000 inside another");
    saved_.emplace_back(now_, where);
  }

  void pop(const Where& where) {
    if (saved_.empty()) where.fail("the end of a block", "its begin before it");
    now_ = saved_.back().first;
    saved_.pop_back();
  }

  // ---- materials and lights

  bool look(const PbrtToken& token) {
    const std::string_view word = token.text;
    if (word == "Material") {
      const std::string kind(text_.quoted("a kind of material").text);
      now_.material = materials_.material(kind, text_.params());
    } else if (word == "MakeNamedMaterial") {
      const std::string name(text_.quoted("a name").text);
      materials_.addNamed(name, text_.params());
    } else if (word == "NamedMaterial") {
      now_.material = materials_.named(std::string(text_.quoted("a name").text));
    } else if (word == "Texture") {
      const std::string name(text_.quoted("a name").text);
      text_.quoted("a type");
      const std::string kind(text_.quoted("a kind of texture").text);
      materials_.addTexture(name, kind, text_.params());
    } else if (word == "LightSource") {
      const std::string kind(text_.quoted("a kind of light").text);
      light(kind, text_.params());
    } else if (word == "AreaLightSource") {
      text_.quoted("a kind of light");
      const PbrtParams params = text_.params();
      now_.emission =
          materials_.color(params, "L", {1, 1, 1}) * std::abs(params.number("scale", 1));
    } else {
      return false;
    }
    return true;
  }

  void light(const std::string& kind, const PbrtParams& params) {
    const Affine to = root_.after(now_.transform);
    const double scale = std::abs(params.number("scale", 1));
    const Vec3 from = params.vector("from", {0, 0, 0});
    if (kind == "distant") {
      const Vec3 direction = from - params.vector("to", {0, 0, 1});
      lights_.addDistant(to.vector(direction), materials_.color(params, "L", {1, 1, 1}) * scale);
    } else if (kind == "infinite") {
      leftOut_.insert("light from all around (infinite lights)");
    } else {
      if (kind == "spot") leftOut_.insert("cones of spot lights");
      lights_.addPoint(to.point(from), materials_.color(params, "I", {1, 1, 1}) * scale);
    }
  }

  // ---- camera, film, shapes

  bool world(const PbrtToken& token) {
    const std::string_view word = token.text;
    if (word == "Camera") {
      const std::string kind(text_.quoted("a kind of camera").text);
      camera(kind, text_.params(), token.where);
    } else if (word == "Film") {
      text_.quoted("a kind of film");
      film(text_.params(), token.where);
    } else if (word == "Shape") {
      const std::string kind(text_.quoted("a kind of shape").text);
      shape(kind, text_.params(), token.where);
    } else {
      return false;
    }
    return true;
  }

  void film(const PbrtParams& params, const Where& where) {
    const double w = params.number("xresolution", width_);
    const double h = params.number("yresolution", height_);
    if (!(w >= 1 && h >= 1 && w <= kMaxPictureSide && h <= kMaxPictureSide) ||
        w * h > static_cast<double>(kMaxPicturePixels)) {
      where.fail("a film of other than 1 to " + std::to_string(kMaxPictureSide) + " pixels a side",
                 "one inside, of at most " + std::to_string(kMaxPicturePixels) + " pixels");
    }
    width_ = static_cast<int>(w);
    height_ = static_cast<int>(h);
    if (seen_) useCamera(*seen_);
  }

  struct Seen {
    Affine toWorld;
    double degrees = 90;
  };

  void camera(const std::string& kind, const PbrtParams& params, const Where& where) {
    const std::optional<Affine> toWorld = inverse(now_.transform);
    if (!toWorld) where.fail("a camera that is squeezed to nothing", "one that can be turned back");
    systems_["camera"] = *toWorld;
    // Looking into a left-handed space; one that mirrors already shows a right-handed one.
    if (toWorld->determinant() < 0) root_ = {};
    if (kind != "perspective" && kind != "realistic") {
      leftOut_.insert("the camera '" + kind.substr(0, 32) + "' (one that sees all stands for it)");
      return;
    }
    const double fov = params.number("fov", kind == "realistic" ? 40 : 90);
    if (!(fov > 0 && fov < 180)) where.fail("an angle out of range", "more than 0, less than 180");
    seen_ = Seen{root_.after(*toWorld), fov};
    useCamera(*seen_);
  }

  // The angle is that of the shorter side between the pixels' edges; ours spans the centres of the
  // first and last row.
  void useCamera(const Seen& seen) {
    const double h = height_;
    const double shorter = std::min(width_, height_);
    const double half =
        std::tan(seen.degrees * std::numbers::pi / 360) * std::max(h - 1, 1.0) / shorter;
    Camera camera;
    camera.projection = Camera::Projection::Nff;
    camera.angle = std::atan(half) * 360 / std::numbers::pi;
    camera.eye = seen.toWorld.origin;
    camera.lookAt = seen.toWorld.origin + unit(seen.toWorld.columns[2]);
    camera.up = unit(seen.toWorld.columns[1]);
    for (int axis = 0; axis < 3; ++axis) {
      checkedNumber(camera.eye[axis], "the eye", {&file_, {}});
    }
    builder_.setCamera(camera, width_, height_);
  }

  struct Recorded {
    std::shared_ptr<const PbrtShape> shape;
    Attributes attributes;
    Where where;
  };

  void shape(const std::string& kind, const PbrtParams& params, const Where& where) {
    Recorded recorded{readPbrtShape(builder_, text_, kind, params, where), now_, where};
    if (recorded.shape == nullptr) {
      leftOut_.insert("shapes '" + kind.substr(0, 32) + "'");
    } else if (kind == "loopsubdiv") {
      leftOut_.insert("subdivision (its base meshes are drawn)");
    }
    if (recorded.shape == nullptr) return;
    vertices_ += recorded.shape->mesh.positions.size();
    if (vertices_ > kMaxVertices) {
      where.fail("one shape more", "shapes of at most " + std::to_string(kMaxVertices) +
                                       " vertices together, without their instances");
    }
    if (object_ != nullptr) {
      object_->push_back(std::move(recorded));
    } else {
      draw(recorded, root_.after(now_.transform));
    }
  }

  void instance(const PbrtToken& name) {
    const auto found = objects_.find(std::string(name.text));
    if (found == objects_.end()) name.where.fail(inQuotes(name.text), "an object before it");
    const Affine here = root_.after(now_.transform);
    for (const Recorded& recorded : found->second) {
      if (++instances_ > kMaxInstances) name.where.fail("one instance more", "at most 1000000");
      draw(recorded, here.after(recorded.attributes.transform));
    }
  }

  void draw(const Recorded& recorded, const Affine& to) {
    const Attributes& attributes = recorded.attributes;
    if (attributes.emission) {
      const Moment moment = momentOf(*recorded.shape, to);
      lights_.addPoint(moment.place, *attributes.emission * moment.area);
      leftOut_.insert("surfaces of area lights (a light in their middle stands for them)");
      return;
    }
    if (!attributes.material) {
      leftOut_.insert("surfaces between media without a material");
      return;
    }
    builder_.setMaterial(*attributes.material);
    addPbrtShape(builder_, *recorded.shape, to, recorded.where);
  }

  // ---- what does not change the picture here

  bool ignored(const PbrtToken& token) {
    const std::string_view word = token.text;
    if (word == "ReverseOrientation") return true;
    if (word == "ActiveTransform") {
      text_.take();
    } else if (word == "TransformTimes") {
      text_.numbers(2, "two times");
    } else if (word == "MediumInterface") {
      while (text_.peek().kind == PbrtToken::Kind::Text) text_.take();
    } else if (word == "Option") {
      text_.params();
    } else if (word == "Sampler" || word == "PixelFilter" || word == "Integrator" ||
               word == "SurfaceIntegrator" || word == "VolumeIntegrator" || word == "Renderer" ||
               word == "Accelerator" || word == "ColorSpace" || word == "MakeNamedMedium" ||
               word == "Attribute" || word == "Volume") {
      text_.quoted("a name");
      text_.params();
    } else {
      return false;
    }
    return true;
  }

  void warn() {
    if (leftOut_.empty()) return;
    std::string list;
    for (const std::string& what : leftOut_) list += (list.empty() ? "" : ", ") + what;
    builder_.warn({&file_, {}}, "not in the picture: " + list);
  }

  Builder& builder_;
  PbrtText text_;
  TextFile file_;
  PbrtLeftOut leftOut_;
  PbrtMaterials materials_;
  ImportedLights lights_;
  Affine root_;  // of the file's world in ours
  Attributes now_;
  std::vector<std::pair<Attributes, Where>> saved_;
  std::map<std::string, Affine> systems_;
  std::map<std::string, std::vector<Recorded>> objects_;
  std::vector<Recorded>* object_ = nullptr;
  std::size_t instances_ = 0;
  std::size_t vertices_ = 0;
  std::optional<Seen> seen_;
  int width_ = 640;
  int height_ = 480;
};

}  // namespace

void readPbrt(Builder& builder, const std::filesystem::path& file) {
  PbrtScene(builder, file).read();
}

}  // namespace rtvp::scene
