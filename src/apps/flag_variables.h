// Variables of the environment that flags of convoy's commands can be given by, and that would otherwise reach a process
// whose command line says all that it is to do.
#pragma once

namespace convoy::apps {

inline constexpr const char* kFlagVariables[] = {
    "CONVOY_HOSTS", "CONVOY_MODE",      "CONVOY_SEED",    "CONVOY_DURATION",
    "CONVOY_SPEED", "CONVOY_LEAVE",     "CONVOY_THREADS", "CONVOY_SENSOR_HOSTS",
    "CONVOY_JSON",  "CONVOY_LOG_LEVEL", "CONVOY_LISTEN",  "CONVOY_CONNECT",
    "CONVOY_BIND",  "CONVOY_NAME",      "CONVOY_ENGINE",  "CONVOY_CREDENTIALS_FILE"};

}  // namespace convoy::apps
