// Calls: what people and programs ask of the server, each answered with what has really happened.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "convoy/control.pb.h"
#include "run/run.h"
#include "session/membership.h"

namespace convoy {

// In Reply.sources, beside sources.
inline constexpr char kNobodyRuns = 14;
inline constexpr char kUnknownRuler = 15;

using Answer = std::function<void(proto::Reply)>;

// May a peer of this role make this call?
bool allowed(PeerRole role, proto::Request::MethodCase method);

// Carries the call out and answers once, now or at the boundary at which it took effect. `reply.id` is filled in.
void carry_out(const proto::Request& request, Run& run, const Membership& membership, Moment now, const Answer& answer);

// The same for what hosts ask on behalf of programs outside: an OwnEdit, for robots of `caller` alone.
void carry_out_own(const proto::Request& request, Owner caller, Run& run, const Answer& answer);
// Can these begin anew, or all if none is named?
Status may_reset(const World& world, const std::vector<WorldNumber>& numbers);
// How the run stands, as JSON, with what each host has said of its doors.
std::string look_json(const Run& run, const std::map<Owner, std::string>& doors);

// The state of the run as JSON: phase, tick, hosts, drops.
std::string status_json(const Run& run, const Membership& membership);

}  // namespace convoy
