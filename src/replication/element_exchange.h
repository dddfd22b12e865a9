// The server's exchange of elements: receives them from their owners and sends them to the peers that attend.
//
// In free mode it sends changes by datagram, at any time. In lockstep (`by_tick`) changes wait until the run takes them
// at a boundary, journals them and sends them. Bytes from peers are checked, and what is refused is counted by reason.
// No sockets and no clock: payloads and times are arguments, output goes through Send.
#pragma once

#include "replication/element_intake.h"
#include "replication/element_recipients.h"
#include "replication/element_sender.h"
#include "replication/element_store.h"
#include "session/drops.h"
#include "session/element_source.h"
#include "wire/frame.h"
#include "world/edit.h"

namespace convoy {

struct ElementExchangeOptions {
  Bytes types;  // google.protobuf.FileDescriptorSet; empty: the built-in types
  ElementOptions store;
  bool by_tick = false;                             // lockstep
  Duration period = std::chrono::milliseconds(20);  // between two reports to a peer
  std::size_t budget = 32 * 1024;                   // bytes of datagrams for one peer in one round
  Handlers* handlers = nullptr;                     // parse beside the caller; absent: the caller does
  IntakeBounds waiting;                             // for the handlers
};

class ElementExchange final : public ElementSource {
 public:
  using Send = std::function<void(Owner, FrameType, const Payload&)>;
  // The datagram's number; 0: it could not be sent.
  using SendDatagram =
      std::function<std::uint32_t(Owner, DatagramType, std::uint8_t flags, std::uint16_t run, ByteView)>;

  // Called when a parsed payload is applied: acknowledge its datagram (0: it came by a frame). False: the sender has
  // left.
  using Keep = std::function<bool(Owner, std::uint32_t datagram)>;

  // kInvalid: the types make no sense. `keep` is for handlers only.
  static Result<std::unique_ptr<ElementExchange>> make(ElementExchangeOptions options, Send send,
                                                       SendDatagram send_datagram, Keep keep = {});

  // `changed`, not by_tick: each change as it takes effect, as for the journal.
  using Changed = std::function<void(ElementChanged)>;
  void watch(Changed changed, ElementRecipients::Others others = {}) {
    changed_ = std::move(changed), recipients_ = ElementRecipients(names_, std::move(others));
  }

  // The peer is ready: it may push elements from now on.
  void enter(Owner peer, std::string name) { names_[peer] = std::move(name); }
  // The peer subscribes to others' elements: it gets all there are, then each change. Not by_tick.
  void attend(Owner peer);
  // The peer has left; its elements are removed.
  void leave(Owner peer);
  // kElements, and by_tick kPush. Stamps are compared with `now`: by_tick the next boundary.
  void on_frame(Owner from, FrameType type, ByteView payload, Instant now, Drops& drops);
  // False: a handler parses it, and it may be acknowledged when `keep` allows it.
  bool on_datagram(Owner from, const Datagram& datagram, Instant now, Drops& drops);
  // Applies what the handlers have parsed; call it whenever they have.
  void collect(Drops& drops);
  // The same for all that has come yet: waits for the handlers.
  void catch_up(Drops& drops);
  void acked(Owner peer, std::uint32_t datagram);
  // `run` counts resets: with a new one all elements are gone, because their stamps are of another time.
  void proceed(std::uint32_t run, Moment now);
  Moment deadline() const;

  // by_tick, for the journal: without connection numbers in the bytes.
  std::vector<ElementChanged> take(std::uint32_t run) override;
  std::vector<ElementChanged> all() const override;

  const ElementStore& store() const { return store_; }
  const ElementTypes& types() const { return types_; }

 private:
  struct Peer {
    bool attends = false;  // else it only sends, and is sent acknowledgements
    ElementSender sender;
    std::size_t unacknowledged = 0;  // datagrams since the last one to it: it waits for their acknowledgement
  };
  ElementExchange(ElementTypes types, ElementExchangeOptions options, Send send, SendDatagram send_datagram, Keep keep);
  void receive(Owner from, const Datagram& datagram);
  void apply(Owner from, ParsedPayload parsed, Instant now, std::uint32_t seq, Drops& drops);
  ElementIntake::Each hand_over(Drops& drops);
  void push(Owner from, ByteView payload, Instant now, Drops& drops);
  // What `apply` does to the store, with what it refuses counted.
  void apply(Drops& drops, const std::function<void()>& apply);
  void follow(std::uint32_t run);
  ElementChanged journalled(ElementChanged::Kind kind, const ElementKey& key, ElementTypeId type) const;
  ElementSender::Access source(Owner to);
  void note_changes();

  ElementTypes types_;
  ElementExchangeOptions options_;
  Send send_;
  SendDatagram send_datagram_;
  Keep keep_;
  Changed changed_;
  ElementStore store_;
  std::unique_ptr<ElementIntake> intake_;  // with handlers
  std::map<Owner, Peer> peers_;
  std::map<Owner, std::string> names_;
  ElementRecipients recipients_{names_, {}};
  std::vector<Owner> left_;  // by_tick: gone, and their elements' end is not taken yet
  std::uint32_t run_ = 0;
  Moment next_round_{};
};

}  // namespace convoy
