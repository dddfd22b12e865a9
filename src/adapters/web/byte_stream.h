// A TCP connection, encrypted or not, as one type.
//
// Boost.Beast's HTTP and WebSockets are templates over the stream below them: over this one they are compiled once for both
// kinds, which takes a third of the time. It models Beast's AsyncStream, for Beast's own operations: handlers, no other
// tokens.
//
// Threads: those of its executor, one at a time.
#pragma once

#include <utility>  // Boost 1.74 under C++20 needs it before Asio

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace convoy::web {

class ByteStream {
 public:
  using Error = boost::system::error_code;
  using Moved = std::function<void(Error, std::size_t)>;  // bytes
  using Done = std::function<void(Error)>;
  using executor_type = boost::beast::tcp_stream::executor_type;

  // Several buffers as one sequence: the first of more than it holds, as whoever reads or writes `some` may.
  template <class Buffer>
  class Pieces {
   public:
    template <class Sequence>
    explicit Pieces(const Sequence& sequence) {
      const auto end = boost::asio::buffer_sequence_end(sequence);
      for (auto at = boost::asio::buffer_sequence_begin(sequence); at != end && count_ < pieces_.size(); ++at)
        if (const Buffer piece(*at); piece.size() > 0) pieces_[count_++] = piece;
    }
    const Buffer* begin() const { return pieces_.data(); }
    const Buffer* end() const { return pieces_.data() + count_; }

   private:
    std::array<Buffer, 16> pieces_{};
    std::size_t count_ = 0;
  };
  using Room = Pieces<boost::asio::mutable_buffer>;
  using Data = Pieces<boost::asio::const_buffer>;

  // `tls`: none for a plain one; it must outlive the stream.
  ByteStream(boost::asio::ip::tcp::socket&& socket, boost::asio::ssl::context* tls);
  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) = delete;
  ~ByteStream();

  // Of an encrypted one; of a plain one they are done at once. A client asks for `host`, and believes no other's certificate.
  void handshake_as_server(Done done);
  void handshake_as_client(const std::string& host, Done done);
  // Says that no more is written.
  void shutdown(Done done);

  boost::beast::tcp_stream& next_layer();
  executor_type get_executor() { return next_layer().get_executor(); }
  template <class Sequence, class Handler>
  void async_read_some(const Sequence& room, Handler&& handler) {
    read(Room(room), held<Moved>(std::forward<Handler>(handler)));
  }
  template <class Sequence, class Handler>
  void async_write_some(const Sequence& data, Handler&& handler) {
    write(Data(data), held<Moved>(std::forward<Handler>(handler)));
  }
  // A WebSocket's last step, which Beast finds by its name.
  template <class Handler>
  friend void async_teardown(boost::beast::role_type role, ByteStream& stream, Handler&& handler) {
    stream.teardown(role, held<Done>(std::forward<Handler>(handler)));
  }

  class Line;

 private:
  // Beast's handlers can be moved alone, and a function wants a copy.
  template <class Function, class Handler>
  static Function held(Handler&& handler) {
    auto kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
    return [kept](auto... outcome) { (std::move(*kept))(outcome...); };
  }
  void read(const Room& room, Moved moved);
  void write(const Data& data, Moved moved);
  void teardown(boost::beast::role_type role, Done done);

  std::unique_ptr<Line> line_;
};

}  // namespace convoy::web
