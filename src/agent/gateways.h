// Several gateways to the robots of one host as one: of different protocols, or of one protocol at several ports.
#pragma once

#include <memory>
#include <vector>

#include "agent/gateway.h"
#include "agent/taker_list.h"

namespace convoy {

// Each commands in the order in which they are given here, and none waits for another: the world goes as far as the
// one that holds it back most. Each may append kMaxGatewayInputs inputs.
class Gateways final : public Gateway {
 public:
  explicit Gateways(std::vector<std::unique_ptr<Gateway>> all);  // at least one
  void before_tick(const Fleet& fleet, Tick k, std::vector<Input>& inputs) override;
  void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) override;
  void before_step(const Fleet& fleet, std::vector<Input>& inputs) override;
  void after_step(const Fleet& fleet, const Snapshot& states) override;
  void on_time(const Fleet* fleet, Moment now) override;
  Moment deadline() const override;
  void at_boundary(const Fleet& fleet, const HostPosition& standing) override;
  std::optional<Tick> horizon() const override;
  bool awaits_held_at() const override;
  void held_at(const Fleet* fleet, std::uint32_t run, Tick tick) override;
  std::vector<GatewayWish> take_wishes() override;
  void answered(const Fleet* fleet, const GatewayAnswer& answer) override;
  void left() override;
  SampleTaker* taker() override { return takers_.taker(); }
  std::vector<int> descriptors() const override;
  std::vector<GatewayCount> counts() const override;

 private:
  std::vector<std::unique_ptr<Gateway>> all_;
  TakerList takers_;  // theirs
  std::uint32_t run_ = 0;
};

}  // namespace convoy
