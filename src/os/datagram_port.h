// The UDP socket: many datagrams for one call of the kernel, where it can do that.
//
// Sending: datagrams to the same peer that follow one another are kept until flush() or until something does not fit, and
// leave as one buffer that the kernel cuts up (UDP_SEGMENT). Receiving: the kernel may hand over several of one peer in
// one buffer (UDP_GRO). Kernels without either, and devices that refuse, get them one by one; what a peer sees is the
// same.
#pragma once

#include <functional>
#include <memory>

#include "core/ports.h"
#include "os/address.h"
#include "os/descriptor.h"

namespace convoy::os {

inline constexpr std::size_t kMaxDatagram = 2048;  // longer ones are dropped and counted

class DatagramPort {
 public:
  struct Counters {
    std::uint64_t in = 0, out = 0, bytes_in = 0, bytes_out = 0;
    std::uint64_t too_long = 0;
    std::uint64_t overrun = 0;            // the kernel's buffer was full when they came; known by the next that came
    std::uint64_t unsent = 0;             // the kernel had no room, or no way there
    std::uint64_t reads = 0, writes = 0;  // calls of the kernel
  };

  // Takes over a bound socket. `offload` false: one by one, also where the kernel could do more.
  void open(Descriptor fd, bool offload = true);
  void close() { fd_ = Descriptor(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }
  const Descriptor& descriptor() const { return fd_; }

  void send(const Endpoint& to, ByteView bytes);
  void flush();
  // Hands over one batch of what has come; what is still there is reported by epoll again. The bytes live until the call
  // returns.
  void receive(const std::function<void(const Endpoint&, ByteView)>& each);
  const Counters& counters() const { return counters_; }

 private:
  bool send_at_once(ByteView bytes, std::size_t segment);

  Descriptor fd_;
  int family_ = 0;
  bool segments_ = false;  // sending several at once works, as far as is known
  Endpoint to_;
  Bytes waiting_;
  std::size_t segment_ = 0, count_ = 0;
  bool closed_ = false;  // the last one is shorter than the others: none may follow
  std::unique_ptr<std::uint8_t[]> room_;
  std::uint32_t overrun_seen_ = 0;  // the kernel's count, of 32 bits
  Counters counters_;
};

}  // namespace convoy::os
