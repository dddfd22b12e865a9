#include "shapes/gltf/gltf.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/hash.h"
#include "core/math.h"
#include "core/pose.h"
#include "shapes/tessellate.h"

namespace convoy {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMagic = 0x46546C67, kVersion = 2, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
constexpr int kFloat = 5126, kUint = 5125, kArrayBuffer = 34962, kElementBuffer = 34963, kRepeat = 10497;
constexpr double kSide = 0.70710678118654752440;

// sRGB to linear light.
double linear(double c) { return c <= 0.04045 ? c / 12.92 : math::pow((c + 0.055) / 1.055, 2.4); }

Json vec_json(const Vec3& v) { return {v.x, v.y, v.z}; }

// A picture as a PNG file; empty: libpng has no memory.
Bytes png_of(const Texture& texture) {
  constexpr std::array<png_uint_32, 4> kFormats{PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = texture.width, image.height = texture.height;
  image.format = kFormats[texture.channels - 1];
  png_alloc_size_t size = 0;
  const auto write = [&](void* to) {
    return png_image_write_to_memory(&image, to, &size, 0, texture.pixels.data(), 0, nullptr) != 0;
  };
  Bytes out;
  if (!write(nullptr)) return out;
  out.resize(size);
  if (!write(out.data())) out.clear();
  out.resize(std::min<std::size_t>(out.size(), size));
  return out;
}

std::array<double, 3> mean_of(const Texture& t) {
  std::array<double, 3> sum{};
  const std::size_t pixels = std::size_t{t.width} * t.height;
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t k = 0; k < 3; ++k) sum[k] += linear(t.pixels[i * t.channels + (t.channels < 3 ? 0 : k)] / 255.0);
  for (double& x : sum) x /= static_cast<double>(pixels);
  return sum;
}

bool is_finite_plane(const Shape& shape) {
  return shape.kind == Shape::Kind::kPlane && shape.size.x > 0 && shape.size.y > 0;
}

class Document {
 public:
  Document() {
    json_["asset"] = {{"version", "2.0"}, {"generator", "convoy export"}};
    json_["scene"] = 0;
    json_["scenes"] = Json::array({Json{{"nodes", {0}}}});
    nodes_.push_back({{"name", "convoy"}, {"rotation", {-kSide, 0, 0, kSide}}});
  }

  void add(const SceneItem& item) {
    item_ = item.shapes;
    meshes_here_.clear(), materials_here_.clear(), textures_here_.clear();
    const std::size_t root = node({{"name", item.name}}, 0);
    std::vector<std::size_t> links;
    for (std::size_t i = 0; i < item_->links.size(); ++i) {
      const Link& link = item_->links[i];
      const bool hangs = link.base == Link::Base::kLink;
      const Pose X = hangs ? item.X_WL[link.parent].inverse() * item.X_WL[i] : item.X_WL[i];
      links.push_back(node(placed(link.name, X), hangs ? links[link.parent] : root));
    }
    for (std::size_t i = 0; i < item_->shapes.size(); ++i)
      if (item_->shapes[i].visible) add_shape(i, links[item_->shapes[i].link]);
  }

  Result<Bytes> take() {
    for (auto& [parent, children] : children_) nodes_[parent]["children"] = std::move(children);
    json_["nodes"] = std::move(nodes_);
    if (!textures_.empty()) json_["samplers"] = Json::array({Json{{"wrapS", kRepeat}, {"wrapT", kRepeat}}});
    for (const auto& [key, list] : {std::pair{"meshes", &meshes_},
                                    {"materials", &materials_},
                                    {"textures", &textures_},
                                    {"images", &images_},
                                    {"accessors", &accessors_},
                                    {"bufferViews", &views_}})
      if (!list->empty()) json_[key] = std::move(*list);
    if (uses_transform_) json_["extensionsUsed"] = {"KHR_texture_transform"};
    if (!binary_.empty()) json_["buffers"] = Json::array({Json{{"byteLength", binary_.size()}}});
    std::string text = json_.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    binary_.resize((binary_.size() + 3) / 4 * 4);
    const std::size_t size = 12 + 8 + text.size() + (binary_.empty() ? 0 : 8 + binary_.size());
    if (size > std::numeric_limits<std::uint32_t>::max())
      return fail(ErrorCode::kUnsupported, "it would be larger than the 4 GiB that a .glb may have");
    Bytes out;
    Writer w(out);
    w.u32(kMagic), w.u32(kVersion), w.u32(static_cast<std::uint32_t>(size));
    w.u32(static_cast<std::uint32_t>(text.size())), w.u32(kJsonChunk), w.bytes(as_bytes(text));
    if (!binary_.empty()) w.u32(static_cast<std::uint32_t>(binary_.size())), w.u32(kBinaryChunk), w.bytes(binary_);
    return out;
  }

 private:
  static Json placed(const std::string& name, const Pose& X) {
    Json out{{"name", name}};
    if (!(X.p == Vec3{})) out["translation"] = vec_json(X.p);
    const Quat q = unit(X.q);
    if (!(q == Quat{})) out["rotation"] = {q.x, q.y, q.z, q.w};
    return out;
  }

  std::size_t node(Json node, std::size_t parent) {
    nodes_.push_back(std::move(node));
    children_[parent].push_back(nodes_.size() - 1);
    return nodes_.size() - 1;
  }

  void add_shape(std::size_t index, std::size_t link) {
    const Shape& shape = item_->shapes[index];
    const Mesh triangles = triangles_of(shape, *item_);
    if (triangles.triangle_count() == 0) return;
    Json out = placed(shape.name.empty() ? "shape_" + std::to_string(index) : shape.name, shape.X_LS);
    out["mesh"] = mesh(shape, triangles);
    node(std::move(out), link);
  }

  // The same geometry in the same colour is one mesh.
  std::size_t mesh(const Shape& shape, const Mesh& triangles) {
    const bool textured = has_flat_texture(shape) && (!triangles.texture.empty() || is_finite_plane(shape));
    const std::size_t material = material_of(shape, textured);
    Bytes key;
    Writer w(key);
    w.bytes(triangles.corners), w.bytes(triangles.triangles), w.bytes(triangles.texture);
    w.u8(is_round(shape.kind)), w.u8(textured);
    const auto [at, fresh] = meshes_here_.try_emplace({hash64(key), material}, meshes_.size());
    if (fresh) {
      Json primitive = textured ? unrolled(triangles) : indexed(triangles, is_round(shape.kind));
      primitive["material"] = material;
      Json mesh{{"primitives", Json::array({std::move(primitive)})}};
      if (!triangles.name.empty()) mesh["name"] = triangles.name;
      meshes_.push_back(std::move(mesh));
    }
    return at->second;
  }

  Json indexed(const Mesh& mesh, bool round) {
    Json out{{"attributes", {{"POSITION", positions(mesh.corners)}}}};
    if (round) out["attributes"]["NORMAL"] = normals(mesh);
    out["indices"] = accessor(mesh.triangles, kUint, "SCALAR", 4, kElementBuffer);
    return out;
  }

  // Each triangle with corners of its own, since one corner may be at several places of the picture.
  Json unrolled(const Mesh& mesh) {
    Bytes corners, places = mesh.texture;
    Writer w(corners);
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i)
      for (const std::uint32_t c : mesh.triangle(i)) w.raw(mesh.corners.data() + 12 * std::size_t{c}, 12);
    if (places.empty()) places = of_plane(mesh);
    return {{"attributes",
             {{"POSITION", positions(corners)}, {"TEXCOORD_0", accessor(places, kFloat, "VEC2", 8, kArrayBuffer)}}}};
  }

  // Over a plane the picture is stretched once.
  static Bytes of_plane(const Mesh& mesh) {
    Vec3 far;
    for (std::size_t i = 0; i < mesh.corner_count(); ++i) {
      const Vec3 p = mesh.corner(i);
      far = {std::max(far.x, p.x), std::max(far.y, p.y), 0};
    }
    Bytes out;
    Writer w(out);
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i)
      for (const std::uint32_t c : mesh.triangle(i)) {
        const Vec3 p = mesh.corner(c);
        const float uv[] = {static_cast<float>((p.x / far.x + 1) / 2), static_cast<float>((1 - p.y / far.y) / 2)};
        w.raw(uv, sizeof uv);
      }
    return out;
  }

  std::size_t positions(const Bytes& corners) {
    const std::size_t at = accessor(corners, kFloat, "VEC3", 12, kArrayBuffer);
    if (accessors_[at].contains("min")) return at;
    std::array<float, 3> low, high;
    low.fill(std::numeric_limits<float>::max()), high.fill(std::numeric_limits<float>::lowest());
    for (std::size_t i = 0; i < corners.size() / 4; ++i) {
      float v = 0;
      std::memcpy(&v, corners.data() + 4 * i, 4);
      low[i % 3] = std::min(low[i % 3], v), high[i % 3] = std::max(high[i % 3], v);
    }
    accessors_[at]["min"] = low, accessors_[at]["max"] = high;
    return at;
  }

  // The mean of the normals of the triangles around each corner, by their size.
  std::size_t normals(const Mesh& mesh) {
    std::vector<Vec3> sum(mesh.corner_count());
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
      const auto t = mesh.triangle(i);
      const Vec3 a = mesh.corner(t[0]), n = cross(mesh.corner(t[1]) - a, mesh.corner(t[2]) - a);
      for (const std::uint32_t c : t) sum[c] = sum[c] + n;
    }
    Bytes out;
    Writer w(out);
    for (const Vec3& n : sum) {
      const double length = norm(n);
      const Vec3 u = length > 0 ? (1 / length) * n : Vec3{0, 0, 1};
      const float v[] = {static_cast<float>(u.x), static_cast<float>(u.y), static_cast<float>(u.z)};
      w.raw(v, sizeof v);
    }
    return accessor(out, kFloat, "VEC3", 12, kArrayBuffer);
  }

  std::size_t accessor(const Bytes& bytes, int component, const char* type, std::size_t element, int target) {
    const std::size_t view = add_view(bytes, target);
    const auto [at, fresh] = known_accessors_.try_emplace({view, element}, accessors_.size());
    if (fresh)
      accessors_.push_back(
          {{"bufferView", view}, {"componentType", component}, {"count", bytes.size() / element}, {"type", type}});
    return at->second;
  }

  std::size_t add_view(const Bytes& bytes, int target) {
    const auto [at, fresh] = known_views_.try_emplace({hash64(bytes), target}, views_.size());
    if (!fresh) return at->second;
    binary_.resize((binary_.size() + 3) / 4 * 4);
    Json view{{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", bytes.size()}};
    if (target != 0) view["target"] = target;
    views_.push_back(std::move(view));
    binary_.insert(binary_.end(), bytes.begin(), bytes.end());
    return at->second;
  }

  const Material* material_in(const Shape& shape) const {
    return shape.material == kNoPart ? nullptr : &item_->materials[shape.material];
  }
  bool has_flat_texture(const Shape& shape) const {
    const Material* m = material_in(shape);
    return m && m->texture != kNoPart && !item_->textures[m->texture].cube;
  }

  std::size_t material_of(const Shape& shape, bool textured) {
    const auto key = std::tuple{shape.color, shape.material, textured, shape.kind == Shape::Kind::kPlane};
    const auto [at, fresh] = materials_here_.try_emplace(key, materials_.size());
    if (!fresh) return at->second;
    const Material* m = material_in(shape);
    std::array<double, 4> color{};
    for (std::size_t i = 0; i < 4; ++i) color[i] = shape.color[i] / 255.0;
    for (std::size_t i = 0; i < 3; ++i) color[i] = linear(color[i]);
    Json pbr;
    if (m && m->texture != kNoPart && !textured) {
      const auto mean = mean_of(item_->textures[m->texture]);
      for (std::size_t i = 0; i < 3; ++i) color[i] *= mean[i];
    }
    pbr["baseColorFactor"] = color;
    pbr["metallicFactor"] = m && m->metallic >= 0 ? std::clamp(m->metallic, 0.0, 1.0) : 0.0;
    pbr["roughnessFactor"] = m && m->roughness >= 0 ? std::clamp(m->roughness, 0.0, 1.0) : 0.8;
    if (textured) pbr["baseColorTexture"] = texture_of(shape, *m);
    Json out{{"pbrMetallicRoughness", pbr}};
    if (m && !m->name.empty()) out["name"] = m->name;
    if (m && m->emission > 0)
      out["emissiveFactor"] = {color[0] * std::min(m->emission, 1.0), color[1] * std::min(m->emission, 1.0),
                               color[2] * std::min(m->emission, 1.0)};
    if (shape.color[3] < 255) out["alphaMode"] = "BLEND";
    if (shape.kind == Shape::Kind::kPlane) out["doubleSided"] = true;
    materials_.push_back(std::move(out));
    return at->second;
  }

  Json texture_of(const Shape& shape, const Material& m) {
    const auto [at, fresh] = textures_here_.try_emplace(m.texture, textures_.size());
    if (fresh) {
      images_.push_back({{"bufferView", add_view(png_of(item_->textures[m.texture]), 0)}, {"mimeType", "image/png"}});
      textures_.push_back({{"source", images_.size() - 1}, {"sampler", 0}});
    }
    Json out{{"index", at->second}};
    double x = m.repeat_x, y = m.repeat_y;
    if (m.uniform && shape.kind == Shape::Kind::kPlane) x *= 2 * shape.size.x, y *= 2 * shape.size.y;
    if (shape.kind == Shape::Kind::kPlane && (x != 1 || y != 1)) {
      out["extensions"]["KHR_texture_transform"] = {{"scale", {x, y}}};
      uses_transform_ = true;
    }
    return out;
  }

  Json json_, nodes_ = Json::array(), meshes_ = Json::array(), materials_ = Json::array(), textures_ = Json::array(),
              images_ = Json::array(), accessors_ = Json::array(), views_ = Json::array();
  std::map<std::size_t, Json> children_;
  Bytes binary_;
  bool uses_transform_ = false;
  std::map<std::pair<std::uint64_t, int>, std::size_t> known_views_;            // by content
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known_accessors_;  // by view and bytes of an element
  // Of the item in hand:
  const Shapes* item_ = nullptr;
  std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> meshes_here_;
  std::map<std::tuple<Color, std::uint32_t, bool, bool>, std::size_t> materials_here_;
  std::map<std::uint32_t, std::size_t> textures_here_;
};

}  // namespace

Result<Bytes> to_glb(std::span<const SceneItem> items) {
  Document document;
  for (const SceneItem& item : items) document.add(item);
  return document.take();
}

}  // namespace convoy
