// SetPart: a force on a body, a joint, a mocap body or an option of one robot's engine, from outside.
#include <algorithm>
#include <cmath>

#include "core/nearest.h"
#include "world/edits/edits.h"
#include "world/edits/structure.h"
#include "world/engine_options.h"

namespace convoy::edits {

namespace {

using Kind = SetPart::Kind;

// "'arm' has no body 'hnad'; did you mean 'hand'?"
Status unknown(const std::string& robot, const char* what, const std::string& name,
               const std::vector<std::string>& names) {
  const std::string near = nearest_name(name, names);
  return fail(ErrorCode::kNotFound, "'" + robot + "' has no " + what + " '" + name.substr(0, 140) + "'" +
                                        (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// How many numbers there may be.
Status check_count(const SetPart& edit, const char* what, std::size_t few, std::size_t many) {
  if (edit.values.size() == few || edit.values.size() == many) return {};
  return fail(ErrorCode::kInvalid, std::string(what) + " is " + std::to_string(few) +
                                       (many == few ? "" : " or " + std::to_string(many)) + " numbers, not " +
                                       std::to_string(edit.values.size()));
}

Status check_force(const SetPart& edit, const std::string& robot, const Model& model) {
  if (!edit.name.empty() && !has(model.bodies, edit.name)) return unknown(robot, "body", edit.name, model.bodies);
  if (edit.lasts < Duration(0) || edit.lasts > kLongestTold)
    return fail(ErrorCode::kInvalid, "a force lasts for a day at most");
  return check_count(edit, "a force with its torque", 6, 6);
}

Status check_joint(const SetPart& edit, const std::string& robot, const Model& model) {
  std::vector<std::string> single = model.joints;
  std::erase_if(single, is_part_of_pose);
  if (!has(single, edit.name)) return unknown(robot, "joint", edit.name, single);
  return check_count(edit, "a joint's position, or that and its velocity,", 1, 2);
}

Status check_mocap(const SetPart& edit, const std::string& robot, const Model& model) {
  if (!has(model.mocaps, edit.name)) return unknown(robot, "mocap body", edit.name, model.mocaps);
  if (auto ok = check_count(edit, "a position, or that and a quaternion,", 3, 7); !ok) return ok;
  double turn = 0;
  for (std::size_t i = 3; i < edit.values.size(); ++i) turn += edit.values[i] * edit.values[i];
  if (edit.values.size() == 7 && !(turn > 1e-12)) return fail(ErrorCode::kInvalid, "the orientation is 0");
  return {};
}

Status check_option(const SetPart& edit) {
  const RunningOption* option = running_option(edit.name);
  if (!option) {
    std::vector<std::string> names;
    for (const RunningOption& one : kRunningOptions) names.emplace_back(one.name);
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return fail(ErrorCode::kNotFound, "'" + edit.name.substr(0, 140) + "' is no option that may change: " + all);
  }
  if (auto ok = check_count(edit, "an option", 1, 1); !ok) return ok;
  const double value = edit.values[0];
  if (value >= option->low && value <= option->high && (!option->whole || value == std::floor(value))) return {};
  std::string low = std::to_string(option->low), high = std::to_string(option->high);
  for (std::string* text : {&low, &high})
    text->erase(text->find_last_not_of('0') + 1), text->erase(text->find_last_not_of('.') + 1);
  return fail(ErrorCode::kInvalid,
              edit.name + " is a " + (option->whole ? "whole " : "") + "number from " + low + " to " + high);
}

// Into the seven numbers of its pose.
WorldNumber put_mocap(const SetPart& edit, const std::vector<std::string>& joints, std::span<double> tail) {
  const auto x = std::find(joints.begin(), joints.end(), edit.name + ":x");
  if (joints.end() - x < 7) return kNoEntity;
  const auto at = static_cast<std::size_t>(x - joints.begin());
  double length = 0;
  for (std::size_t i = 3; i < edit.values.size(); ++i) length += edit.values[i] * edit.values[i];
  length = std::sqrt(length);
  for (std::size_t i = 0; i < edit.values.size() && i < 7; ++i)
    tail[at + i] = canonical(i < 3 ? edit.values[i] : edit.values[i] / length);
  return kNoEntity;
}

}  // namespace

Status Check::operator()(const SetPart& edit) const {
  if (auto ok = check_known(world, edit.entity); !ok) return ok;
  const std::string& robot = entity(world, edit.entity).name;
  const Model& model = world.model_of(world.slot_of(edit.entity));
  if (edit.kind > Kind::kOption) return fail(ErrorCode::kInvalid, "unknown kind of part");
  if (model.files.empty())
    return fail(ErrorCode::kUnsupported, "'" + robot + "' is no MuJoCo robot: nothing of it is set by itself");
  if (model.engine.any())
    return fail(ErrorCode::kUnsupported,
                "'" + robot + "' is moved by the engine '" + model.engine.type + "': nothing of it is set by itself");
  for (double value : edit.values)
    if (!(std::fabs(value) < 1e12)) return fail(ErrorCode::kInvalid, "a value is no number, or a huge one");
  switch (edit.kind) {
    case Kind::kForce: return check_force(edit, robot, model);
    case Kind::kJoint: return check_joint(edit, robot, model);
    case Kind::kMocap: return check_mocap(edit, robot, model);
    case Kind::kOption: return check_option(edit);
  }
  return {};
}

// Joints and mocap bodies are among the states that all see; what else is set is the physics' own.
WorldNumber Apply::operator()(const SetPart& edit) const {
  const Slot slot = world.slot_of(edit.entity);
  if (edit.kind == Kind::kMocap) return put_mocap(edit, world.model_of(slot).joints, world.snapshot_.tail(slot));
  if (edit.kind != Kind::kJoint) return kNoEntity;
  const std::vector<std::string>& joints = world.model_of(slot).joints;
  const auto at = static_cast<std::size_t>(std::find(joints.begin(), joints.end(), edit.name) - joints.begin());
  const std::span<double> tail = world.snapshot_.tail(slot);
  tail[at] = canonical(edit.values[0]);
  tail[joints.size() + at] = edit.values.size() > 1 ? canonical(edit.values[1]) : 0;
  State& state = world.snapshot_.state(slot);
  state.stamp = now;
  ++state.discontinuity;
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const SetPart& edit) const { return in_any_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const SetPart& edit) const { return {edit.entity}; }
std::vector<WorldNumber> ResetsInside::operator()(const SetPart&) const { return {}; }
bool RestartsRun::operator()(const SetPart&) const { return false; }
bool ChangesImage::operator()(const SetPart&) const { return false; }
const std::string* SpawnedName::operator()(const SetPart&) const { return nullptr; }

}  // namespace convoy::edits
