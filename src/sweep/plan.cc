#include "sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "os/file.h"
#include "scenario/schema.h"
#include "scenario/tree.h"

namespace convoy::sweep {

namespace {

using scenario::Document;
using scenario::Node;
using scenario::Section;
using Kind = Node::Kind;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else out += c;
  }
  return out + "\"";
}

// As one line of YAML that is read as the same value.
std::string flow(const Node& node, bool inside = false) {
  switch (node.kind) {
    case Kind::kNull: return "null";
    case Kind::kScalar: {
      const bool plain = !node.quoted && !node.text.empty() && node.text.find('\n') == std::string::npos &&
                         !(inside && node.text.find_first_of(",[]{}:#\"'") != std::string::npos);
      return plain ? node.text : quoted(node.text);
    }
    case Kind::kList: {
      std::string out = "[";
      for (const Node& item : node.items) out += (out.size() > 1 ? ", " : "") + flow(item, true);
      return out + "]";
    }
    case Kind::kMap: {
      std::string out = "{";
      for (std::size_t i = 0; i < node.keys.size() && i < node.items.size(); ++i)
        out += (i > 0 ? ", " : "") + quoted(node.keys[i]) + ": " + flow(node.items[i], true);
      return out + "}";
    }
  }
  return {};
}

// Reads what a Section cannot: maps whose keys are the user's.
class PlanReader {
 public:
  PlanReader(Document& document, Plan& plan) : document_(document), plan_(plan) {}

  void read(Section& s) {
    s.text("scenario", plan_.scenario, scenario::TextRule::kAny, scenario::Need::kRequired);
    if (const Node* axes = s.take("axes")) read_axes(*axes);
    if (const Node* set = s.take("set")) read_settings(*set);
    s.integer("repeats", plan_.repeats, 1, 100'000);
    if (const Node* metrics = s.take("metrics")) read_metrics(*metrics);
    std::vector<std::string> keep;
    s.texts("keep", keep, scenario::TextRule::kAny);
    for (const std::string& what : keep) {
      if (what == "report") plan_.keep.report = true;
      else if (what == "recording") plan_.keep.recording = true;
      else if (what == "log") plan_.keep.log = true;
      else s.refuse("keep", "is some of report, recording and log, not '" + what + "'");
    }
    s.duration("time_limit", plan_.time_limit, {.min = std::chrono::milliseconds(1)});
    s.integer("retries", plan_.retries, 0, 100);
    s.integer("threads", plan_.threads, 1, 256);
  }

 private:
  void wrong(const Node& node, const std::string& path, std::string text) {
    document_.problem(Document::Trouble::kValue, &node, path, std::move(text));
  }

  bool is_map(const Node& node, const char* path, const char* of) {
    if (node.kind == Kind::kMap) return true;
    wrong(node, path, fmt::format("expected a map {}, found {}", of, found(node)));
    return false;
  }

  // Of one field: a list, a range, or a single value.
  std::vector<std::string> values_of(const Node& node, const std::string& path) {
    std::vector<std::string> out;
    if (node.kind == Kind::kList) {
      for (const Node& item : node.items) out.push_back(flow(item));
      if (out.empty()) wrong(node, path, "an axis has values: a list, or a range as 1..100");
      return out;
    }
    if (node.kind == Kind::kScalar) {
      auto range = parse_range(node.text);
      if (!range) return wrong(node, path, range.error().text), out;
      if (!range->empty()) return *range;
    }
    wrong(node, path,
          fmt::format("expected a list of values, or a range as 1..100 or 0.1..0.5 by 0.1; found {}", found(node)));
    return out;
  }

  void add_axis(Axis axis, const Node& node, const std::string& path) {
    if (plan_.axes.size() == kMaxAxes) return wrong(node, path, fmt::format("a plan has at most {} axes", kMaxAxes));
    for (const Axis& other : plan_.axes)
      for (const std::string& field : other.fields)
        if (std::find(axis.fields.begin(), axis.fields.end(), field) != axis.fields.end())
          return wrong(node, path, "'" + field + "' varies along another axis already");
    plan_.axes.push_back(std::move(axis));
  }

  void read_axes(const Node& node) {
    if (!is_map(node, "axes", "of fields and their values, as 'seed: 1..100'")) return;
    for (std::size_t i = 0; i < node.keys.size() && i < node.items.size(); ++i) {
      const std::string path = "axes." + node.keys[i];
      const Node& item = node.items[i];
      if (item.kind == Kind::kMap) {
        read_group(node.keys[i], item, path);
        continue;
      }
      Axis axis{node.keys[i], {node.keys[i]}, {}};
      for (std::string& value : values_of(item, path)) axis.values.push_back({std::move(value)});
      add_axis(std::move(axis), item, path);
    }
  }

  // Fields that vary together: NAME: {zip: {field: values, ...}}.
  void read_group(const std::string& name, const Node& node, const std::string& path) {
    const Node* zip = node.find("zip");
    if (!zip || node.keys.size() != 1)
      return wrong(node, path, "fields that vary together are written as '" + name + ": {zip: {FIELD: VALUES, ...}}'");
    if (!is_map(*zip, (path + ".zip").c_str(), "of fields and their values") || zip->items.empty()) return;
    Axis axis{name, zip->keys, {}};
    for (std::size_t f = 0; f < zip->keys.size() && f < zip->items.size(); ++f) {
      auto values = values_of(zip->items[f], path + ".zip." + zip->keys[f]);
      if (values.empty()) return;
      if (f == 0) axis.values.resize(values.size());
      if (values.size() != axis.values.size())
        return wrong(zip->items[f], path + ".zip." + zip->keys[f],
                     fmt::format("has {} values, and '{}' has {}: they vary together", values.size(), zip->keys[0],
                                 axis.values.size()));
      for (std::size_t v = 0; v < values.size(); ++v) axis.values[v].push_back(std::move(values[v]));
    }
    add_axis(std::move(axis), node, path);
  }

  void read_settings(const Node& node) {
    if (!is_map(node, "set", "of fields and their values, as 'time.duration: 5s'")) return;
    for (std::size_t i = 0; i < node.keys.size() && i < node.items.size(); ++i)
      plan_.settings.push_back(node.keys[i] + "=" + flow(node.items[i]));
  }

  void read_metrics(const Node& node) {
    if (!is_map(node, "metrics", "of names and fields of the report, as 'distance_m: totals.distance_m'")) return;
    for (std::size_t i = 0; i < node.keys.size() && i < node.items.size(); ++i) {
      const std::string path = "metrics." + node.keys[i];
      if (!scenario::is_name(node.keys[i])) {
        wrong(node.items[i], path, "a metric's name is one of letters, digits and '_' that begins with a letter");
      } else if (i >= kMaxMetrics) {
        return wrong(node, "metrics", fmt::format("a plan has at most {} of them", kMaxMetrics));
      } else {
        read_metric(node.keys[i], node.items[i], path);
      }
    }
  }

  void read_metric(const std::string& name, const Node& node, const std::string& path) {
    const Node* script = node.kind == Kind::kMap ? node.find("script") : nullptr;
    const Node* field = node.kind == Kind::kMap ? node.find("field") : &node;
    const std::size_t known = std::size_t{script != nullptr} + std::size_t{field != nullptr};
    const auto is_text = [](const Node* n) { return !n || (n->kind == Kind::kScalar && !n->text.empty()); };
    if ((node.kind == Kind::kMap && (!script || node.keys.size() != known)) || !is_text(script) || !is_text(field))
      return wrong(node, path,
                   "is a field of the report, as totals.distance_m, or {script: FILE, field: FIELD OF WHAT IT PRINTS}");
    Metric metric{name, field ? field->text : "", script ? script->text : ""};
    if (!metric.script.empty() && metric.script.front() != '/')
      metric.script =
          std::filesystem::absolute(std::filesystem::path(plan_.folder) / metric.script).lexically_normal().string();
    plan_.metrics.push_back(std::move(metric));
  }

  Document& document_;
  Plan& plan_;
};

constexpr std::string_view kColumns[] = {"run", "repeat",   "state", "digest",    "exit_code", "error", "log",
                                         "key", "attempts", "node",  "process_s", "wall_s",    "cpu_s"};

// What no single field shows.
Status check(const Plan& plan) {
  std::uint64_t runs = plan.repeats;
  for (const Axis& axis : plan.axes)
    if (__builtin_mul_overflow(runs, axis.values.size(), &runs) || runs > kMaxRuns)
      return fail(ErrorCode::kInvalid,
                  fmt::format("axes: these are more than {} runs, which is as many as a plan has", kMaxRuns),
                  plan.file);
  const std::vector<std::string> fields = plan.fields();
  for (const Metric& metric : plan.metrics) {
    const bool column = std::find(std::begin(kColumns), std::end(kColumns), metric.name) != std::end(kColumns);
    if (column || std::find(fields.begin(), fields.end(), metric.name) != fields.end())
      return fail(ErrorCode::kInvalid, "metrics." + metric.name + ": the tables have a column of this name already",
                  plan.file);
  }
  for (const std::string& field : fields)
    if (std::find(std::begin(kColumns), std::end(kColumns), field) != std::end(kColumns))
      return fail(ErrorCode::kInvalid, "axes." + field + ": no scenario has such a field", plan.file);
  return {};
}

}  // namespace

std::string Axis::label(std::size_t value) const { return fmt::format("{}", fmt::join(values[value], ", ")); }

bool Axis::is_number() const {
  return fields.size() == 1 && std::all_of(values.begin(), values.end(), [](const auto& value) {
           return scenario::parse_number(value[0]).has_value();
         });
}

std::uint64_t Plan::runs() const {
  std::uint64_t out = repeats;
  for (const Axis& axis : axes) out *= axis.values.size();
  return out;
}

PlannedRun Plan::run(std::uint64_t index) const {
  PlannedRun out{index, std::vector<std::size_t>(axes.size()), static_cast<std::uint32_t>(index % repeats)};
  std::uint64_t rest = index / repeats;
  for (std::size_t i = axes.size(); i-- > 0;) {
    out.at[i] = static_cast<std::size_t>(rest % axes[i].values.size());
    rest /= axes[i].values.size();
  }
  return out;
}

std::vector<std::string> Plan::settings_of(const PlannedRun& run) const {
  std::vector<std::string> out = settings;
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t f = 0; f < axes[i].fields.size(); ++f)
      out.push_back(axes[i].fields[f] + "=" + axes[i].values[run.at[i]][f]);
  return out;
}

std::vector<std::string> Plan::fields() const {
  std::vector<std::string> out;
  for (const Axis& axis : axes) out.insert(out.end(), axis.fields.begin(), axis.fields.end());
  return out;
}

bool Plan::has_scripts() const {
  return std::any_of(metrics.begin(), metrics.end(), [](const Metric& m) { return !m.script.empty(); });
}

Result<Plan> parse_plan(std::string_view text, const std::string& file) {
  const auto root = scenario::parse_yaml(text, file);
  if (!root) return tl::unexpected(root.error());
  if (root->kind != Kind::kMap)
    return fail(ErrorCode::kInvalid, "a plan is a map, as 'scenario: hello'; found " + found(*root), file);
  Plan plan;
  plan.file = file;
  const auto parent = std::filesystem::path(file).parent_path();
  plan.folder = parent.empty() ? "." : parent.string();
  Document document(file);
  Section::read(document, *root, [&](Section& s) { PlanReader(document, plan).read(s); });
  const auto errors = document.errors();
  if (errors.size() == 1) return tl::unexpected(errors.front());
  if (!errors.empty()) {
    std::string all;
    for (const Error& error : errors) all += (all.empty() ? "" : "\n") + error.message();
    return tl::unexpected(Error{errors.front().code, all, {}});
  }
  if (plan.metrics.empty())
    plan.metrics = {{"distance_m", "totals.distance_m", ""},
                    {"stuck_s", "totals.stuck_s", ""},
                    {"map_contact_ticks", "totals.map_contact_ticks", ""},
                    {"robot_contact_ticks", "totals.robot_contact_ticks", ""}};
  if (auto ok = check(plan); !ok) return tl::unexpected(ok.error());
  return plan;
}

Result<Plan> read_plan(const std::string& file) {
  auto text = os::read_text(file, kMaxPlanBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_plan(*text, file);
}

}  // namespace convoy::sweep
