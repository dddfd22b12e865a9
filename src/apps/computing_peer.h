// What the processes that compute for a server do alike: convoy client and convoy sensor-host.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/fleet.h"
#include "apps/arguments.h"
#include "os/loop.h"
#include "os/sign_of_life.h"
#include "plugins/engine_libraries.h"
#include "plugins/sensor_libraries.h"
#include "session/session.h"

namespace convoy::apps {

// Who it is and what it is made of.
SessionOptions peer_session(const Arguments& arguments, os::NetLoop& loop);

// What to do once the server has let it in: signs of life begin, from a thread of their own. `busy` says what keeps the
// loop's thread, or nothing. `life` and `loop` outlive what is returned.
std::function<void(const Session&)> begin_signs(os::SignOfLife& life, os::NetLoop& loop, std::string (*busy)());

// What agents and sensors are made by, except for their software.
class Makers {
 public:
  explicit Makers(const Arguments& arguments);
  AgentParts parts(SoftwareFactory* software = nullptr);
  UsersSensors& sensors() { return sensors_; }

 private:
  std::unique_ptr<EngineLibraries> physics_;
  std::unique_ptr<RayCasters> rays_;
  std::unique_ptr<PictureMaker> pictures_;
  SensorLibraries sensors_;
};

// The exit code, after a line if it did not end in order.
int peer_ended(const Session& session, const std::optional<Error>& failure, os::NetLoop& loop);

}  // namespace convoy::apps
