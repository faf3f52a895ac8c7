// PBRT shapes, see pbrt_shape.hpp.
#include "platform/scene/pbrt_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "platform/scene/ply.hpp"

namespace rtvp::scene {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// Vectors of a parameter, three numbers each.
std::vector<Vec3> vectors(const PbrtParam* param) {
  std::vector<Vec3> result;
  if (param == nullptr) return result;
  if (param->numbers.size() % 3 != 0) {
    param->where.fail(std::to_string(param->numbers.size()) + " numbers", "a multiple of three");
  }
  for (std::size_t k = 0; k < param->numbers.size(); k += 3) {
    result.push_back({param->numbers[k], param->numbers[k + 1], param->numbers[k + 2]});
  }
  return result;
}

void readVertices(PbrtShape& shape, const PbrtParams& params, const Where& where) {
  shape.mesh.positions = vectors(params.find("P"));
  if (shape.mesh.positions.empty()) where.fail("a mesh without \"point P\"", "its vertices");
  shape.mesh.normals = vectors(params.find("N"));
  if (shape.mesh.normals.size() != shape.mesh.positions.size()) shape.mesh.normals.clear();
  const PbrtParam* st = params.find("uv");
  if (st == nullptr) st = params.find("st");
  if (st == nullptr || st->numbers.size() != 2 * shape.mesh.positions.size()) return;
  for (std::size_t k = 0; k < st->numbers.size(); k += 2) {
    shape.mesh.st.push_back(
        {static_cast<float>(st->numbers[k]), static_cast<float>(st->numbers[k + 1])});
  }
}

void readIndices(PbrtShape& shape, const PbrtParams& params, std::size_t corners) {
  const PbrtParam* const list = params.find("indices");
  std::vector<std::uint32_t> indices;
  if (list == nullptr) {
    for (std::uint32_t k = 0; k < shape.mesh.positions.size(); ++k) indices.push_back(k);
  } else {
    for (const double index : list->numbers) {
      if (!(index >= 0 && index < static_cast<double>(shape.mesh.positions.size()))) {
        list->where.fail(
            "the vertex " + std::to_string(static_cast<std::int64_t>(index)),
            "one of the " + std::to_string(shape.mesh.positions.size()) + " points of P");
      }
      indices.push_back(static_cast<std::uint32_t>(index));
    }
  }
  for (std::size_t k = 0; k + corners <= indices.size(); k += corners) {
    const std::uint32_t* const c = &indices[k];
    shape.triangles.insert(shape.triangles.end(), {c[0], c[1], c[2]});
    // The corners of a bilinear patch come row by row.
    if (corners == 4) shape.triangles.insert(shape.triangles.end(), {c[2], c[1], c[3]});
  }
}

// A surface of revolution about z, cut into `sides` x `rings`: radius and height over 0..1.
void revolve(PbrtShape& shape, double phiMax, int sides, int rings,
             const std::function<std::pair<double, double>(double)>& profile) {
  for (int j = 0; j <= rings; ++j) {
    const auto [radius, z] = profile(static_cast<double>(j) / rings);
    for (int i = 0; i <= sides; ++i) {
      const double phi = phiMax * i / sides;
      shape.mesh.positions.push_back({radius * std::cos(phi), radius * std::sin(phi), z});
      shape.mesh.st.push_back({static_cast<float>(i) / static_cast<float>(sides),
                               static_cast<float>(j) / static_cast<float>(rings)});
    }
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * (sides + 1) + i); };
  for (int j = 0; j < rings; ++j) {
    for (int i = 0; i < sides; ++i) {
      shape.triangles.insert(shape.triangles.end(), {at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      shape.triangles.insert(shape.triangles.end(), {at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
}

void readSphere(PbrtShape& shape, const PbrtParams& params, int sides) {
  const double radius = std::abs(params.number("radius", 1));
  const double zMin = std::clamp(params.number("zmin", -radius), -radius, radius);
  const double zMax = std::clamp(params.number("zmax", radius), -radius, radius);
  const double phi = params.number("phimax", 360);
  if (zMin <= -radius && zMax >= radius && phi >= 360) {
    shape.radius = radius;
    return;
  }
  const double from = radius > 0 ? std::asin(zMin / radius) : 0;
  const double to = radius > 0 ? std::asin(zMax / radius) : 0;
  revolve(shape, std::clamp(phi, 0.0, 360.0) / 360 * kTurn, sides, sides / 2, [&](double t) {
    const double angle = from + (to - from) * t;
    return std::pair{radius * std::cos(angle), radius * std::sin(angle)};
  });
}

bool readQuadric(PbrtShape& shape, std::string_view kind, const PbrtParams& params, int sides) {
  const double radius = std::abs(params.number("radius", 1));
  const double phi = std::clamp(params.number("phimax", 360), 0.0, 360.0) / 360 * kTurn;
  if (kind == "disk") {
    const double height = params.number("height", 0);
    const double inner = params.number("innerradius", 0);
    revolve(shape, phi, sides, 1, [&](double t) {
      return std::pair{radius + (inner - radius) * t, height};
    });
  } else if (kind == "cylinder") {
    const double from = params.number("zmin", -1);
    const double to = params.number("zmax", 1);
    revolve(shape, phi, sides, 1, [&](double t) {
      return std::pair{radius, from + (to - from) * t};
    });
  } else if (kind == "cone") {
    const double height = params.number("height", 1);
    revolve(shape, phi, sides, 1, [&](double t) {
      return std::pair{radius * (1 - t), height * t};
    });
  } else if (kind == "paraboloid") {
    const double from = std::max(params.number("zmin", 0), 0.0);
    const double to = std::max(params.number("zmax", 1), 1e-9);
    revolve(shape, phi, sides, sides / 2, [&](double t) {
      const double z = from + (to - from) * t;
      return std::pair{radius * std::sqrt(z / to), z};
    });
  } else {
    return false;
  }
  return true;
}

// Unit sphere by circles of latitude, for spheres that are squeezed.
PbrtShape unitSphere(int sides) {
  PbrtShape shape;
  revolve(shape, kTurn, sides, sides / 2, [](double t) {
    const double angle = (t - 0.5) * std::numbers::pi;
    return std::pair{std::cos(angle), std::sin(angle)};
  });
  shape.mesh.normals = shape.mesh.positions;
  return shape;
}

// True if it keeps angles, so that a sphere stays one.
bool isSimilarity(const Affine& to) {
  constexpr double kTolerance = 1e-6;
  const auto& c = to.columns;
  const double scale = length(c[0]);
  return std::abs(length(c[1]) - scale) <= kTolerance * scale &&
         std::abs(length(c[2]) - scale) <= kTolerance * scale &&
         std::abs(dot(c[0], c[1])) + std::abs(dot(c[1], c[2])) + std::abs(dot(c[2], c[0])) <=
             kTolerance * scale * scale;
}

}  // namespace

std::shared_ptr<const PbrtShape> readPbrtShape(Builder& builder, PbrtText& text,
                                               std::string_view kind, const PbrtParams& params,
                                               const Where& where) {
  auto shape = std::make_shared<PbrtShape>();
  const int sides = builder.options().segments;
  if (kind == "trianglemesh" || kind == "loopsubdiv") {
    readVertices(*shape, params, where);
    readIndices(*shape, params, 3);
  } else if (kind == "bilinearmesh") {
    readVertices(*shape, params, where);
    readIndices(*shape, params, 4);
  } else if (kind == "plymesh") {
    const PbrtParam* const name = params.find("filename");
    if (name == nullptr || name->texts.empty()) where.fail("a plymesh without filename", "one");
    const std::filesystem::path file = text.file(name->texts[0], name->where);
    if (lowered(file.extension().string()) != ".ply") {
      name->where.fail(inQuotes(name->texts[0]), "a .ply file (unpack others)");
    }
    const TextFile ply = TextFile::readBinary(file, builder.reader("mesh"));
    text.charge(ply.text().size(), name->where);
    readPlyMesh(builder, ply, shape->mesh, shape->triangles);
  } else if (kind == "sphere") {
    readSphere(*shape, params, sides);
  } else if (!readQuadric(*shape, kind, params, sides)) {
    return nullptr;
  }
  return shape;
}

void addPbrtShape(Builder& builder, const PbrtShape& shape, const Affine& to, const Where& where) {
  if (shape.radius > 0) {
    if (isSimilarity(to)) {
      for (int axis = 0; axis < 3; ++axis)
        checkedNumber(to.origin[axis], "a sphere's centre", where);
      const double radius = shape.radius * length(to.columns[0]);
      builder.addSphere(to.origin, checkedNumber(radius, "a radius", where), where);
      return;
    }
    Affine scaled = to;
    for (Vec3& column : scaled.columns) column = column * shape.radius;
    addPbrtShape(builder, unitSphere(builder.options().segments), scaled, where);
    return;
  }
  Mesh moved;
  moved.st = shape.mesh.st;
  for (const Vec3& p : shape.mesh.positions) {
    moved.positions.push_back(to.point(p));
    const Vec3& v = moved.positions.back();
    for (int axis = 0; axis < 3; ++axis) checkedNumber(v[axis], "a vertex in the world", where);
  }
  const bool mirrored = to.determinant() < 0;
  for (const Vec3& n : shape.mesh.normals) {
    moved.normals.push_back(unit(to.normal(n)) * (mirrored ? -1 : 1));
  }
  MeshFaces faces(builder, moved);
  for (std::size_t k = 0; k < shape.triangles.size(); k += 3) {
    std::array<std::uint32_t, 3> corners{shape.triangles[k], shape.triangles[k + 1],
                                         shape.triangles[k + 2]};
    if (mirrored) std::swap(corners[1], corners[2]);
    faces.add(corners, where);
  }
}

Moment momentOf(const PbrtShape& shape, const Affine& to) {
  if (shape.radius > 0) {
    const double radius = shape.radius * length(to.columns[0]);
    return {to.origin, 2 * kTurn * radius * radius};
  }
  Moment sum;
  for (std::size_t k = 0; k < shape.triangles.size(); k += 3) {
    const Vec3 a = to.point(shape.mesh.positions[shape.triangles[k]]);
    const Vec3 b = to.point(shape.mesh.positions[shape.triangles[k + 1]]);
    const Vec3 c = to.point(shape.mesh.positions[shape.triangles[k + 2]]);
    const double area = length(cross(b - a, c - a)) / 2;
    sum.place += (a + b + c) * (area / 3);
    sum.area += area;
  }
  if (sum.area > 0) sum.place = sum.place * (1 / sum.area);
  return sum;
}

}  // namespace rtvp::scene
