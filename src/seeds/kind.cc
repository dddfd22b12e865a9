#include "seeds/kind.h"

namespace convoy::testing {

namespace {

constexpr Kind kKinds[] = {Kind::kLockstep, Kind::kFree, Kind::kMujoco, Kind::kNodes};

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kLockstep: return "lockstep";
    case Kind::kFree: return "free";
    case Kind::kMujoco: return "mujoco";
    case Kind::kNodes: return "nodes";
  }
  return "unknown";
}

std::optional<Kind> kind_of(const std::string& name) {
  for (const Kind kind : kKinds)
    if (name == name_of(kind)) return kind;
  return std::nullopt;
}

Result<Cast> cast_of(Kind kind) {
  if (kind == Kind::kMujoco) return mujoco_cast();
  Cast cast = plain_cast();
  if (kind == Kind::kNodes) {
    cast.components = {{"libchatter.so", "test::Chatter", {}}};
    cast.names.push_back("program");
    cast.most = 14;
    cast.longest = 140;
  }
  return cast;
}

}  // namespace convoy::testing
