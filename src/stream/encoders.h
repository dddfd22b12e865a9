// Which of this machine's encoders makes a codec's video: those of graphics cards first, as they are found.
#pragma once

#include <cstdint>
#include <string>

#include "convoy/result.h"

namespace convoy::stream {

struct Encoder {
  const char* codec;
  const char* element;
  const char* options;           // of the element, for as little delay as there can be
  const char* after;             // elements between it and the packets
  const char* bitrate;           // its property
  const char *encoding, *payer;  // of RTP
  std::uint32_t units;           // of that property in a kbit/s
  bool tried;                    // by its makers; of others it is said that they are not
};

// The first that starts here. kInvalid: no such codec; kUnsupported: this machine has none of it.
Result<const Encoder*> encoder_for(const std::string& codec);

}  // namespace convoy::stream
