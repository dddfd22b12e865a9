#include "physics/mujoco/mesh_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"

namespace convoy::mujoco {

namespace {

bool is_text_stl(const Bytes& bytes) {
  const std::string head(bytes.begin(),
                         bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(bytes.size(), 400)));
  return head.starts_with("solid") && head.find("facet") != std::string::npos;
}

}  // namespace

std::vector<std::string> places_of(const std::string& uri, const std::string& folder,
                                   const std::vector<std::string>& more) {
  if (uri.starts_with("file:///")) return {uri.substr(7)};
  std::string package, rest = uri.starts_with("file://") ? uri.substr(7) : uri;
  std::vector<std::string> insides;
  for (const char* scheme : {"package://", "model://"}) {
    if (!uri.starts_with(scheme)) continue;
    rest = uri.substr(std::string_view(scheme).size());
    while (rest.starts_with('/')) rest.erase(0, 1);  // package:///NAME is written as well
    const std::size_t slash = rest.find('/');
    package = rest.substr(0, slash), rest = slash == std::string::npos ? "" : rest.substr(slash + 1);
    insides = {package, "share/" + package, package + "/share/" + package};
    if (uri.starts_with("model://")) insides.push_back("models/" + package);
  }
  std::vector<std::string> out;
  if (package.empty()) out.push_back(joined(folder, rest));
  std::vector<std::string> roots{folder.empty() ? "." : folder};
  for (int up = 0; up < 3; ++up) roots.push_back(roots.back() + "/..");
  roots.insert(roots.end(), more.begin(), more.end());
  for (const std::string& root : roots) {
    for (const std::string& inside : insides)
      out.push_back(rest.empty() ? joined(root, inside) : joined(joined(root, inside), rest));
    if (!rest.empty()) out.push_back(joined(root, rest));
  }
  std::vector<std::string> once;
  for (std::string& path : out)
    if (std::find(once.begin(), once.end(), path) == once.end()) once.push_back(std::move(path));
  return once;
}

FileReader reader_of(std::map<std::string, Bytes> files) {
  return [assets = std::move(files)](const std::string& name) -> Result<Bytes> {
    const auto found = assets.find(base_name(name));
    if (found == assets.end()) return fail(ErrorCode::kNotFound, "no such asset: " + name);
    return found->second;
  };
}

Result<std::string> MeshFiles::take(const std::string& uri, const Element& from) {
  const std::vector<std::string> tried = places_of(uri, folder_of(from.file), roots_);
  for (const std::string& path : tried)
    if (auto bytes = read_(path)) return keep(path, std::move(*bytes), from);
  return fail(ErrorCode::kNotFound, fmt::format("no mesh '{}'; tried {}", uri, fmt::join(tried, ", ")), from.where());
}

Result<std::string> MeshFiles::keep(const std::string& path, Bytes bytes, const Element& from) {
  std::string suffix = extension(path);
  if ((suffix != "stl" && suffix != "obj" && suffix != "msh") || (suffix == "stl" && is_text_stl(bytes))) {
    auto converted = as_stl(bytes, suffix);
    if (!converted)
      return fail(converted.error().code, fmt::format("{}: {}", path, converted.error().text), from.where());
    bytes = std::move(*converted), suffix = "stl";
  }
  if (suffix == "stl" && triangles_of(bytes) > kMostTriangles) {
    report_.lost.push_back(fmt::format("{}: {} triangles, of which MuJoCo reads {}: reduced", base_name(path),
                                       triangles_of(bytes), kMostTriangles));
    bytes = reduced(bytes, kMostTriangles);
  }
  std::string name = hex16(hash64(bytes)) + "." + suffix;
  assets_.emplace(name, std::move(bytes));
  return name;
}

}  // namespace convoy::mujoco
