// HTTP and WebSockets on one port, in a thread of its own.
//
//   auto server = WebServer::open({.address = "127.0.0.1", .port = 7480}, events);
//   server->begin();
//   server->send(page, text_message("..."));     // in the server's thread: from the events, or from post()
//
// It knows sockets and headers, and nothing of what is said: that is the events' (page_desk.h). Whoever is refused is
// counted by reason.
//
// Threads: the events are called in the server's thread; open(), begin(), port() and the destructor are the owner's,
// everything else is for the server's thread. post() is for any. Nothing throws.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/bytes.h"

namespace convoy::web {

using PageId = std::uint64_t;  // of one WebSocket; never used again

// WebSockets that are served: where, as what, and to whom.
struct WebStream {
  std::vector<std::string> paths;
  std::vector<std::string> subprotocols;  // the first that is offered is spoken; none: any, and nothing is said of it
  std::vector<std::string> origins;       // beside our own, as "https://app.example"
  bool binary = false;                    // takes binary messages as well
  bool same_host = false;                 // pages of this host at another port may connect; for what asks for a token
};

// Files as PEM: the certificate with those that it needs behind it, and its key.
struct Certificate {
  std::string chain, key;
};

struct WebServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                  // 0: a free one
  std::vector<std::string> names;          // of this machine, beside its address, that browsers may know it by
  std::vector<std::string> connects;       // where its pages may connect beside it, as "wss:" or "ws://127.0.0.1:7481"
  std::optional<Certificate> certificate;  // https and wss; else nothing is encrypted
  std::size_t max_connections = 1024;      // more are accepted and closed
  std::size_t max_pages = 256;             // WebSockets
  std::size_t max_text = 256 * 1024;       // bytes of a page's message; a longer one closes its socket
  std::size_t max_body = 16 * 1024;        // bytes of a request's body
  Duration idle = std::chrono::seconds(30);
  std::size_t max_backlog = 16 * 1024 * 1024;  // bytes that a page may leave untaken before it is closed
  std::vector<WebStream> streams{{{"/stream"}, {"convoy.web.v1"}, {}, false}};
};

struct HttpRequest {
  std::string method, path;
  std::string session;  // X-Convoy-Session
  std::string body;
};
struct HttpResponse {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  SharedBytes body;
  bool keeps = false;  // its path names its content: a browser may keep it for good
};
HttpResponse text_response(unsigned status, std::string_view text);

struct WebMessage {
  bool text = true;
  SharedBytes bytes;
};
WebMessage text_message(std::string_view text);

// A WebSocket as it was asked for.
struct WebOpening {
  std::size_t stream = 0;  // of the options'
  std::string subprotocol;
  std::string token;  // of the address, ?token=...
};

class WebEvents {
 public:
  virtual ~WebEvents() = default;
  virtual HttpResponse answer(const HttpRequest& request) = 0;
  // False: it is refused before it is open, and counted as a wrong token.
  virtual bool admits(const WebOpening& opening) = 0;
  virtual void opened(PageId page, const WebOpening& opening) = 0;
  virtual void text(PageId page, std::string_view text) = 0;
  virtual void binary(PageId page, ByteView bytes) = 0;
  virtual void closed(PageId page) = 0;
};

// Why a WebSocket is closed by us.
enum class CloseCode : std::uint16_t {
  kTooLarge = 1009,
  kTrouble = 1011,
  kOver = 1012,
  kDenied = 4403,
  kSilent = 4408,
  kSlow = 4409
};

class WebServer {
 public:
  // Listens; events come from begin() on.
  static Result<std::unique_ptr<WebServer>> open(const WebServerOptions& options, WebEvents& events);
  void begin();
  ~WebServer();  // closes everything; no event comes after it

  std::uint16_t port() const;
  // Runs `work` in the server's thread, in order. False: it has ended.
  bool post(std::function<void()> work);
  // Runs `work` there again and again, from then on.
  void every(Duration period, std::function<void()> work);

  void send(PageId page, const WebMessage& message);
  std::size_t backlog(PageId page) const;  // bytes that it has not taken yet
  void close(PageId page, CloseCode code, std::string_view reason);
  std::size_t pages() const;
  const std::map<std::string, std::uint64_t>& refused() const;  // by reason

 private:
  class Engine;
  explicit WebServer(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace convoy::web
