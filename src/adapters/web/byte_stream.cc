#include "adapters/web/byte_stream.h"

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

namespace convoy::web {

namespace asio = boost::asio;
namespace beast = boost::beast;

class ByteStream::Line {
 public:
  virtual ~Line() = default;
  virtual beast::tcp_stream& tcp() = 0;
  virtual void handshake(beast::role_type role, const std::string& host, Done done) = 0;
  virtual void shutdown(Done done) = 0;
  virtual void read(const Room& room, Moved moved) = 0;
  virtual void write(const Data& data, Moved moved) = 0;
  virtual void teardown(beast::role_type role, Done done) = 0;
};

namespace {

template <class Stream>
class LineOver : public ByteStream::Line {
 public:
  template <class... Given>
  explicit LineOver(asio::ip::tcp::socket&& socket, Given&... given) : stream_(std::move(socket), given...) {}
  beast::tcp_stream& tcp() final { return beast::get_lowest_layer(stream_); }
  void read(const ByteStream::Room& room, ByteStream::Moved moved) final {
    stream_.async_read_some(room, std::move(moved));
  }
  void write(const ByteStream::Data& data, ByteStream::Moved moved) final {
    stream_.async_write_some(data, std::move(moved));
  }
  void teardown(beast::role_type role, ByteStream::Done done) final {
    using beast::websocket::async_teardown;
    async_teardown(role, stream_, std::move(done));
  }

 protected:
  Stream stream_;
};

class PlainLine final : public LineOver<beast::tcp_stream> {
 public:
  using LineOver::LineOver;
  void handshake(beast::role_type, const std::string&, ByteStream::Done done) override {
    asio::post(stream_.get_executor(), [done = std::move(done)] { done({}); });
  }
  void shutdown(ByteStream::Done done) override {
    ByteStream::Error bad;
    (void)stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, bad);
    asio::post(stream_.get_executor(), [done = std::move(done), bad] { done(bad); });
  }
};

class EncryptedLine final : public LineOver<beast::ssl_stream<beast::tcp_stream>> {
 public:
  using LineOver::LineOver;
  void handshake(beast::role_type role, const std::string& host, ByteStream::Done done) override {
    if (role == beast::role_type::server)
      return stream_.async_handshake(asio::ssl::stream_base::server, std::move(done));
    ByteStream::Error bad;
    stream_.set_verify_callback(asio::ssl::host_name_verification(host), bad);
    if (!bad && !SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str())) bad = asio::error::invalid_argument;
    if (bad) return asio::post(stream_.get_executor(), [done = std::move(done), bad] { done(bad); });
    stream_.async_handshake(asio::ssl::stream_base::client, std::move(done));
  }
  void shutdown(ByteStream::Done done) override { stream_.async_shutdown(std::move(done)); }
};

}  // namespace

ByteStream::ByteStream(asio::ip::tcp::socket&& socket, asio::ssl::context* tls) {
  if (tls) line_ = std::make_unique<EncryptedLine>(std::move(socket), *tls);
  else line_ = std::make_unique<PlainLine>(std::move(socket));
}
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

void ByteStream::handshake_as_server(Done done) { line_->handshake(beast::role_type::server, {}, std::move(done)); }
void ByteStream::handshake_as_client(const std::string& host, Done done) {
  line_->handshake(beast::role_type::client, host, std::move(done));
}
void ByteStream::shutdown(Done done) { line_->shutdown(std::move(done)); }
beast::tcp_stream& ByteStream::next_layer() { return line_->tcp(); }
void ByteStream::read(const Room& room, Moved moved) { line_->read(room, std::move(moved)); }
void ByteStream::write(const Data& data, Moved moved) { line_->write(data, std::move(moved)); }
void ByteStream::teardown(beast::role_type role, Done done) { line_->teardown(role, std::move(done)); }

}  // namespace convoy::web
