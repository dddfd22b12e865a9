// The identity that this program shows to its peers: version, build id, and the machine's numeric fingerprint.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace convoy::engines {

std::string version_text();  // "0.1.0"
std::string build_text();    // "0.1.0+<build id>"; equal for equal builds

// The same of a program that is these shared libraries and others'; empty when one of them cannot be read.
std::string build_text_of(std::span<const std::string> libraries);

// A hash of fixed probes of what lies outside our own arithmetic: libm, and whether products and sums are fused. Hosts
// whose probes differ compute other bits, and are refused for lockstep.
std::uint64_t numeric_fingerprint();

}  // namespace convoy::engines
