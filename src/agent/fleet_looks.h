// What a fleet's robots feel and see at a boundary between ticks, for who asks. It changes neither the run nor a digest.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/fleet.h"
#include "agent/inspect.h"

namespace convoy {

// What one of its robots touches. Nothing: it is not owned here. In free mode the boundary is that of the snapshot, which
// the tick in progress may have left by a part of it.
std::optional<NodesAnswer::Touching> contacts_of(const Fleet& fleet, WorldNumber number);

// The actuators of one of its robots. Nothing: it is not owned here.
std::optional<NodesAnswer::Equipped> equipment_of(const Fleet& fleet, WorldNumber number);

// How busy this host is.
NodesAnswer::Load load_of(const Fleet& fleet);

// What a sensor of one of its robots shows: its newest sample, if it takes one at this boundary, or that which it would
// take. Errors: kNotFound: no such robot here, or no such sensor; kUnsupported: it casts rays, and this host does not.
Result<Sample> look(const Fleet& fleet, WorldNumber number, std::string_view sensor);

// What these cameras show, each as look() says, and drawn together. In the order in which they are asked for; one that
// cannot be shown has its error.
struct CameraName {
  WorldNumber robot = kNoEntity;
  std::string sensor;
};
std::vector<Result<Sample>> pictures_of(const Fleet& fleet, std::span<const CameraName> cameras);

// Could a sensor have the parameters of a NodesQuestion, by those types of sensors? On any machine that may compute its
// samples. Nothing: there is no such sensor.
std::optional<NodesAnswer::Fit> fit_of(const World& world, SensorBook& sensors, const NodesQuestion& question);

// The same as look() for a NodesQuestion. Nothing: the robot is not owned here.
std::optional<NodesAnswer::Seen> seen_by(const Fleet& fleet, const std::string& robot, const std::string& sensor);

}  // namespace convoy
