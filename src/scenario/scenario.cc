#include "scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>

#include "scenario/ground.h"
#include "scenario/placement.h"
#include "scenario/sections.h"
#include "scenario/start_check.h"

namespace convoy::scenario {

namespace {

constexpr std::size_t kMaxPrefixWarnings = 10;

// What is wrong with a scenario, as its parts find it.
class Problems {
 public:
  Problems(const Document& document, std::vector<Error> overrides) : all_(std::move(overrides)) {
    const std::vector<Error> read = document.errors();
    if (const Status worst = document.status(); all_.empty() && !worst) worst_ = worst.error();
    all_.insert(all_.end(), read.begin(), read.end());
    more_ = document.more();
  }
  explicit Problems(std::vector<Error> all) : all_(std::move(all)) {}

  void add(Error error) {
    if (all_.size() < kMaxProblems) all_.push_back(std::move(error));
    else ++more_;
  }
  bool add(const Status& status) {  // true if it is none
    if (!status) add(status.error());
    return status.has_value();
  }
  bool none() const { return all_.empty(); }

  // By line, `file`'s own first.
  Refusal refusal(const std::string& file) const;

 private:
  std::optional<Error> worst_;  // else the first
  std::vector<Error> all_;
  std::size_t more_ = 0;
};

// The line that an error's place names ("FILE:12: robots[0]"); nothing if it is no line of the file.
std::optional<int> line_of(const Error& error, const std::string& file) {
  if (!error.where.starts_with(file + ":")) return {};
  int line = 0;
  const char* const begin = error.where.data() + file.size() + 1;
  const auto [end, status] = std::from_chars(begin, error.where.data() + error.where.size(), line);
  if (status != std::errc{}) return {};
  return line;
}

Refusal Problems::refusal(const std::string& file) const {
  Refusal out;
  static_cast<Error&>(out) = worst_.value_or(all_.front());
  out.all = all_, out.more = more_;
  std::stable_sort(out.all.begin(), out.all.end(), [&](const Error& a, const Error& b) {
    constexpr int kLast = std::numeric_limits<int>::max();
    return line_of(a, file).value_or(kLast) < line_of(b, file).value_or(kLast);
  });
  return out;
}

tl::unexpected<Refusal> refused(const std::string& file, const Problems& problems) {
  return tl::unexpected(problems.refusal(file));
}

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

// A problem each for the names that several have.
void refuse_taken_names(const std::vector<EntitySpec>& entities, const std::vector<std::size_t>& order,
                        const std::vector<const Group*>& maker, Problems& problems) {
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::string& name = entities[order[i]].name;
    if (name.empty() || name != entities[order[i + 1]].name) continue;
    problems.add({ErrorCode::kExists, fmt::format("the name '{}' is taken; first by {}", name, maker[order[i]]->where),
                  maker[order[i + 1]]->where});
    while (i + 2 < order.size() && entities[order[i + 2]].name == name) ++i;
  }
}

void make_entities(const std::vector<Group>& groups, Setup& setup, std::vector<std::size_t>& sizes, Problems& problems,
                   std::vector<std::string>& warnings) {
  std::vector<const Group*> maker;
  for (const Group& group : groups) {
    if (setup.entities.size() + group.count.value_or(1) > kMaxEntities)
      return problems.add({ErrorCode::kInvalid, fmt::format("more than {} robots", kMaxEntities), group.where});
    const std::size_t before = setup.entities.size();
    expand(group, setup);
    sizes.push_back(setup.entities.size() - before);
    maker.insert(maker.end(), sizes.back(), &group);
  }
  const std::vector<std::size_t> order = by_name(setup.entities);
  refuse_taken_names(setup.entities, order, maker, problems);
  if (problems.none()) warn_of_prefixes(setup.entities, order, warnings);
}

// `sizes`: how many entities each group has made.
void name_programs(Draft& draft, const std::vector<std::size_t>& sizes, Problems& problems) {
  const auto& hosts = draft.run.hosts.names;
  auto entity = draft.setup.entities.begin();
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    std::vector<std::string>& command = draft.groups[g].command;
    if (!command.empty() && command[0].find('/') != std::string::npos)  // a path, from the scenario's folder
      command[0] =
          std::filesystem::absolute(std::filesystem::path(draft.base_dir) / command[0]).lexically_normal().string();
    for (std::size_t i = 0; i < sizes[g]; ++i, ++entity) {
      if (!joins(entity->components)) continue;
      if (std::find(hosts.begin(), hosts.end(), entity->name) != hosts.end())
        problems.add(
            {ErrorCode::kExists, "'" + entity->name + "' joins under its name, and a host has it too", "hosts"});
      draft.run.programs.push_back({entity->name, command});
    }
  }
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

Status read_descriptors(const Draft& draft, std::string& types) {
  if (draft.descriptors.empty()) return {};
  const auto path = std::filesystem::path(draft.base_dir) / draft.descriptors;  // an absolute one rules
  Result<std::string> read = read_file(path.string(), kMaxDescriptors);
  if (!read) return fail(read.error().code, read.error().message(), draft.descriptors_where);
  types = std::move(*read);
  return {};
}

// What is made of the draft once it is read; of one with problems all that can be found without what is missing. True
// if there are none in the end.
bool make_all(Draft& draft, const LoadOptions& options, Scenario& scenario, Problems& problems) {
  std::vector<std::string>& warnings = scenario.warnings;
  problems.add(read_descriptors(draft, scenario.element_types));
  problems.add(read_delay_files(draft));
  if (draft.world.sound && problems.add(read_world_file(draft, options.import_world)))
    problems.add(make_ground(draft, {scenario.file, draft.base_dir, options.map_path}, warnings));
  StaticMap map;
  if (draft.world.sound && !draft.setup.map.cells.empty()) {
    Result<StaticMap> made = StaticMap::make(draft.setup.map);
    if (made) map = std::move(*made);
    else problems.add({made.error().code, made.error().text, draft.world.map_where});
  }
  problems.add(add_object_places(draft));
  std::vector<std::size_t> sizes;
  make_entities(draft.groups, draft.setup, sizes, problems, warnings);
  if (draft.setup.sensors.by_default) {
    draft.setup.sensors.sets.clear();
    for (const auto& [model, sensors] : draft.sensors) draft.setup.sensors.sets.push_back({model, sensors});
  }
  if (problems.none()) name_programs(draft, sizes, problems);
  if (!problems.none()) return false;
  isolate_robots(draft, sizes);
  for (Error& error : place(draft.groups, sizes, map, draft.setup)) problems.add(std::move(error));
  if (problems.none())
    for (std::string& doubt : doubts_of({draft.groups, sizes, map, draft.setup})) warnings.push_back(std::move(doubt));
  if (problems.none()) problems.add(gather_objects(draft, options.import_group, warnings));
  warnings.insert(warnings.end(), draft.losses.begin(), draft.losses.end());
  make_libraries_absolute(draft);
  return problems.none();
}

void read_root(Section& s, Draft& draft, const LoadOptions& options) {
  draft.setup.models = built_in_models();
  read_scenario(s, draft, options.sections);
}

}  // namespace

Loaded parse(std::string_view text, const std::string& file, const std::string& base_dir, const LoadOptions& options) {
  Result<Node> root = parse_yaml(text, file);
  if (!root) return refused(file, Problems({root.error()}));
  std::vector<Error> wrong_overrides;
  for (const std::string& assignment : options.overrides)
    if (const Status s = apply_override(*root, assignment); !s) wrong_overrides.push_back(s.error());

  Document document(file);
  Draft draft;
  draft.setup.name = std::filesystem::path(file).stem().string();
  draft.import_robot = options.import_robot, draft.base_dir = base_dir;
  Section::read(document, *root, [&](Section& s) { read_root(s, draft, options); });
  Problems problems(document, std::move(wrong_overrides));
  Scenario scenario{.file = file, .overrides = options.overrides, .warnings = std::move(document.warnings)};
  if (options.check_run)
    for (Error& error : options.check_run(draft.run)) problems.add(std::move(error));
  if (!make_all(draft, options, scenario, problems)) return refused(file, problems);
  scenario.setup = std::move(draft.setup);
  scenario.run = std::move(draft.run);
  return scenario;
}

Loaded load(const std::string& path, const LoadOptions& options) {
  const Result<std::string> text = read_file(path, kMaxDocumentBytes);
  if (!text) return refused(path, Problems({text.error()}));
  return parse(*text, path, std::filesystem::path(path).parent_path().string(), options);
}

std::vector<std::string> known_scenario_fields(const LoadOptions& options) {
  return known_fields([&](Section& s) {
    Draft draft;
    read_root(s, draft, options);
  });
}

}  // namespace convoy::scenario
