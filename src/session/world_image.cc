#include "session/world_image.h"

namespace convoy {

std::vector<Payload> image_pieces(const World& world, std::uint32_t run, Tick tick, std::size_t chunk) {
  const Bytes image = world.image();
  std::vector<Payload> pieces;
  ImagePiece piece{run, tick, 0, static_cast<std::uint32_t>(image.size()), {}};
  do {
    const std::size_t n = std::min<std::size_t>(chunk, image.size() - piece.offset);
    piece.bytes.assign(image.begin() + piece.offset, image.begin() + static_cast<std::ptrdiff_t>(piece.offset + n));
    pieces.push_back(Payload(save(piece)).shared());
    piece.offset += static_cast<std::uint32_t>(n);
  } while (piece.offset < image.size());
  return pieces;
}

Result<bool> ImageCollector::take(ByteView payload) {
  ImagePiece piece;
  if (!load(payload, piece) || piece.offset != bytes_.size() || piece.offset > piece.total ||
      piece.bytes.size() > piece.total - piece.offset)
    return fail(ErrorCode::kInvalid, "a piece of the world image is out of place");
  bytes_.insert(bytes_.end(), piece.bytes.begin(), piece.bytes.end());
  run_ = piece.run, tick_ = piece.tick;
  return bytes_.size() == piece.total;
}

}  // namespace convoy
