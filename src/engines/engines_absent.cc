// A build without MuJoCo: robots are kinematic.
#include "engines/engines.h"

namespace convoy::engines {

std::string mujoco_version() { return {}; }
int mujoco_version_int() { return 0; }
Status start() { return {}; }
void probe(Bytes&) {}
std::unique_ptr<PhysicsFactory> physics_factory() { return std::make_unique<KinematicFactory>(); }

}  // namespace convoy::engines
