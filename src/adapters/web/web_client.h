// WebSockets to a server that are kept: one that breaks is opened again, a second later.
//
//   auto client = WebClient::open({.url = "ws://127.0.0.1:7481/streamer?token=..."}, lines, events);
//   client->send(0, "...");
//
// Threads: events come in the client's own thread; send() is for any. Texts to a line that is not open are dropped.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "convoy/result.h"
#include "convoy/time.h"

namespace convoy::web {

struct WebClientOptions {
  std::string url;        // ws://HOST:PORT/PATH?QUERY or wss://...
  std::string authority;  // file of a certificate (PEM) that signs the server's, beside those that the system trusts
  Duration try_again = std::chrono::seconds(1);
  std::size_t max_text = 256 * 1024;          // bytes of a message; a longer one closes the line
  std::size_t max_backlog = 4 * 1024 * 1024;  // bytes that the server may leave untaken before the line is closed
};

class WebClientEvents {
 public:
  virtual ~WebClientEvents() = default;
  virtual void opened(std::size_t line) = 0;
  virtual void text(std::size_t line, std::string_view text) = 0;
  // Or could not be opened; it is tried again.
  virtual void closed(std::size_t line, const std::string& why) = 0;
};

class WebClient {
 public:
  // kInvalid: the URL is none, or the certificate's file.
  static Result<std::unique_ptr<WebClient>> open(const WebClientOptions& options, std::size_t lines,
                                                 WebClientEvents& events);
  ~WebClient();  // closes all; no event comes after it

  void send(std::size_t line, const std::string& text);

 private:
  class Engine;
  explicit WebClient(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace convoy::web
