// The calls of convoy ctl: how each is made from the command line, and how its answer reads.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "apps/arguments.h"
#include "convoy/control.pb.h"
#include "convoy/geometry.h"
#include "convoy/result.h"

namespace convoy::apps {

struct CtlCall {
  const char* name;
  const char* help;
  // What to ask; an Error is bad usage.
  Result<proto::Request> (*request)(const CtlArguments& arguments);
  // The answer for people on stdout, without the reply's errors.
  void (*print)(const CtlArguments& arguments, const proto::Reply& reply);
};

inline void put_vector(proto::Vec3* out, const Vec3& v) { out->set_x(v.x), out->set_y(v.y), out->set_z(v.z); }

std::span<const CtlCall> ctl_calls();

struct Answered {
  std::optional<proto::Reply> reply;
  int code = kOk;  // if there is no reply: it has been complained about
};

// One request to the server that the arguments name; `before` go first, over the same connection.
Answered ask(const Arguments& arguments, const proto::Request& request, std::vector<proto::Request> before = {});

// Makes the call and prints its answer; returns the exit code.
int ctl(const CtlCall& call, const Arguments& arguments);

}  // namespace convoy::apps
