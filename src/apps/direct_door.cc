#include "apps/direct_door.h"

#include <fmt/format.h>

#include <cstdlib>

#include "os/clock.h"
#include "os/port_secret.h"

namespace convoy::apps {

namespace {

constexpr std::size_t kMaxMessage = 64 * 1024;  // bytes, as of the data channel
constexpr std::size_t kVideo = 0;               // of the streams
constexpr std::string_view kPrefix = "direct ";

}  // namespace

class DirectDoor::Line final : public stream::DirectLine {
 public:
  Line(DirectDoor& door, std::size_t stream) : door_(door), stream_(stream) {}
  std::string invite() override { return door_.invite(stream_); }
  void send(const stream::PlayerId& player, SharedBytes message) override {
    (void)door_.server_->post([server = door_.server_.get(), page = page_of(player), message = std::move(message)] {
      server->send(page, {.text = false, .bytes = message});
    });
  }
  void close(const stream::PlayerId& player, const std::string& why) override {
    (void)door_.server_->post([server = door_.server_.get(), page = page_of(player), why] {
      server->close(page, web::CloseCode::kOver, why);
    });
  }

 private:
  static web::PageId page_of(const stream::PlayerId& player) {
    return std::strtoull(player.c_str() + kPrefix.size(), nullptr, 10);
  }
  DirectDoor& door_;
  std::size_t stream_;
};

DirectDoor::DirectDoor(std::size_t streams) {
  for (std::size_t i = 0; i < streams; ++i) lines_.push_back(std::make_unique<Line>(*this, i));
}

DirectDoor::~DirectDoor() { server_.reset(); }

Result<std::unique_ptr<DirectDoor>> DirectDoor::open(web::WebServerOptions server, std::string host,
                                                     std::vector<std::string> origins, std::size_t streams) {
  auto door = std::unique_ptr<DirectDoor>(new DirectDoor(streams));
  server.max_text = kMaxMessage;
  server.streams = {{{"/video"}, {}, origins, true, true}, {{"/jpeg"}, {}, origins, true, true}};
  auto opened = web::WebServer::open(server, *door);
  if (!opened) return tl::unexpected(opened.error());
  door->server_ = std::move(*opened);
  door->address_ = fmt::format("ws{}://{}:{}", server.certificate ? "s" : "", host, door->server_->port());
  return door;
}

void DirectDoor::begin(stream::StreamViewer& viewer, os::NetLoop& loop) {
  viewer_ = &viewer, loop_ = &loop;
  server_->begin();
}

std::string DirectDoor::invite(std::size_t stream) {
  const Moment now = os::now();
  std::string token = os::new_secret();
  const std::scoped_lock lock(mutex_);
  std::erase_if(invited_, [now](const auto& one) { return now >= one.second.until; });
  if (invited_.size() < kMostInvited) invited_[token] = {stream, now + kInvited};
  return fmt::format("{}/?token={}", address_, token);
}

void DirectDoor::with(web::PageId page, std::function<void(stream::Broadcast&, const stream::PlayerId&)> work) {
  const auto at = pages_.find(page);
  if (at == pages_.end()) return;
  (void)loop_->post([viewer = viewer_, stream = at->second, player = std::string(kPrefix) + std::to_string(page),
                     work = std::move(work)] { work(viewer->broadcast(stream), player); });
}

web::HttpResponse DirectDoor::answer(const web::HttpRequest&) {
  return web::text_response(404, "video alone is here, over WebSockets\n");
}

bool DirectDoor::admits(const web::WebOpening& opening) {
  const std::scoped_lock lock(mutex_);
  const auto at = invited_.find(opening.token);
  return at != invited_.end() && os::now() < at->second.until;
}

void DirectDoor::opened(web::PageId page, const web::WebOpening& opening) {
  {
    const std::scoped_lock lock(mutex_);
    const auto at = invited_.find(opening.token);
    if (at == invited_.end()) return server_->close(page, web::CloseCode::kDenied, "this invitation has been used");
    pages_[page] = at->second.stream;
    invited_.erase(at);
  }
  const auto kind = opening.stream == kVideo ? stream::CodedPicture::Kind::kVideo : stream::CodedPicture::Kind::kJpeg;
  with(page, [kind](stream::Broadcast& all, const stream::PlayerId& player) { all.direct_opened(player, kind); });
}

void DirectDoor::text(web::PageId page, std::string_view text) {
  if (text != "taken") return server_->close(page, web::CloseCode::kTrouble, "the only text is 'taken'");
  with(page, [](stream::Broadcast& all, const stream::PlayerId& player) { all.direct_taken(player); });
}

void DirectDoor::binary(web::PageId page, ByteView bytes) {
  with(page, [copy = Bytes(bytes.begin(), bytes.end())](stream::Broadcast& all, const stream::PlayerId& player) {
    all.direct_bytes(player, copy);
  });
}

void DirectDoor::closed(web::PageId page) {
  with(page, [](stream::Broadcast& all, const stream::PlayerId& player) { all.direct_closed(player); });
  pages_.erase(page);
}

}  // namespace convoy::apps
