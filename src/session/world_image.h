// The world image in pieces, for hosts and guests that join: cut by the server, put together by the receiver.
#pragma once

#include "convoy/result.h"
#include "wire/lockstep.h"
#include "world/world.h"

namespace convoy {

// Payloads of kImage frames, of at most `chunk` bytes of image each; shared, because they may go to thousands at once.
std::vector<Payload> image_pieces(const World& world, std::uint32_t run, Tick tick, std::size_t chunk);

class ImageCollector {
 public:
  // Takes the next piece; true when the image is whole, and then bytes() has it.
  Result<bool> take(ByteView payload);
  const Bytes& bytes() const { return bytes_; }
  std::uint32_t run() const { return run_; }
  Tick tick() const { return tick_; }
  void clear() { bytes_ = {}; }

 private:
  Bytes bytes_;
  std::uint32_t run_ = 0;
  Tick tick_ = 0;
};

}  // namespace convoy
