// convoy version: what this program is and what it is made of.
#include "apps/dependencies.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/arguments.h"
#include "core/hash.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/machine.h"
#include "os/standard_streams.h"
#include "session/membership.h"

namespace convoy::apps {

namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "gcc " __VERSION__;
#endif

}  // namespace

std::map<std::string, std::string> dependencies() {
  std::map<std::string, std::string> out;
  const std::string text = CONVOY_DEPENDENCIES;  // "fmt=9.1.0|zstd=1.5.4"
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size()), equals = text.find('=', at);
    out[text.substr(at, equals - at)] = text.substr(equals + 1, end - equals - 1);
    at = end + 1;
  }
  if (!engines::mujoco_version().empty()) out["mujoco"] = engines::mujoco_version();
  if (!engines::embree_version().empty()) out["embree"] = engines::embree_version();
  return out;
}

int version(const Arguments& arguments) {
  if (arguments.json) {
    nlohmann::ordered_json j;
    j["version"] = engines::version_text(), j["build"] = engines::build_text(), j["protocol"] = kProtocolVersion;
    j["compiler"] = kCompiler, j["fingerprint"] = hex16(engines::numeric_fingerprint());
    j["machine"] = {{"kernel", os::kernel()}, {"hwcaps", os::hwcaps()}};
    j["dependencies"] = dependencies();
    os::print("{}\n", j.dump(1));
    return kOk;
  }
  os::print("convoy {}\n", engines::version_text());
  os::print("  {:<20} {}\n", "build", engines::build_text());
  os::print("  {:<20} {}\n", "protocol", kProtocolVersion);
  os::print("  {:<20} {}\n", "compiler", kCompiler);
  os::print("  {:<20} {}\n", "numeric fingerprint", hex16(engines::numeric_fingerprint()));
  for (const auto& [name, version] : dependencies()) os::print("  {:<20} {}\n", name, version);
  return kOk;
}

}  // namespace convoy::apps
