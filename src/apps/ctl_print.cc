#include "apps/ctl_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "os/standard_streams.h"
#include "os/terminal.h"
#include "roles/calls.h"
#include "world/state.h"

namespace convoy::apps {

namespace {

void print_ignored(const nlohmann::ordered_json& ignored) {
  for (const auto& [name, n] : ignored.items()) os::print(", {} of {} ignored", n.dump(), name);
}

std::string word_of(const nlohmann::ordered_json& json, const char* field) {
  return json.value(field, nlohmann::ordered_json()).is_string() ? os::escape_line(json[field].get<std::string>())
                                                                 : "-";
}

// " a b", or nothing.
std::string words_of(const nlohmann::ordered_json& json, const char* field) {
  std::string out;
  for (const auto& word : json.value(field, nlohmann::ordered_json::array()))
    out += " " + os::escape_line(word.get<std::string>());
  return out;
}

void print_details(const nlohmann::ordered_json& one) {
  os::print("model  {}\nhost   {}\n", word_of(one, "model"), word_of(one, "owner"));
  if (one["holder"].is_string()) os::print("lease  {}\n", word_of(one, "holder"));
  if (const std::string tags = words_of(one, "tags"); !tags.empty()) os::print("tags  {}\n", tags);
  if (one["parent"].is_string()) os::print("on     {}\n", word_of(one, "parent"));
  if (const std::string all = words_of(one, "children"); !all.empty()) os::print("bears {}\n", all);
  for (const auto& [name, joint] : one["joints"].items())
    os::print("joint  {} {} {}\n", os::escape_line(name), joint["position"].get<double>(),
              joint["velocity"].get<double>());
}

// box_3  crate  host1  1.20 -0.40 0.15  heavy red
void print_table(const proto::Reply& r) {
  std::size_t widths[3] = {};
  constexpr const char* kColumns[] = {"name", "model", "owner"};
  const auto all = nlohmann::ordered_json::parse(r.json(), nullptr, false);
  for (const auto& one : all)
    for (std::size_t i = 0; i < 3; ++i) widths[i] = std::max(widths[i], word_of(one, kColumns[i]).size());
  for (const auto& one : all) {
    for (std::size_t i = 0; i < 3; ++i) os::print("{:<{}}  ", word_of(one, kColumns[i]), widths[i]);
    const auto& p = one["position"];
    os::print("{:.2f} {:.2f} {:.2f} {}\n", p[0].get<double>(), p[1].get<double>(), p[2].get<double>(),
              words_of(one, "tags"));
  }
}

// control      any 2 zmq 1, default any, 3 of dashboard ignored
void print_control(const nlohmann::ordered_json& control) {
  os::print("{:<12}", "control");
  for (const auto& [source, robots] : control["robots"].items()) os::print(" {} {}", source, robots.dump());
  os::print("{} default {}", control["robots"].empty() ? "" : ",", control["default"].get<std::string>());
  print_ignored(control["ignored"]);
  os::print("\n");
}

}  // namespace

void print_spawned(const CtlArguments&, const proto::Reply& r) {
  int done = 0;
  for (const proto::Outcome& o : r.outcomes()) done += o.error() == 0;
  os::print("spawned {} of {}", done, r.outcomes_size());
  if (done > 0) os::print(" at tick {}", r.tick());
  os::print("\n");
}

void print_state(const CtlArguments&, const proto::Reply& r) {
  const auto& p = r.pose().p();
  const Quat q{r.pose().q().w(), r.pose().q().x(), r.pose().q().y(), r.pose().q().z()};
  os::print("pose   {} {} {}  yaw {}\n", p.x(), p.y(), p.z(), yaw_of(q));
  os::print("twist  {} {} {}  turn {}\n", r.twist().v().x(), r.twist().v().y(), r.twist().v().z(), r.twist().w().z());
  os::print("tick   {}\n", r.tick());
  const auto rule = nlohmann::ordered_json::parse(r.json(), nullptr, false);
  if (!rule.is_object()) return;
  if (rule.contains("source")) {  // else no host runs it
    os::print("source {}", rule["source"].get<std::string>());
    print_ignored(rule.value("ignored", nlohmann::ordered_json::object()));
    os::print("\n");
  }
  if (rule.contains("one_sided_ticks"))
    os::print("touch  {} ticks with what no push of its moves\n", rule["one_sided_ticks"].dump());
  if (rule.contains("model")) print_details(rule);
}

// scan  scan  sensor_msgs/msg/LaserScan  every 0.2 s
void print_sensor(const CtlArguments& a, const proto::Reply& r) {
  if (!a.sensor.fields.empty()) return os::print("changed from tick {} on\n", r.tick());
  const auto told = nlohmann::ordered_json::parse(r.json(), nullptr, false);
  if (a.names.size() < 2) {
    for (const auto& one : told["sensors"])
      os::print("{:<16} {:<12} {:<28} every {:g} s\n", os::escape_line(one["sensor"].get<std::string>()),
                one["type"].get<std::string>(), one["message"].get<std::string>(), one["period"].get<double>());
    os::print("{} sensors\n", told["sensors"].size());
    return;
  }
  os::print("{}, as {}: sample {} of {:.9g} s\n", told["type"].get<std::string>(), told["message"].get<std::string>(),
            told["index"].dump(), static_cast<double>(told["stamp_ns"].get<std::int64_t>()) * 1e-9);
  for (const auto& [name, value] : told["data"].items()) os::print("{}: {}\n", name, os::escape_line(value.dump()));
}

// foot_left  floor        at 0.1 0.2 0  force 0 0 12.3  depth 0.0001
void print_contacts(const CtlArguments&, const proto::Reply& r) {
  const auto shown = [](const proto::Vec3& v) { return fmt::format("{:.6g} {:.6g} {:.6g}", v.x(), v.y(), v.z()); };
  for (const proto::Contact& c : r.contacts()) {
    const std::string other = !c.other().empty()        ? c.other()
                              : !c.other_body().empty() ? "own " + c.other_body()
                                                        : "the static world";
    if (r.contacts_named_only()) {
      os::print("{}\n", os::escape_line(other));
      continue;
    }
    os::print("{} on {}: at {}, normal {}, force {} N, depth {:.3g} m\n",
              c.body().empty() ? "itself" : os::escape_line(c.body()), os::escape_line(other), shown(c.position()),
              shown(c.normal()), shown(c.force()), c.depth());
  }
  if (r.contacts_cut()) os::print("... and more\n");
  if (r.contacts_named_only()) os::print("(touched in the last tick; no places and forces)\n");
  os::print("{} contacts at tick {}\n", r.contacts_size(), r.tick());
}

void print_names(const CtlArguments&, const proto::Reply& r) {
  for (const std::string& name : r.names()) os::print("{}\n", name);
}

// A second column shows who rules, if any of them has a ruler.
void print_entities(const CtlArguments& a, const proto::Reply& r) {
  if (a.list.details) return print_table(r);
  const std::string& sources = r.sources();
  const auto ruled = [](char source) { return source != 0 && source != kNobodyRuns; };
  if (sources.size() != static_cast<std::size_t>(r.names_size()) || std::none_of(sources.begin(), sources.end(), ruled))
    return print_names(a, r);
  std::size_t width = 0;
  for (const std::string& name : r.names()) width = std::max(width, name.size());
  for (int i = 0; i < r.names_size(); ++i) {
    const char source = sources[static_cast<std::size_t>(i)];
    if (source == kNobodyRuns) os::print("{}\n", r.names(i));
    else os::print("{:<{}}  {}\n", r.names(i), width, name_of(static_cast<ControlSource>(source)));
  }
}

void print_status(const CtlArguments&, const proto::Reply& r) {
  const auto j = nlohmann::ordered_json::parse(r.json(), nullptr, false);
  if (!j.is_object()) return os::print("{}\n", r.json());
  for (const auto& [key, value] : j.items()) {
    if (key == "control") {
      print_control(value);
    } else if (value.is_array()) {
      for (const auto& one : value) {
        os::print("{:<12}", key);
        for (const auto& [name, field] : one.items())
          os::print(" {} {}", name, field.is_string() ? field.get<std::string>() : field.dump());
        os::print("\n");
      }
    } else if (value.is_object()) {
      os::print("{:<12}", key);
      for (const auto& [name, field] : value.items()) os::print(" {} {}", name, field.dump());
      os::print("{}\n", value.empty() ? " none" : "");
    } else {
      os::print("{:<12} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
}

void print_world(const CtlArguments&, const proto::Reply& r) {
  const auto j = nlohmann::ordered_json::parse(r.json(), nullptr, false);
  if (!j.is_object()) return os::print("{}\n", r.json());
  os::print("{}: seed {}, {}, ticks of {} s, now {} s\n", word_of(j, "name"), j["seed"].dump(), word_of(j, "mode"),
            j["tick"].dump(), j["now"].dump());
  if (const auto& map = j["map"]; map.is_object())
    os::print("map {} x {} cells of {} m from {}, walls of {} m\n", map["width"].dump(), map["height"].dump(),
              map["resolution"].dump(), map["origin"].dump(), map["walls"].dump());
  else os::print("no map\n");
  for (const auto& [name, value] : j["environment"].items())
    if (!value.is_null()) os::print("{:<12} {}\n", name, value.dump());
  for (const auto& model : j["models"])
    os::print("model {}: {}, {} kg\n", word_of(model, "name"), word_of(model, "category"), model["mass"].dump());
  for (const auto& place : j["places"])
    os::print("{} ({}) begins at {}\n", word_of(place, "name"), word_of(place, "model"), place["position"].dump());
  if (j["cut"].get<bool>()) os::print("... and more\n");
}

void print_elements(const CtlArguments&, const proto::Reply& r) {
  const auto j = nlohmann::ordered_json::parse(r.json(), nullptr, false);
  if (!j.is_array()) return os::print("{}\n", r.json());
  for (const auto& one : j) {
    os::print("{} {} {}", word_of(one, "owner"), one["id"].dump(), word_of(one, "type"));
    if (!one["position"].is_null()) os::print(" at {}", one["position"].dump());
    if (!one["parent"].is_null()) os::print(" on {}", word_of(one, "parent"));
    if (const std::string to = words_of(one, "to"); !to.empty()) os::print(" for{}", to);
    if (!one["entity"].is_null()) os::print(", entity {}", word_of(one, "entity"));
    os::print("\n");
  }
  os::print("{} elements\n", j.size());
}

void print_placement(const CtlArguments&, const proto::Reply& r) {
  const auto j = nlohmann::ordered_json::parse(r.json(), nullptr, false);
  if (!j.is_object()) return os::print("{}\n", r.json());
  for (const auto& [host, names] : j["hosts"].items())
    for (const auto& name : names) os::print("{} {}\n", host, name.get<std::string>());
  for (const auto& one : j["sensors"])
    os::print("{} {}/{} (load {:.2f}, {}): {}\n", word_of(one, "runs_on"), word_of(one, "robot"),
              word_of(one, "sensor"), one["load"].get<double>(), word_of(one, "distribution"), word_of(one, "why"));
  for (const auto& [machine, load] : j["loads"].items())
    os::print("{} has a load of {:.2f}\n", machine, load.get<double>());
}

void print_source(const CtlArguments&, const proto::Reply& r) {
  const auto j = nlohmann::ordered_json::parse(r.json(), nullptr, false);
  if (!j.is_array()) return os::print("set at tick {}\n", r.tick());
  for (const auto& line : j) {
    os::print("{} {}", line["robot"].get<std::string>(), line["source"].get<std::string>());
    print_ignored(line["ignored"]);
    os::print("\n");
  }
}

}  // namespace convoy::apps
