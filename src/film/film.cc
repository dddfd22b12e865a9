#include "film/film.h"

#include <algorithm>

#include "core/check.h"
#include "film/vp9_encoder.h"
#include "film/webm_writer.h"

namespace convoy::film {

namespace {

class WrittenFilm final : public Film {
 public:
  WrittenFilm(const Format& format, std::unique_ptr<Vp9Encoder> encoder, FilmFile& file)
      : format_(format), encoder_(std::move(encoder)), writer_(format, file) {}

  Status add(ByteView rgb, Duration time) override {
    EXPECTS(rgb.size() == std::size_t{3} * format_.width * format_.height);
    const auto at_ms = static_cast<std::uint64_t>((nanos(time) + 500'000) / 1'000'000);
    EXPECTS(!any_ || at_ms > last_ms_);
    any_ = true, last_ms_ = at_ms;
    auto packet = encoder_->encode(rgb, at_ms);
    if (!packet) return tl::unexpected(packet.error());
    return writer_.add(*packet, at_ms);
  }

  Status close() override { return writer_.close(last_ms_ + (any_ ? std::max(1u, 1000 / format_.rate) : 0)); }

 private:
  Format format_;
  std::unique_ptr<Vp9Encoder> encoder_;
  WebmWriter writer_;
  bool any_ = false;
  std::uint64_t last_ms_ = 0;
};

}  // namespace

Result<std::unique_ptr<Film>> Film::make(const Format& f, FilmFile& file) {
  const auto is_side = [](std::uint32_t side) { return side >= kLeastSide && side <= kMostSide; };
  if (!is_side(f.width) || !is_side(f.height) || f.width * f.height > kMostPixels)
    return fail(ErrorCode::kInvalid, "a film's sides are 16 to 8192 pixels, and its pictures 16.8 million at most");
  if (f.rate < 1 || f.rate > kMostRate) return fail(ErrorCode::kInvalid, "a film has 1 to 240 pictures a second");
  auto encoder = Vp9Encoder::make(f);
  if (!encoder) return tl::unexpected(encoder.error());
  return std::make_unique<WrittenFilm>(f, std::move(*encoder), file);
}

}  // namespace convoy::film
