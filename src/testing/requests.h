// Calls as a person or a program would make them, for tests.
#pragma once

#include <string>

#include "convoy/control.pb.h"

namespace convoy::testing {

using proto::Request;

inline Request spawn(const std::string& name, const std::string& model, const std::string& frame = "",
                     const std::string& host = "") {
  Request r;
  auto* one = r.mutable_spawn()->add_entities();
  one->set_name(name), one->set_model(model), one->set_frame_of_pose(frame), one->set_host(host);
  one->mutable_pose()->mutable_p()->set_x(1);
  return r;
}
inline Request erase(const std::string& name) {
  Request r;
  r.mutable_delete_()->add_names(name);
  return r;
}
inline Request get(const std::string& name, const std::string& frame = "") {
  Request r;
  r.mutable_get()->set_name(name), r.mutable_get()->set_frame(frame);
  return r;
}
inline Request set_pose(const std::string& name, double x, double qw = 1, const std::string& frame = "") {
  Request r;
  r.mutable_set()->set_name(name), r.mutable_set()->set_frame(frame);
  r.mutable_set()->mutable_pose()->mutable_p()->set_x(x);
  r.mutable_set()->mutable_pose()->mutable_q()->set_w(qw);
  return r;
}
inline Request drive(const std::string& name, double forward, double turn, double timeout) {
  Request r;
  r.mutable_drive()->set_name(name), r.mutable_drive()->set_forward(forward);
  r.mutable_drive()->set_turn(turn), r.mutable_drive()->set_timeout(timeout);
  return r;
}
inline Request attach(const std::string& parent, const std::string& child) {
  Request r;
  r.mutable_attach()->set_parent(parent), r.mutable_attach()->set_child(child);
  return r;
}
inline Request detach(const std::string& child) {
  Request r;
  r.mutable_detach()->set_child(child);
  return r;
}
inline Request step(std::uint64_t ticks) {
  Request r;
  r.mutable_step()->set_ticks(ticks);
  return r;
}
inline Request just(void (*choose)(Request&)) {
  Request r;
  choose(r);
  return r;
}

}  // namespace convoy::testing
