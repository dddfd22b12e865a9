// Calls: what people and programs ask of the server, each answered with what has really happened.
#pragma once

#include <functional>

#include "convoy/control.pb.h"
#include "session/membership.h"
#include "session/run.h"

namespace convoy {

using Answer = std::function<void(proto::Reply)>;

// May a peer of this role make this call?
bool allowed(PeerRole role, proto::Request::MethodCase method);

// Carries the call out and answers once, now or at the boundary at which it took effect. `reply.id` is filled in.
void carry_out(const proto::Request& request, Run& run, const Membership& membership, Moment now,
               const Answer& answer);

// The state of the run as JSON: phase, tick, hosts, drops.
std::string status_json(const Run& run, const Membership& membership);

}  // namespace convoy
