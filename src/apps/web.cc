// The page of a run, for browsers: convoy web, and in the process of a run.
#include "apps/web.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "adapters/web/web_viewer.h"
#include "apps/network.h"
#include "apps/prepare.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/port_secret.h"
#include "os/role_thread.h"
#include "os/signals.h"
#include "os/standard_streams.h"
#include "os/terminal.h"

namespace convoy::apps {

namespace {

constexpr std::size_t kMostPageBytes = 32 << 20;
constexpr Duration kTryAgain = std::chrono::seconds(1);

// The files of the built page, by the path that browsers ask for.
Result<web::SceneFiles> page_in(const std::string& folder) {
  web::SceneFiles out;
  std::error_code ec;
  for (auto at = std::filesystem::recursive_directory_iterator(folder, ec); !ec && at != std::filesystem::end(at);
       at.increment(ec)) {
    if (!at->is_regular_file()) continue;
    auto bytes = os::read_file(at->path().string(), kMostPageBytes);
    if (!bytes) return tl::unexpected(bytes.error());
    out.emplace("/" + at->path().lexically_relative(folder).generic_string(),
                std::make_shared<const Bytes>(std::move(*bytes)));
  }
  if (ec) return fail(ErrorCode::kNotFound, folder + ": " + ec.message());
  if (!out.contains("/index.html")) return fail(ErrorCode::kNotFound, folder + " has no index.html");
  return out;
}

Result<web::SceneFiles> find_page(const std::string& given) {
  if (!given.empty()) return page_in(given);
  for (const std::string& folder : beside_program({"web", "../share/convoy/web"}))
    if (os::exists(folder + "/index.html")) return page_in(folder);
  return fail(ErrorCode::kNotFound,
              "this build has no page: it was made without Node (CONVOY_PAGE=OFF); --page names a folder");
}

struct Place {
  std::string host;
  std::uint16_t port = 0;
};

Result<Place> place_of(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  int port = -1;
  if (colon != std::string::npos)
    for (port = 0; const char c : listen.substr(colon + 1))
      port = c >= '0' && c <= '9' && port < 65536 ? 10 * port + c - '0' : 65536;
  if (colon == std::string::npos || colon + 1 == listen.size() || port > 65535)
    return fail(ErrorCode::kInvalid, "--web-listen is ADDR:PORT, not '" + listen + "'");
  std::string host = listen.substr(0, colon);
  if (host == "localhost") host = "127.0.0.1";
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return Place{host, static_cast<std::uint16_t>(port)};
}

// Where apps are that speak Foxglove's protocol from a browser, as they come. They may connect to this machine alone,
// unless the user names them.
std::vector<std::string> known_apps(const Arguments& a) {
  std::vector<std::string> out = a.web.origins;
  if (loopback(a.web.listen))
    out.insert(out.end(), {"https://app.foxglove.dev", "https://studio.foxglove.dev", "http://localhost:8080"});
  return out;
}

struct Link {
  std::string key, words, address;
};

std::vector<Link> links_to(const web::Site& site, const Arguments& a, const std::vector<web::Token>& tokens) {
  const std::string place = fmt::format("{}:{}", host_to_dial(a.web.listen), site.port());
  std::vector<Link> out;
  for (const web::Token& one : tokens)
    out.push_back({name_of(one.access), fmt::format("page for {}", name_of(one.access)),
                   fmt::format("http://{}/#token={}", place, one.text)});
  for (const web::Token& one : tokens)
    if (a.web.foxglove)
      out.push_back({fmt::format("foxglove_{}", name_of(one.access)), fmt::format("foxglove ({})", name_of(one.access)),
                     fmt::format("ws://{}/?token={}", place, one.text)});
  return out;
}

struct Opened {
  std::unique_ptr<web::Site> site;
  std::vector<Link> links;
};

Result<Opened> open_site(const Arguments& arguments) {
  const auto place = place_of(arguments.web.listen);
  if (!place) return tl::unexpected(place.error());
  if (!loopback(arguments.web.listen) && !arguments.credentials.insecure)
    return fail(ErrorCode::kInvalid, "what comes from " + arguments.web.listen +
                                         " is not encrypted: whoever listens on the way gets the page's link; "
                                         "--insecure allows it");
  auto page = find_page(arguments.web.page);
  if (!page) return tl::unexpected(page.error());
  Access most = Access::kEdit;
  for (const Access one : {Access::kView, Access::kDrive, Access::kEdit, Access::kAdmin})
    if (arguments.web.role == name_of(one)) most = one;
  std::vector<web::Token> tokens{{os::new_secret(), most}};
  if (most != Access::kView) tokens.push_back({os::new_secret(), Access::kView});
  web::WebServerOptions server;
  server.address = place->host, server.port = place->port, server.names = arguments.web.names;
  std::optional<web::FoxgloveOptions> foxglove;
  if (arguments.web.foxglove) foxglove = web::FoxgloveOptions{os::new_secret(), known_apps(arguments)};
  auto site = web::Site::open(server, web::Keys(tokens, os::new_secret), std::move(*page), foxglove);
  if (!site) return tl::unexpected(site.error());
  std::vector<Link> links = links_to(**site, arguments, tokens);
  return Opened{std::move(*site), std::move(links)};
}

web::WebViewerOptions viewer_options() {
  web::WebViewerOptions out;
  out.version = out.session.build = engines::build_text();
  return out;
}

// One run after the other, until it is interrupted.
class Following {
 public:
  Following(const Arguments& arguments, web::Site& site, os::StderrLog& log)
      : arguments_(arguments), site_(site), log_(log), signals_([this](int) { interrupt(); }) {}

  int run() {
    while (!interrupted_) {
      if (auto ok = follow(); !ok) return complain(ok.error().message(), kUsage);
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, kTryAgain, [this] { return interrupted_.load(); });
    }
    return kInterrupted;
  }

 private:
  void interrupt() {
    const std::scoped_lock lock(mutex_);
    interrupted_ = true;
    if (stop_) stop_();
    woken_.notify_all();
  }
  void set_stop(std::function<void()> stop) {
    const std::scoped_lock lock(mutex_);
    stop_ = std::move(stop);
    if (interrupted_ && stop_) stop_();
  }

  Status follow() {
    os::NetLoopOptions net;
    net.connect = arguments_.connect;
    auto loop = os::NetLoop::open(net);
    if (!loop) return tl::unexpected(loop.error());
    web::WebViewerOptions options = viewer_options();
    options.session.name = arguments_.name;
    options.session.credentials = os::credentials(arguments_.credentials.text, **loop);
    options.session.server = (*loop)->server_endpoint();
    auto types = ElementTypes::make();
    if (!types) return tl::unexpected(types.error());
    web::WebViewer viewer(std::move(options), std::move(*types), site_, **loop, log_);
    site_.attach([&loop, &viewer](std::function<void(web::PageBackend&)> work) {
      return (*loop)->post([&viewer, work = std::move(work)] { work(viewer); });
    });
    set_stop([&loop, &viewer] { (void)(*loop)->post([&viewer] { viewer.leave(); }); });
    const Status end = (*loop)->run(viewer);
    set_stop({});
    const std::string why =
        end ? viewer.member().end() ? viewer.member().end()->message() : "left" : end.error().message();
    site_.detach(why);
    if (!interrupted_ && why != said_) log_.line(LogLevel::kInfo, arguments_.connect + ": " + why + "; trying again");
    said_ = why;
    return {};
  }

  const Arguments& arguments_;
  web::Site& site_;
  os::StderrLog& log_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::function<void()> stop_;  // under the mutex
  std::atomic<bool> interrupted_{false};
  std::string said_;     // so that it is said once
  os::Signals signals_;  // last: its thread ends first
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

}  // namespace

Result<std::unique_ptr<PageOfRun>> page_of_run(const Arguments& arguments, Network& network, Log& log) {
  auto opened = open_site(arguments);
  if (!opened) return tl::unexpected(opened.error());
  auto types = ElementTypes::make();
  if (!types) return tl::unexpected(types.error());
  for (const Link& link : opened->links) log.line(LogLevel::kInfo, link.words + ": " + link.address);
  return std::make_unique<OwnPage>(std::move(opened->site), std::move(*types), network, log);
}

int web(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  os::raise_descriptor_limit();
  const auto opened = open_site(arguments);
  if (!opened) return complain(opened.error().message(), kUsage);
  const std::vector<Link>& links = opened->links;
  if (arguments.json) os::print("{{");
  for (std::size_t i = 0; i < links.size(); ++i)
    if (arguments.json) os::print("{}\"{}\": \"{}\"", i > 0 ? ", " : "", links[i].key, links[i].address);
    else os::print("{}: {}\n", links[i].words, links[i].address);
  if (arguments.json) os::print("}}\n");
  os::flush_stdout();
  return Following(arguments, *opened->site, log).run();
}

}  // namespace convoy::apps
