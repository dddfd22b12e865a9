#include "physics/mujoco/import_group.h"

#include <fmt/format.h>

#include "physics/mujoco/assets.h"
#include "physics/mujoco/compiled.h"
#include "physics/mujoco/import_world.h"

namespace convoy::mujoco {

namespace {

void put_pose(Element& e, const Pose& X) {
  e.set("pos", fmt::format("{} {} {}", X.p.x, X.p.y, X.p.z));
  e.set("quat", fmt::format("{} {} {} {}", X.q.w, X.q.x, X.q.y, X.q.z));
}

void add_shape(Element& world, const LooseBody& object) {
  Element& body = world.add("body");
  body.set("name", object.name);
  put_pose(body, object.X_WB);
  body.add("freejoint").set("name", object.name);
  Element& geom = body.add("geom");
  const auto& s = object.size;
  switch (object.shape) {
    case LooseBody::Shape::kSphere: geom.set("type", "sphere"), geom.set("size", fmt::format("{}", s[0])); break;
    case LooseBody::Shape::kCylinder:
      geom.set("type", "cylinder"), geom.set("size", fmt::format("{} {}", s[0], s[1] / 2));
      break;
    default: geom.set("type", "box"), geom.set("size", fmt::format("{} {} {}", s[0] / 2, s[1] / 2, s[2] / 2));
  }
  geom.set("mass", fmt::format("{}", object.mass));
  geom.set("friction", fmt::format("{} 0.005 0.0001", object.friction));
}

// All of a file's world, its names behind the object's.
void add_file(Element& world, Element& asset, const LooseBody& object, std::vector<std::string>& files) {
  std::size_t place = 0;
  while (place < files.size() && files[place] != object.file) ++place;
  const std::string model = fmt::format("file_{}", place);
  if (place == files.size()) {
    files.push_back(object.file);
    Element& e = asset.add("model");
    e.set("name", model), e.set("file", object.file);
  }
  Element& frame = world.add("frame");
  put_pose(frame, object.X_WB);
  Element& attach = frame.add("attach");
  attach.set("model", model), attach.set("prefix", object.name + "/");
}

}  // namespace

Result<ImportedModel> import_group(const LooseGroup& group, const ImportOptions& options) {
  Element root;
  root.tag = "mujoco", root.file = group.name;
  root.set("model", group.name);
  Element& option = root.add("option");
  option.set("timestep", fmt::format("{}", seconds(group.step)));
  option.set("integrator", "implicitfast"), option.set("cone", "elliptic");
  for (const EngineOption& o : group.options) option.set(o.name.c_str(), o.value);
  Element& fixed = root.add("custom").add("numeric");
  fixed.set("name", kFixedBase), fixed.set("data", "1");
  root.add("asset");
  root.add("worldbody");
  std::vector<std::string> files;
  for (const LooseBody& object : group.bodies) {
    if (object.shape == LooseBody::Shape::kFile)
      add_file(*root.child("worldbody"), *root.child("asset"), object, files);
    else add_shape(*root.child("worldbody"), object);
  }
  ImportReport report;
  Assets assets("", options.read, options.roots);
  assets.leave_out("keyframe");  // they would put the objects where their files have them
  if (auto ok = assets.collect(root); !ok) return tl::unexpected(ok.error());
  for (const std::string& where : assets.left_out())
    report.lost.push_back(where + ": a keyframe of an object is left out");
  auto made = model_of_objects(root, group.name, group.name, assets.take());
  if (!made) return made;
  made->model.reach = kAnywhere;
  made->report.lost.insert(made->report.lost.end(), report.lost.begin(), report.lost.end());
  return made;
}

}  // namespace convoy::mujoco
