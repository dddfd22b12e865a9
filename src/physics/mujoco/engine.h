// The MuJoCo library that this program was linked with: which it is, and whether it is what the build was made for.
#pragma once

#include <string>

#include "convoy/result.h"
#include "core/bytes.h"

namespace convoy::mujoco {

// Takes over MuJoCo's log, checks its version against the headers', and loads the plugins of a folder ("" for none).
// Once, before anything else of this folder.
Status start(const std::string& plugins);

std::string version();  // "4.0.0"
int version_int();      // 4000000

// Results of a fixed scene after some steps: bytes that differ between machines or libraries that compute other bits.
void probe(Bytes& out);

}  // namespace convoy::mujoco
