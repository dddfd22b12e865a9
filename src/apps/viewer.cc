// convoy viewer: a member of a run that draws it, encodes the pictures and streams them to browsers.
#include <fmt/format.h>

#include <mutex>

#include "adapters/web/web_client.h"
#include "apps/direct_door.h"
#include "apps/live_movie.h"
#include "apps/movie.h"
#include "apps/movie_file.h"
#include "apps/network.h"
#include "apps/run_follower.h"
#include "apps/stream.h"
#include "apps/web_site.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/loop.h"
#include "os/port_secret.h"
#include "os/terminal.h"
#include "stream/stream_viewer.h"

namespace convoy::apps {

namespace {

constexpr std::uint64_t kLoopback = 0xffff7f000001;  // 127.0.0.1

// HOST:PORT of a URL.
std::string place_of(const std::string& url) {
  const std::size_t host = url.find("://");
  if (host == url.npos) return {};
  return url.substr(host + 3, url.find_first_of("/?", host + 3) - host - 3);
}
bool on_this_machine(const std::string& url) {
  const std::string place = place_of(url);
  return place.starts_with("127.") || place.starts_with("localhost") || place.starts_with("[::1]");
}

// The address with the streamers' token: as given, or as this user's signaling server keeps it by its port.
std::string with_token(const StreamArguments& s) {
  if (s.signaling.find("token=") != s.signaling.npos) return s.signaling;
  std::string token = s.streamer_token;
  const std::string place = place_of(s.signaling);
  const std::size_t colon = place.rfind(':');
  if (token.empty() && on_this_machine(s.signaling) && colon != place.npos)
    token = os::secret_for({0, kLoopback, static_cast<std::uint16_t>(std::atoi(place.c_str() + colon + 1))});
  if (token.empty()) return s.signaling;
  return s.signaling + (s.signaling.find('?') == s.signaling.npos ? "?" : "&") + "token=" + token;
}

Result<std::vector<stream::StreamOptions>> streams_of(const Arguments& a) {
  const StreamArguments& s = a.stream;
  stream::VideoFormat format{.width = 0, .height = 0, .rate = s.rate, .codec = s.codec, .bitrate = s.bitrate};
  const auto size = parse_size(s.size);
  if (!size) return tl::unexpected(size.error());
  format.width = size->width, format.height = size->height;
  std::vector<stream::StreamOptions> out;
  for (const std::string& text : s.views.empty() ? std::vector<std::string>{"free"} : s.views) {
    auto view = stream::parse_view_name(text);
    if (!view) return fail(ErrorCode::kInvalid, "--view: " + view.error().text);
    stream::StreamOptions one{.view = std::move(*view), .broadcast = {}};
    one.broadcast.id = a.name.empty() ? text : a.name + "/" + text;
    one.broadcast.format = format;
    one.broadcast.addresses = s.ice_addresses;
    if (s.ice_addresses.empty() && on_this_machine(s.signaling)) one.broadcast.addresses = {"127.0.0.1"};
    out.push_back(std::move(one));
  }
  // What would be refused for the first player is refused at once: nobody but the signaling server hears it then.
  class Nobody final : public stream::VideoEvents {
    void described(const stream::PlayerId&, std::string) override {}
    void candidate(const stream::PlayerId&, std::string, unsigned) override {}
    void connected(const stream::PlayerId&) override {}
    void failed(const stream::PlayerId&) override {}
    void channel(const stream::PlayerId&) override {}
    void message(const stream::PlayerId&, Bytes) override {}
    void coded(stream::CodedPicture) override {}
    void broken(std::string) override {}
  } nobody;
  if (const auto tried = stream::VideoStream::make(format, nobody); !tried) return tl::unexpected(tried.error());
  return out;
}

// The lines to the signaling server: what comes from there goes to the broadcasts in the role's thread.
class Lines final : private web::WebClientEvents {
 public:
  Lines(std::size_t count, Log& log) : log_(log), said_(count) {
    for (std::size_t i = 0; i < count; ++i) lines_.push_back(std::make_unique<Line>(*this, i));
  }
  std::vector<stream::SignalingLine*> all() const {
    std::vector<stream::SignalingLine*> out;
    for (const auto& line : lines_) out.push_back(line.get());
    return out;
  }
  Status begin(const web::WebClientOptions& options, stream::StreamViewer& viewer, os::NetLoop& loop) {
    viewer_ = &viewer, loop_ = &loop;
    auto client = web::WebClient::open(options, lines_.size(), *this);
    if (!client) return tl::unexpected(client.error());
    const std::scoped_lock lock(mutex_);
    client_ = std::move(*client);
    return {};
  }
  // No event comes after it.
  void end() {
    std::unique_ptr<web::WebClient> client;
    {
      const std::scoped_lock lock(mutex_);
      client = std::move(client_);
    }
  }

 private:
  class Line final : public stream::SignalingLine {
   public:
    Line(Lines& all, std::size_t number) : all_(all), number_(number) {}
    void send(const std::string& text) override {
      const std::scoped_lock lock(all_.mutex_);
      if (all_.client_) all_.client_->send(number_, text);
    }

   private:
    Lines& all_;
    std::size_t number_;
  };
  void opened(std::size_t line) override { said_[line].clear(); }
  void text(std::size_t line, std::string_view text) override {
    (void)loop_->post([viewer = viewer_, line, text = std::string(text)] { viewer->broadcast(line).line_text(text); });
  }
  void closed(std::size_t line, const std::string& why) override {
    if (std::exchange(said_[line], why) != why && line == 0)
      log_.line(LogLevel::kWarn, "the signaling server: " + why + "; trying again");
    (void)loop_->post([viewer = viewer_, line] { viewer->broadcast(line).line_closed(); });
  }

  Log& log_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<std::string> said_;  // of the client's thread: so that it is said once
  stream::StreamViewer* viewer_ = nullptr;
  os::NetLoop* loop_ = nullptr;
  std::mutex mutex_;
  std::unique_ptr<web::WebClient> client_;
};

// Of the signaling server's page, which is a stranger to another port.
std::vector<std::string> pages_of(const StreamArguments& s) {
  std::vector<std::string> out = s.origins;
  const std::string place = place_of(s.signaling), scheme = s.signaling.starts_with("wss") ? "https://" : "http://";
  out.push_back(scheme + place);
  if (on_this_machine(s.signaling)) out.push_back(scheme + "localhost" + place.substr(place.rfind(':')));
  return out;
}

// Nothing, where players come by WebRTC alone.
Result<std::unique_ptr<DirectDoor>> door_of(const Arguments& a, std::size_t streams) {
  const std::string& listen = a.stream.direct;
  if (listen.empty()) return nullptr;
  const auto server = server_options(a, listen, "--direct");
  if (!server) return tl::unexpected(server.error());
  const std::string host = a.web.names.empty() ? host_to_dial(listen) : a.web.names.front();
  return DirectDoor::open(*server, host, pages_of(a.stream), streams);
}

// One run after the other, until it is interrupted.
class Streaming {
 public:
  Streaming(const Arguments& arguments, std::vector<stream::StreamOptions> streams, PictureQuality quality,
            PictureMaker& maker, RunFollower& runs, os::StderrLog& log)
      : arguments_(arguments), streams_(std::move(streams)), quality_(quality), maker_(maker), runs_(runs), log_(log) {}

  int run() {
    return runs_.run([this] { return follow(); });
  }

 private:
  Status follow() {
    os::NetLoopOptions net;
    net.connect = arguments_.connect;
    auto loop = os::NetLoop::open(net);
    if (!loop) return tl::unexpected(loop.error());
    stream::StreamViewerOptions options;
    options.session.name = arguments_.name;
    options.session.build = engines::build_text();
    options.session.credentials = os::credentials(arguments_.credentials.text, **loop);
    options.session.server = (*loop)->server_endpoint();
    options.streams = streams_;
    options.quality = quality_, options.adapts = arguments_.stream.quality == "auto";
    options.stamped = arguments_.stream.stamped;
    options.post = [&loop](std::function<void()> work) { return (*loop)->post(std::move(work)); };
    auto types = ElementTypes::make();
    if (!types) return tl::unexpected(types.error());
    auto door = door_of(arguments_, streams_.size());
    if (!door) return tl::unexpected(door.error());
    if (*door)
      for (std::size_t i = 0; i < options.streams.size(); ++i) options.streams[i].broadcast.direct = (*door)->line(i);
    Lines lines(streams_.size(), log_);
    stream::StreamViewer viewer(std::move(options), std::move(*types), lines.all(), maker_, **loop, log_);
    web::WebClientOptions signaling;
    signaling.url = with_token(arguments_.stream), signaling.authority = arguments_.stream.authority;
    if (auto ok = lines.begin(signaling, viewer, **loop); !ok) return ok;
    if (*door) (*door)->begin(viewer, **loop);
    runs_.set_stop([&loop, &viewer] { (void)(*loop)->post([&viewer] { viewer.leave(); }); });
    const Status end = (*loop)->run(viewer);
    runs_.set_stop({});
    lines.end();
    door->reset();
    const std::string why =
        end ? viewer.member().end() ? viewer.member().end()->message() : "left" : end.error().message();
    runs_.over(why);
    return {};
  }

  const Arguments& arguments_;
  std::vector<stream::StreamOptions> streams_;
  PictureQuality quality_;
  PictureMaker& maker_;
  RunFollower& runs_;
  os::StderrLog& log_;
};

// Draws, so that what this machine lacks is said at once. Nothing is asked for: nice, where an empty picture of that kind
// takes a small part of the time that there is.
Result<PictureQuality> quality_of(const StreamArguments& s, const stream::VideoFormat& format, PictureMaker& maker,
                                  Log& log) {
  const auto drawn = [&](PictureQuality quality) -> Result<Duration> {
    auto scene = std::make_shared<PictureScene>();
    scene->quality = quality;
    const double f = format.width / 2.0;
    const Shot shot{
        .X_WC = {},
        .lens = {.width = format.width, .height = format.height, .fx = f, .fy = f, .cx = f, .cy = format.height / 2.0}};
    const Moment begun = os::now();
    if (const auto picture = maker.draw(scene, {shot})->take(0); !picture) return tl::unexpected(picture.error());
    return os::now() - begun;
  };
  const auto asked = s.quality == "plain" ? PictureQuality::kPlain : PictureQuality::kNice;
  if (const auto first = drawn(asked); !first) return tl::unexpected(first.error());  // it makes the renderer
  if (s.quality != "auto") return asked;
  const auto took = drawn(PictureQuality::kNice);
  if (!took) return tl::unexpected(took.error());
  const double ms = 1000 * seconds(*took), has = 1000.0 / format.rate;
  const bool nice = 4 * ms < has;
  log.line(LogLevel::kInfo,
           fmt::format("an empty nice picture takes {:.1f} ms of the {:.0f} that there are: {} ones are drawn", ms, has,
                       nice ? "nice" : "plain"));
  return nice ? PictureQuality::kNice : PictureQuality::kPlain;
}

// A film instead of a stream: of a recording as convoy plot makes it, else of the run.
int viewer_movie(Arguments a) {
  const StreamArguments& s = a.stream;
  if (a.movie.file.empty()) return complain("--recording needs --movie: a recording is filmed, not streamed", kUsage);
  if (s.views.size() > 1) return complain("a film has one --view", kUsage);
  a.movie.view = s.views.empty() ? "orbit" : s.views.front();
  a.movie.size = s.size, a.movie.quality = s.quality, a.movie.rate = s.rate;
  return a.file.empty() ? live_movie(a) : movie(a);
}

}  // namespace

int viewer(const Arguments& arguments) {
  if (!arguments.movie.file.empty() || !arguments.file.empty()) return viewer_movie(arguments);
  os::StderrLog log(arguments.log_level);
  RunFollower runs(arguments.connect,
                   log);  // before threads of encoders and drivers begin: they would take its signals
  auto streams = streams_of(arguments);
  if (!streams) return complain(streams.error().message(), kUsage);
  const auto maker = engines::picture_maker();
  if (!maker) return complain("this build draws no pictures (CONVOY_RENDER=OFF)", kFailed);
  const auto quality = quality_of(arguments.stream, streams->front().broadcast.format, *maker, log);
  if (!quality) return complain(quality.error().message(), kFailed);
  return Streaming(arguments, std::move(*streams), *quality, *maker, runs, log).run();
}

std::optional<Error> video_lacks() {
  const auto ok = stream::VideoStream::check();
  return ok ? std::nullopt : std::optional(ok.error());
}

}  // namespace convoy::apps
