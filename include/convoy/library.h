// How a user's library exports its types, whatever they are types of: what CONVOY_SENSORS, CONVOY_ROBOTS and
// CONVOY_WELCOMES write. `kind` is the namespace in convoy that has Type and Types; `tag` stands in a section of the
// file, where it is read before any code of the library runs.
#pragma once

#define CONVOY_EXPORT_TYPES(kind, tag, ...)                                                                        \
  extern "C" {                                                                                                     \
  __attribute__((section("convoy_" #kind), used, visibility("default"))) extern const char convoy_##kind##_abi[] = \
      tag;                                                                                                         \
  __attribute__((used, visibility("default"))) convoy::kind::Types convoy_##kind##_types() {                       \
    static const convoy::kind::Type types[] = {__VA_ARGS__};                                                       \
    return {types, sizeof types / sizeof types[0]};                                                                \
  }                                                                                                                \
  }
