#include "os/datagram_port.h"

#include <netinet/udp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "os/sockets.h"

namespace convoy::os {

namespace {

constexpr std::size_t kBuffers = 16;        // of one read
constexpr std::size_t kBuffer = 64 * 1024;  // the largest that the kernel puts together
constexpr std::size_t kMostSegments = 64;   // of one write, kernel's bound
constexpr std::size_t kMostBytes = 60'000;

}  // namespace

void DatagramPort::open(Descriptor fd, bool offload) {
  fd_ = std::move(fd);
  family_ = is_ipv4(local_endpoint_of(fd_.get())) ? AF_INET : AF_INET6;
  waiting_.clear();
  count_ = 0;
  const int on = offload ? 1 : 0;
  ::setsockopt(fd_.get(), SOL_UDP, UDP_GRO, &on, sizeof on);  // refused: they come one by one
  const int yes = 1;
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RXQ_OVFL, &yes, sizeof yes);
  overrun_seen_ = 0;
  segments_ = offload;
  if (!room_) room_.reset(new std::uint8_t[kBuffers * kBuffer]);
}

void DatagramPort::send(const Endpoint& to, ByteView bytes) {
  if (!fd_ || (family_ == AF_INET && !is_ipv4(to))) {
    ++counters_.unsent;
    return;
  }
  const bool fits = count_ > 0 && to == to_ && !closed_ && bytes.size() <= segment_ && count_ < kMostSegments &&
                    waiting_.size() + bytes.size() <= kMostBytes && segments_;
  if (!fits) {
    flush();
    to_ = to;
    segment_ = bytes.size();
    closed_ = false;
  }
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  ++count_;
  if (bytes.size() < segment_) closed_ = true;
}

bool DatagramPort::send_at_once(ByteView bytes, std::size_t segment) {
  SocketAddress address = to_socket_address(to_, family_);
  iovec vector{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
  msghdr head{};
  head.msg_name = address.get(), head.msg_namelen = address.size;
  head.msg_iov = &vector, head.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(std::uint16_t))] = {};
  if (segment > 0) {
    head.msg_control = control, head.msg_controllen = sizeof control;
    cmsghdr* const c = CMSG_FIRSTHDR(&head);
    c->cmsg_level = SOL_UDP, c->cmsg_type = UDP_SEGMENT, c->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto size = static_cast<std::uint16_t>(segment);
    std::memcpy(CMSG_DATA(c), &size, sizeof size);
  }
  ++counters_.writes;
  return ::sendmsg(fd_.get(), &head, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

void DatagramPort::flush() {
  if (count_ == 0) return;
  const std::size_t count = std::exchange(count_, 0);
  const auto sent = [&](std::size_t n, std::size_t bytes) { counters_.out += n, counters_.bytes_out += bytes; };
  if (count > 1 && send_at_once(waiting_, segment_)) {
    sent(count, waiting_.size());
  } else if (count > 1 && (errno == EAGAIN || errno == ENOBUFS)) {
    counters_.unsent += count;
  } else {
    if (count > 1) segments_ = false;  // this kernel or device does not cut up: one by one from here on
    for (std::size_t at = 0; at < waiting_.size() || (at == 0 && waiting_.empty());
         at += std::max<std::size_t>(1, segment_)) {
      const ByteView one = ByteView(waiting_).subspan(at, std::min(segment_, waiting_.size() - at));
      if (send_at_once(one, 0)) sent(1, one.size());
      else ++counters_.unsent;
    }
  }
  waiting_.clear();
}

void DatagramPort::receive(const std::function<void(const Endpoint&, ByteView)>& each) {
  mmsghdr heads[kBuffers];
  iovec vectors[kBuffers];
  sockaddr_storage from[kBuffers];
  alignas(cmsghdr) char controls[kBuffers][CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(std::uint32_t))];
  for (std::size_t i = 0; i < kBuffers; ++i) {
    vectors[i] = {room_.get() + i * kBuffer, kBuffer};
    heads[i] = {};
    msghdr& head = heads[i].msg_hdr;
    head.msg_iov = &vectors[i], head.msg_iovlen = 1;
    head.msg_name = &from[i], head.msg_namelen = sizeof(sockaddr_storage);
    head.msg_control = controls[i], head.msg_controllen = sizeof controls[i];
  }
  ++counters_.reads;
  const int n = ::recvmmsg(fd_.get(), heads, kBuffers, MSG_DONTWAIT, nullptr);
  for (int i = 0; i < n; ++i) {
    msghdr& head = heads[i].msg_hdr;
    const std::size_t size = heads[i].msg_len;
    std::size_t segment = size;
    for (cmsghdr* c = CMSG_FIRSTHDR(&head); c != nullptr; c = CMSG_NXTHDR(&head, c)) {
      if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
        std::uint32_t lost = 0;
        std::memcpy(&lost, CMSG_DATA(c), sizeof lost);
        counters_.overrun += lost - std::exchange(overrun_seen_, lost);
      }
      if (c->cmsg_level != SOL_UDP || c->cmsg_type != UDP_GRO) continue;
      int value = 0;
      std::memcpy(&value, CMSG_DATA(c), sizeof value);
      if (value > 0) segment = static_cast<std::size_t>(value);
    }
    if ((head.msg_flags & MSG_TRUNC) != 0) {
      ++counters_.too_long;
      continue;
    }
    SocketAddress address;
    address.storage = from[i];
    address.size = head.msg_namelen;
    const Endpoint sender = from_socket_address(address);
    std::size_t at = 0;
    do {
      const ByteView one(room_.get() + static_cast<std::size_t>(i) * kBuffer + at, std::min(segment, size - at));
      at += std::max<std::size_t>(1, one.size());
      if (one.size() > kMaxDatagram) {
        ++counters_.too_long;
        continue;
      }
      ++counters_.in;
      counters_.bytes_in += one.size();
      each(sender, one);
    } while (at < size);
  }
}

}  // namespace convoy::os
