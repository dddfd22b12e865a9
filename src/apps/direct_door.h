// Where players come whom WebRTC does not reach: WebSockets at the viewer itself, each with an invitation of its own.
//
// Players come to /video for pictures as the encoder makes them, and to /jpeg; with ?token=, which the signaling server has
// handed on with the offer and which is good once, for a minute. Binary messages are those of the data channel, the text
// "taken" says that a picture has been shown.
//
// Threads: invitations are made in the thread of the viewer, whose broadcasts are called there alone.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/web/web_server.h"
#include "os/loop.h"
#include "stream/stream_viewer.h"

namespace convoy::apps {

class DirectDoor final : private web::WebEvents {
 public:
  // `host`: as which browsers find this machine. `origins`: of the pages that may come.
  static Result<std::unique_ptr<DirectDoor>> open(web::WebServerOptions server, std::string host,
                                                  std::vector<std::string> origins, std::size_t streams);
  ~DirectDoor() override;

  stream::DirectLine* line(std::size_t stream) { return lines_[stream].get(); }
  // From now on players are let in; both outlive this object.
  void begin(stream::StreamViewer& viewer, os::NetLoop& loop);

 private:
  class Line;
  static constexpr Duration kInvited = std::chrono::minutes(1);
  static constexpr std::size_t kMostInvited = 4096;
  struct Invitation {
    std::size_t stream;
    Moment until;
  };
  explicit DirectDoor(std::size_t streams);
  std::string invite(std::size_t stream);
  void with(web::PageId page, std::function<void(stream::Broadcast&, const stream::PlayerId&)> work);

  web::HttpResponse answer(const web::HttpRequest& request) override;
  bool admits(const web::WebOpening& opening) override;
  void opened(web::PageId page, const web::WebOpening& opening) override;
  void text(web::PageId page, std::string_view text) override;
  void binary(web::PageId page, ByteView bytes) override;
  void closed(web::PageId page) override;

  std::string address_;  // ws://HOST:PORT
  std::vector<std::unique_ptr<stream::DirectLine>> lines_;
  stream::StreamViewer* viewer_ = nullptr;
  os::NetLoop* loop_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, Invitation> invited_;  // by token; under the mutex
  std::map<web::PageId, std::size_t> pages_;   // by stream; of the server's thread
  std::unique_ptr<web::WebServer> server_;     // last: its thread ends first
};

}  // namespace convoy::apps
