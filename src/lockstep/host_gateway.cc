#include "lockstep/host_gateway.h"

#include "wire/live.h"

namespace convoy {

void HostGateway::before_tick(const Fleet& fleet, std::uint32_t run, Tick tick, std::vector<Input>& inputs) {
  if (!gateway_) return;
  const std::size_t first = inputs.size();
  gateway_->before_tick(fleet, tick, inputs);
  Inputs inputs_frame{run, {}};
  std::size_t bytes = 0;
  for (std::size_t i = first; i < inputs.size(); ++i) {
    bytes += save(Inputs{run, {inputs[i]}}).size();
    inputs_frame.inputs.push_back(inputs[i]);
    if (bytes < kMaxChunk && i + 1 < inputs.size()) continue;
    send_(FrameType::kInputs, save(inputs_frame));
    inputs_frame.inputs.clear();
    bytes = 0;
  }
}

void HostGateway::send_horizon(std::uint32_t run) {
  if (!gateway_) return;
  const std::optional<Tick> horizon = gateway_->horizon();
  if (horizon == allowed_ && (run == allowed_run_ || !horizon)) return;
  allowed_ = horizon, allowed_run_ = run;
  send_(FrameType::kAllow, save(Allow{run, horizon}));
}

Status HostGateway::held(ByteView payload, const Fleet* fleet) {
  Allow allow;
  if (!load(payload, allow) || !allow.through) return fail(ErrorCode::kInvalid, "an Allow frame is malformed");
  if (gateway_) gateway_->held_at(fleet, allow.run, *allow.through);
  return {};
}

}  // namespace convoy
