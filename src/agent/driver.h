// Drivers: small programs that drive a robot while it has no command. They decide at fixed instants.
//
// A driver sees its own exact state, the snapshot of the tick cut to its view, the static map and the messages that
// reach it; it draws from its own random stream. It never sees where it runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "world/grid.h"
#include "world/traffic.h"
#include "world/world.h"

namespace convoy {

// What a driver may read when it decides.
struct DriverView {
  Instant now{};
  WorldNumber self = kNoEntity;
  Slot slot = kNoSlot;
  const Model& model;
  const DriverSpec& spec;
  const World& world;  // snapshot k, models, map
  const Grid& grid;    // over snapshot k
  double view_radius = 0;
};

// What a driver may do.
struct DriverActions {
  Twist command;  // body twist; rules until the next decision
  struct Sent {
    std::string topic;
    Bytes payload;
  };
  std::vector<Sent> sent;
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual void decide(const DriverView& view, Random& random, DriverActions& actions) = 0;
  virtual bool subscribes_to(const std::string& topic) const = 0;
  virtual void receive(const Message& message, Instant now) = 0;
  virtual void save(SaveFields& out) const = 0;
  virtual bool load(Reader& in) = 0;
  virtual void describe(DescribeFields::List& out) const = 0;
};

// nullptr for DriverKind::kNone.
std::unique_ptr<Driver> make_driver(const DriverSpec& spec);

}  // namespace convoy
