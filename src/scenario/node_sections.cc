// What concerns nodes: components of robots and programs, delays, what their clocks show.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "agent/software.h"
#include "nodes/delay_csv.h"
#include "nodes/timer.h"
#include "scenario/sections.h"

namespace convoy::scenario {

namespace {

using std::chrono::hours;

// "10ms"; exact, unlike the schema's own durations, which may be whole seconds as a number.
bool read_delay_word(Section& s, const char* field, const std::string& text, Duration& value) {
  const auto parsed = nodes::parse_duration(text);
  if (!parsed) return s.refuse(field, parsed.error().text), false;
  value = *parsed;
  return true;
}

void read_delay(Section& s, Draft& d) {
  DelayRule rule;
  std::string topic, service, answers, constant, trace;
  s.text("topic", topic);
  s.text("service", service);
  s.text("responses_of", answers);
  s.text("publisher", rule.publisher);
  s.text("subscriber", rule.subscriber);
  s.text("delay", constant);
  std::vector<std::string> uniform, normal;
  s.texts("uniform", uniform, TextRule::kAny);
  s.texts("normal", normal, TextRule::kAny);
  s.text("trace", trace);
  s.at_most_one_of({"topic", "service", "responses_of"});
  s.at_most_one_of({"delay", "uniform", "normal", "trace"});
  if (!s.sound()) return;
  rule.name = !topic.empty() ? topic : !service.empty() ? service : answers;
  rule.of = !topic.empty()     ? DelayRule::Of::kTopic
            : !service.empty() ? DelayRule::Of::kRequest
                               : DelayRule::Of::kResponse;
  rule.where = s.where();
  if (rule.name.empty()) return s.refuse("", "one of the fields 'topic', 'service', 'responses_of' is missing");
  if (rule.name[0] != '/')
    return s.refuse(!topic.empty() ? "topic" : "", "'" + rule.name + "' is no full name: it begins with /");
  Delay& parsed = rule.delay;
  const auto pair = [&](const char* field, const std::vector<std::string>& words) {
    if (words.size() != 2) return s.refuse(field, "two durations, as [5ms, 10ms]"), false;
    return read_delay_word(s, field, words[0], parsed.low) && read_delay_word(s, field, words[1], parsed.high);
  };
  const char* field = "delay";
  if (!constant.empty()) {
    if (!read_delay_word(s, field, constant, parsed.low)) return;
  } else if (!uniform.empty()) {
    parsed.kind = Delay::Kind::kUniform;
    if (!pair(field = "uniform", uniform)) return;
  } else if (!normal.empty()) {
    parsed.kind = Delay::Kind::kNormal;
    if (!pair(field = "normal", normal)) return;
  } else if (!trace.empty()) {
    parsed.kind = Delay::Kind::kTrace;
    parsed.samples = {Duration(0)};  // until the file is read
    field = "trace";
  } else {
    return s.refuse("", "one of the fields 'delay', 'uniform', 'normal', 'trace' is missing");
  }
  if (auto ok = nodes::check(parsed); !ok) return s.refuse(field, ok.error().text);
  if (!trace.empty()) d.delay_files.push_back({trace, s.where("trace"), d.setup.nodes.delays.size(), false});
  d.setup.nodes.delays.push_back(std::move(rule));
}

void read_component(Section& s, std::vector<ComponentSpec>& components) {
  ComponentSpec component;
  std::string package;
  s.text("package", package);
  s.text("library", component.library);
  s.text("class", component.type, TextRule::kAny, Need::kRequired);
  s.texts("ros_args", component.arguments, TextRule::kAny);
  s.at_most_one_of({"package", "library"});
  if (s.sound() && package.empty() && component.library.empty())
    s.refuse("", "one of the fields 'package', 'library' is missing");
  if (s.sound() && !component.library.empty() && component.library.find('/') == std::string::npos)
    component.library = "./" + component.library;  // a path, from the scenario's folder
  if (!package.empty()) component.library = package;
  components.push_back(std::move(component));
}

// Which edits of the world its nodes may ask for.
void read_edits(Section& s, EntitySpec& spec) {
  std::vector<std::string> names;
  s.texts("edits", names, TextRule::kAny);
  const std::vector<std::string> known(std::begin(kEditNames), std::end(kEditNames));
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) return s.unknown("edits", "kind of edit", name, known);
    spec.edits.push_back(static_cast<EditKind>(found - known.begin()));
  }
  std::sort(spec.edits.begin(), spec.edits.end());
  if (std::adjacent_find(spec.edits.begin(), spec.edits.end()) != spec.edits.end())
    s.refuse("edits", "one of them stands there twice");
  if (s.sound() && !spec.edits.empty() && spec.components.empty())
    s.warn("edits", "nothing asks for them: it has no components");
}

}  // namespace

void read_components(Section& s, EntitySpec& spec) {
  s.list(
      "components", [&](Section& c) { read_component(c, spec.components); }, kMaxComponents);
  s.integer("domain", spec.domain, 0, 232);
}

void read_software(Section& s, Group& group) {
  read_components(s, group.spec);
  bool joining = false;
  s.flag("joins", joining);
  s.texts("command", group.command, TextRule::kAny);
  s.at_most_one_of({"components", "joins"});
  s.at_most_one_of({"host", "joins"});
  s.flag("isolate", group.isolate);
  s.at_most_one_of({"isolate", "joins"});
  if (s.sound() && !joining && !group.command.empty()) s.refuse("command", "only for what joins");
  if (joining) group.spec.components = {ComponentSpec{}};
  read_edits(s, group.spec);
}

void read_program(Section& s, Draft& d) {
  Group group;
  const std::uint32_t count = read_name_and_count(s, group);
  group.spec.model = kProgramModel;
  group.where = group.placement_where = s.where();
  group.placement.poses = PosesPlacement{std::vector<std::vector<double>>(count, {0, 0, 0})};
  read_software(s, group);
  s.text("namespace", group.spec.ns, TextRule::kPath);
  s.text("host", group.spec.host, TextRule::kName);
  if (s.sound() && group.spec.components.empty())
    s.refuse("components", "a program has at least one component, or joins");
  d.groups.push_back(std::move(group));
}

void read_nodes(Section& s, Draft& d) {
  static constexpr Choice<TimerOrder> kOrders[] = {{"stable", TimerOrder::kStable}, {"rslcpp", TimerOrder::kRslcpp}};
  NodeRules& rules = d.setup.nodes;
  s.duration("start", rules.start, {Duration(0), hours(24 * 365 * 200)});
  s.flag("overdue_start", rules.overdue_start);
  s.choice<TimerOrder>("order", rules.order, kOrders);
  s.flag("digest_messages", rules.digest_messages);
  std::string csv;
  s.text("delay_file", csv);
  if (!csv.empty()) d.delay_files.push_back({csv, s.where("delay_file"), 0, true});
  s.list(
      "delays", [&](Section& delay) { read_delay(delay, d); }, 10'000);
}

Status read_delay_files(Draft& d) {
  for (const DelayFile& file : d.delay_files) {
    const std::string path = (std::filesystem::path(d.base_dir) / file.path).string();
    const Result<std::string> text = read_file(path, kMaxDocumentBytes);
    if (!text) return fail(text.error().code, text.error().message(), file.where);
    if (!file.csv) {
      auto samples = nodes::parse_delay_trace(*text, path);
      if (!samples) return tl::unexpected(samples.error());
      if (samples->empty()) return fail(ErrorCode::kInvalid, path + " holds no delay", file.where);
      d.setup.nodes.delays[file.delay].delay.samples = std::move(*samples);
      continue;
    }
    auto rules = nodes::parse_delay_csv(*text, path);
    if (!rules) return tl::unexpected(rules.error());
    for (const DelayRule& rule : *rules) d.setup.nodes.delays.push_back(rule);
  }
  return {};
}

void make_libraries_absolute(Draft& d) {
  const auto make = [&](std::string& library) {
    if (library.find('/') != std::string::npos)
      library = std::filesystem::absolute(std::filesystem::path(d.base_dir) / library).lexically_normal().string();
  };
  for (Model& model : d.setup.models) make(model.engine.library);
  make(d.run.welcome.library);
  for (EntitySpec& entity : d.setup.entities) {
    for (ComponentSpec& c : entity.components) make(c.library);
    for (SensorSpec& sensor : entity.sensors) make(sensor.library);
  }
  for (SensorSet& set : d.setup.sensors.sets)
    for (SensorSpec& sensor : set.sensors) make(sensor.library);
}

}  // namespace convoy::scenario
