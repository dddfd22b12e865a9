// The server's side of sensor hosts in lockstep: orders are passed on, and a host is shown the boundary of
// which something is ordered from it.
#pragma once

#include "lockstep/place.h"
#include "lockstep/viewers.h"
#include "run/sensor_places.h"

namespace convoy {

class SampleRelay {
 public:
  // Both outlive it.
  SampleRelay(Books& books, Viewers& viewers) : books_(books), viewers_(viewers), places_(books) {}

  SensorPlaces& places() { return places_; }
  void attend(Owner host, const std::string& name) {
    viewers_.attend_exactly(host);
    places_.host_came(host, name);
  }
  // An Orders frame, or Samples for this server, at this place. What is for somebody who has gone is dropped: who waits is told so.
  Status on_frame(Owner from, FrameType type, const Payload& payload, const LockstepPlace& place,
                  std::size_t image_chunk);
  // A Late frame of a host.
  Status late(Owner from, ByteView payload);

 private:
  Books& books_;
  Viewers& viewers_;
  SensorPlaces places_;
};

}  // namespace convoy
