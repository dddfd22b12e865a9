#include "adapters/web/web_server.h"

#include <utility>  // Boost 1.74 under C++20 needs it before Asio

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <thread>

#include "adapters/web/byte_stream.h"

namespace convoy::web {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr std::size_t kMaxHeader = 16 * 1024;
constexpr auto kClosing = std::chrono::seconds(2);  // for a WebSocket's last words

// Pages load nothing from elsewhere, stand in nobody's frame, and tell nobody where they came from.
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

std::string policy(const std::vector<std::string>& connects) {
  std::string out =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
      "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self' blob: "
      "data:";
  for (const std::string& one : connects) out += " " + one;
  return out;
}

// For what may fail and changes nothing then: a connection that is gone already.
void ignore(const error_code&) {}

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

// What stands behind ?token= or &token=; it is hexadecimal, so nothing in it is written as %XX.
std::string token_of(const std::string& target) {
  constexpr std::string_view kName = "token=";
  const std::size_t query = target.find('?');
  for (std::size_t at = query; at != std::string::npos; at = target.find('&', at + 1))
    if (target.compare(at + 1, kName.size(), kName) == 0) {
      const std::size_t from = at + 1 + kName.size();
      return target.substr(from, target.find_first_of("&#", from) - from);
    }
  return {};
}

bool among(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// HOST:PORT without the port, an IPv6 address in its brackets.
std::string without_port(const std::string& host) {
  const std::size_t colon = host.rfind(':');
  const bool in_brackets = colon != std::string::npos && host.find(']', colon) != std::string::npos;
  return colon == std::string::npos || in_brackets ? host : host.substr(0, colon);
}

// Of an origin.
std::string host_of(const std::string& origin) {
  const std::size_t at = origin.find("://");
  return at == std::string::npos ? std::string() : without_port(origin.substr(at + 3));
}

// A name that anybody may have given this machine's address in the DNS is none of its names: a page from elsewhere could
// pass for ours by it. An address cannot be given away.
bool known_as(const std::string& host, const std::vector<std::string>& names) {
  std::string name = without_port(host);
  if (name == "localhost" || among(names, name)) return true;
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  error_code bad;
  (void)asio::ip::make_address(name, bad);
  return !bad;
}

}  // namespace

HttpResponse text_response(unsigned status, std::string_view text) {
  const ByteView bytes = as_bytes(text);
  return {status, "text/plain; charset=utf-8", std::make_shared<const Bytes>(bytes.begin(), bytes.end()), false};
}

WebMessage text_message(std::string_view text) {
  const ByteView bytes = as_bytes(text);
  return {true, std::make_shared<const Bytes>(bytes.begin(), bytes.end())};
}

class WebServer::Engine {
 public:
  Engine(const WebServerOptions& options, WebEvents& events)
      : options_(options), policy_(policy(options.connects)), events_(events), acceptor_(io_) {}
  ~Engine() {
    asio::post(io_, [this] { io_.stop(); });  // behind what was posted before: pages are told of the end
    if (thread_.joinable()) thread_.join();
    pages_.clear();
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Status listen();
  Status encrypt(const Certificate& certificate);
  void start() {
    accept();
    thread_ = std::thread([this] { io_.run(); });
  }

  class Connection;
  class Socket;

  void accept();
  void again(Duration period, const std::shared_ptr<std::function<void()>>& work);
  void refuse(const char* why) { ++refused_[why]; }
  Socket* find(PageId page) const {
    const auto at = pages_.find(page);
    return at == pages_.end() ? nullptr : at->second.get();
  }
  void gone(PageId page) {
    if (pages_.erase(page) > 0) events_.closed(page);
  }

  const WebServerOptions options_;
  const std::string policy_;  // of contents, as pages are told
  WebEvents& events_;
  std::size_t connections_ = 0;  // outlives io_, whose last handlers end some
  std::optional<asio::ssl::context> tls_;
  asio::io_context io_{1};
  Tcp::acceptor acceptor_;
  std::thread thread_;
  PageId last_page_ = 0;
  std::map<PageId, std::shared_ptr<Socket>> pages_;
  std::map<std::string, std::uint64_t> refused_;
};

// A page's WebSocket.
class WebServer::Engine::Socket final : public std::enable_shared_from_this<Socket> {
 public:
  Socket(Engine& engine, ByteStream&& stream, WebOpening opening)
      : engine_(engine),
        page_(++engine.last_page_),
        opening_(std::move(opening)),
        stream_(std::move(stream)),
        last_words_(engine.io_) {
    ++engine_.connections_;
  }
  ~Socket() { --engine_.connections_; }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void begin(const http::request<http::string_body>& request) {
    websocket::stream_base::timeout limits{};
    limits.handshake_timeout = std::chrono::seconds(10);
    limits.idle_timeout = std::chrono::duration_cast<std::chrono::seconds>(engine_.options_.idle);
    limits.keep_alive_pings = true;
    stream_.set_option(limits);
    stream_.set_option(websocket::stream_base::decorator([this](websocket::response_type& response) {
      if (!opening_.subprotocol.empty()) response.set(http::field::sec_websocket_protocol, opening_.subprotocol);
    }));
    stream_.read_message_max(engine_.options_.max_text);
    stream_.async_accept(request, [self = shared_from_this()](error_code bad) {
      if (bad) return self->engine_.refuse("handshake");
      self->engine_.pages_.emplace(self->page_, self);
      self->engine_.events_.opened(self->page_, self->opening_);
      self->read();
    });
  }

  void send(const WebMessage& message) {
    if (closing_) return;
    if (waiting_bytes_ + message.bytes->size() > engine_.options_.max_backlog) {
      engine_.refuse("slow page");
      return close(CloseCode::kSlow, "it does not take what it is sent");
    }
    waiting_bytes_ += message.bytes->size();
    waiting_.push_back(message);
    if (waiting_.size() == 1) write();
  }
  std::size_t backlog() const { return waiting_bytes_; }

  void close(CloseCode code, std::string_view reason) {
    if (std::exchange(closing_, true)) return;
    websocket::close_reason why;
    why.code = static_cast<std::uint16_t>(code);
    reason = reason.substr(0, why.reason.max_size());
    why.reason.assign(reason.begin(), reason.end());
    stream_.async_close(why, [self = shared_from_this()](error_code) { self->end(); });
    end_later();
  }

 private:
  void end_later() {
    closing_ = true;
    last_words_.expires_after(kClosing);
    last_words_.async_wait([self = shared_from_this()](error_code) { self->end(); });
  }
  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](error_code bad, std::size_t) { self->took(bad); });
  }
  void took(error_code bad) {
    if (bad == websocket::error::message_too_big) {
      engine_.refuse("oversized message");
      return end_later();  // it has been told, and has yet to read it
    }
    if (bad) return end();
    if (!stream_.got_text() && !engine_.options_.streams[opening_.stream].binary) {
      engine_.refuse("binary message");
      return close(CloseCode::kTrouble, "messages are text");
    }
    const auto data = buffer_.cdata();
    if (!closing_ && stream_.got_text())
      engine_.events_.text(page_, {static_cast<const char*>(data.data()), data.size()});
    else if (!closing_) engine_.events_.binary(page_, {static_cast<const std::uint8_t*>(data.data()), data.size()});
    buffer_.consume(buffer_.size());
    read();
  }
  void write() {
    const WebMessage& next = waiting_.front();
    stream_.text(next.text);
    stream_.async_write(asio::buffer(*next.bytes), [self = shared_from_this()](error_code bad, std::size_t) {
      self->waiting_bytes_ -= self->waiting_.front().bytes->size();
      self->waiting_.pop_front();
      if (bad) return self->end();
      if (!self->waiting_.empty()) self->write();
    });
  }
  void end() {
    closing_ = true;
    error_code bad;
    ignore(beast::get_lowest_layer(stream_).socket().close(bad));
    last_words_.cancel();
    engine_.gone(page_);
  }

  Engine& engine_;
  const PageId page_;
  const WebOpening opening_;
  websocket::stream<ByteStream, false> stream_;  // without compression: nobody is offered any
  asio::steady_timer last_words_;
  beast::flat_buffer buffer_;
  std::deque<WebMessage> waiting_;  // the first is being written
  std::size_t waiting_bytes_ = 0;
  bool closing_ = false;
};

// A connection that speaks HTTP, until it ends or becomes a WebSocket.
class WebServer::Engine::Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Engine& engine, Tcp::socket&& socket)
      : engine_(engine), stream_(std::move(socket), engine.tls_ ? &*engine.tls_ : nullptr) {
    ++engine_.connections_;
  }
  ~Connection() { --engine_.connections_; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void begin() {
    limit();
    stream_.handshake_as_server([self = shared_from_this()](error_code bad) {
      if (!bad) return self->read();
      if (bad != asio::error::operation_aborted && bad != beast::error::timeout) self->engine_.refuse("no encryption");
    });
  }

 private:
  beast::tcp_stream& tcp() { return stream_.next_layer(); }
  void limit() { tcp().expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(engine_.options_.idle)); }

  void read() {
    parser_.emplace();
    parser_->header_limit(kMaxHeader);
    parser_->body_limit(engine_.options_.max_body);
    limit();
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code bad, std::size_t) { self->took(bad); });
  }

  void took(error_code bad) {
    if (bad == http::error::body_limit || bad == http::error::header_limit) {
      engine_.refuse("oversized request");
      return answer(text_response(413, "the request is too large\n"), false);
    }
    if (bad == http::error::end_of_stream || bad == beast::error::timeout || bad == asio::error::operation_aborted)
      return;
    if (bad) {
      if (bad.category() == http::make_error_code(http::error::bad_method).category())
        engine_.refuse("malformed request");
      return;
    }
    http::request<http::string_body> request = parser_->release();
    const bool keep = request.keep_alive();
    const std::string host = text_of(request[http::field::host]), origin = text_of(request[http::field::origin]);
    if (!known_as(host, engine_.options_.names)) {
      engine_.refuse("foreign host name");
      return answer(text_response(421, "this is no name of this server; --web-name adds one\n"), false);
    }
    const std::string target = text_of(request.target()), path = target.substr(0, target.find_first_of("?#"));
    const auto& streams = engine_.options_.streams;
    const bool upgrades = websocket::is_upgrade(request);
    const auto stream = std::find_if(streams.begin(), streams.end(),
                                     [&](const WebStream& one) { return upgrades && among(one.paths, path); });
    const bool own = origin.empty() || origin == (engine_.tls_ ? "https://" : "http://") + host;
    const bool neighbour = stream != streams.end() && stream->same_host && host_of(origin) == without_port(host);
    if (!own && !neighbour && (stream == streams.end() || !among(stream->origins, origin))) {
      engine_.refuse("foreign origin");
      return answer(text_response(403, "a page from elsewhere may not ask\n"), false);
    }
    if (upgrades && stream == streams.end()) return answer(text_response(404, "no such stream\n"), false);
    if (upgrades) return upgrade(request, *stream, token_of(target));
    answer(engine_.events_.answer({text_of(request.method_string()), path, text_of(request["X-Convoy-Session"]),
                                   std::move(request.body())}),
           keep);
  }

  void upgrade(const http::request<http::string_body>& request, const WebStream& stream, std::string token) {
    auto offered = http::token_list(request[http::field::sec_websocket_protocol]);
    const auto spoken = std::find_if(stream.subprotocols.begin(), stream.subprotocols.end(),
                                     [&](const std::string& one) { return offered.exists(one); });
    const bool any = stream.subprotocols.empty();
    if (!any && spoken == stream.subprotocols.end()) {
      engine_.refuse("unknown subprotocol");
      return answer(text_response(400, "the subprotocol is " + stream.subprotocols.front() + "\n"), false);
    }
    WebOpening opening{static_cast<std::size_t>(&stream - engine_.options_.streams.data()), any ? "" : *spoken,
                       std::move(token)};
    if (!engine_.events_.admits(opening)) {
      engine_.refuse("wrong token");
      return answer(text_response(403, "the link's token is not one of this server's\n"), false);
    }
    if (engine_.pages_.size() >= engine_.options_.max_pages) {
      engine_.refuse("too many pages");
      return answer(text_response(503, "too many pages are open\n"), false);
    }
    tcp().expires_never();  // the WebSocket has limits of its own
    std::make_shared<Socket>(engine_, std::move(stream_), std::move(opening))->begin(request);
  }

  void answer(HttpResponse what, bool keep) {
    auto response = std::make_shared<http::response<http::span_body<const std::uint8_t>>>();
    response->version(11);
    response->result(what.status);
    response->set(http::field::content_type, what.type);
    response->set(http::field::cache_control, what.keeps ? "private, max-age=31536000, immutable" : "no-store");
    for (const auto& [name, value] : kHeaders) response->set(name, value);
    response->set("Content-Security-Policy", engine_.policy_);
    response->keep_alive(keep);
    if (what.body) response->body() = {what.body->data(), what.body->size()};
    response->prepare_payload();
    limit();
    http::async_write(
        stream_, *response,
        [self = shared_from_this(), response, body = std::move(what.body), keep](error_code bad, std::size_t) {
          if (!bad && keep) return self->read();
          self->end();
        });
  }
  void end() {
    stream_.shutdown([self = shared_from_this()](error_code) {});
  }

  Engine& engine_;
  ByteStream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
};

Status WebServer::Engine::listen() {
  if (options_.certificate)
    if (auto ok = encrypt(*options_.certificate); !ok) return ok;
  error_code bad;
  const auto address = asio::ip::make_address(options_.address, bad);
  if (bad) return fail(ErrorCode::kInvalid, "'" + options_.address + "' is no address to listen on");
  const Tcp::endpoint at{address, options_.port};
  if (!acceptor_.open(at.protocol(), bad) && !acceptor_.set_option(asio::socket_base::reuse_address(true), bad) &&
      !acceptor_.bind(at, bad) && !acceptor_.listen(asio::socket_base::max_listen_connections, bad))
    return {};
  const std::string where = "port " + std::to_string(options_.port) + " on " + options_.address;
  if (bad == asio::error::address_in_use)
    return fail(ErrorCode::kUnavailable, where + " is taken; --listen gives another, 0 a free one");
  return fail(ErrorCode::kUnavailable, where + ": " + bad.message());
}

Status WebServer::Engine::encrypt(const Certificate& certificate) {
  tls_.emplace(asio::ssl::context::tls_server);
  error_code bad;
  using Context = asio::ssl::context;
  ignore(tls_->set_options(
      Context::default_workarounds | Context::no_sslv2 | Context::no_sslv3 | Context::no_tlsv1 | Context::no_tlsv1_1,
      bad));
  if (tls_->use_certificate_chain_file(certificate.chain, bad))
    return fail(ErrorCode::kInvalid, certificate.chain + " is no certificate as PEM: " + bad.message());
  if (tls_->use_private_key_file(certificate.key, Context::pem, bad))
    return fail(ErrorCode::kInvalid, certificate.key + " is no key of that certificate, as PEM: " + bad.message());
  return {};
}

void WebServer::Engine::accept() {
  acceptor_.async_accept([this](error_code bad, Tcp::socket socket) {
    if (bad == asio::error::operation_aborted) return;
    if (bad) {  // out of descriptors: a moment later there may be some
      auto timer = std::make_shared<asio::steady_timer>(io_, std::chrono::milliseconds(100));
      return timer->async_wait([this, timer](error_code) { accept(); });
    }
    ignore(socket.set_option(Tcp::no_delay(true), bad));
    if (connections_ >= options_.max_connections) refuse("too many connections");
    else std::make_shared<Connection>(*this, std::move(socket))->begin();
    accept();
  });
}

void WebServer::Engine::again(Duration period, const std::shared_ptr<std::function<void()>>& work) {
  auto timer = std::make_shared<asio::steady_timer>(io_, std::chrono::duration_cast<std::chrono::nanoseconds>(period));
  timer->async_wait([this, period, work, timer](error_code) {
    (*work)();
    again(period, work);
  });
}

WebServer::WebServer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
WebServer::~WebServer() = default;

Result<std::unique_ptr<WebServer>> WebServer::open(const WebServerOptions& options, WebEvents& events) {
  auto engine = std::make_unique<Engine>(options, events);
  if (auto ok = engine->listen(); !ok) return tl::unexpected(ok.error());
  return std::unique_ptr<WebServer>(new WebServer(std::move(engine)));
}

void WebServer::begin() { engine_->start(); }

std::uint16_t WebServer::port() const {
  error_code bad;
  const auto at = engine_->acceptor_.local_endpoint(bad);
  return bad ? std::uint16_t{0} : at.port();
}

bool WebServer::post(std::function<void()> work) {
  if (engine_->io_.stopped()) return false;
  asio::post(engine_->io_, std::move(work));
  return true;
}

void WebServer::every(Duration period, std::function<void()> work) {
  post([engine = engine_.get(), period, shared = std::make_shared<std::function<void()>>(std::move(work))] {
    engine->again(period, shared);
  });
}

void WebServer::send(PageId page, const WebMessage& message) {
  if (Engine::Socket* socket = engine_->find(page)) socket->send(message);
}

std::size_t WebServer::backlog(PageId page) const {
  const Engine::Socket* socket = engine_->find(page);
  return socket ? socket->backlog() : 0;
}

void WebServer::close(PageId page, CloseCode code, std::string_view reason) {
  if (Engine::Socket* socket = engine_->find(page)) socket->close(code, reason);
}

std::size_t WebServer::pages() const { return engine_->pages_.size(); }
const std::map<std::string, std::uint64_t>& WebServer::refused() const { return engine_->refused_; }

}  // namespace convoy::web
