// The web server and the desk of its pages: what outlives the simulation that they show.
//
// Threads: the desk lives in the web server's thread. A viewer (web_viewer.h), in a thread of its own, says what shall be
// done there by at_desk(), and is told of pages by what it has handed to attach(). Nothing else is shared.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "adapters/web/page_desk.h"

namespace convoy::web {

class Site final : private WebEvents, private PagePort, private PageBackend {
 public:
  // Called with pages' wishes, in any thread: it has them done where the backend lives. False: it cannot, now.
  using Deliver = std::function<bool(std::function<void(PageBackend&)>)>;

  static Result<std::unique_ptr<Site>> open(const WebServerOptions& options, Keys keys, SceneFiles page);
  ~Site() override;

  std::uint16_t port() const { return server_->port(); }
  // From now on pages' wishes go there; those that are open are told of everything.
  void attach(Deliver deliver);
  // To nobody any more. Afterwards none is under way.
  void detach(const std::string& why);
  void at_desk(std::function<void(PageDesk&)> work);

 private:
  Site(Keys keys, SceneFiles page) : desk_(std::move(keys), std::move(page), *this, *this) {}
  void deliver(std::function<void(PageBackend&)> work);

  HttpResponse answer(const HttpRequest& request) override;
  void opened(PageId page) override;
  void text(PageId page, std::string_view text) override;
  void closed(PageId page) override { desk_.closed(page); }

  void send(PageId page, const WebMessage& message) override { server_->send(page, message); }
  std::size_t backlog(PageId page) const override { return server_->backlog(page); }
  void close(PageId page, CloseCode code, std::string_view reason) override { server_->close(page, code, reason); }
  const std::map<std::string, std::uint64_t>& refused() const override { return server_->refused(); }

  void joined(PageId page) override;
  void left(PageId page, const std::string& holder, bool has_leased) override;
  void ask(PageId page, std::uint64_t id, proto::Request request) override;

  PageDesk desk_;
  std::mutex mutex_;
  Deliver deliver_;                    // under the mutex
  std::unique_ptr<WebServer> server_;  // last: its thread ends first
};

}  // namespace convoy::web
