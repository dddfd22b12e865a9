// A film's file, and its size as the command line has it.
#pragma once

#include <memory>
#include <string>

#include "film/film.h"
#include "film/view.h"
#include "os/headed_file.h"

namespace convoy::apps {

// The Error is for the user: the name says no kind of film.
Status check_movie_name(const std::string& path);

// By its name: .webm by our own encoder and writer, .mp4 by an encoder that this machine has. What was there is gone.
Result<std::unique_ptr<film::Film>> open_movie(const film::Format& format, const std::string& path);

// kUnsupported: in a build, or on a machine, that cannot.
Result<std::unique_ptr<film::Film>> open_mp4(const film::Format& format, const std::string& path);

// "1280x720".
Result<film::PictureSize> parse_size(const std::string& text);

}  // namespace convoy::apps
