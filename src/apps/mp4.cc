#include "stream/mp4_film.h"

#include "apps/movie_file.h"

namespace convoy::apps {

Result<std::unique_ptr<film::Film>> open_mp4(const film::Format& format, const std::string& path) {
  return stream::make_mp4(format, path);
}

}  // namespace convoy::apps
