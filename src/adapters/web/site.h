// The web server with the desks of its pages and of Foxglove's clients: what outlives the simulation that they show.
//
// Threads: the desks live in the web server's thread. A viewer (web_viewer.h), in a thread of its own, says what shall be
// done there by at_desk() and at_foxglove(), and is told of pages by what it has handed to attach(). Nothing else is
// shared.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "adapters/web/foxglove_desk.h"
#include "adapters/web/page_desk.h"

namespace convoy::web {

inline constexpr Duration kStatusEvery = std::chrono::seconds(1);  // pages are told how it stands

struct FoxgloveOptions {
  std::string session;               // another one for each start
  std::vector<std::string> origins;  // of apps that may connect from a browser, beside ours
};

class Site final : private WebEvents, private PagePort, private PageBackend {
 public:
  // Called with pages' wishes, in any thread: it has them done where the backend lives. False: it cannot, now.
  using Deliver = std::function<bool(std::function<void(PageBackend&)>)>;

  // Without `foxglove` its clients are not served.
  static Result<std::unique_ptr<Site>> open(WebServerOptions options, Keys keys, SceneFiles page,
                                            const std::optional<FoxgloveOptions>& foxglove);
  ~Site() override;

  std::uint16_t port() const { return server_->port(); }
  // From now on pages' wishes go there; those that are open are told of everything.
  void attach(Deliver deliver);
  // To nobody any more. Afterwards none is under way.
  void detach(const std::string& why);
  void at_desk(std::function<void(PageDesk&)> work);
  void at_foxglove(std::function<void(FoxgloveDesk&)> work);  // nothing, where they are not served
  bool has_foxglove() const { return foxglove_ != nullptr; }
  // A page's call, or one of a client of Foxglove's.
  void answered(PageId page, std::uint64_t id, const proto::Reply& reply);

 private:
  Site(Keys keys, SceneFiles page) : desk_(std::move(keys), std::move(page), *this, *this) {}
  void take_answer(PageId page, std::uint64_t id, const proto::Reply& reply);
  void deliver(std::function<void(PageBackend&)> work);

  HttpResponse answer(const HttpRequest& request) override;
  bool admits(const WebOpening& opening) override;
  void opened(PageId page, const WebOpening& opening) override;
  void text(PageId page, std::string_view text) override;
  void binary(PageId page, ByteView bytes) override;
  void closed(PageId page) override;

  void send(PageId page, const WebMessage& message) override { server_->send(page, message); }
  std::size_t backlog(PageId page) const override { return server_->backlog(page); }
  void close(PageId page, CloseCode code, std::string_view reason) override { server_->close(page, code, reason); }
  std::map<std::string, std::uint64_t> refused() const override;

  void joined(PageId page) override;
  void left(PageId page, const std::string& holder, bool has_leased) override;
  void ask(PageId page, std::uint64_t id, proto::Request request) override;
  void seek(PageId page, std::uint64_t time_ns) override;
  void wants(const std::set<std::string>& topics) override;

  PageDesk desk_;
  std::unique_ptr<FoxgloveDesk> foxglove_;  // set before the server begins
  std::mutex mutex_;
  Deliver deliver_;                    // under the mutex
  std::unique_ptr<WebServer> server_;  // last: its thread ends first
};

}  // namespace convoy::web
