// A film as H.264 in MP4, by an encoder that this machine's GStreamer has. None comes with this program: H.264 is patented,
// and what may be done with it is the user's to know. Its bytes are those of that encoder.
#pragma once

#include <memory>
#include <string>

#include "film/film.h"

namespace convoy::stream {

// Writes the file `path`. kUnsupported: an element of GStreamer is missing; the text names its package. kInvalid: sides that
// are odd, or a file that cannot be written.
Result<std::unique_ptr<film::Film>> make_mp4(const film::Format& format, const std::string& path);

}  // namespace convoy::stream
