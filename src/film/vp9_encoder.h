// Makes VP9 of pictures, by libvpx: each picture becomes one packet at once.
//
// Colours are those of ITU-R BT.709 in studio range, at half the resolution each way; the stream says so.
#pragma once

#include <memory>

#include "film/film.h"

namespace convoy::film {

// Of the encoder, until its next one.
struct Packet {
  ByteView bytes;
  bool key = false;  // it can be shown without those before it
};

class Vp9Encoder {
 public:
  virtual ~Vp9Encoder() = default;
  static Result<std::unique_ptr<Vp9Encoder>> make(const Format& format);
  virtual Result<Packet> encode(ByteView rgb, std::uint64_t at_ms) = 0;
};

}  // namespace convoy::film
