// What a host in lockstep tells its gateway, and the server of it: commands that act at once, and how far the world may go.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "agent/gateway.h"
#include "wire/lockstep.h"

namespace convoy {

class HostGateway {
 public:
  using Send = std::function<void(FrameType, Bytes)>;
  explicit HostGateway(Send send) : send_(std::move(send)) {}

  // Outlives this; null: there is none, and nothing happens.
  void set(Gateway* gateway) { gateway_ = gateway; }
  void at_boundary(const Fleet& fleet, const HostPosition& at) {
    if (gateway_) gateway_->at_boundary(fleet, at);
  }
  // Commands from beyond the run act in the tick that begins now, and the server gets them before this host's Done.
  void before_tick(const Fleet& fleet, std::uint32_t run, Tick tick, std::vector<Input>& inputs);
  void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) {
    if (gateway_) gateway_->after_tick(fleet, reached, states);
  }
  // Sends how far it lets the world go, if that has changed.
  void send_horizon(std::uint32_t run);
  // The server's Allow.
  Status held(ByteView payload, const Fleet* fleet);

 private:
  Send send_;
  Gateway* gateway_ = nullptr;
  std::optional<Tick> allowed_;    // as it was sent last,
  std::uint32_t allowed_run_ = 0;  // in this run
};

}  // namespace convoy
