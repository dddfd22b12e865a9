// Meshes that MuJoCo does not read, by assimp.
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "physics/mujoco/mesh_files.h"

namespace convoy::mujoco {

namespace {

constexpr std::size_t kHeader = 84, kTriangle = 50;  // bytes of a binary STL

using Corner = std::array<float, 3>;

void write_triangle(Writer& w, const std::array<Corner, 3>& corners) {
  const float no_normal[3] = {0, 0, 0};
  w.raw(no_normal, sizeof no_normal);
  for (const Corner& c : corners) w.raw(c.data(), sizeof c);
  w.u16(0);
}

std::array<Corner, 3> triangle_at(const Bytes& stl, std::uint32_t i) {
  std::array<Corner, 3> out{};
  std::memcpy(out.data(), stl.data() + kHeader + kTriangle * i + 12, sizeof out);
  return out;
}

// Corners in one cell of a grid become one, in their middle; what has no area then is left out.
class Clusters {
 public:
  Clusters(const Bytes& stl, std::uint32_t count, double cell) : stl_(stl), count_(count), cell_(cell) {}

  std::vector<std::array<std::uint32_t, 3>> make() {
    std::vector<std::array<std::uint32_t, 3>> out;
    std::set<std::array<std::uint32_t, 3>> seen;
    for (std::uint32_t i = 0; i < count_; ++i) {
      std::array<std::uint32_t, 3> t{};
      const auto corners = triangle_at(stl_, i);
      for (std::size_t c = 0; c < 3; ++c) t[c] = cluster(corners[c]);
      if (t[0] == t[1] || t[1] == t[2] || t[0] == t[2]) continue;
      std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
      if (seen.insert(t).second) out.push_back(t);
    }
    return out;
  }
  Corner middle(std::uint32_t cluster) const {
    const Sum& s = sums_[cluster];
    Corner out{};
    for (std::size_t k = 0; k < 3; ++k) out[k] = static_cast<float>(s.at[k] / static_cast<double>(s.count));
    return out;
  }

 private:
  struct Sum {
    std::array<double, 3> at{};
    std::size_t count = 0;
  };
  std::uint32_t cluster(const Corner& p) {
    std::array<std::int64_t, 3> key{};
    for (std::size_t k = 0; k < 3; ++k)
      key[k] = std::isfinite(p[k]) ? static_cast<std::int64_t>(std::floor(p[k] / cell_)) : 0;
    const auto [found, made] = clusters_.emplace(key, static_cast<std::uint32_t>(sums_.size()));
    if (made) sums_.emplace_back();
    Sum& s = sums_[found->second];
    for (std::size_t k = 0; k < 3; ++k) s.at[k] += std::isfinite(p[k]) ? p[k] : 0;
    ++s.count;
    return found->second;
  }

  const Bytes& stl_;
  std::uint32_t count_;
  double cell_;
  std::map<std::array<std::int64_t, 3>, std::uint32_t> clusters_;
  std::vector<Sum> sums_;
};

// The largest side of the box around it, m.
double size_of(const Bytes& stl, std::uint32_t count) {
  Corner low{}, high{};
  for (std::uint32_t i = 0; i < count; ++i)
    for (const Corner& c : triangle_at(stl, i))
      for (std::size_t k = 0; k < 3; ++k) {
        if (!std::isfinite(c[k])) continue;
        low[k] = i ? std::min(low[k], c[k]) : c[k], high[k] = i ? std::max(high[k], c[k]) : c[k];
      }
  return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

}  // namespace

std::uint32_t triangles_of(const Bytes& stl) {
  std::uint32_t count = 0;
  if (stl.size() < kHeader) return 0;
  std::memcpy(&count, stl.data() + 80, sizeof count);
  return stl.size() >= kHeader + kTriangle * std::uint64_t{count} ? count : 0;
}

Bytes reduced(const Bytes& stl, std::uint32_t most) {
  constexpr double kFirst = 1.0 / 512, kCoarser = 1.25;  // of its size; each try has a third fewer triangles
  const std::uint32_t count = triangles_of(stl);
  const double size = size_of(stl, count);
  if (count <= most || !(size > 0)) return stl;
  for (double cell = size * kFirst;; cell *= kCoarser) {
    Clusters clusters(stl, count, cell);
    const auto triangles = clusters.make();
    if (triangles.size() > most) continue;
    Bytes out(80, ' ');
    Writer w(out);
    w.u32(static_cast<std::uint32_t>(triangles.size()));
    for (const auto& t : triangles)
      write_triangle(w, {clusters.middle(t[0]), clusters.middle(t[1]), clusters.middle(t[2])});
    return out;
  }
}

Result<Bytes> as_stl(const Bytes& mesh, const std::string& suffix) {
  try {
    Assimp::Importer importer;
    // As ROS's own viewer does: the axes of a .dae are those of its link, whatever its up axis is.
    importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
    importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const aiScene* scene =
        importer.ReadFileFromMemory(mesh.data(), mesh.size(),
                                    aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices |
                                        aiProcess_JoinIdenticalVertices,
                                    suffix.c_str());
    if (!scene || scene->mNumMeshes == 0)
      return fail(ErrorCode::kInvalid, std::string("not a mesh: ") + importer.GetErrorString());
    Bytes out(80, ' ');  // the header is blank
    Writer w(out);
    std::uint32_t count = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) count += scene->mMeshes[m]->mNumFaces;
    w.u32(count);
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
      const aiMesh& part = *scene->mMeshes[m];
      for (unsigned f = 0; f < part.mNumFaces; ++f) {
        std::array<Corner, 3> corners{};
        for (std::size_t c = 0; c < 3; ++c) {
          const aiVector3D& v = part.mVertices[part.mFaces[f].mIndices[c]];
          corners[c] = {v.x, v.y, v.z};
        }
        write_triangle(w, corners);
      }
    }
    return out;
  } catch (const std::exception& e) { return fail(ErrorCode::kInvalid, std::string("not a mesh: ") + e.what()); }
}

}  // namespace convoy::mujoco
