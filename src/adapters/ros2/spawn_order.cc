#include "adapters/ros2/spawn_order.h"

#include <fmt/format.h>

#include "adapters/ros2/names.h"
#include "adapters/ros2/robot_text.h"
#include "adapters/ros2/simulation_entities.h"
#include "adapters/ros2/simulation_spawn.h"
#include "core/hash.h"
#include "core/nearest.h"
#include "messages/geometry.h"
#include "world/spec_check.h"

namespace convoy::ros2 {

namespace {

constexpr int kMaxTries = 4;               // of names that others take meanwhile
constexpr std::size_t kLongestBase = 120;  // of a name that gets a number

// The name of a model in a URI, or the URI itself; empty: it names something else.
std::string model_in(const std::string& uri) {
  const std::string_view prefix = kModelUri;
  if (uri.starts_with(prefix)) return uri.substr(prefix.size());
  return uri.find_first_of(":/.") == std::string::npos ? uri : std::string();
}

constexpr const char* kModelsAlone =
    "a resource is a model of the run, as convoy:///model/turtlebot3_burger; this client reads no descriptions: bring "
    "the "
    "robot in by the scenario, or by convoy ctl spawn --model FILE";
constexpr const char* kNoSuchUri =
    "a URI is convoy:///model/NAME, or a file of this client's machine: .urdf, .xml, .mjcf or .sdf";

// A path, as of file:///robots/scout.urdf or robots/scout.urdf; empty: it names something else.
std::string file_in(const std::string& uri) {
  const std::string_view scheme = "file://";
  const std::string file = uri.starts_with(scheme) ? uri.substr(scheme.size()) : uri;
  if (file.find("://") != std::string::npos) return {};
  for (const char* suffix : {".urdf", ".xml", ".mjcf", ".sdf", ".xacro"})
    if (file.ends_with(suffix)) return file;
  return {};
}

std::string stem_of(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

std::string as_entity_name(const std::string& text) {
  std::string out = as_name_part(text.substr(0, kLongestBase));
  return out.front() == '_' ? "n" + out : out;
}

// Why a description could not be brought in.
std::uint8_t code_of(const Error& error) {
  using Result = SpawnOrder::SpawnResult;
  switch (error.code) {
    case ErrorCode::kInvalid: return Result::RESOURCE_PARSE_ERROR;
    case ErrorCode::kNotFound:
      return error.text.starts_with("no file '") ? Result::NO_RESOURCE : Result::MISSING_ASSETS;
    case ErrorCode::kUnsupported:
      return error.text.find("xacro") != std::string::npos ? Result::UNSUPPORTED_FORMAT : Result::UNSUPPORTED_ASSETS;
    default: return SimResult::RESULT_OPERATION_FAILED;
  }
}

std::string no_model(const World& world, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& model : world.models()) known.push_back(model->name);
  const std::string near = nearest_name(name, known);
  return "unknown model '" + name.substr(0, 140) + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?");
}

}  // namespace

// Its callbacks own it: those of the server's answers.
void SpawnOrder::begin(DoorHere& here, BroughtModels& models, std::vector<Wish> wishes, Done done) {
  const std::shared_ptr<SpawnOrder> order(new SpawnOrder(here, models, std::move(done)));
  order->results_.resize(wishes.size());
  for (Wish& wish : wishes) order->all_.push_back({std::move(wish), {}, {}});
  order->awaited_ = 1;  // itself, until all have been looked at
  for (std::size_t i = 0; i < order->all_.size(); ++i) order->check(i);
  if (--order->awaited_ == 0) order->spawn();
}

void SpawnOrder::refuse(std::size_t i, std::uint8_t code, std::string why) {
  results_[i].result = refused(code, std::move(why));
  results_[i].entity_name.clear();
  all_[i].open = false;
}

// What can be seen before anybody is asked.
void SpawnOrder::check(std::size_t i) {
  if (!here_.fleet) return refuse(i, SimResult::RESULT_INCORRECT_STATE, kRunNotBegun);
  const Wish& wish = all_[i].wish;
  if (!wish.entity_namespace.empty() && !valid_namespace(wish.entity_namespace))
    return refuse(i, SpawnResult::NAMESPACE_INVALID, valid_namespace(wish.entity_namespace).error().text);
  if (const auto ok = check_pose(ros::pose_of(wish.initial_pose.pose)); !ok)
    return refuse(i, SpawnResult::INVALID_POSE, ok.error().message());
  const std::string& frame = wish.initial_pose.header.frame_id;
  if (!is_world_frame(frame) && here_.fleet->world().find(frame) == kNoSlot)
    return refuse(i, SpawnResult::INVALID_POSE, "unknown frame '" + frame.substr(0, 140) + "'");
  find_resource(i);
}

// The URI counts if there are both.
void SpawnOrder::find_resource(std::size_t i) {
  const auto& [uri, text] = std::tie(all_[i].wish.entity_resource.uri, all_[i].wish.entity_resource.resource_string);
  if (uri.empty() && text.empty())
    return refuse(i, SpawnResult::NO_RESOURCE, "a resource is needed: the URI of a model, or a robot's description");
  const World& world = here_.fleet->world();
  if (const std::string model = model_in(uri); !model.empty()) {
    all_[i].name = model;
    if (world.model(model)) return has_model(i, model);
    return refuse(i, SpawnResult::NO_RESOURCE, no_model(world, model));
  }
  if (!models_.can()) return refuse(i, SpawnResult::UNSUPPORTED_FORMAT, kModelsAlone);
  if (!uri.empty()) {
    const std::string file = file_in(uri);
    if (file.empty()) return refuse(i, SpawnResult::UNSUPPORTED_FORMAT, kNoSuchUri);
    all_[i].name = as_name_part(stem_of(file));
    return bring(i, {{}, file, {}});
  }
  const auto robot = robot_text_of(text);
  if (!robot) return refuse(i, SpawnResult::UNSUPPORTED_FORMAT, "the text is no <robot>, <mujoco> or <sdf>");
  if (text.size() > kMaxDescription)
    return refuse(i, SpawnResult::RESOURCE_PARSE_ERROR, "the description is longer than 16 MiB");
  const std::string name = as_entity_name(robot->name.empty() ? "robot" : robot->name);
  all_[i].name = robot->name.empty() ? name : robot->name;
  bring(i, {text, name + suffix_of(robot->format), fmt::format("{}_{:08x}", name, hash64(as_bytes(text)) >> 32)});
}

void SpawnOrder::bring(std::size_t i, RobotDescription what) {
  ++awaited_;
  models_.bring(std::move(what), [self = shared_from_this(), i](const Result<std::string>& model) {
    if (model) self->has_model(i, *model);
    else self->refuse(i, code_of(model.error()), model.error().message());
    if (--self->awaited_ == 0) self->spawn();
  });
}

void SpawnOrder::has_model(std::size_t i, const std::string& model) {
  all_[i].model = model;
  if (!here_.fleet) return refuse(i, SimResult::RESULT_INCORRECT_STATE, kRunNotBegun);
  (void)choose_name(i);
}

// False: there is none for it.
bool SpawnOrder::choose_name(std::size_t i) {
  const Wish& wish = all_[i].wish;
  std::string name = wish.name.empty() ? all_[i].name : wish.name;
  const bool may = wish.allow_renaming;
  if (!valid_name(name)) {
    if (!may)
      return refuse(i, SpawnResult::NAME_INVALID,
                    "'" + name.substr(0, 140) + "' is no name: letters, digits and '_', a letter first, at most 128"),
             false;
    name = as_entity_name(name);
  }
  const auto taken = [&](const std::string& one) {
    return here_.fleet->world().find(one) != kNoSlot || names_.count(one) > 0;
  };
  if (taken(name) && !may)
    return refuse(i, SpawnResult::NAME_NOT_UNIQUE, "an entity named '" + name + "' exists already"), false;
  const std::string base = name.substr(0, kLongestBase);
  if (name.size() > 128) name = base;
  for (int number = 1; taken(name); ++number) name = fmt::format("{}_{}", base, number);
  names_.insert(name);
  results_[i].entity_name = name;
  return true;
}

Json SpawnOrder::call_of(const One& one, const std::string& name) const {
  const auto& [header, pose] = std::tie(one.wish.initial_pose.header, one.wish.initial_pose.pose);
  std::string ns = one.wish.entity_namespace;
  if (ns.starts_with('/')) ns.erase(0, 1);
  return {{"name", name},
          {"model", one.model},
          {"pose", json_of(ros::pose_of(pose))},
          {"frame_of_pose", frame_in_call(header.frame_id)},
          {"ns", ns}};
}

void SpawnOrder::spawn() {
  std::vector<std::size_t> asked;
  Json entities = Json::array();
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].open) asked.push_back(i), entities.push_back(call_of(all_[i], results_[i].entity_name));
  if (asked.empty()) return done_(results_);
  ask(here_.control, *here_.fleet, "spawn", {{"entities", std::move(entities)}}, {},
      [self = shared_from_this(), asked = std::move(asked)](const Answer& answer) { self->spawned(asked, answer); });
}

void SpawnOrder::spawned(const std::vector<std::size_t>& asked, const Answer& answer) {
  ++tries_;
  bool again = false;
  for (std::size_t at = 0; at < asked.size(); ++at) {
    const std::size_t i = asked[at];
    const auto error = answer.outcomes() == 0 ? answer.error : answer.outcome(at);
    if (!error) {
      all_[i].open = false;
      results_[i].result = convoy::ros2::done(answer.remark(at));
    } else if (error->code != ErrorCode::kExists) {
      const bool frame = error->text.starts_with("unknown frame");
      refuse(i,
             frame                                 ? SpawnResult::INVALID_POSE
             : error->code == ErrorCode::kNotFound ? SpawnResult::NO_RESOURCE
                                                   : SimResult::RESULT_OPERATION_FAILED,
             error->text);
    } else if (!all_[i].wish.allow_renaming || tries_ == kMaxTries || !here_.fleet) {
      refuse(i, SpawnResult::NAME_NOT_UNIQUE, error->text);
    } else if (choose_name(i)) {
      again = true;
    }
  }
  if (again) spawn();
  else done_(results_);
}

}  // namespace convoy::ros2
