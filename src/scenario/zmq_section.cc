// The section `zmq`: where robots' streams are, and in whose layout.
#include <fmt/format.h>

#include <array>

#include "scenario/sections.h"

namespace convoy::scenario {

namespace {

constexpr std::array<Choice<ZmqProfile>, 3> kProfiles{
    {{"seed", ZmqProfile::kSeed}, {"urlab01", ZmqProfile::kUrlab01}, {"both", ZmqProfile::kBoth}}};

constexpr std::array<Choice<ZmqPictures>, 3> kPictures{
    {{"bare", ZmqPictures::kBare}, {"ucm1", ZmqPictures::kVersion1}, {"ucm2", ZmqPictures::kVersion2}}};

constexpr std::array<Choice<Access>, 3> kRoles{
    {{"view", Access::kView}, {"drive", Access::kDrive}, {"edit", Access::kEdit}}};

}  // namespace

void read_zmq(Section& s, RunOptions& run) {
  ZmqOptions zmq;
  s.integer("port", zmq.port, 1, 65535);
  s.choice<ZmqProfile>("wire_profile", zmq.profile, kProfiles);
  s.choice<ZmqPictures>("pictures", zmq.pictures, kPictures);
  s.integer("urlab01_port", zmq.urlab01_port, 1, 65535);
  s.text("listen", zmq.listen);
  s.flag("insecure", zmq.insecure);
  s.choice<Access>("role", zmq.role, kRoles);
  if (!s.sound()) return;
  const std::size_t ports = run.hosts.names.size() * kZmqBlock;
  const bool both = zmq.profile == ZmqProfile::kBoth;
  const auto check_end = [&](const char* field, std::size_t first) {
    if (first + ports > 65536)
      s.refuse(field, fmt::format("{} robot clients need {} ports from here on", run.hosts.names.size(), ports));
  };
  check_end("port", zmq.port);
  if (both) check_end("urlab01_port", zmq.urlab01_port);
  if (!both && s.has("urlab01_port")) s.refuse("urlab01_port", "only wire_profile: both has a second block");
  if (both && zmq.port < zmq.urlab01_port + ports && zmq.urlab01_port < zmq.port + ports)
    s.refuse("urlab01_port", fmt::format("the {} ports from here on meet those from {} on", ports, zmq.port));
  run.zmq = zmq;
}

}  // namespace convoy::scenario
