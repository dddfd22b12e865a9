#include "adapters/web/web_client.h"

#include <utility>  // Boost 1.74 under C++20 needs it before Asio

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "adapters/web/byte_stream.h"

namespace convoy::web {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr auto kPatience = std::chrono::seconds(10);     // with each step until a line is open
constexpr auto kPingsWithin = std::chrono::seconds(30);  // pings are answered by then

struct Url {
  bool encrypted = false;
  std::string host, port, target;
  std::string authority() const {
    const std::string name = host.find(':') == host.npos ? host : "[" + host + "]";
    return name + ":" + port;
  }
};

Result<Url> parse(const std::string& text) {
  const auto wrong = [&] { return fail(ErrorCode::kInvalid, "'" + text + "' is no ws://HOST:PORT/PATH or wss://..."); };
  Url out;
  std::size_t at = 0;
  if (text.starts_with("ws://")) at = 5;
  else if (text.starts_with("wss://")) at = 6, out.encrypted = true;
  else return wrong();
  const std::size_t path = std::min(text.find_first_of("/?", at), text.size());
  std::string place = text.substr(at, path - at);
  out.target = text.substr(path);
  if (!out.target.starts_with("/")) out.target = "/" + out.target;
  const std::size_t bracket = place.rfind(']'), colon = place.rfind(':');
  const bool has_port = colon != place.npos && (bracket == place.npos || colon > bracket);
  out.port = has_port ? place.substr(colon + 1) : out.encrypted ? "443" : "80";
  out.host = has_port ? place.substr(0, colon) : place;
  if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']')
    out.host = out.host.substr(1, out.host.size() - 2);
  const bool digits =
      !out.port.empty() && out.port.size() < 6 && out.port.find_first_not_of("0123456789") == out.port.npos;
  if (out.host.empty() || !digits || std::stoul(out.port) > 65535) return wrong();
  return out;
}

}  // namespace

class WebClient::Engine {
 public:
  // One WebSocket after the other.
  class Line;

  Engine(WebClientOptions options, Url url, WebClientEvents& events)
      : options_(std::move(options)), url_(std::move(url)), events_(events) {}
  ~Engine() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Status encrypt() {
    if (!url_.encrypted) return {};
    error_code bad;
    (void)tls_.set_default_verify_paths(bad);
    if (!options_.authority.empty() && tls_.load_verify_file(options_.authority, bad))
      return fail(ErrorCode::kInvalid, options_.authority + " is no certificate as PEM: " + bad.message());
    (void)tls_.set_verify_mode(asio::ssl::verify_peer, bad);
    return {};
  }
  void begin(std::size_t lines) {
    lines_.resize(lines);
    for (std::size_t line = 0; line < lines; ++line) asio::post(io_, [this, line] { dial(line); });
    thread_ = std::thread([this] {
      const auto work = asio::make_work_guard(io_);
      io_.run();
    });
  }
  void dial(std::size_t line);
  void ended(std::size_t line, const std::string& why) {
    lines_[line].reset();
    events_.closed(line, why);
    auto timer = std::make_shared<asio::steady_timer>(
        io_, std::chrono::duration_cast<std::chrono::nanoseconds>(options_.try_again));
    timer->async_wait([this, line, timer](error_code bad) {
      if (!bad) dial(line);
    });
  }

  const WebClientOptions options_;
  const Url url_;
  WebClientEvents& events_;
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  asio::io_context io_{1};
  std::vector<std::shared_ptr<Line>> lines_;  // of that thread
  std::thread thread_;
};

class WebClient::Engine::Line final : public std::enable_shared_from_this<Line> {
 public:
  Line(Engine& engine, std::size_t number)
      : engine_(engine),
        number_(number),
        resolver_(engine.io_),
        socket_(ByteStream(Tcp::socket(engine.io_), engine.url_.encrypted ? &engine.tls_ : nullptr)) {}

  void begin() {
    resolver_.async_resolve(engine_.url_.host, engine_.url_.port,
                            [self = shared_from_this()](error_code bad, const Tcp::resolver::results_type& found) {
                              if (bad) return self->end(bad);
                              self->tcp().expires_after(kPatience);
                              self->tcp().async_connect(found, [self](error_code trouble, const Tcp::endpoint&) {
                                if (trouble) return self->end(trouble);
                                self->connected();
                              });
                            });
  }

  void send(std::string text) {
    if (!open_) return;
    waiting_bytes_ += text.size();
    if (waiting_bytes_ > engine_.options_.max_backlog) return close("it does not take what it is sent");
    waiting_.push_back(std::move(text));
    if (waiting_.size() == 1) write();
  }

 private:
  beast::tcp_stream& tcp() { return socket_.next_layer().next_layer(); }

  void connected() {
    error_code bad;
    (void)tcp().socket().set_option(Tcp::no_delay(true), bad);
    socket_.next_layer().handshake_as_client(engine_.url_.host, [self = shared_from_this()](error_code trouble) {
      if (trouble) return self->end(trouble);
      self->greet();
    });
  }
  void greet() {
    tcp().expires_never();  // the WebSocket has limits of its own
    websocket::stream_base::timeout limits{};
    limits.handshake_timeout = kPatience;
    limits.idle_timeout = kPingsWithin;
    limits.keep_alive_pings = true;
    socket_.set_option(limits);
    socket_.read_message_max(engine_.options_.max_text);
    socket_.async_handshake(response_, engine_.url_.authority(), engine_.url_.target,
                            [self = shared_from_this()](error_code bad) {
                              if (bad) return self->refused(bad);
                              self->open_ = true;
                              self->engine_.events_.opened(self->number_);
                              self->read();
                            });
  }
  // What the server says of it, if it has answered.
  void refused(error_code bad) {
    if (bad != websocket::error::upgrade_declined) return end(bad);
    std::string said(response_.body());
    while (!said.empty() && (said.back() == '\n' || said.back() == '\r')) said.pop_back();
    close(std::to_string(response_.result_int()) + (said.empty() ? "" : ": " + said.substr(0, 200)));
  }
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](error_code bad, std::size_t) {
      if (bad) return self->end(bad);
      const auto data = self->buffer_.cdata();
      if (self->socket_.got_text())
        self->engine_.events_.text(self->number_, {static_cast<const char*>(data.data()), data.size()});
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }
  void write() {
    socket_.text(true);
    socket_.async_write(asio::buffer(waiting_.front()), [self = shared_from_this()](error_code bad, std::size_t) {
      self->waiting_bytes_ -= self->waiting_.front().size();
      self->waiting_.pop_front();
      if (bad) return self->end(bad);
      if (!self->waiting_.empty()) self->write();
    });
  }
  void end(error_code bad) {
    const auto& why = socket_.reason();
    if (bad == websocket::error::closed && !why.reason.empty()) return close({why.reason.data(), why.reason.size()});
    close(bad.message());
  }
  void close(const std::string& why) {
    open_ = false;
    if (std::exchange(ended_, true)) return;
    error_code bad;
    (void)tcp().socket().close(bad);
    engine_.ended(number_, why);
  }

  Engine& engine_;
  std::size_t number_;
  Tcp::resolver resolver_;
  websocket::stream<ByteStream, false> socket_;  // without compression
  websocket::response_type response_;
  beast::flat_buffer buffer_;
  std::deque<std::string> waiting_;  // the first is being written
  std::size_t waiting_bytes_ = 0;
  bool open_ = false, ended_ = false;
};

void WebClient::Engine::dial(std::size_t line) {
  lines_[line] = std::make_shared<Line>(*this, line);
  lines_[line]->begin();
}

WebClient::WebClient(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
WebClient::~WebClient() = default;

Result<std::unique_ptr<WebClient>> WebClient::open(const WebClientOptions& options, std::size_t lines,
                                                   WebClientEvents& events) {
  auto url = parse(options.url);
  if (!url) return tl::unexpected(url.error());
  auto engine = std::make_unique<Engine>(options, std::move(*url), events);
  if (auto ok = engine->encrypt(); !ok) return tl::unexpected(ok.error());
  engine->begin(lines);
  return std::unique_ptr<WebClient>(new WebClient(std::move(engine)));
}

void WebClient::send(std::size_t line, const std::string& text) {
  asio::post(engine_->io_, [engine = engine_.get(), line, text] {
    if (const auto one = engine->lines_[line]) one->send(text);
  });
}

}  // namespace convoy::web
