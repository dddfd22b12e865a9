#include "adapters/web/site.h"

#include "os/clock.h"

namespace convoy::web {

constexpr Duration kLookEvery = std::chrono::milliseconds(8);  // for who may be sent a frame by now

Result<std::unique_ptr<Site>> Site::open(const WebServerOptions& options, Keys keys, SceneFiles page) {
  std::unique_ptr<Site> site(new Site(std::move(keys), std::move(page)));
  auto server = WebServer::open(options, *site);
  if (!server) return tl::unexpected(server.error());
  site->server_ = std::move(*server);
  site->server_->begin();
  site->server_->every(kLookEvery, [raw = site.get()] { raw->desk_.on_time(os::now()); });
  return site;
}

Site::~Site() = default;

HttpResponse Site::answer(const HttpRequest& request) { return desk_.answer(request, os::now()); }
void Site::opened(PageId page) { desk_.opened(page, os::now()); }
void Site::text(PageId page, std::string_view text) { desk_.text(page, text, os::now()); }

void Site::attach(Deliver deliver) {
  {
    const std::scoped_lock lock(mutex_);
    deliver_ = std::move(deliver);
  }
  at_desk([](PageDesk& desk) { desk.join_again(); });
}

void Site::detach(const std::string& why) {
  {
    const std::scoped_lock lock(mutex_);
    deliver_ = {};
  }
  at_desk([why](PageDesk& desk) { desk.lose(why); });
}

void Site::at_desk(std::function<void(PageDesk&)> work) {
  server_->post([this, work = std::move(work)] { work(desk_); });
}

void Site::deliver(std::function<void(PageBackend&)> work) {
  const std::scoped_lock lock(mutex_);
  if (deliver_) deliver_(std::move(work));
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
  desk_.answered(page, id, reply);
}

}  // namespace convoy::web
