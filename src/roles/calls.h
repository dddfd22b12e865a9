// Carries out calls of people and programs. A call is answered when it has taken effect, or was refused.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "convoy/control.pb.h"
#include "roles/lease_book.h"
#include "run/run.h"
#include "session/membership.h"

namespace convoy {

// In Reply.sources, beside sources.
inline constexpr char kNobodyRuns = 14;
inline constexpr char kUnknownRuler = 15;

using Answer = std::function<void(proto::Reply)>;

// Does it own robots?
inline bool runs_robots(const Member& member) { return member.role == PeerRole::kRobotClient; }
// The least access that a call needs.
Access needed(const proto::Request& request);
// May this member make it, by its secret, and as the kind of peer that it is?
bool allowed(const Member& member, const proto::Request& request);
// The same of a frame, and of the datagrams that say the same.
bool allowed(const Member& member, FrameType type);

// Carries the call out and answers once, now or at the boundary at which it took effect. `reply.id` is filled in.
void carry_out(const proto::Request& request, Run& run, const Membership& membership, Moment now, const Answer& answer);

// The same for an OwnEdit, which a host sends on behalf of an outside program; only for robots of `caller`.
void carry_out_own(const proto::Request& request, Owner caller, Run& run, LeaseBook& leases, const Answer& answer);
// Checks whether these entities can be reset; all if none is named.
Status may_reset(const World& world, const std::vector<WorldNumber>& numbers);
// State of the run as JSON (paused, speed), with the endpoints that each host has published.
std::string query_json(const Run& run, const std::map<Owner, std::string>& doors);

// The state of the run as JSON: phase, tick, hosts, drops.
std::string status_json(const Run& run, const Membership& membership);

}  // namespace convoy
