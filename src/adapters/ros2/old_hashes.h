// The type hashes by which a client of simulation_interfaces 1.x is known, where its messages differ from those of 2.1.
//
// What 1.x sends and wants instead (msgs/older/simulation_interfaces):
//
//   SpawnEntity_Request       uri and resource_string, two strings, for the Resource: the same bytes
//   LoadWorld_Request         likewise
//   SetEntityState_Request    ends after the state: pose and twist are set, as if set_pose and set_twist were true
//   GetSpawnables_Response    each spawnable has a uri, and no resource_string behind it
//
// A 1.x client of GetSpawnables sends the request of 2.1; the hash is that of its reader of replies.
// msgs/generator/generator_test.py works these hashes out of the definitions and compares.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace convoy::ros2 {

struct OldHash {
  std::string_view type, hash;  // "simulation_interfaces/srv/SpawnEntity_Request", "RIHS01_fdcf..."
};

inline constexpr std::array<OldHash, 4> kOldHashes{{
    {"simulation_interfaces/srv/GetSpawnables_Response",
     "RIHS01_4e532ac531e2d0bb495a8b53409a8025551f55329250537a3d5a28c5d7ce36af"},
    {"simulation_interfaces/srv/LoadWorld_Request",
     "RIHS01_f683da497d911d5b8d8191c457d4dd90b39ceb1a7c3ec8e2f2adf89ee6721851"},
    {"simulation_interfaces/srv/SetEntityState_Request",
     "RIHS01_95cdfbffcd9c4d0133b2079bdcadd4420ce86dd255c11a3dfed7f9f907fd304d"},
    {"simulation_interfaces/srv/SpawnEntity_Request",
     "RIHS01_fdcf97087f59eed1ad0b75696ea97ffbb44d104f62f177fcd5a31ab67c6fc923"},
}};

// Whether an endpoint whose USER_DATA names this hash has the 1.x form of the type.
constexpr bool is_old(std::string_view type, std::string_view hash) {
  return std::any_of(kOldHashes.begin(), kOldHashes.end(),
                     [&](const OldHash& old) { return old.type == type && old.hash == hash; });
}

}  // namespace convoy::ros2
