// --credentials-file: a line ROLE SECRET for each secret that a server knows.
#pragma once

#include <vector>

#include "convoy/result.h"
#include "core/access.h"

namespace convoy::apps {

inline constexpr std::size_t kLeastSecret = 16;  // characters, of a server that listens beyond this machine

// ROLE: view, drive, edit, admin, or host (which joins with robots, and may do what edit may). Empty lines and those that
// begin with '#' say nothing. Errors name the line. `beyond`: the server listens beyond this machine.
Result<std::vector<Credential>> read_credentials(const std::string& path, bool beyond);

// A secret that may do all. kDenied: it is too short for a server that listens beyond this machine.
Result<Credential> lone_credential(const std::string& secret, bool beyond);

}  // namespace convoy::apps
