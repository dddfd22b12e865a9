#include "physics/mujoco/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "core/hash.h"
#include "physics/mujoco/assets.h"
#include "physics/mujoco/compiled.h"
#include "physics/mujoco/facts.h"
#include "physics/mujoco/sdf.h"
#include "physics/mujoco/urdf.h"
#include "world/world.h"

namespace convoy::mujoco {

namespace {

// MuJoCo's text without the line of a document that the user has never seen.
std::string without_line(const std::string& text) {
  const std::size_t at = text.rfind(", line ");
  return at == std::string::npos ? text : text.substr(0, at);
}

}  // namespace

Error explained(const Error& error, const Text& text, const std::string& path) {
  const std::string place = text.place_in(error.text);
  std::string why = without_line(error.text);
  if (why.find("'composite'") != std::string::npos || why.find("flexvert") != std::string::npos)
    why += "; MuJoCo 4 has it no more: build with MUJOCO_DIR naming a 3.17";
  return {error.code, why, place.empty() ? path : place};
}

std::string model_name_of(const std::string& path) {
  std::string name = base_name(path);
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
  return valid_name(name) ? name : "model_" + name.substr(0, 100);
}

namespace {

// A template that another program expands: we would read it wrongly.
Status refuse_xacro(const std::string& path, const Element* root) {
  bool found = path.ends_with(".xacro");
  if (root) each(*root, [&](const Element& e) { found = found || e.tag.starts_with("xacro:"); });
  if (!found) return {};
  const std::string out = path.ends_with(".xacro") ? path.substr(0, path.size() - 6) : path + ".expanded";
  return fail(ErrorCode::kUnsupported,
              fmt::format("this is xacro; expand it first: xacro {} > {}, or let it run here: --trust", path,
                          out.ends_with(".urdf") ? out : out + ".urdf"),
              path);
}

}  // namespace

// Behind all that the document says of it: the last one counts.
void override_options(Element& mjcf, const EngineOptions& options) {
  if (options.empty()) return;
  Element& option = mjcf.add("option");
  for (const EngineOption& o : options) option.set(o.name.c_str(), o.value);
}

Result<ImportedModel> import_model(const std::string& path, const ImportOptions& options) {
  if (auto ok = refuse_xacro(path, nullptr); !ok) return tl::unexpected(ok.error());
  auto root = load_document(path, options.read);
  if (!root) return tl::unexpected(root.error());
  if (auto ok = refuse_xacro(path, &*root); !ok) return tl::unexpected(ok.error());
  ImportReport report;
  FileReader read = options.read;
  if (root->tag == "robot" || root->tag == "sdf") {
    const bool wheels_given = !options.left_wheels.empty() || !options.right_wheels.empty();
    auto mjcf = root->tag == "sdf"
                    ? from_sdf(std::move(*root), {options.read, options.roots, SdfUse::kRobot}, report)
                    : from_urdf(std::move(*root), {options.read, options.roots, options.inertia, wheels_given}, report);
    if (!mjcf) return tl::unexpected(mjcf.error());
    root = std::move(mjcf->mjcf);
    read = reader_of(std::move(mjcf->assets));
  }
  if (root->tag != "mujoco")
    return fail(ErrorCode::kInvalid, fmt::format("<{}> is none of <mujoco>, <robot> and <sdf>", root->tag),
                root->where());
  override_options(*root, options.options);
  ImportedModel out;
  out.report = std::move(report);
  out.model.name = options.name.empty() ? model_name_of(path) : options.name;
  Assets assets(folder_of(path), read, options.roots);
  if (auto ok = assets.collect(*root); !ok) return tl::unexpected(ok.error());
  out.model.left_wheels = options.left_wheels, out.model.right_wheels = options.right_wheels;
  if (auto ok = complete(out, std::move(*root), options.ground, assets.take(), path); !ok)
    return tl::unexpected(ok.error());
  return out;
}

Result<ImportedModel> import_again(const Model& model, const ModelFiles& files) {
  const auto read = [&](const std::string& path) -> Result<Bytes> {
    for (const ModelFile& file : model.files)
      if (file.name == path)
        if (const auto found = files.find(file.hash); found != files.end()) return *found->second;
    return fail(ErrorCode::kNotFound, "'" + path + "' is none of the model's files");
  };
  EXPECTS(!model.files.empty());
  return import_model(model.files[0].name,
                      {read, {}, model.name, model.left_wheels, model.right_wheels, Ground::kAuto});
}

}  // namespace convoy::mujoco
