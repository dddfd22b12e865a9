// The section `objects`: loose bodies that are solved together, in agents of their own.
#include <fmt/format.h>

#include <algorithm>

#include "scenario/sections.h"

namespace convoy::scenario {

namespace {

using Shape = LooseBody::Shape;

constexpr NumberRange kObjectSize{0, 1000, "m", true};
constexpr Duration kLongestStep = std::chrono::milliseconds(2);

std::string pseudo_model(std::size_t index) { return fmt::format("object:{}", index); }

// As placement sees it from above: a square that holds it.
Model seen_from_above(const ObjectDraft& object, std::size_t index) {
  Model out;
  out.name = pseudo_model(index);
  const auto& s = object.body.size;
  const double x = object.body.shape == Shape::kBox ? s[0] / 2 : s[0],
               y = object.body.shape == Shape::kBox ? s[1] / 2 : s[0];
  out.footprint = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
  return out;
}

double height_of(const LooseBody& body) {
  return body.shape == Shape::kBox ? body.size[2] : body.shape == Shape::kSphere ? 2 * body.size[0] : body.size[1];
}

void read_shape(Section& s, LooseBody& body) {
  double radius = 0;
  std::array<double, 2> cylinder{};
  s.numbers("box", body.size, kObjectSize);
  s.number("sphere", radius, kObjectSize);
  s.numbers("cylinder", cylinder, kObjectSize);
  s.text("file", body.file);
  s.at_most_one_of({"box", "sphere", "cylinder", "file"});
  if (s.has("sphere")) body.shape = Shape::kSphere, body.size = {radius, 0, 0};
  if (s.has("cylinder")) body.shape = Shape::kCylinder, body.size = {cylinder[0], cylinder[1], 0};
  if (s.has("file")) body.shape = Shape::kFile;
  if (s.sound() && !s.has("box") && !s.has("sphere") && !s.has("cylinder") && !s.has("file"))
    s.refuse("", "an object is a box, a sphere, a cylinder or a file");
}

// The largest of at most kLongestStep that divides the tick.
Duration step_within(Duration tick) {
  std::int64_t parts = (nanos(tick) + nanos(kLongestStep) - 1) / nanos(kLongestStep);
  while (nanos(tick) % parts != 0) ++parts;
  return Duration(nanos(tick) / parts);
}

}  // namespace

void read_object(Section& s, Draft& d) {
  ObjectDraft object;
  s.text("name", object.body.name, TextRule::kName, Need::kRequired);
  std::uint32_t count = 1;
  s.integer("count", count, 1, kMaxObjects);
  if (s.has("count")) object.count = count;
  read_shape(s, object.body);
  s.number("mass", object.body.mass, {0, 1e6, "kg", true});
  s.number("friction", object.body.friction, {0, 100, "", false});
  s.section("placement", [&](Section& p) { read_placement(p, object.placement); });
  s.number("z", object.z, {-1000, 1000, "m", false});
  s.integer("stack", object.stack, 1, 1000);
  s.text("group", object.group, TextRule::kName);
  object.where = s.where(), object.placement_where = s.where("placement");
  if (s.sound() && object.body.shape == Shape::kFile)
    for (const char* field : {"mass", "friction"})
      if (s.has(field)) s.warn(field, "the file says it itself");
  if (s.sound() && object.body.shape == Shape::kFile && object.stack > 1)
    s.refuse("stack", "how high a file's bodies are is not known: give each a z");
  const std::size_t places = (count + object.stack - 1) / object.stack;
  if (s.sound() && object.placement.poses && object.placement.poses->poses.size() != places)
    s.refuse("placement", fmt::format("{} poses for {} places", object.placement.poses->poses.size(), places));
  d.objects.push_back(std::move(object));
}

Status add_object_places(Draft& draft) {
  std::size_t all = 0;
  for (std::size_t i = 0; i < draft.objects.size(); ++i) {
    ObjectDraft& object = draft.objects[i];
    all += object.count.value_or(1);
    if (all > kMaxObjects)
      return fail(ErrorCode::kInvalid, fmt::format("more than {} objects", kMaxObjects), object.where);
    Model model = seen_from_above(object, i);
    if (object.body.shape == Shape::kFile) {
      if (!draft.import_robot) return fail(ErrorCode::kUnsupported, "objects' files are not read here", object.where);
      const auto made = draft.import_robot({object.body.file, draft.base_dir, {}, {}, {}});
      if (!made) return fail(made.error().code, made.error().message(), object.where);
      model.footprint = made->model.footprint;
    }
    draft.setup.models.push_back(std::move(model));
    Group group;
    group.name = pseudo_model(i), group.count = (object.count.value_or(1) + object.stack - 1) / object.stack;
    group.spec.model = pseudo_model(i);
    group.placement = object.placement;
    group.where = object.where, group.placement_where = object.placement_where;
    draft.groups.push_back(std::move(group));
  }
  return {};
}

Status gather_objects(Draft& draft, const GroupImporter& import, std::vector<std::string>& warnings) {
  if (draft.objects.empty()) return {};
  if (!import) return fail(ErrorCode::kUnsupported, "objects are not moved here", draft.objects[0].where);
  std::vector<LooseGroup> groups;
  std::vector<std::string> where;
  auto& entities = draft.setup.entities;
  auto place =
      std::find_if(entities.begin(), entities.end(), [](const EntitySpec& e) { return e.model == pseudo_model(0); });
  const auto first = place - entities.begin();
  for (const ObjectDraft& object : draft.objects) {
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const LooseGroup& g) { return g.name == object.group; });
    if (group == groups.end()) {
      groups.push_back({object.group, draft.base_dir, step_within(draft.setup.tick), {}, draft.options});
      where.push_back(object.where);
      group = groups.end() - 1;
    }
    const std::uint32_t count = object.count.value_or(1);
    const std::size_t digits = std::to_string(count - 1).size();
    const bool file = object.body.shape == Shape::kFile;
    const double height = file ? 0 : height_of(object.body);
    for (std::uint32_t i = 0; i < count; ++i) {
      LooseBody body = object.body;
      if (object.count) body.name = fmt::format("{}_{:0{}}", body.name, i, digits);
      body.X_WB = place->pose;
      body.X_WB.p.z = object.z + (file ? 0 : height * (0.5 + i % object.stack));
      if (std::any_of(group->bodies.begin(), group->bodies.end(),
                      [&](const LooseBody& b) { return b.name == body.name; }))
        return fail(ErrorCode::kExists,
                    fmt::format("the group '{}' has an object '{}' already", object.group, body.name), object.where);
      group->bodies.push_back(std::move(body));
      if ((i + 1) % object.stack == 0 || i + 1 == count) ++place;
    }
  }
  entities.erase(entities.begin() + first, place);
  std::erase_if(draft.setup.models, [](const Model& m) { return m.name.starts_with("object:"); });
  for (std::size_t i = 0; i < groups.size(); ++i) {
    auto made = import(groups[i]);
    if (!made) return fail(made.error().code, made.error().message(), where[i]);
    const auto is_taken = [&](const auto& other) { return other.name == groups[i].name; };
    if (std::any_of(draft.setup.models.begin(), draft.setup.models.end(), is_taken))
      return fail(ErrorCode::kExists,
                  fmt::format("there is a model '{}' already; call the group otherwise", groups[i].name), where[i]);
    if (std::any_of(entities.begin(), entities.end(), is_taken))
      return fail(ErrorCode::kExists, fmt::format("the name '{}' is taken; call the group otherwise", groups[i].name),
                  where[i]);
    for (const std::string& line : made->report.lost) warnings.push_back(fmt::format("{}: {}", groups[i].name, line));
    take_in(draft.setup, std::move(*made));
    EntitySpec& entity = entities.emplace_back();
    entity.name = entity.model = groups[i].name;
  }
  return {};
}

}  // namespace convoy::scenario
