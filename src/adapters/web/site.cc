#include "adapters/web/site.h"

#include "os/clock.h"

namespace convoy::web {

constexpr std::size_t kFoxgloveStream = 1;                     // of the server's; 0 is the pages'
constexpr Duration kLookEvery = std::chrono::milliseconds(8);  // for who may be sent a frame by now

Result<std::unique_ptr<Site>> Site::open(WebServerOptions options, Keys keys, SceneFiles page,
                                         const std::optional<FoxgloveOptions>& foxglove) {
  std::unique_ptr<Site> site(new Site(keys, std::move(page)));
  if (foxglove) {
    EXPECTS(options.streams.size() == kFoxgloveStream);
    options.streams.push_back({{"/", "/foxglove"}, {kFoxgloveSdk, kFoxgloveV1}, foxglove->origins, true});
    site->foxglove_.reset(new FoxgloveDesk(std::move(keys), foxglove->session, *site, *site));
  }
  auto server = WebServer::open(options, *site);
  if (!server) return tl::unexpected(server.error());
  site->server_ = std::move(*server);
  site->server_->begin();
  site->server_->every(kLookEvery, [raw = site.get()] {
    raw->desk_.on_time(os::now());
    if (raw->foxglove_) raw->foxglove_->on_time(os::now());
  });
  return site;
}

Site::~Site() = default;

HttpResponse Site::answer(const HttpRequest& request) { return desk_.answer(request, os::now()); }

bool Site::admits(const WebOpening& opening) {
  return opening.stream != kFoxgloveStream || foxglove_->admits(opening);  // a page shows its session later
}

void Site::opened(PageId page, const WebOpening& opening) {
  if (opening.stream == kFoxgloveStream) foxglove_->opened(page, opening);
  else desk_.opened(page, os::now());
}

void Site::text(PageId page, std::string_view text) {
  if (foxglove_ && foxglove_->has(page)) foxglove_->text(page, text);
  else desk_.text(page, text, os::now());
}

void Site::binary(PageId page, ByteView bytes) {
  if (foxglove_) foxglove_->binary(page, bytes);
}

void Site::closed(PageId page) {
  desk_.closed(page);
  if (foxglove_) foxglove_->closed(page);
}

std::map<std::string, std::uint64_t> Site::refused() const {
  std::map<std::string, std::uint64_t> all = server_->refused();
  if (foxglove_)
    for (const auto& [reason, count] : foxglove_->clerk().refused()) all["foxglove: " + reason] += count;
  return all;
}

void Site::attach(Deliver deliver) {
  {
    const std::scoped_lock lock(mutex_);
    deliver_ = std::move(deliver);
  }
  at_desk([](PageDesk& desk) { desk.join_again(); });
  at_foxglove([](FoxgloveDesk& desk) { desk.join_again(); });
}

void Site::detach(const std::string& why) {
  {
    const std::scoped_lock lock(mutex_);
    deliver_ = {};
  }
  at_desk([why](PageDesk& desk) { desk.lose(why); });
  at_foxglove([why](FoxgloveDesk& desk) { desk.lose(why); });
}

void Site::at_desk(std::function<void(PageDesk&)> work) {
  server_->post([this, work = std::move(work)] { work(desk_); });
}

void Site::at_foxglove(std::function<void(FoxgloveDesk&)> work) {
  if (foxglove_) server_->post([this, work = std::move(work)] { work(*foxglove_); });
}

void Site::answered(PageId page, std::uint64_t id, const proto::Reply& reply) {
  server_->post([this, page, id, reply] { take_answer(page, id, reply); });
}

void Site::take_answer(PageId page, std::uint64_t id, const proto::Reply& reply) {
  if (foxglove_ && foxglove_->has(page)) foxglove_->clerk().answered(id, reply);
  else desk_.answered(page, id, reply);
}

void Site::wants(const std::set<std::string>& topics) {
  deliver([topics](PageBackend& backend) { backend.wants(topics); });
}

void Site::deliver(std::function<void(PageBackend&)> work) {
  const std::scoped_lock lock(mutex_);
  if (deliver_) deliver_(std::move(work));
}

void Site::seek(PageId page, std::uint64_t time_ns) {
  deliver([page, time_ns](PageBackend& backend) { backend.seek(page, time_ns); });
}

void Site::joined(PageId page) {
  deliver([page](PageBackend& backend) { backend.joined(page); });
}

void Site::left(PageId page, const std::string& holder, bool has_leased) {
  deliver([page, holder, has_leased](PageBackend& backend) { backend.left(page, holder, has_leased); });
}

void Site::ask(PageId page, std::uint64_t id, proto::Request request) {
  {
    const std::scoped_lock lock(mutex_);
    if (deliver_ && deliver_([page, id, request](PageBackend& backend) { backend.ask(page, id, request); })) return;
  }
  proto::Reply reply;
  reply.set_error(static_cast<std::uint32_t>(ErrorCode::kUnavailable)), reply.set_text("the simulation is not there");
  take_answer(page, id, reply);
}

}  // namespace convoy::web
