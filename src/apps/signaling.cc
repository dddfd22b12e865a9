// convoy signaling: page files and introductions.
#include <fmt/format.h>

#include <condition_variable>
#include <mutex>

#include "adapters/web/signaling_site.h"
#include "adapters/web/turn.h"
#include "apps/network.h"
#include "apps/stream.h"
#include "apps/web_site.h"
#include "os/machine.h"
#include "os/port_secret.h"
#include "os/signals.h"

namespace convoy::apps {

namespace {

web::SignalingOptions options_of(const StreamArguments& s) {
  web::SignalingOptions out;
  out.max_players = static_cast<std::size_t>(s.max_players);
  out.ice_servers = [&s] {
    std::vector<web::IceServer> servers;
    for (const std::string& one : s.stun) servers.push_back({"stun:" + one, {}, {}});
    for (const std::string& one : s.turn)
      servers.push_back(web::turn_server("turn:" + one, s.turn_secret, std::chrono::seconds(s.turn_lasts)));
    return servers;
  };
  return out;
}

}  // namespace

int signaling(const Arguments& a) {
  os::StderrLog log(a.log_level);
  os::raise_descriptor_limit();
  const StreamArguments& s = a.stream;
  auto server = server_options(a, s.listen, "--listen");
  if (!server) return complain(server.error().message(), kUsage);
  server->max_connections = 4096, server->max_pages = static_cast<std::size_t>(s.max_players) + 64;
  auto page = page_files(a.web.page);
  if (!page) log.line(LogLevel::kWarn, page.error().message() + "; introductions alone are served");
  web::SignalingTokens tokens{s.player_token, s.streamer_token};
  if (s.open) tokens.player.clear();
  else if (tokens.player.empty()) tokens.player = os::new_secret();
  if (tokens.streamer.empty()) tokens.streamer = os::new_secret();

  std::mutex mutex;
  std::condition_variable woken;
  bool interrupted = false;
  const os::Signals signals([&](int) {
    const std::scoped_lock lock(mutex);
    interrupted = true;
    woken.notify_all();
  });
  const auto site = web::SignalingSite::open(*server, options_of(s), tokens,
                                             page ? std::move(*page) : web::SceneFiles{}, s.origins, log);
  if (!site) return complain(site.error().message(), kUsage);
  // Where the viewer of the same user finds it by the port.
  const auto kept = os::PortSecret::keep(tokens.streamer, (*site)->port());
  if (!kept) log.line(LogLevel::kDebug, kept.error().message());
  const std::string place = fmt::format("{}:{}", host_to_dial(s.listen), (*site)->port());
  const char* secure = a.web.certificate.empty() ? "" : "s";
  print_links(
      {{"player", "video", fmt::format("http{}://{}/{}", secure, place, s.open ? "" : "#token=" + tokens.player)},
       {"streamer", "streamers", fmt::format("ws{}://{}/streamer?token={}", secure, place, tokens.streamer)}},
      a.json);
  std::unique_lock lock(mutex);
  woken.wait(lock, [&] { return interrupted; });
  return kInterrupted;
}

}  // namespace convoy::apps
