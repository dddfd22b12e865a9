// convoy web: the page of a run, for browsers.
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

void print_links(const Arguments& a, const std::string& host, std::uint16_t port,
                 const std::vector<web::Token>& tokens) {
  struct Link {
    std::string key, words, address;
  };
  std::vector<Link> links;
  for (const web::Token& one : tokens)
    links.push_back({name_of(one.access), fmt::format("page for {}", name_of(one.access)),
                     fmt::format("http://{}:{}/#token={}", host, port, one.text)});
  for (const web::Token& one : tokens)
    if (a.web.foxglove)
      links.push_back({fmt::format("foxglove_{}", name_of(one.access)),
                       fmt::format("foxglove ({})", name_of(one.access)),
                       fmt::format("ws://{}:{}/?token={}", host, port, one.text)});
  if (a.json) os::print("{{");
  for (std::size_t i = 0; i < links.size(); ++i)
    if (a.json) os::print("{}\"{}\": \"{}\"", i > 0 ? ", " : "", links[i].key, links[i].address);
    else os::print("{}: {}\n", links[i].words, links[i].address);
  if (a.json) os::print("}}\n");
  os::flush_stdout();
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
    web::WebViewerOptions options;
    options.version = engines::build_text();
    options.session.name = arguments_.name;
    options.session.build = engines::build_text();
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

}  // namespace

int web(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  os::raise_descriptor_limit();
  const auto place = place_of(arguments.web.listen);
  if (!place) return complain(place.error().message(), kUsage);
  if (!loopback(arguments.web.listen) && !arguments.credentials.insecure)
    return complain("what comes from " + arguments.web.listen +
                        " is not encrypted: whoever listens on the way gets the page's link; --insecure allows it",
                    kUsage);
  auto page = find_page(arguments.web.page);
  if (!page) return complain(page.error().message(), kUsage);
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
  if (!site) return complain(site.error().message(), kUsage);
  print_links(arguments, host_to_dial(arguments.web.listen), (*site)->port(), tokens);
  return Following(arguments, **site, log).run();
}

}  // namespace convoy::apps
