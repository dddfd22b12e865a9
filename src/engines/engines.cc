#include "engines/engines.h"

#include <dlfcn.h>

#include <filesystem>

#include "os/file.h"
#include "physics/mujoco/engine.h"
#include "physics/mujoco/factory.h"

namespace convoy::engines {
namespace {

// Of an installation: below the folder of the library, or of the command's libraries; else the build's own.
std::string plugin_folder() {
  static const char here = 0;
  Dl_info info{};
  if (dladdr(&here, &info) != 0) {
    const std::filesystem::path folder = std::filesystem::absolute(info.dli_fname).parent_path();
    for (const char* place : {"mujoco_plugin", "../" CONVOY_LIBDIR "/convoy/mujoco_plugin"})
      if (const std::string path = (folder / place).string(); os::exists(path)) return path;
  }
  return CONVOY_MUJOCO_PLUGINS;
}

}  // namespace

std::string mujoco_version() { return mujoco::version(); }
int mujoco_version_int() { return mujoco::version_int(); }

Status start() {
  static const Status started = mujoco::start(plugin_folder());
  return started;
}

void probe(Bytes& out) {
  if (start()) mujoco::probe(out);
}

std::unique_ptr<PhysicsFactory> physics_factory() {
  if (!start()) return std::make_unique<KinematicFactory>();
  return std::make_unique<mujoco::Factory>();
}

}  // namespace convoy::engines
