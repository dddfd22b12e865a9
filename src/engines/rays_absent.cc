// A build without Embree: no sensor casts rays.
#include "engines/engines.h"

namespace convoy::engines {

std::unique_ptr<RayCasters> ray_casters() { return nullptr; }
std::string embree_version() { return {}; }
void probe_rays(Bytes&) {}

}  // namespace convoy::engines
