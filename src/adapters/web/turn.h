// Credentials of a TURN server that expire: "TURN REST API", as coturn's use-auth-secret takes them.
#pragma once

#include "adapters/web/signaling_desk.h"

namespace convoy::web {

// The name is the Unix time until which it is good, the credential its HMAC-SHA1 with the shared secret, as base64.
IceServer turn_server(std::string url, const std::string& secret, Duration lasts);

// The same of a given time, s since 1970.
IceServer turn_server_until(std::string url, const std::string& secret, std::uint64_t until_s);

}  // namespace convoy::web
