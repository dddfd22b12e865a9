#include "adapters/web/signaling_site.h"

#include "adapters/web/json_text.h"
#include "os/clock.h"
#include "os/port_secret.h"

namespace convoy::web {

namespace {

constexpr Duration kLooksEvery = std::chrono::seconds(1);
constexpr std::size_t kMaxMessage = 64 * 1024;  // bytes; a description of a session has some thousand
constexpr std::size_t kPlayers = 0;             // of the streams

// The same in all cases but for how long they are: how much of a secret is right cannot be timed.
bool same_secret(const std::string& a, const std::string& b) {
  unsigned differ = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    differ |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return differ == 0;
}

}  // namespace

Result<std::unique_ptr<SignalingSite>> SignalingSite::open(WebServerOptions server, SignalingOptions options,
                                                           SignalingTokens tokens, SceneFiles page,
                                                           std::vector<std::string> origins, Log& log) {
  options.prefix = os::new_secret().substr(0, 6) + "-";
  auto site =
      std::unique_ptr<SignalingSite>(new SignalingSite(std::move(options), std::move(tokens), std::move(page), log));
  server.max_text = kMaxMessage;
  server.connects = {"ws:", "wss:"};  // viewers, wherever they are
  server.streams = {{{"/", "/player"}, {}, std::move(origins), false, true}, {{"/streamer"}, {}, {}, false}};
  auto opened = WebServer::open(server, *site);
  if (!opened) return tl::unexpected(opened.error());
  site->server_ = std::move(*opened);
  site->server_->every(kLooksEvery, [raw = site.get()] {
    raw->desk_.on_time(os::now());
    raw->tell();
  });
  site->server_->begin();
  return site;
}

SignalingSite::~SignalingSite() { server_.reset(); }

HttpResponse SignalingSite::answer(const HttpRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") return text_response(405, "only GET here\n");
  return file_response(page_, request.path == "/" ? "/video.html" : request.path);
}

bool SignalingSite::admits(const WebOpening& opening) {
  const std::string& wanted = opening.stream == kPlayers ? tokens_.player : tokens_.streamer;
  return wanted.empty() || same_secret(opening.token, wanted);
}

void SignalingSite::opened(PageId page, const WebOpening& opening) {
  using Part = SignalingDesk::Part;
  desk_.opened(page, opening.stream == kPlayers ? Part::kPlayer : Part::kStreamer, os::now());
}

std::map<std::string, std::uint64_t> SignalingSite::refused() const {
  std::map<std::string, std::uint64_t> all = server_->refused();
  for (const auto& [reason, count] : desk_.refused()) all[reason] += count;
  return all;
}

// Once a second at most: a flood of strangers is not a flood of lines.
void SignalingSite::tell() {
  std::uint64_t all = 0;
  std::string text;
  for (const auto& [reason, count] : refused()) {
    all += count;
    text += (text.empty() ? "" : ", ") + reason + " " + std::to_string(count);
  }
  if (std::exchange(told_, all) != all) log_.line(LogLevel::kWarn, "refused so far: " + text);
}

}  // namespace convoy::web
