#include "scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "scenario/ground.h"
#include "scenario/placement.h"
#include "scenario/sections.h"

namespace convoy::scenario {

namespace {

constexpr std::size_t kMaxPrefixWarnings = 10;

// The group's robots: its name alone, or with the numbers 0 to count - 1, padded to one length.
void expand(const Group& group, Setup& setup) {
  const std::size_t count = group.count.value_or(1);
  const std::size_t digits = count > 0 ? std::to_string(count - 1).size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    EntitySpec& entity = setup.entities.emplace_back(group.spec);
    entity.name = group.count ? fmt::format("{}_{:0{}}", group.name, i, digits) : group.name;
    if (group.count && !entity.ns.empty()) entity.ns += "/" + entity.name;
    if (joins(entity.components)) entity.host = entity.name;
  }
}

// Entity indices in the order of their names.
std::vector<std::size_t> by_name(const std::vector<EntitySpec>& entities) {
  std::vector<std::size_t> order(entities.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return entities[a].name < entities[b].name; });
  return order;
}

// "burger_1" is a prefix of "burger_10": a topic filter or a search for the one finds the other too.
void warn_of_prefixes(const std::vector<EntitySpec>& entities, const std::vector<std::size_t>& order,
                      std::vector<std::string>& warnings) {
  std::size_t warned = 0, more = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::string& name = entities[order[i]].name;
    std::size_t end = i + 1;
    while (end < order.size() && entities[order[end]].name.starts_with(name) && end - i < 1000) ++end;
    if (end == i + 1) continue;
    if (warned++ >= kMaxPrefixWarnings) {
      ++more;
      continue;
    }
    const std::size_t others = end - i - 2;
    warnings.push_back(fmt::format("the name '{}' is the beginning of '{}'{}", name, entities[order[i + 1]].name,
                                   others ? fmt::format(" and of {} more", others) : ""));
  }
  if (more) warnings.push_back(fmt::format("{} more names are beginnings of others", more));
}

Status make_entities(const std::vector<Group>& groups, Setup& setup, std::vector<std::size_t>& sizes,
                     std::vector<std::string>& warnings) {
  std::vector<const Group*> maker;
  for (const Group& group : groups) {
    if (setup.entities.size() + group.count.value_or(1) > kMaxEntities)
      return fail(ErrorCode::kInvalid, fmt::format("more than {} robots", kMaxEntities), group.where);
    const std::size_t before = setup.entities.size();
    expand(group, setup);
    sizes.push_back(setup.entities.size() - before);
    maker.insert(maker.end(), sizes.back(), &group);
  }
  const std::vector<std::size_t> order = by_name(setup.entities);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::string& name = setup.entities[order[i]].name;
    if (name != setup.entities[order[i + 1]].name) continue;
    return fail(ErrorCode::kExists, fmt::format("the name '{}' is taken; first by {}", name, maker[order[i]]->where),
                maker[order[i + 1]]->where);
  }
  warn_of_prefixes(setup.entities, order, warnings);
  return {};
}

// `sizes`: how many entities each group has made.
Status name_programs(Draft& draft, const std::vector<std::size_t>& sizes, const std::string& base_dir) {
  const auto& hosts = draft.run.hosts.names;
  auto entity = draft.setup.entities.begin();
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    std::vector<std::string>& command = draft.groups[g].command;
    if (!command.empty() && command[0].find('/') != std::string::npos)  // a path, from the scenario's folder
      command[0] = std::filesystem::absolute(std::filesystem::path(base_dir) / command[0]).lexically_normal().string();
    for (std::size_t i = 0; i < sizes[g]; ++i, ++entity) {
      if (!joins(entity->components)) continue;
      if (std::find(hosts.begin(), hosts.end(), entity->name) != hosts.end())
        return fail(ErrorCode::kExists, "'" + entity->name + "' joins under its name, and a host has it too", "hosts");
      draft.run.programs.push_back({entity->name, command});
    }
  }
  return {};
}

// A robot that is to be alone is placed on a client of its own, on its host's machine.
void isolate_robots(Draft& draft, const std::vector<std::size_t>& sizes) {
  const auto& hosts = draft.run.hosts.names;
  auto entity = draft.setup.entities.begin();
  for (std::size_t g = 0; g < sizes.size(); ++g)
    for (std::size_t i = 0; i < sizes[g]; ++i, ++entity) {
      if (!draft.groups[g].isolate) continue;
      const std::string& of = entity->host.empty() ? hosts[draft.run.isolated.size() % hosts.size()] : entity->host;
      entity->host = of + "." + entity->name;
      draft.run.isolated.push_back(entity->host);
    }
}

void read_root(Section& s, Draft& draft, const LoadOptions& options) {
  draft.setup.models = built_in_models();
  read_scenario(s, draft, options.sections);
}

}  // namespace

Result<Scenario> parse(std::string_view text, const std::string& file, const std::string& base_dir,
                       const LoadOptions& options) {
  Result<Node> root = parse_yaml(text, file);
  if (!root) return tl::unexpected(root.error());
  for (const std::string& assignment : options.overrides)
    if (const Status s = apply_override(*root, assignment); !s) return tl::unexpected(s.error());

  Document document(file);
  Draft draft;
  draft.setup.name = std::filesystem::path(file).stem().string();
  draft.import_robot = options.import_robot, draft.base_dir = base_dir;
  Section::read(document, *root, [&](Section& s) { read_root(s, draft, options); });
  if (const Status s = document.status(); !s) return tl::unexpected(s.error());

  if (const Status s = read_world_file(draft, options.import_world); !s) return tl::unexpected(s.error());
  Scenario scenario{.file = file, .warnings = std::move(document.warnings)};
  if (const Status s = make_ground(draft, {file, base_dir, options.map_path}, scenario.warnings); !s)
    return tl::unexpected(s.error());
  if (const Status s = add_object_places(draft); !s) return tl::unexpected(s.error());
  std::vector<std::size_t> sizes;
  if (const Status s = make_entities(draft.groups, draft.setup, sizes, scenario.warnings); !s)
    return tl::unexpected(s.error());
  if (const Status s = name_programs(draft, sizes, base_dir); !s) return tl::unexpected(s.error());
  isolate_robots(draft, sizes);
  StaticMap map;
  if (!draft.setup.map.cells.empty()) {
    Result<StaticMap> made = StaticMap::make(draft.setup.map);
    if (!made) return fail(made.error().code, made.error().text, draft.world.map_where);
    map = std::move(*made);
  }
  if (const Status s = place(draft.groups, sizes, map, draft.setup, scenario.warnings); !s)
    return tl::unexpected(s.error());
  if (const Status s = gather_objects(draft, options.import_group, scenario.warnings); !s)
    return tl::unexpected(s.error());
  scenario.warnings.insert(scenario.warnings.end(), draft.losses.begin(), draft.losses.end());
  if (const Status s = read_delay_files(draft, base_dir); !s) return tl::unexpected(s.error());
  if (!draft.descriptors.empty()) {
    const auto path = std::filesystem::path(base_dir) / draft.descriptors;  // an absolute one rules
    Result<std::string> types = read_file(path.string(), kMaxDescriptors);
    if (!types) return fail(types.error().code, types.error().message(), draft.descriptors_where);
    scenario.element_types = std::move(*types);
  }
  scenario.setup = std::move(draft.setup);
  scenario.run = std::move(draft.run);
  return scenario;
}

Result<Scenario> load(const std::string& path, const LoadOptions& options) {
  const Result<std::string> text = read_file(path, kMaxDocumentBytes);
  if (!text) return tl::unexpected(text.error());
  return parse(*text, path, std::filesystem::path(path).parent_path().string(), options);
}

std::vector<std::string> known_scenario_fields(const LoadOptions& options) {
  return known_fields([&](Section& s) {
    Draft draft;
    read_root(s, draft, options);
  });
}

}  // namespace convoy::scenario
