#include "physics/mujoco/sdf_include.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "physics/mujoco/mesh_files.h"

namespace convoy::mujoco {

namespace {

constexpr std::size_t kMaxIncludeDepth = 20;  // of files
constexpr int kMaxIncludes = 10'000;          // in all
constexpr int kMaxModelDepth = 40;            // of models in models

Element& append(Element& parent, const char* tag, std::string text = "") {
  Element& e = parent.add(tag);
  e.text = std::move(text);
  return e;
}

Element& child_or_new(Element& parent, const char* tag) {
  Element* found = parent.child(tag);
  return found ? *found : parent.add(tag);
}

// Gazebo's model of that name, where it is not on this machine: a static plane.
Element ground_plane(const Element& include) {
  Element model;
  model.tag = "model", model.file = include.file, model.line = include.line;
  model.set("name", "ground_plane"), model.set(kSdfVersion, "1.6");
  append(model, "static", "true");
  Element& link = append(model, "link");
  link.set("name", "link");
  Element& collision = append(link, "collision");
  collision.set("name", "collision");
  Element& plane = append(append(collision, "geometry"), "plane");
  append(plane, "normal", "0 0 1"), append(plane, "size", "100 100");
  return model;
}

// Of the <sdf> elements of a model.config the file of the newest version.
std::string newest(const Element& config) {
  std::string out;
  double best = -1;
  for (const Element& e : config.children) {
    if (e.tag != "sdf") continue;
    const double version = std::strtod(e.get("version").c_str(), nullptr);
    if (version > best) best = version, out = e.text;
  }
  return out;
}

class Includer {
 public:
  Includer(const SdfPlaces& places, Losses& losses, ImportReport& report)
      : places_(places), losses_(losses), report_(report) {}

  // `inside`: the files on the way to it.
  Status put_in(Element& parent, const std::string& version, std::vector<std::string>& inside, int depth) {
    if (depth > kMaxModelDepth) return fail(ErrorCode::kInvalid, "models are nested too deep", parent.where());
    std::vector<Element> kept;
    kept.reserve(parent.children.size());
    for (Element& e : parent.children) {
      if (e.tag == "include") {
        auto made = included(e, inside, depth);
        if (!made) return tl::unexpected(made.error());
        if (*made) kept.push_back(std::move(**made));
        continue;
      }
      if (e.tag == "model" || e.tag == "world")
        if (auto ok = put_in(e, version, inside, depth + 1); !ok) return ok;
      if (e.tag == "model") e.set(kSdfVersion, version);
      kept.push_back(std::move(e));
    }
    parent.children = std::move(kept);
    return {};
  }

 private:
  // Nothing: it has no model.
  Result<std::optional<Element>> included(const Element& include, std::vector<std::string>& inside, int depth) {
    const std::string uri = text_of(include, "uri");
    if (uri.empty()) return fail(ErrorCode::kInvalid, "<include> has no <uri>", include.where());
    if (++count_ > kMaxIncludes)
      return fail(ErrorCode::kInvalid, fmt::format("there are more than {} includes", kMaxIncludes), include.where());
    auto path = find(uri, include);
    if (!path) {
      const std::string name = base_name(uri);
      if (name == "sun" || name == "Sun") return losses_.add("<light> is not read"), std::optional<Element>{};
      if (name != "ground_plane" && name != "Ground Plane") return tl::unexpected(path.error());
      report_.made.push_back(fmt::format("'{}' is in no folder: a level plane is made for it", uri));
      return finished(ground_plane(include), include);
    }
    if (std::find(inside.begin(), inside.end(), *path) != inside.end() || inside.size() > kMaxIncludeDepth)
      return fail(ErrorCode::kInvalid, fmt::format("'{}' includes itself", *path), include.where());
    auto root = load_document(*path, places_.read);
    if (!root) return tl::unexpected(root.error());
    auto model = model_in(*root, include);
    if (!model || !*model) return model;
    inside.push_back(*path);
    const std::string version = root->get("version");
    (*model)->set(kSdfVersion, version);
    const Status ok = put_in(**model, version, inside, depth + 1);
    inside.pop_back();
    if (!ok) return tl::unexpected(ok.error());
    return finished(std::move(**model), include);
  }

  Result<std::string> find(const std::string& uri, const Element& include) {
    const bool far = uri.starts_with("http://") || uri.starts_with("https://");
    // What was downloaded once may lie among the models under its name.
    const std::string wanted = far ? "model://" + base_name(uri) : uri;
    const std::string suffix = extension(wanted);
    const bool file = suffix == "sdf" || suffix == "world" || suffix == "xml" || suffix == "urdf";
    const std::vector<std::string> places = places_of(wanted, folder_of(include.file), places_.roots);
    for (const std::string& place : places) {
      if (file && places_.read(place)) return place;
      if (file) continue;
      if (places_.read(joined(place, "model.config"))) {
        auto config = load_document(joined(place, "model.config"), places_.read);
        if (!config) return tl::unexpected(config.error());
        const std::string sdf = joined(place, newest(*config));
        if (sdf != joined(place, "") && places_.read(sdf)) return sdf;
      }
      if (places_.read(joined(place, "model.sdf"))) return joined(place, "model.sdf");
    }
    if (far)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("'{}' is not downloaded: put the model's folder '{}' beside this file, or into a folder "
                              "of CONVOY_MODEL_PATH",
                              uri, base_name(uri)),
                  include.where());
    return fail(ErrorCode::kNotFound, fmt::format("no model '{}'; tried {}", uri, fmt::join(places, ", ")),
                include.where());
  }

  Result<std::optional<Element>> model_in(Element& root, const Element& include) {
    if (root.tag != "sdf")
      return fail(ErrorCode::kUnsupported, fmt::format("the included '{}' is <{}>, not <sdf>", root.file, root.tag),
                  include.where());
    std::optional<Element> out;
    for (Element& e : root.children) {
      if (e.tag == "world")
        return fail(ErrorCode::kUnsupported, fmt::format("the included '{}' is a world, not a model", root.file),
                    include.where());
      if (e.tag != "model") losses_.add(fmt::format("<{}> is not read", e.tag));
      else if (out) losses_.add("another <model> in an included file is not read");
      else out = std::move(e);
    }
    return out;
  }

  // With what the <include> says otherwise.
  std::optional<Element> finished(Element model, const Element& include) {
    if (include.get("merge") == "true" || include.get("merge") == "1")
      losses_.add("<include merge=\"true\"> is a nested model: its names are behind the model's");
    if (const std::string name = text_of(include, "name"); !name.empty()) model.set("name", name);
    if (const Element* pose = include.child("pose")) child_or_new(model, "pose") = *pose;
    if (const Element* fixed = include.child("static")) child_or_new(model, "static") = *fixed;
    if (const std::string frame = text_of(include, "placement_frame"); !frame.empty())
      model.set("placement_frame", frame);
    for (const Element& e : include.children)
      if (e.tag == "plugin") model.children.push_back(e);
    return model;
  }

  const SdfPlaces& places_;
  Losses& losses_;
  ImportReport& report_;
  int count_ = 0;
};

}  // namespace

Status put_in_includes(Element& root, const SdfPlaces& places, Losses& losses, ImportReport& report) {
  std::vector<std::string> inside{root.file};
  return Includer(places, losses, report).put_in(root, root.get("version"), inside, 0);
}

}  // namespace convoy::mujoco
