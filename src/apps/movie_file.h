// A film's file, and its size as the command line has it.
#pragma once

#include <string>

#include "film/film_file.h"
#include "film/view.h"
#include "os/headed_file.h"

namespace convoy::apps {

class MovieFile final : public film::FilmFile {
 public:
  explicit MovieFile(os::HeadedFile file) : file_(std::move(file)) {}
  Status write(ByteView bytes) override { return file_.write(bytes); }
  Status rewrite(std::uint64_t at, ByteView bytes) override { return file_.rewrite(at, bytes); }
  Status sync() { return file_.sync(); }

 private:
  os::HeadedFile file_;
};

// "1280x720".
Result<film::PictureSize> parse_size(const std::string& text);

}  // namespace convoy::apps
