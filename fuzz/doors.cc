// What programs outside send over ZeroMQ.
#include "adapters/zmq/calls.h"
#include "control/stage.h"
#include "fuzz/targets.h"

namespace convoy::fuzz {

namespace {

using zmq::Json;

// A host with three robots, and a session at its doors: always of the same name.
struct Host {
  Host() {
    const Json greeting{{"op", "hello"}};
    session = ask(zmq::encode(greeting, zmq::Encoding::kMsgpack)).value("session_id", "");
  }
  // What is said last, with some ticks for it.
  Json ask(ByteView request) {
    calls.take({Bytes{1}, {}}, request, stage.fleet.get(), stage.now);
    for (int i = 0; i < 3; ++i) stage.serve(), stage.tick();
    Json last;
    for (const zmq::Answer& answer : calls.take_answers()) {
      const auto value = zmq::decode(answer.bytes, zmq::encoding_of(answer.bytes));
      EXPECTS(value);  // ours can be read
      last = *value;
    }
    return last;
  }

  control::Stage stage{{.nonce = 7, .source = ControlSource::kZmq}};
  zmq::Calls calls{stage.control, {.version = "1"}};
  std::string session;
};

}  // namespace

bool calls(ByteView input) {
  const Json answer = Host().ask(input);
  return answer.is_object() && !answer.contains("code");
}

std::vector<Bytes> call_seeds() {
  const std::string session = Host().session;
  std::vector<Bytes> out;
  for (Json request : {Json{{"op", "hello"}, {"timeout", 5}, {"observations", "full"}}, Json{{"op", "meta"}},
                       Json{{"op", "get_state"}, {"articulation", "s0"}}, Json{{"op", "set_mode"}, {"mode", "stepped"}},
                       Json{{"op", "set_state"}, {"articulation", "s1"}, {"qpos", {0.5, 1}}, {"qvel", {0, 1}}},
                       Json{{"op", "set_twist"}, {"articulation", "burger"}, {"linear", {1, 0, 0}}, {"angular", {0, 0, 1}}},
                       Json{{"op", "lease"}, {"articulations", {"s0", "s1"}}}}) {
    request["session_id"] = session;
    for (const zmq::Encoding encoding : {zmq::Encoding::kMsgpack, zmq::Encoding::kJson})
      out.push_back(zmq::encode(request, encoding));
  }
  return out;
}

}  // namespace convoy::fuzz
