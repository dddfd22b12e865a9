#include "stream/direct_players.h"

#include <algorithm>

namespace convoy::stream {

namespace {

Bytes message_of(const CodedPicture& picture) {
  Bytes out;
  out.reserve(kDirectHeader + picture.bytes.size());
  out.push_back(
      static_cast<std::uint8_t>(picture.kind == CodedPicture::Kind::kJpeg ? ToDirect::kJpeg : ToDirect::kVideo));
  out.push_back(picture.key ? 1 : 0);
  for (unsigned i = 0; i < 8; ++i) out.push_back(static_cast<std::uint8_t>(picture.time_us >> (8 * i)));
  out.insert(out.end(), picture.bytes.begin(), picture.bytes.end());
  return out;
}

}  // namespace

bool DirectPlayers::wants(CodedPicture::Kind kind) const {
  return std::any_of(players_.begin(), players_.end(), [kind](const auto& one) { return one.second.kind == kind; });
}

bool DirectPlayers::show(const CodedPicture& picture) {
  SharedBytes message;  // once for all
  bool wants_key = false;
  for (auto& [id, player] : players_) {
    if (player.kind != picture.kind) continue;
    if (player.under_way >= kMostUnderWay) {
      player.broken = true;
      continue;
    }
    if (player.broken && !picture.key) {
      wants_key = true;
      continue;
    }
    if (!message) message = std::make_shared<const Bytes>(message_of(picture));
    player.broken = false;
    ++player.under_way;
    line_->send(id, message);
  }
  return wants_key;
}

void DirectPlayers::taken(const PlayerId& player) {
  const auto at = players_.find(player);
  if (at != players_.end() && at->second.under_way > 0) --at->second.under_way;
}

void DirectPlayers::send(const PlayerId& player, ByteView message) {
  Bytes out{static_cast<std::uint8_t>(ToDirect::kMessage)};
  out.insert(out.end(), message.begin(), message.end());
  line_->send(player, std::make_shared<const Bytes>(std::move(out)));
}

void DirectPlayers::close(const PlayerId& player, const std::string& why) { line_->close(player, why); }

}  // namespace convoy::stream
