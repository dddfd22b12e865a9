#include "stream/audience.h"

namespace convoy::stream {

Result<bool> Audience::begin() {
  if (video_) return false;
  auto made = VideoStream::make(format_, events_);
  if (!made) return tl::unexpected(made.error());
  {
    const std::scoped_lock lock(mutex_);
    video_ = std::move(*made);
  }
  hand_out();
  return true;
}

void Audience::end() {
  const std::scoped_lock lock(mutex_);
  video_.reset();
}

void Audience::add_direct(const PlayerId& player, CodedPicture::Kind kind) {
  direct_.add(player, kind);
  hand_out();
}

void Audience::remove(const PlayerId& player) {
  if (direct_.remove(player)) hand_out();
  else if (video_) video_->remove(player);
}

void Audience::hand_out() {
  if (video_) video_->hand_out(direct_.wants(CodedPicture::Kind::kVideo), direct_.wants(CodedPicture::Kind::kJpeg));
}

Status Audience::answer(const PlayerId& player, const std::string& sdp) {
  return video_ ? video_->answer(player, sdp) : fail(ErrorCode::kNotFound, "there is no video");
}

void Audience::candidate(const PlayerId& player, const std::string& candidate, unsigned line) {
  if (video_) video_->candidate(player, candidate, line);
}

void Audience::coded(const CodedPicture& picture) {
  if (direct_.show(picture) && video_) video_->ask_for_key();
}

bool Audience::close(const PlayerId& player, const std::string& why) {
  if (!direct_.has(player)) return false;
  direct_.close(player, why);
  return true;
}

void Audience::show(Bytes rgb) {
  std::shared_ptr<VideoStream> video;
  {
    const std::scoped_lock lock(mutex_);
    video = video_;
  }
  if (video) video->push(std::move(rgb));
}

void Audience::send(const PlayerId& player, ByteView message) {
  if (direct_.has(player)) direct_.send(player, message);
  else if (video_) video_->send(player, message);
}

}  // namespace convoy::stream
