#include "apps/live_movie.h"

#include <fmt/format.h>

#include "apps/movie_file.h"
#include "apps/network.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/loop.h"
#include "os/port_secret.h"
#include "os/standard_streams.h"
#include "scenario/schema.h"
#include "stream/live_film.h"

namespace convoy::apps {

namespace {

Result<stream::LiveFilmOptions> options_of(const Arguments& a) {
  stream::LiveFilmOptions out;
  const auto size = parse_size(a.movie.size);
  if (!size) return tl::unexpected(size.error());
  auto view = stream::parse_view_name(a.movie.view);
  if (!view) return fail(ErrorCode::kInvalid, "--view: " + view.error().text);
  if (view->kind == stream::ViewName::Kind::kFree)
    return fail(ErrorCode::kInvalid,
                "--view free is for players; of a film it is orbit, above, follow:ROBOT or ROBOT/CAMERA");
  out.view = std::move(*view);
  out.format = {size->width, size->height, a.movie.rate};
  out.quality = a.movie.quality == "nice" ? PictureQuality::kNice : PictureQuality::kPlain;
  if (a.run.duration) {
    const auto lasts = scenario::parse_duration(*a.run.duration);
    if (!lasts || *lasts <= Duration(0))
      return fail(ErrorCode::kInvalid, "--duration is a time, as 20s, not '" + *a.run.duration + "'");
    out.lasts = *lasts;
  }
  return out;
}

}  // namespace

int live_movie(const Arguments& a) {
  os::StderrLog log(a.log_level);
  if (const Status named = check_movie_name(a.movie.file); !named) return complain(named.error().message(), kUsage);
  auto options = options_of(a);
  if (!options) return complain(options.error().message(), kUsage);
  const auto maker = engines::picture_maker();
  if (!maker) return complain("this build draws no pictures (CONVOY_RENDER=OFF)", kFailed);
  os::NetLoopOptions net;
  net.connect = a.connect;
  auto loop = os::NetLoop::open(net);
  if (!loop) return complain(loop.error().message(), kUsage);
  auto film = open_movie(options->format, a.movie.file);
  if (!film) return complain(film.error().message(), kUsage);
  auto types = ElementTypes::make();
  if (!types) return complain(types.error().message(), kFailed);
  options->session.name = a.name;
  options->session.build = engines::build_text();
  options->session.credentials = os::credentials(a.credentials.text, **loop);
  options->session.server = (*loop)->server_endpoint();

  std::uint64_t pictures = 0;
  std::optional<Error> trouble, end;
  Result<bool> interrupted = false;
  {  // the film is not added to any more when this is over
    stream::LiveFilm filming(std::move(*options), std::move(*types), **film, *maker, **loop);
    interrupted = drive(
        **loop, filming, [&] { filming.finish(); },
        [&](Moment now) { log.status(fmt::format("{} pictures", filming.pictures()), now); });
    trouble = filming.trouble(), end = filming.member().end();
    filming.wait();
    pictures = filming.pictures();
  }
  if (!interrupted) return complain(interrupted.error().message(), kFailed);
  if (pictures == 0) {
    const std::string why = trouble ? trouble->message() : end ? end->message() : (*loop)->last_trouble();
    return complain("nothing was filmed" + (why.empty() ? "" : ": " + why), *interrupted ? kInterrupted : kFailed);
  }
  if (const Status closed = (*film)->close(); !closed) return complain(closed.error().message(), kFailed);
  if (trouble) return complain(trouble->message(), kFailed);
  os::print("{}\n", a.movie.file);
  return *interrupted ? kInterrupted : kOk;
}

}  // namespace convoy::apps
