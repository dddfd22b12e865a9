// What the bearer of a secret may do with a run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// Each may also do what those before it may.
enum class Access : std::uint8_t {
  kView,   // ask
  kDrive,  // command robots, and say whose commands they obey
  kEdit,   // change the world, its nodes' parameters and its time; attach elements
  kAdmin,  // end the run
};
inline constexpr std::array<const char*, 4> kAccessNames = {"view", "drive", "edit", "admin"};

constexpr const char* name_of(Access access) { return kAccessNames[static_cast<std::size_t>(access)]; }

struct Grant {
  Access access = Access::kAdmin;
  bool host = true;  // may join with robots of its own, which needs kEdit too
};

struct Credential {
  std::string secret;
  Grant grant;
};

}  // namespace convoy
