#include "scenario/lists.h"

#include "core/math.h"
#include "scenario/sections.h"
#include "world/state.h"

namespace convoy::scenario {

namespace {

void read_spawn(Section& s, std::vector<SpawnLine>& lines) {
  SpawnLine line;
  EntitySpec& spec = line.spec;
  s.text("name", spec.name, TextRule::kName, Need::kRequired);
  s.text("model", spec.model, TextRule::kAny, Need::kRequired);
  if (!spec.model.empty() && !is_name(spec.model) && !names_robot_file(spec.model))
    s.refuse("model", "neither a model's name nor a robot's file (.xml, .urdf, .sdf)");
  double pose[3] = {0, 0, 0};
  s.numbers("pose", pose, kMetres, Need::kOptional, 1);
  s.text("frame_of_pose", line.frame_of_pose);
  read_keyframe(s, spec, nullptr);
  s.texts("tags", spec.tags, TextRule::kName);
  s.text("namespace", spec.ns, TextRule::kPath);
  s.text("frame", spec.frame, TextRule::kPath);
  s.text("host", spec.host, TextRule::kName);
  s.section("driver", {.scalar_is = "kind"}, [&](Section& driver) { read_driver(driver, spec.driver); });
  read_control(s, spec);
  read_components(s, spec);
  spec.pose = {{pose[0], pose[1], 0}, from_yaw(math::wrap_angle(pose[2]))};
  lines.push_back(std::move(line));
}

// The document, with a bare list or map put under `key`.
Result<Node> under(std::string_view text, const std::string& file, const char* key) {
  auto root = parse_yaml(text, file);
  if (!root || root->find(key) != nullptr) return root;
  Node list = std::move(*root);
  if (list.kind == Node::Kind::kMap) {
    Node one = std::move(list);
    list = {.kind = Node::Kind::kList, .line = one.line};
    list.items.push_back(std::move(one));
  }
  Node out{.kind = Node::Kind::kMap, .line = list.line};
  out.keys.push_back(key);
  out.items.push_back(std::move(list));
  return out;
}

}  // namespace

Result<std::vector<SpawnLine>> read_spawn_list(std::string_view text, const std::string& file) {
  const auto root = under(text, file, "robots");
  if (!root) return tl::unexpected(root.error());
  std::vector<SpawnLine> lines;
  Document document(file);
  Section::read(document, *root, [&](Section& s) {
    s.list(
        "robots", [&](Section& one) { read_spawn(one, lines); }, kMaxEntities);
  });
  if (const Status ok = document.status(); !ok) return tl::unexpected(ok.error());
  if (lines.empty()) return fail(ErrorCode::kInvalid, "nothing to spawn", file);
  return lines;
}

Result<Model> read_model_file(std::string_view text, const std::string& file) {
  const auto root = under(text, file, "models");
  if (!root) return tl::unexpected(root.error());
  const std::vector<Model> known = built_in_models();
  Draft draft;
  draft.setup.models = known;
  std::vector<Model>& models = draft.setup.models;
  Document document(file);
  Section::read(document, *root, [&](Section& s) {
    s.list(
        "models", [&](Section& one) { read_model(one, draft); }, kMaxModels);
  });
  if (const Status ok = document.status(); !ok) return tl::unexpected(ok.error());
  if (models.size() != known.size() + 1)
    return fail(ErrorCode::kInvalid, "one model is needed, here are " + std::to_string(models.size() - known.size()),
                file);
  return models.back();
}

}  // namespace convoy::scenario
