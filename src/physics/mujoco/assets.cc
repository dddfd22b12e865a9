#include "physics/mujoco/assets.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"

namespace convoy::mujoco {

namespace {

constexpr int kMaxModelsInside = 20;  // nested
constexpr const char* kTextureFiles[] = {"file",     "fileright", "fileleft", "fileup",
                                         "filedown", "filefront", "fileback"};

}  // namespace

namespace {

Status check_names(const Model& model, const ModelFiles& files, const std::string& document, int depth) {
  const auto read = [&](const std::string& name) -> Result<Bytes> {
    for (const ModelFile& file : model.files)
      if (file.name == name)
        if (const auto found = files.find(file.hash); found != files.end()) return *found->second;
    return fail(ErrorCode::kDenied, "'" + name + "' is none of the model's files");
  };
  if (depth > kMaxModelsInside) return fail(ErrorCode::kInvalid, "models are nested too deep", document);
  const auto root = load_document(document, read);
  if (!root) return tl::unexpected(root.error());
  Status status;
  each(*root, [&](const Element& e) {
    if (!status) return;
    if (e.tag == "compiler")
      for (const char* folder : {"assetdir", "meshdir", "texturedir"})
        if (!e.get(folder).empty())
          status = fail(ErrorCode::kDenied, std::string("a document within the world has no ") + folder, e.where());
    for (const char* attribute : kTextureFiles) {
      const std::string name = e.get(attribute);
      if (!status || name.empty()) continue;
      const bool own =
          std::any_of(model.files.begin(), model.files.end(), [&](const ModelFile& f) { return f.name == name; });
      if (!own) status = fail(ErrorCode::kDenied, "'" + name + "' is none of the model's files", e.where());
      else if (e.tag == "model") status = check_names(model, files, name, depth + 1);
    }
  });
  return status;
}

}  // namespace

Status names_only_its_files(const Model& model, const ModelFiles& files) {
  return check_names(model, files, model.files[0].name, 0);
}

// Sections may be repeated; the last one counts.
Assets::Folders Assets::folders_of(Element& root) {
  Folders out;
  std::string both, mesh, texture;
  for (Element& e : root.children) {
    if (e.tag != "compiler") continue;
    if (e.find("assetdir")) both = e.get("assetdir");
    if (e.find("meshdir")) mesh = e.get("meshdir");
    if (e.find("texturedir")) texture = e.get("texturedir");
    if (e.find("strippath")) out.strip = e.get("strippath") == "true";
    for (const char* name : {"assetdir", "meshdir", "texturedir", "strippath"}) e.erase(name);
  }
  out.mesh = mesh.empty() ? both : mesh;
  out.texture = texture.empty() ? both : texture;
  return out;
}

std::string Assets::name_of(Bytes bytes, const std::string& suffix) {
  std::string name = hex16(hash64(bytes));
  if (!suffix.empty()) name += "." + suffix;
  files_.emplace(name, std::move(bytes));
  return name;
}

Result<std::string> Assets::keep(const Element& element, const std::string& name, const std::string& subfolder) {
  std::vector<std::string> tried;
  const auto try_path = [&](const std::string& path) -> Result<Bytes> {
    if (std::find(tried.begin(), tried.end(), path) != tried.end()) return fail(ErrorCode::kNotFound, "");
    tried.push_back(path);
    return read_(path);
  };
  auto bytes = try_path(joined(folder_, joined(subfolder, name)));
  if (!bytes) bytes = try_path(joined(folder_of(element.file), joined(subfolder, name)));  // of an included file
  for (std::size_t i = 0; i < roots_.size() && !bytes; ++i)
    bytes = try_path(joined(roots_[i], joined(subfolder, name)));
  if (!bytes)
    return fail(ErrorCode::kNotFound,
                fmt::format("no file '{}' for <{}>; tried {}", name, element.tag, fmt::join(tried, ", ")),
                element.where());
  return name_of(std::move(*bytes), extension(name));
}

// A model within the model (<asset><model file=.../></asset>): itself a document with assets.
Status Assets::take_model(Element& element) {
  if (depth_ >= kMaxModelsInside) return fail(ErrorCode::kInvalid, "models are nested too deep", element.where());
  const std::string path = joined(folder_, element.get("file"));
  auto inside = load_document(path, read_);
  if (!inside)
    return fail(inside.error().code, inside.error().text,
                inside.error().where.empty() ? element.where() : inside.error().where);
  Assets assets(folder_of(path), read_, roots_);
  assets.depth_ = depth_ + 1, assets.unwanted_ = unwanted_;
  std::erase_if(inside->children, [&](const Element& e) {
    if (unwanted_.empty() || e.tag != unwanted_) return false;
    left_out_.push_back(e.where());
    return true;
  });
  if (auto ok = assets.collect(*inside); !ok) return ok;
  files_.merge(assets.files_);
  left_out_.insert(left_out_.end(), assets.left_out_.begin(), assets.left_out_.end());
  const std::string xml = write(*inside).xml;
  element.set("file", name_of(Bytes(xml.begin(), xml.end()), "xml"));
  return {};
}

Status Assets::collect(Element& root) {
  const Folders folders = folders_of(root);
  Status status;
  each(root, [&](Element& e) {
    if (!status) return;
    const bool mesh = e.tag == "mesh" || e.tag == "hfield" || e.tag == "skin" || e.tag == "flexcomp";
    if (e.tag == "model" && e.find("file")) return void(status = take_model(e));
    if (!mesh && e.tag != "texture") return;
    for (const char* attribute : kTextureFiles) {
      const std::string* file = e.find(attribute);
      if (!file || file->empty()) continue;
      const std::string name = folders.strip ? base_name(*file) : *file;
      // What has no name of its own is called like its file, and that is about to change.
      if (e.tag != "flexcomp" && !e.find("name") && attribute == kTextureFiles[0]) e.set("name", stem(name));
      auto kept = keep(e, name, mesh ? folders.mesh : folders.texture);
      if (!kept) return void(status = tl::unexpected(kept.error()));
      e.set(attribute, std::move(*kept));
    }
  });
  return status;
}

}  // namespace convoy::mujoco
