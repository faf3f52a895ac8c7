// Implementation of the NFF parser, see nff.hpp.
#include "platform/scene/nff.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scene/camera.hpp"
#include "platform/scene/text.hpp"

namespace rtvp::scene {

namespace {

class Parser {
 public:
  Parser(Builder& builder, const TextFile& text)
      : builder_(builder), scene_(builder.scene()), words_(text, text.text(), {1, 1}, true) {}

  void read() {
    scene_.background = {};
    while (!words_.atEnd()) record();
    finish();
  }

 private:
  void record() {
    const Where where = words_.where();
    const std::string_view word = words_.word("a record");
    if (word == "v") return view();
    if (word == "b") {
      scene_.background = words_.vector("a background colour of three numbers");
      return;
    }
    if (word == "l") return light(where);
    if (word == "f") return fill();
    if (word == "s") return sphere(where);
    if (word == "c") return cone(where);
    if (word == "p") return polygon(where, false);
    if (word == "pp") return polygon(where, true);
    where.fail(inQuotes(word), "v, b, l, f, s, c, p or pp");
  }

  void view() {
    viewSeen_ = true;
    scene_.camera.projection = Camera::Projection::Nff;
    while (viewField(words_.peek())) {
    }
  }

  // Takes one field of a viewpoint; false if the next word does not begin one.
  bool viewField(std::string_view word) {
    Camera& camera = scene_.camera;
    if (word == "from") return point(camera.eye, "an eye point of three numbers");
    if (word == "at") return point(camera.lookAt, "a look-at point of three numbers");
    if (word == "up") return point(camera.up, "an up vector of three numbers");
    if (word == "angle") return angle();
    if (word == "hither") {
      words_.word("hither");
      words_.number("the distance of the near plane");
      return true;
    }
    if (word == "resolution") return resolution();
    return false;
  }

  bool point(Vec3& target, std::string_view expected) {
    words_.word(expected);
    target = words_.vector(expected);
    return true;
  }

  bool angle() {
    words_.word("angle");
    const Where where = words_.where();
    const double degrees = words_.number("the angle of view in degrees");
    if (!(degrees > 0 && degrees < 180))
      where.fail("an angle out of range", "more than 0 and less than 180 degrees");
    scene_.camera.angle = degrees;
    return true;
  }

  bool resolution() {
    words_.word("resolution");
    const Where where = words_.where();
    const int w = words_.integer("the picture's width", 1, kMaxPictureSide);
    const int h = words_.integer("the picture's height", 1, kMaxPictureSide);
    if (std::int64_t{w} * h > kMaxPicturePixels) {
      where.fail("a picture of " + std::to_string(w) + " x " + std::to_string(h),
                 "at most " + std::to_string(kMaxPicturePixels) + " pixels");
    }
    scene_.width = w;
    scene_.height = h;
    return true;
  }

  void light(const Where& where) {
    Light l;
    l.position = words_.vector("a light's position of three numbers");
    const bool coloured = words_.numberFollows();
    if (coloured) l.color = words_.vector("a light's colour of three numbers");
    builder_.addLight(l, where);
    coloured_.push_back(coloured);
  }

  void fill() {
    constexpr std::string_view kFields =
        "eight numbers of a fill colour: r g b Kd Ks Shine T index";
    Material m;
    m.color = words_.vector(kFields);
    m.kdiff = words_.number(kFields);
    m.kspec = m.reflect = words_.number(kFields);
    const Where shine = words_.where();
    m.ns = words_.number(kFields);
    if (m.ns < 0) shine.fail("a negative Shine", "zero or more");
    m.ktrans = words_.number(kFields);
    // SPD writes index 0 on opaque surfaces.
    const double index = words_.number(kFields);
    m.refindex = index > 0 ? index : 1;
    m.kamb = 0;
    builder_.setMaterial(m);
  }

  void sphere(const Where& where) {
    const Vec3 center = words_.vector("a sphere's centre and radius");
    builder_.addSphere(center, std::abs(words_.number("a sphere's radius")), where);
  }

  void cone(const Where& where) {
    constexpr std::string_view kFields =
        "eight numbers of a cone: base x y z radius, apex x y z radius";
    const Vec3 base = words_.vector(kFields);
    const double baseRadius = std::abs(words_.number(kFields));
    const Vec3 apex = words_.vector(kFields);
    const double apexRadius = std::abs(words_.number(kFields));
    builder_.addCone(base, baseRadius, apex, apexRadius, where);
  }

  void polygon(const Where& where, bool normals) {
    const int n = words_.integer("the number of corners", 3, kMaxPolygonCorners);
    corners_.clear();
    normals_.clear();
    for (int k = 0; k < n; ++k) {
      corners_.push_back(words_.vector(normals ? "a corner and its normal, six numbers"
                                               : "a corner, three numbers"));
      if (normals) normals_.push_back(words_.vector("a corner and its normal, six numbers"));
    }
    builder_.addPolygon(corners_, normals_, where);
  }

  void finish() {
    if (!viewSeen_) fitCamera(scene_);
    if (scene_.lights.empty()) return;
    const double white = 1 / std::sqrt(static_cast<double>(scene_.lights.size()));
    for (std::size_t k = 0; k < scene_.lights.size(); ++k) {
      if (!coloured_[k]) scene_.lights[k].color = {white, white, white};
    }
  }

  Builder& builder_;
  Scene& scene_;
  Words words_;
  bool viewSeen_ = false;
  std::vector<bool> coloured_;  // per light: did the file give a colour?
  std::vector<Vec3> corners_;
  std::vector<Vec3> normals_;
};

}  // namespace

void readNff(Builder& builder, const std::filesystem::path& file) {
  const TextFile text = TextFile::read(file, builder.reader("scene"));
  Parser(builder, text).read();
}

}  // namespace rtvp::scene
