#include "adapters/zmq/call.h"

#include <algorithm>
#include <cmath>

namespace convoy::zmq {

namespace {

const char* code_of(control::Reason reason) {
  using Reason = control::Reason;
  switch (reason) {
    case Reason::kBadMode: return "bad_mode";
    case Reason::kBadValue: return "bad_value";
    case Reason::kDenied:
    case Reason::kElsewhere: return "wrong_host";
    case Reason::kLeased: return "leased";
    case Reason::kNotReady: return "not_ready";
    case Reason::kPaused: return "paused";
    case Reason::kSessionOver: return "session_expired";
    case Reason::kStepTimeout: return "step_timeout";
    case Reason::kTooManySessions: return "too_many_sessions";
    case Reason::kUnknownRobot: return "unknown_articulation";
    case Reason::kWasReset: return "was_reset";
  }
  return "";
}

// Which call helps.
const char* advice_on(control::Reason reason) {
  if (reason == control::Reason::kElsewhere) return ": hello lists their endpoints";
  if (reason == control::Reason::kPaused) return ": set_paused ends it";
  return "";
}

}  // namespace

Refusal in_words(const control::Refusal& refusal) {
  return {code_of(refusal.reason), refusal.message + advice_on(refusal.reason)};
}

const std::vector<std::string>& error_codes() {
  static const std::vector<std::string> all{"bad_encoding",
                                            "bad_mode",
                                            "bad_request",
                                            "bad_value",
                                            "denied",
                                            "dim_mismatch",
                                            "exists",
                                            "leased",
                                            "missing_field",
                                            "missing_op",
                                            "no_session",
                                            "no_twist_controller",
                                            "not_ready",
                                            "paused",
                                            "session_expired",
                                            "step_timeout",
                                            "too_large",
                                            "too_many_sessions",
                                            "unknown_articulation",
                                            "unknown_entity",
                                            "unknown_keyframe",
                                            "unknown_op",
                                            "unsupported",
                                            "was_reset",
                                            "wrong_host"};
  return all;
}

void Reply::ok(const Json& fields) const {
  Json whole{{"op", op_ + "_ok"}};
  whole.update(fields);
  answers_->push_back({peer_, encode(std::move(whole), encoding_)});
}

void Reply::refuse(const Refusal& why) const {
  answers_->push_back({peer_, encode({{"op", "error"}, {"code", why.code}, {"message", why.message}}, encoding_)});
}

const Json* field_of(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

Checked<std::vector<double>> read_row(const Json& field, const std::string& what,
                                      std::initializer_list<std::size_t> sizes) {
  if (!field.is_array()) return refuse("bad_value", what + " is a list of numbers");
  if (std::find(sizes.begin(), sizes.end(), field.size()) == sizes.end())
    return refuse("dim_mismatch",
                  what + " has " + std::to_string(field.size()) + " numbers, not " + std::to_string(*sizes.begin()));
  std::vector<double> out;
  for (const Json& one : field) {
    if (!one.is_number() || !std::isfinite(one.get<double>()))
      return refuse("bad_value", what + " holds what is no number");
    out.push_back(one.get<double>());
  }
  return out;
}

Checked<const control::RobotEntry*> find(const Call& call, const std::string& name, For what) {
  const auto robot = what == For::kCommanding ? control::find_to_command(call.control, call.fleet, name, call.caller)
                                              : control::find_robot(call.control, call.fleet, name);
  if (!robot) return tl::unexpected(in_words(robot.error()));
  return *robot;
}

Checked<std::vector<WorldNumber>> named(const Call& call, const char* field, For what) {
  const Json* list = field_of(call.request, field);
  if (!list) {
    std::vector<WorldNumber> own = robots_of(call);
    for (WorldNumber number : own)
      if (what == For::kCommanding && !call.control.leases().may_command(number, call.caller))
        return refuse("leased", "another session has leased some of these robots: lease or name those that you want");
    return own;
  }
  const Json one = Json::array({*list});
  if (list->is_string()) list = &one;
  if (!list->is_array()) return refuse("bad_value", std::string(field) + " is a list of names");
  std::vector<WorldNumber> out;
  for (const Json& name : *list) {
    if (!name.is_string()) return refuse("bad_value", std::string(field) + " is a list of names");
    const auto robot = find(call, name.get<std::string>(), what);
    if (!robot) return tl::unexpected(robot.error());
    if (std::find(out.begin(), out.end(), (*robot)->number) != out.end())
      return refuse("bad_value", "'" + (*robot)->name + "' is named twice");
    out.push_back((*robot)->number);
  }
  return out;
}

}  // namespace convoy::zmq
