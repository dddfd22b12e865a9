#include "apps/movie_file.h"

#include <algorithm>
#include <string_view>

namespace convoy::apps {

namespace {

class File final : public film::FilmFile {
 public:
  explicit File(os::HeadedFile file) : file_(std::move(file)) {}
  Status write(ByteView bytes) override { return file_.write(bytes); }
  Status rewrite(std::uint64_t at, ByteView bytes) override { return file_.rewrite(at, bytes); }
  Status sync() { return file_.sync(); }

 private:
  os::HeadedFile file_;
};

class WebM final : public film::Film {
 public:
  explicit WebM(os::HeadedFile file) : file_(std::move(file)) {}
  Status begin(const film::Format& format) {
    auto made = film::Film::make(format, file_);
    if (!made) return tl::unexpected(made.error());
    film_ = std::move(*made);
    return {};
  }
  Status add(ByteView rgb, Duration time) override { return film_->add(rgb, time); }
  Status close() override {
    const Status closed = film_->close();
    return closed ? file_.sync() : closed;
  }

 private:
  File file_;
  std::unique_ptr<film::Film> film_;
};

bool ends_with(const std::string& text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.end() - static_cast<std::ptrdiff_t>(lower.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + 'a' - 'A' : b); });
}

}  // namespace

Status check_movie_name(const std::string& path) {
  if (ends_with(path, ".webm") || ends_with(path, ".mp4")) return {};
  return fail(ErrorCode::kInvalid, "'" + path + "': a film is written as .webm, or as .mp4");
}

Result<std::unique_ptr<film::Film>> open_movie(const film::Format& format, const std::string& path) {
  if (ends_with(path, ".mp4")) return open_mp4(format, path);
  auto file = os::HeadedFile::open(path);
  if (!file) return tl::unexpected(file.error());
  auto out = std::make_unique<WebM>(std::move(*file));
  if (auto ok = out->begin(format); !ok) return tl::unexpected(ok.error());
  return out;
}

}  // namespace convoy::apps
