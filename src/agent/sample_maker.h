// Computes samples that were ordered, from a world that shows the boundary for which they were.
#pragma once

#include "agent/fleet_pictures.h"
#include "agent/fleet_rays.h"
#include "agent/sample_meter.h"
#include "core/ports.h"
#include "sensing/sample_order.h"

namespace convoy {

class SampleMaker {
 public:
  // With what it computes; all outlive it. `meter`: of what each sample takes, less what they share; may be null.
  SampleMaker(FleetRays& rays, FleetPictures& pictures, Executor& executor, SampleMeter* meter = nullptr)
      : rays_(rays), pictures_(pictures), executor_(executor), meter_(meter) {}

  // As many as there are orders. An error: that cannot be computed here.
  std::vector<Result<SampleData>> make(std::span<const SampleOrder> orders, const World& world, const Setup& setup,
                                       Instant now);

 private:
  struct Work;
  Work begin(const SampleOrder& order, const World& world);

  FleetRays& rays_;
  FleetPictures& pictures_;
  Executor& executor_;
  SampleMeter* meter_;
  Grid grid_;
};

}  // namespace convoy
