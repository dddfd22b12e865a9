// The page of a run, for browsers: convoy web, and in the process of a run.
#include "apps/web.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "adapters/web/web_player.h"
#include "adapters/web/web_viewer.h"
#include "apps/record_file.h"
#include "apps/recording_facts.h"
#include "apps/run_follower.h"
#include "apps/web_site.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/loop.h"
#include "os/machine.h"
#include "os/port_secret.h"
#include "os/role_thread.h"
#include "os/signals.h"
#include "os/terminal.h"
#include "roles/difference.h"

namespace convoy::apps {

namespace {

web::WebViewerOptions viewer_options() {
  web::WebViewerOptions out;
  out.version = out.session.build = engines::build_text();
  return out;
}

// One run after the other, until it is interrupted.
class Following {
 public:
  Following(const Arguments& arguments, web::Site& site, os::StderrLog& log)
      : arguments_(arguments), site_(site), log_(log), runs_(arguments.connect, log) {}

  int run() {
    return runs_.run([this] { return follow(); });
  }

 private:
  Status follow() {
    os::NetLoopOptions net;
    net.connect = arguments_.connect;
    auto loop = os::NetLoop::open(net);
    if (!loop) return tl::unexpected(loop.error());
    web::WebViewerOptions options = viewer_options();
    options.session.name = arguments_.name;
    options.video = arguments_.web.video;
    options.session.credentials = os::credentials(arguments_.credentials.text, **loop);
    options.session.server = (*loop)->server_endpoint();
    auto types = ElementTypes::make();
    if (!types) return tl::unexpected(types.error());
    web::WebViewer viewer(std::move(options), std::move(*types), site_, **loop, log_);
    site_.attach([&loop, &viewer](std::function<void(web::PageBackend&)> work) {
      return (*loop)->post([&viewer, work = std::move(work)] { work(viewer); });
    });
    runs_.set_stop([&loop, &viewer] { (void)(*loop)->post([&viewer] { viewer.leave(); }); });
    const Status end = (*loop)->run(viewer);
    runs_.set_stop({});
    const std::string why =
        end ? viewer.member().end() ? viewer.member().end()->message() : "left" : end.error().message();
    site_.detach(why);
    runs_.over(why);
    return {};
  }

  const Arguments& arguments_;
  web::Site& site_;
  os::StderrLog& log_;
  RunFollower runs_;
};

// The viewer lives as long as its thread, which ends with this.
class OwnPage final : public PageOfRun {
 public:
  OwnPage(std::unique_ptr<web::Site> site, ElementTypes types, Network& network, Log& log)
      : site_(std::move(site)),
        thread_(network),
        viewer_(named(viewer_options()), std::move(types), *site_, thread_.network(), log) {
    site_->attach([this](std::function<void(web::PageBackend&)> work) {
      return thread_.post([this, work = std::move(work)] { work(viewer_); });
    });
  }
  ~OwnPage() override {
    site_->detach("the run is over");
    thread_.end();
  }
  OwnPage(const OwnPage&) = delete;
  OwnPage& operator=(const OwnPage&) = delete;

  Role& role() override { return thread_; }
  void start() override { thread_.start(viewer_); }
  int wakes() const override { return thread_.wakes(); }

 private:
  static web::WebViewerOptions named(web::WebViewerOptions options) {
    options.session.name = "page";
    return options;
  }

  std::unique_ptr<web::Site> site_;
  os::RoleThread thread_;
  web::WebViewer viewer_;
};

// Of the page's time line: {time_s, entity, text}; null: none, or not known.
nlohmann::json difference_of(const Recording& a, const Recording& b, Log& log) {
  if (!a.head().repeatable() || !b.head().repeatable()) {
    log.line(LogLevel::kInfo, "where the two begin to differ is known of full recordings of lockstep alone");
    return nullptr;
  }
  log.line(LogLevel::kInfo, "looking for where the two begin to differ");
  const auto found = first_difference(a, b);
  if (!found) {
    log.line(LogLevel::kWarn, found.error().message());
    return nullptr;
  }
  if (!*found) {
    log.line(LogLevel::kInfo, "the two are equal");
    return nullptr;
  }
  const RecordedDifference& d = **found;
  Tick tick = d.place.tick;  // since the recording began
  for (std::uint32_t run = 0; run < d.place.run; ++run) tick += a.last_tick(run);
  const std::string text =
      fmt::format("{}{}: {} and {}", d.entity.empty() ? "" : d.entity + ", ", d.what.field, d.what.a, d.what.b);
  log.line(LogLevel::kInfo, "they begin to differ at " + place_text(d.place, a.setup().tick) + ": " + text);
  return {{"time_s", seconds(Duration(tick * nanos(a.setup().tick)))}, {"entity", d.entity}, {"text", text}};
}

// A recording, until it is interrupted. The player lives in the caller's thread.
class Showing {
 public:
  Showing(web::WebPlayerOptions options, web::Films films, web::Site& site)
      : site_(site), player_(std::move(options), std::move(films), site), signals_([this](int) {
          const std::scoped_lock lock(mutex_);
          interrupted_ = true;
          woken_.notify_all();
        }) {
    site_.attach([this](std::function<void(web::PageBackend&)> work) {
      const std::scoped_lock lock(mutex_);
      asked_.push_back(std::move(work));
      woken_.notify_all();
      return true;
    });
  }
  ~Showing() { site_.detach("the recording is closed"); }
  Showing(const Showing&) = delete;
  Showing& operator=(const Showing&) = delete;

  int run() {
    while (true) {
      std::deque<std::function<void(web::PageBackend&)>> taken;
      {
        std::unique_lock lock(mutex_);
        const auto something = [this] { return interrupted_ || !asked_.empty(); };
        if (const Moment until = player_.deadline(); until == kNever) woken_.wait(lock, something);
        else woken_.wait_for(lock, until - os::now(), something);
        if (interrupted_) return kInterrupted;
        taken.swap(asked_);
      }
      for (const auto& work : taken) work(player_);
      player_.on_time(os::now());
    }
  }

 private:
  web::Site& site_;
  web::WebPlayer player_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<std::function<void(web::PageBackend&)>> asked_;  // under the mutex
  bool interrupted_ = false;                                  // likewise
  os::Signals signals_;                                       // last: its thread ends first
};

}  // namespace

Result<std::unique_ptr<PageOfRun>> page_of_run(const Arguments& arguments, Network& network, Log& log) {
  auto opened = open_site(arguments);
  if (!opened) return tl::unexpected(opened.error());
  auto types = ElementTypes::make();
  if (!types) return tl::unexpected(types.error());
  for (const WebLink& link : opened->links) log.line(LogLevel::kInfo, link.words + ": " + link.address);
  return std::make_unique<OwnPage>(std::move(opened->site), std::move(*types), network, log);
}

int show_recording(const Arguments& arguments, const Recording& recording, Log& log) {
  const auto play = [](web::Films& films, const Recording& one) -> Status {
    auto player = Player::make(one);
    if (!player) return tl::unexpected(player.error());
    films.add(one, std::move(*player));
    return {};
  };
  web::Films films(log);
  if (auto ok = play(films, recording); !ok) return complain(ok.error().message(), kFailed);
  web::WebPlayerOptions options;
  options.version = engines::build_text(), options.file = arguments.file, options.beside = arguments.web.beside;
  options.begin_ns = static_cast<std::uint64_t>(arguments.from * 1e9 + 0.5);
  std::unique_ptr<OpenedRecording> second;
  if (!arguments.web.beside.empty()) {
    auto opened = open_recording(arguments.web.beside);
    if (!opened) return complain(opened.error().message(), kUsage);
    second = std::move(*opened);
    if (!second->recording.intact())
      log.line(LogLevel::kWarn, arguments.web.beside + ": " + damage_text(second->recording));
    if (auto ok = play(films, second->recording); !ok) return complain(ok.error().message(), kFailed);
    options.difference = difference_of(recording, second->recording, log);
  }
  const auto opened = open_site(arguments);
  if (!opened) return complain(opened.error().message(), kUsage);
  print_links(opened->links, arguments.json);
  return Showing(std::move(options), std::move(films), *opened->site).run();
}

int web(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  os::raise_descriptor_limit();
  const auto opened = open_site(arguments);
  if (!opened) return complain(opened.error().message(), kUsage);
  print_links(opened->links, arguments.json);
  return Following(arguments, *opened->site, log).run();
}

}  // namespace convoy::apps
