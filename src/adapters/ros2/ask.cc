#include "adapters/ros2/ask.h"

namespace convoy::ros2 {

namespace {

double number_in(const Json& object, const char* name, double otherwise = 0) {
  const auto at = object.find(name);
  return at != object.end() && at->is_number() ? at->get<double>() : otherwise;
}
Vec3 vector_in(const Json& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end() || !at->is_object()) return {};
  return {number_in(*at, "x"), number_in(*at, "y"), number_in(*at, "z")};
}
Json json_of(const Vec3& v) { return {{"x", v.x}, {"y", v.y}, {"z", v.z}}; }

std::string text_in(const Json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::optional<Error> error_in(const Json& object) {
  const auto code = static_cast<std::uint32_t>(number_in(object, "error"));
  if (code == 0) return std::nullopt;
  return Error{static_cast<ErrorCode>(code), text_in(object, "text"), {}};
}

ErrorCode code_of(control::Reason reason) {
  using control::Reason;
  switch (reason) {
    case Reason::kDenied: return ErrorCode::kDenied;
    case Reason::kLeased: return ErrorCode::kLeased;
    case Reason::kUnknownRobot: return ErrorCode::kNotFound;
    case Reason::kBadValue: return ErrorCode::kInvalid;
    case Reason::kElsewhere:
    case Reason::kBadMode:
    case Reason::kNotReady:
    case Reason::kPaused:
    case Reason::kSessionOver:
    case Reason::kStepTimeout:
    case Reason::kTooManySessions:
    case Reason::kWasReset: return ErrorCode::kState;
  }
  return ErrorCode::kInternal;
}

Answer answer_of(const control::Checked<control::Reached>& reached) {
  Answer out;
  out.reply = Json::object();
  if (!reached) {
    out.error = Error{code_of(reached.error().reason), reached.error().message, {}};
    return out;
  }
  Json reply = Json::parse(reached->text, nullptr, false);
  if (!reply.is_object()) {
    out.error = Error{ErrorCode::kInternal, "the server's answer is no answer", {}};
    return out;
  }
  out.reply = std::move(reply);
  out.error = error_in(out.reply);
  return out;
}

}  // namespace

Tick Answer::tick() const {
  const auto at = reply.find("tick");  // 64 bits are text
  return at != reply.end() && at->is_string() ? std::strtoll(at->get<std::string>().c_str(), nullptr, 10) : 0;
}

Json Answer::data() const {
  Json out = Json::parse(text_in(reply, "json"), nullptr, false);
  return out.is_object() ? out : Json::object();
}

std::size_t Answer::outcomes() const {
  const auto at = reply.find("outcomes");
  return at != reply.end() && at->is_array() ? at->size() : 0;
}

std::optional<Error> Answer::outcome(std::size_t i) const {
  if (i >= outcomes()) return error;
  return error_in(reply["outcomes"][i]);
}

std::string Answer::remark(std::size_t i) const {
  return i < outcomes() ? text_in(reply["outcomes"][i], "text") : std::string();
}

void ask(control::ControlCore& control, const Fleet& fleet, const char* method, Json fields, const std::string& holder,
         Answered answered) {
  if (control.full())
    return answered({Error{ErrorCode::kUnavailable, "too many requests are under way", {}}, Json::object()});
  GatewayWish wish;
  wish.kind = GatewayWish::Kind::kCall;
  wish.text = Json{{method, std::move(fields)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  wish.holder = holder;
  control.ask(fleet, {}, std::move(wish),
              [answered = std::move(answered)](const control::Checked<control::Reached>& reached) {
                answered(answer_of(reached));
              });
}

Json json_of(const Pose& pose) {
  return {{"p", json_of(pose.p)}, {"q", {{"w", pose.q.w}, {"x", pose.q.x}, {"y", pose.q.y}, {"z", pose.q.z}}}};
}
Json json_of(const Twist& twist) { return {{"v", json_of(twist.v)}, {"w", json_of(twist.w)}}; }

Pose pose_in(const Json& reply) {
  const auto at = reply.find("pose");
  if (at == reply.end() || !at->is_object()) return {};
  Pose out{vector_in(*at, "p"), {}};
  if (const auto q = at->find("q"); q != at->end() && q->is_object())
    out.q = {number_in(*q, "w", 1), number_in(*q, "x"), number_in(*q, "y"), number_in(*q, "z")};
  return out;
}

Twist twist_in(const Json& reply) {
  const auto at = reply.find("twist");
  if (at == reply.end() || !at->is_object()) return {};
  return {vector_in(*at, "v"), vector_in(*at, "w")};
}

}  // namespace convoy::ros2
