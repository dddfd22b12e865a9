// Samples that hosts send to the server, for who wants them there: a recorder, which gets all, and viewers, each of which
// gets the newest of its sensors when it can take them.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "agent/sensor_picker.h"
#include "core/ports.h"
#include "run/sample_frames.h"

namespace convoy {

inline constexpr std::size_t kMostWatched = 500;  // sensors of one viewer

class SeenSamples {
 public:
  // For this taker, which outlives it; before hosts come.
  void record(std::vector<SensorChoice> choices, SampleTaker& taker) {
    recorded_ = std::move(choices), taker_ = &taker;
  }
  // A Wanted frame of a viewer, in place of its last one: sensors by their whole names. An error: it is malformed.
  Status watch(Owner viewer, ByteView payload);
  // That member is gone: a host, or who has watched.
  void forget(Owner member);
  // The payload of a Wanted frame for hosts; of one that comes; nothing: nobody wants anything.
  std::optional<Bytes> wanted() const;
  // The same for all hosts, if it is another one than at the last call.
  std::optional<Bytes> take_change();

  // A Samples frame for the server, from a host.
  Status take(ByteView payload, std::uint32_t run);
  // What has come whole, by robots and in the order of their deliveries. `world`: with those robots; `tick`: its length.
  void deliver(const World& world, Duration tick);
  // To viewers, each that has room.
  void send(const std::function<bool(Owner)>& has_room, const std::function<void(Owner, const Bytes&)>& send);
  std::uint64_t lacking() const { return lacking_; }  // samples that hosts had no room to send

 private:
  struct Viewer {
    SensorPicker picker;
    // By robot and sensor: what it has not been sent yet.
    std::map<std::pair<WorldNumber, std::uint32_t>, SampleCollector::Whole> newest;
  };
  std::vector<SensorChoice> recorded_;
  SampleTaker* taker_ = nullptr;
  std::map<Owner, Viewer> viewers_;
  bool changed_ = false;
  SampleCollector collector_;
  std::vector<SampleCollector::Whole> whole_;
  std::uint32_t run_ = 0;
  std::uint64_t lacking_ = 0;
};

}  // namespace convoy
