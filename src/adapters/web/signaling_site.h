// The signaling server: page files, and the introductions of signaling_desk.h, over WebSockets of one port.
//
// Players come to / or /player, streamers to /streamer; each with its token, where there are such.
#pragma once

#include <memory>

#include "adapters/web/signaling_desk.h"

namespace convoy::web {

struct SignalingTokens {
  std::string player, streamer;  // empty: everybody may come
};

class SignalingSite final : private WebEvents, private PagePort {
 public:
  // `page`: the files that are served; "/" is /video.html. `server`: its streams are set here, but for the origins that
  // `origins` adds.
  static Result<std::unique_ptr<SignalingSite>> open(WebServerOptions server, SignalingOptions options,
                                                     SignalingTokens tokens, SceneFiles page,
                                                     std::vector<std::string> origins, Log& log);
  ~SignalingSite() override;
  std::uint16_t port() const { return server_->port(); }

 private:
  SignalingSite(SignalingOptions options, SignalingTokens tokens, SceneFiles page, Log& log)
      : tokens_(std::move(tokens)), page_(std::move(page)), log_(log), desk_(std::move(options), *this, log) {}

  HttpResponse answer(const HttpRequest& request) override;
  bool admits(const WebOpening& opening) override;
  void opened(PageId page, const WebOpening& opening) override;
  void text(PageId page, std::string_view text) override { desk_.text(page, text); }
  void binary(PageId, ByteView) override {}
  void closed(PageId page) override { desk_.closed(page); }

  void send(PageId page, const WebMessage& message) override { server_->send(page, message); }
  std::size_t backlog(PageId page) const override { return server_->backlog(page); }
  void close(PageId page, CloseCode code, std::string_view reason) override { server_->close(page, code, reason); }
  std::map<std::string, std::uint64_t> refused() const override;
  void tell();

  SignalingTokens tokens_;
  SceneFiles page_;
  Log& log_;
  SignalingDesk desk_;
  std::uint64_t told_ = 0;             // of refused, in the log
  std::unique_ptr<WebServer> server_;  // last: its thread ends first
};

}  // namespace convoy::web
