// What a sensor host does: it follows the world, and computes the samples that are ordered from it. No links, no clock but
// for what people are told.
#pragma once

#include <memory>
#include <optional>

#include "agent/sample_maker.h"
#include "agent/scene.h"
#include "guest/guest.h"
#include "run/cost_meter.h"
#include "run/sample_frames.h"

namespace convoy {

class SampleWork {
 public:
  // Of the parts: rays, pictures and users' sensors. `stopwatch`: ns since any moment, for policy: measured; may be empty.
  SampleWork(Executor& executor, const AgentParts& parts, std::function<std::uint64_t()> stopwatch);

  // The scenario, from its canonical bytes; the payload of Ready. An error: what might be ordered could not be computed here.
  Result<Bytes> load(ByteView setup, bool free_mode, Guest::SendDatagram send);
  Guest* guest() const { return guest_.get(); }  // null before that
  // What the server asks of it: the answer's payload. An error: it is no question.
  Result<Bytes> answer(ByteView question);
  // What comes of the orders; nothing: they are of another run by now.
  Result<std::optional<SamplePieces>> make(const Orders& orders, Owner me);
  // What the server is told of its work, if it is time for that.
  std::optional<Costs> costs(Moment now) { return costs_.report(now, reached_, busy_ns_); }

 private:
  Result<bool> show(const Orders& orders);
  SampleMeter* meter() {
    return costs_.samples.runs() && setup_.sensors.policy == PlacementPolicy::kMeasured ? &costs_.samples : nullptr;
  }

  Executor& executor_;
  AgentParts parts_;
  Setup setup_;  // without the map's cells and the entities
  bool free_ = false;
  std::unique_ptr<Guest> guest_;
  FleetRays rays_;
  FleetPictures pictures_;
  CostMeter costs_;
  std::uint64_t busy_ns_ = 0;
  Instant reached_{};
};

}  // namespace convoy
