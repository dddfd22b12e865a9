// Sensors for Foxglove's clients: whom to ask now, and answers as the messages that a recording would have.
//
// A sensor is asked for as long as somebody subscribes to it, by the call that anybody may make: a few times a second, and
// not again before it has answered.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "convoy/control.pb.h"
#include "convoy/time.h"
#include "record/foxglove/readings.h"

namespace convoy::web {

inline constexpr Duration kSensorEvery = std::chrono::milliseconds(200);
inline constexpr std::size_t kMostSensorsAsked = 32;  // at once; the others wait for their turn

// Of a type of docs/sensors.md, with no values; nothing: a type of a user's library, which is not shown.
std::optional<SampleData> kind_of_sensor(const std::string& type);
// What the call `sensor` has answered; nothing: it is malformed. Reads what core/json_fields.h writes.
std::optional<SampleData> sample_of_json(const std::string& type, const std::string& data);

class FoxgloveSensors {
 public:
  // Of these topics that are subscribed to, those to ask now.
  std::vector<std::string> due(const std::set<std::string>& wanted, Moment now);

  struct Reading {
    std::uint64_t time_ns = 0;
    Bytes message;
  };
  // A topic's answer, encoded; nothing: there is nothing new in it. `frame`: the sensor's own.
  std::optional<Reading> take(const std::string& topic, const std::string& type, const proto::Reply& reply,
                              const std::string& frame);
  void forget() { asked_.clear(); }

 private:
  struct Asked {
    Moment next{};
    bool open = false;
    std::optional<std::uint64_t> index;  // of the sample that was told last
  };
  std::map<std::string, Asked> asked_;  // by topic
};

}  // namespace convoy::web
