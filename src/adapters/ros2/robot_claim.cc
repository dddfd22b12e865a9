#include "adapters/ros2/robot_claim.h"

#include <fmt/format.h>

#include <std_srvs/srv/trigger.hpp>

namespace convoy::ros2 {

namespace {

using std_srvs::srv::Trigger;

constexpr Duration kClaimLasts = std::chrono::seconds(60);  // beyond each look at whether the claimant is there

// Letters that a holder's name may have.
std::string holder_name(const Guid& participant) {
  std::string out = "ros2:";
  for (std::size_t i = 0; i < 12; ++i) out += fmt::format("{:02x}", participant[i]);
  return out;
}

Trigger::Response answer(bool success, std::string message) {
  Trigger::Response out;
  out.success = success, out.message = std::move(message);
  return out;
}

}  // namespace

RobotClaim::RobotClaim(DoorHere& here, Node& node, WorldNumber robot, std::string name)
    : here_(here), number_(robot), name_(std::move(name)) {
  const auto open = [&](const char* service, void (RobotClaim::*act)(const ServiceRequest&)) {
    auto made = serve<Trigger>(
        node, service, [this, act](const Trigger::Request&, const ServiceRequest& asked) { (this->*act)(asked); });
    if (made) return std::move(*made);
    here_.log.line(LogLevel::kWarn, fmt::format("ROS 2, robot {}: {}", name_, made.error().message()));
    return std::unique_ptr<Service>();
  };
  claims_ = open("claim_control", &RobotClaim::claim);
  releases_ = open("release_control", &RobotClaim::release);
}

bool RobotClaim::may_command(const Guid& sender) const {
  if (here_.domain.ours(sender)) return ++here_.counts.own, false;
  const bool may = lets(sender);
  if (!may) ++here_.counts.leased;
  return may;
}

bool RobotClaim::lets(const Guid& sender) const {
  const control::Leases& leases = here_.control.leases();
  if (!leases.leased(number_)) return true;
  return claim_ && same_participant(sender, claim_->participant) &&
         leases.holder(number_) == here_.control.sessions().holder(claim_->session);
}

std::string RobotClaim::holder_of(const Guid& sender) const {
  return claim_ && same_participant(sender, claim_->participant) ? here_.control.sessions().holder(claim_->session)
                                                                 : "";
}

void RobotClaim::claim(const ServiceRequest& asked) {
  const ReplyTo to = asked.from;
  if (!here_.fleet) return reply(*claims_, to, answer(false, kRunNotBegun));
  if (claim_ && claim_->over) end();
  if (claim_ && !same_participant(claim_->participant, to.client))
    return reply(*claims_, to, answer(false, name_ + " is claimed by another participant"));
  if (here_.control.full()) return reply(*claims_, to, answer(false, "too many requests are under way"));
  if (!claim_) {
    auto session =
        here_.control.sessions().open(kClaimLasts, control::Level::kNone, here_.now, {}, holder_name(to.client));
    if (!session) return reply(*claims_, to, answer(false, session.error().message));
    claim_ = Claim{*session, participant_of(to.client)};
  }
  const std::weak_ptr<bool> alive = alive_;
  here_.control.lease(*here_.fleet, {claim_->session, true, {number_}}, [this, to, alive](const auto& done) {
    if (alive.expired()) return;  // and with the robot its services
    reply(*claims_, to, answer(done.has_value(), done ? "" : done.error().message));
    if (!done) claim_.reset();  // its session ends by itself
  });
}

void RobotClaim::release(const ServiceRequest& asked) {
  if (!claim_ || !same_participant(claim_->participant, asked.from.client))
    return reply(*releases_, asked.from, answer(false, "this participant has not claimed " + name_));
  const ReplyTo to = asked.from;
  if (!here_.fleet) return reply(*releases_, to, answer(false, kRunNotBegun));
  if (here_.control.full()) return reply(*releases_, to, answer(false, "too many requests are under way"));
  // What is said afterwards is true: others may command it from now on.
  const std::weak_ptr<bool> alive = alive_;
  here_.control.lease(*here_.fleet, {claim_->session, false, {number_}}, [this, to, alive](const auto& done) {
    if (alive.expired()) return;
    reply(*releases_, to, answer(done.has_value(), done ? "" : done.error().message));
    if (done && claim_) claim_->over = true;
  });
}

void RobotClaim::keep(Moment now) {
  if (!claim_) return;
  if (!claim_->over && here_.domain.graph().there(claim_->participant) &&
      here_.control.sessions().hear(claim_->session, now))
    return;
  end();
}

void RobotClaim::end() {
  if (claim_) here_.control.end(claim_->session);
  claim_.reset();
}

}  // namespace convoy::ros2
