// The fixed ports that commands listen on when no option gives others; the README has the same table.
#pragma once

#include <cstdint>

namespace convoy::apps {

struct DefaultPort {
  const char* what;
  std::uint16_t port;  // TCP and UDP
};
inline constexpr DefaultPort kDefaultPorts[] = {
    {"convoy server", 7447}, {"convoy web", 7480}, {"convoy signaling", 7481}};

}  // namespace convoy::apps
