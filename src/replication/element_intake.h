// A bounded queue of element payloads that handler threads parse. Parsed payloads come back in the order of arrival, so
// the store ends up as it would without handlers.
//
//   arrived -> waiting (bounded) -> in hand (kInHand a handler) -> parsed -> each(arrived), oldest first
//
// When the queue is full, the oldest datagrams are dropped and counted: they were not acknowledged, so their sender
// sends the content again. Frames are never dropped, because TCP has acknowledged them: a queue full of frames blocks
// the caller until handlers have made room, which slows the senders through TCP.
#pragma once

#include <deque>

#include "session/drops.h"
#include "wire/element_packets.h"
#include "world/edit.h"

namespace convoy {

struct IntakeBounds {
  std::size_t count = 8192;                  // payloads that wait
  std::size_t bytes = std::size_t{4} << 20;  // of them
  std::size_t in_hand = 64;                  // payloads that each handler may have before it
};

// A payload with what must be known of it when it is applied.
struct ArrivedElements {
  Owner from = kNobody;
  DatagramType type{};
  std::uint8_t flags = 0;
  std::uint32_t seq = 0;  // of its datagram; 0: it came by a frame
  std::uint32_t run = 0;  // counts resets
  Instant now{};          // when it came
  Bytes payload;
  ParsedPayload parsed;  // once a handler had it
};

class ElementIntake {
 public:
  using Each = std::function<void(ArrivedElements&)>;

  // Both outlive the intake.
  ElementIntake(const ElementTypes& types, Handlers& handlers, IntakeBounds bounds);
  ElementIntake(const ElementIntake&) = delete;
  ElementIntake& operator=(const ElementIntake&) = delete;
  ~ElementIntake();  // waits for what the handlers have in hand

  // `each` is only called when frames alone fill the queue.
  void put(ArrivedElements arrived, Drops& drops, const Each& each);
  // Hands over what is parsed, and gives the handlers more.
  void turn(const Each& each);
  // The same until nothing waits; the caller waits for the handlers.
  void catch_up(const Each& each);
  bool empty() const { return waiting_.empty() && in_hand_ == 0; }

 private:
  struct Piece;
  bool full(std::size_t more) const { return waiting_.size() >= bounds_.count || bytes_ + more > bounds_.bytes; }
  bool drop_oldest();
  void hand_out();
  void take_back(bool wait, const Each& each);

  const ElementTypes& types_;
  Handlers& handlers_;
  IntakeBounds bounds_;
  std::deque<std::unique_ptr<Piece>> waiting_;
  std::size_t bytes_ = 0;      // of waiting_
  std::size_t datagrams_ = 0;  // in waiting_: what may be dropped
  std::size_t in_hand_ = 0;
  std::vector<std::unique_ptr<Handlers::Piece>> done_;
};

}  // namespace convoy
