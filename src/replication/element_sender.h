// Sends elements to one peer over datagrams that may be lost, and keeps what the peer has acknowledged.
//
//   sender.changed(key); sender.gone();              an element has changed; some element has gone
//   sender.write(access, now, budget)                sends what is due now
//   sender.acked(number)                             the peer has acknowledged that datagram
//
// Content is sent as deltas, again in its newest form until acknowledged. That an element has gone is sent as a full
// list of keys, rebuilt until every part of it is acknowledged. An element too large for a datagram goes in a frame,
// but not while a list is in flight: the list does not name it, and could arrive after it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>

#include "wire/element_packets.h"

namespace convoy {

class ElementSender {
 public:
  static constexpr Duration kResend = std::chrono::milliseconds(200);  // without an acknowledgement
  struct Access {
    std::function<const Element*(const ElementKey&)> find;  // nullptr: gone
    std::function<std::vector<ElementKey>()> all;           // what the peer is to know of
    // A datagram's number; 0: it could not be sent.
    std::function<std::uint32_t(DatagramType, std::uint8_t flags, ByteView)> send;
    std::function<void(const Bytes&)> send_frame;  // payload of a kElements frame
  };

  void changed(const ElementKey& key) { open_[key] = {}; }
  void gone() { list_due_ = true; }
  // At most about `budget` bytes of datagrams. Returns how many elements went out.
  std::size_t write(const Access& source, Moment now, std::size_t budget);
  // Only the latest datagram that carried an element counts: an older one may have been overtaken by a list.
  void acked(std::uint32_t datagram);
  // A delta without anything, for its acknowledgements alone. It need not be acknowledged.
  void beat(const Access& source);
  static bool is_beat(const Datagram& datagram) {
    return datagram.type == DatagramType::kElements && datagram.flags == kDeltaFlag &&
           datagram.payload.size() == kElementsHeader;
  }
  void clear() { open_.clear(), carried_.clear(), parts_.clear(), waiting_.clear(), list_due_ = false; }

  // When write() has something to do; kNever if all has been sent.
  Moment due() const;

 private:
  struct Unacknowledged {
    std::uint32_t datagram = 0;  // that carried it; 0: it is still to go
    Moment sent{};
  };
  void make_list(const Access& source);
  std::size_t send_frames(const Access& source);
  std::size_t send_deltas(const Access& source, Moment now, std::size_t budget);

  std::map<ElementKey, Unacknowledged> open_;                 // sent and not acknowledged, or to be sent
  std::map<std::uint32_t, std::vector<ElementKey>> carried_;  // by datagram
  std::set<ElementKey> large_;                                // waits for a frame
  std::uint32_t lists_ = 0;                                   // numbers given
  bool list_due_ = false;
  std::deque<Bytes> parts_;          // of the list that is going out
  std::set<std::uint32_t> waiting_;  // its datagrams that are not acknowledged
  Moment list_sent_{};
};

}  // namespace convoy
