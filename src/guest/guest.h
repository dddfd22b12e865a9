// The world as a program sees it that runs nothing in it: the image, then what changes.
//
// One for each mode, fed with the same frames that hosts get. No sockets, no clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "replication/mirror.h"
#include "sensing/sample_order.h"
#include "session/server_time.h"
#include "session/world_image.h"

namespace convoy {

class Guest {
 public:
  // The datagram's number.
  using SendDatagram = std::function<std::uint32_t(DatagramType, std::uint16_t run, ByteView)>;
  // Asks to be shown the next boundary: of a viewer in lockstep.
  using Look = std::function<void()>;
  // trouble() at once if the setup makes no world. Without `look` it sees every boundary of a run in lockstep.
  static std::unique_ptr<Guest> make(const Setup& setup, bool free_mode, SendDatagram send_datagram, Look look = {});
  virtual ~Guest() = default;

  // True if the frame was meant for it.
  virtual bool on_frame(FrameType type, const Payload& payload);
  // False if it came too early to be of use: it is to be sent again.
  virtual bool on_datagram(const Datagram&, Moment, Drops& drops) { return drops.count(Drop::kUnexpected), true; }
  virtual void on_time(Moment) {}
  virtual Moment deadline() const { return kNever; }
  // Simulated time at the server; never before known().
  virtual Instant now(Moment now) = 0;
  // Brings the states to `now`, where they are not given for it.
  virtual void reckon(Moment) {}
  // Free mode: the world at that instant of the run, as far as it is known, with these robots exactly; of nobody else's.
  virtual void show(Instant, std::span<const RobotState>) {}
  // Lockstep: what became of elements up to the tick that began last, since the last call; in the order of their
  // effect.
  std::vector<ElementChanged> take_elements() { return std::exchange(elements_, {}); }
  // Lockstep: the tick that began last; nothing before the first one of the run.
  std::optional<Tick> begun() const { return begun_; }
  // The image has come, and time is known.
  virtual bool known() const { return known_; }

  const World& world() const { return *world_; }
  Duration tick_length() const { return tick_length_; }
  std::uint32_t run() const { return run_; }
  bool finished() const { return finished_; }  // the run is over
  const std::optional<Error>& trouble() const { return trouble_; }

 protected:
  explicit Guest(const Setup& setup);
  virtual Status take(FrameType type, const Payload& payload, bool& mine) = 0;
  virtual void arrived() = 0;                            // the image is loaded
  virtual bool may_come_again() const { return false; }  // an image
  Status image(ByteView payload);

  Duration tick_length_;
  std::unique_ptr<World> world_;
  ImageCollector image_;
  bool known_ = false, finished_ = false;
  std::uint32_t run_ = 0;
  Tick tick_ = 0;
  std::optional<Tick> begun_;
  std::vector<ElementChanged> elements_;
  std::optional<Error> trouble_;
};

}  // namespace convoy
