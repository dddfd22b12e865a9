// The server's side of sensor hosts in free mode: orders and samples are passed on. The hosts follow the world as viewers do.
#pragma once

#include "run/sensor_places.h"

namespace convoy {

class LiveSamples {
 public:
  // Outlives it.
  explicit LiveSamples(Books& books) : books_(books), places_(books) {}

  SensorPlaces& places() { return places_; }
  // False: it is none of these frames, or not from who may send it. What is for somebody who has gone is dropped.
  bool on_frame(Owner from, FrameType type, const Payload& payload);

 private:
  Status take(Owner from, FrameType type, const Payload& payload);

  Books& books_;
  SensorPlaces places_;
};

}  // namespace convoy
