// A view that its players move: around a point, nearer and farther, and across the ground.
#pragma once

#include "film/view.h"
#include "stream/player_message.h"

namespace convoy::stream {

// As the page's own: the left button turns, the right one (or the middle) shifts, the wheel goes nearer; W A S D and the
// keys Q and E move. One finger turns, two shift and pinch.
class FreeView final : public film::View {
 public:
  // Begins as that view, looking at what is nearest to the middle of it on the ground.
  FreeView(const Shot& first, std::uint32_t width, std::uint32_t height);

  std::optional<Shot> shot(const film::Seen& seen) override;
  // True: it moves the view.
  bool take(const PlayerMessage& message);
  // How long the keys that are held have been held since the last call.
  void on_time(Duration passed);
  bool moves() const { return ahead_ != 0 || aside_ != 0 || up_ != 0; }
  void release() { held_ = {}, ahead_ = aside_ = up_ = 0, fingers_.clear(); }

 private:
  void turn(double dx, double dy);  // parts of the picture
  void shift(double dx, double dy);
  void approach(double factor);
  void key(const KeyChange& change);
  void touch(const Touches& touches);

  PictureLens lens_;
  Vec3 target_;                   // in W
  double distance_ = 5;           // m
  double yaw_ = 0, pitch_ = 0.6;  // rad; of the gaze: pitch downwards
  struct {
    bool turns = false, shifts = false;
  } held_;
  double ahead_ = 0, aside_ = 0, up_ = 0;  // by keys, -1 to 1
  std::vector<Touches::Finger> fingers_;
};

}  // namespace convoy::stream
