#include "physics/mujoco/urdf_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "physics/mujoco/guard.h"
#include "physics/mujoco/mesh_files.h"
#include "physics/mujoco/urdf_text.h"

namespace convoy::mujoco {

void DeleteModel::operator()(mjModel* model) const {
  std::string ignored;
  guarded(ignored, [&] { mj_deleteModel(model); });
}

namespace {

using Names = std::set<std::string, std::less<>>;  // of meshes

// What one attempt uses of MuJoCo's.
struct Bench {
  mjVFS vfs{};
  mjSpec* spec = nullptr;
  mjModel* model = nullptr;
  Bench() { mj_defaultVFS(&vfs); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    std::string ignored;
    guarded(ignored, [this] {
      if (model) mj_deleteModel(model);
      if (spec) mj_deleteSpec(spec);
      mj_deleteVFS(&vfs);
    });
  }
};

void make_shells(mjSpec* spec, const Names& shells) {
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_MESH); e; e = mjs_nextElement(spec, e))
    if (shells.count(mjs_getString(mjs_getName(e)))) mjs_asMesh(e)->inertia = mjMESH_INERTIA_SHELL;
}

// `trouble`: why not, in MuJoCo's words.
bool attempt(const Text& text, const std::map<std::string, Bytes>& assets, const Names& shells, Conversion& out,
             std::string& trouble) {
  Bench bench;
  std::vector<char> xml(1 << 16);
  char why[1000] = "";
  int more = 0;
  const bool came_back = guarded(trouble, [&] {
    mj_setCacheCapacity(mj_getCache(), 0);
    for (auto it = assets.begin(); it != assets.end(); ++it)
      mj_addBufferVFS(&bench.vfs, it->first.c_str(), it->second.data(), static_cast<int>(it->second.size()));
    bench.spec = mj_parseXMLString(text.xml.c_str(), &bench.vfs, why, sizeof why);
    if (!bench.spec) return;
    bench.spec->compiler.usethread = 0;
    make_shells(bench.spec, shells);
    bench.model = mj_compile(bench.spec, &bench.vfs);
    if (!bench.model) return void(std::snprintf(why, sizeof why, "%s", mjs_getError(bench.spec)));
    more = mj_saveXMLString(bench.spec, xml.data(), static_cast<int>(xml.size()), why, sizeof why);
    if (more > 0) {
      xml.resize(static_cast<std::size_t>(more) + 1);
      more = mj_saveXMLString(bench.spec, xml.data(), static_cast<int>(xml.size()), why, sizeof why);
    }
  });
  take_warning();
  if (!came_back) return false;
  trouble = why;
  if (!bench.model || more != 0) return false;
  out.mjcf = xml.data();
  out.model.reset(std::exchange(bench.model, nullptr));
  return true;
}

// Of a mesh that makes trouble: its name in the first group.
bool names_mesh(const std::string& trouble, const char* pattern, std::string& name) {
  std::smatch found;
  if (!std::regex_search(trouble, found, std::regex(pattern))) return false;
  name = found[1];
  return true;
}

// False: it is no .obj that another reader takes.
bool convert_obj(const std::string& name, Element& root, std::map<std::string, Bytes>& assets) {
  const auto found = assets.find(name);
  if (found == assets.end()) return false;
  auto stl = as_stl(found->second, "obj");
  if (!stl) return false;
  const std::string now = hex16(hash64(*stl)) + ".stl";
  assets.erase(found);
  assets.emplace(now, std::move(*stl));
  each(root, [&](Element& e) {
    if (e.tag == "mesh" && e.get("filename") == name) e.set("filename", now);
  });
  return true;
}

Error explained(std::string trouble, const Text& text, const std::string& file) {
  std::replace(trouble.begin(), trouble.end(), '\n', ' ');
  while (!trouble.empty() && trouble.back() == ' ') trouble.pop_back();
  const std::string place = text.place_in(trouble);
  if (const std::size_t at = trouble.rfind(", line "); at != std::string::npos) trouble.resize(at);
  return {ErrorCode::kInvalid, trouble, place.empty() ? file : place};
}

}  // namespace

Result<Conversion> convert(Element& root, std::map<std::string, Bytes>& assets, ImportReport& report) {
  Names shells;
  std::size_t converted = 0;
  for (;;) {
    const Text text = write(root);
    Conversion out;
    std::string trouble, mesh;
    if (attempt(text, assets, shells, out, trouble)) {
      if (!shells.empty())
        report.lost.push_back(fmt::format("{} meshes have no volume: they are taken for shells", shells.size()));
      if (converted)
        report.lost.push_back(fmt::format("{} .obj meshes are broken: read without their textures", converted));
      return out;
    }
    // Each cure changes what the next attempt sees, so that this ends.
    if (names_mesh(trouble, "mesh volume is too small: (\\S+)", mesh) && shells.insert(mesh).second) continue;
    if (names_mesh(trouble, "'([0-9a-f]{16}\\.obj)'", mesh) && convert_obj(mesh, root, assets)) {
      ++converted;
      continue;
    }
    return tl::unexpected(explained(std::move(trouble), text, root.file));
  }
}

}  // namespace convoy::mujoco
