// For tests of the calls: a stage whose robots are called, and what was answered.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "adapters/zmq/calls.h"
#include "control/stage.h"

namespace convoy::zmq {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr const char* kDoors = R"({"calls":"tcp://here:1"})";

// A stage whose robots are called, and what was answered.
struct Hall : control::Stage {
  explicit Hall(bool lockstep = true, Access role = Access::kEdit)
      : Stage({.doors = kDoors, .nonce = 7, .source = ControlSource::kZmq}, lockstep),
        calls(control, {.doors = kDoors, .role = role, .version = "1"}) {}

  void serve_calls() {
    serve();
    collect();
  }
  void tick_calls() {
    tick();
    collect();
  }
  void collect() {
    for (Answer& answer : calls.take_answers()) {
      const auto value = decode(answer.bytes, encoding_of(answer.bytes));
      REQUIRE(value);
      answers.emplace_back(std::string(as_text(answer.peer.front())), *value);
    }
  }
  void send(const std::string& who, const Json& request) {
    calls.take({Bytes(who.begin(), who.end()), {}}, encode(request, Encoding::kMsgpack), fleet.get(), now);
    collect();
  }
  // The answer, if it comes without a tick.
  Json ask(const Json& request) {
    answers.clear();
    send("me", request);
    for (int i = 0; i < 4 && answers.empty(); ++i) serve_calls();
    return answers.empty() ? Json() : answers.front().second;
  }
  Json ask(const std::string& session, Json request) {
    request["session_id"] = session;
    return ask(request);
  }
  std::string code(const Json& request) { return ask(request).value("code", "none"); }
  std::string code(const std::string& session, const Json& request) {
    return ask(session, request).value("code", "none");
  }
  std::string session(Json more = Json::object()) {
    more["op"] = "hello";
    return ask(more).at("session_id").get<std::string>();
  }
  std::optional<Tick> horizon() const { return control.stepping().horizon(); }
  // Asks for a step, lets ticks pass, and has its answer.
  Json step(const std::string& session, Json request) {
    request["op"] = "step", request["session_id"] = session;
    answers.clear();
    send("me", request);
    for (int i = 0; i < 4; ++i) serve_calls();
    for (int i = 0; i < 100 && answers.empty() && (!horizon() || *horizon() > position.tick); ++i) tick_calls();
    for (int i = 0; i < 4; ++i) serve_calls();
    return answers.empty() ? Json() : answers.front().second;
  }

  Calls calls;
  std::vector<std::pair<std::string, Json>> answers;
};

inline Json row(std::initializer_list<double> values) {
  Json out = Json::array();
  for (double value : values) out.push_back(value);
  return out;
}
inline Json bytes_of(const std::vector<double>& values) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
  return Json::binary(std::vector<std::uint8_t>(bytes, bytes + values.size() * sizeof(double)));
}
inline std::vector<double> numbers_in(const Json& field) {
  std::vector<double> out(field.get_binary().size() / sizeof(double));
  if (!out.empty()) std::memcpy(out.data(), field.get_binary().data(), out.size() * sizeof(double));
  return out;
}

}  // namespace convoy::zmq
