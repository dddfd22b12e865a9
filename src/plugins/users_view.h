// What a sensor of a user's library sees: the view of one sample in the words of include/convoy/sensor.h.
#pragma once

#include <vector>

#include "convoy/sensor.h"
#include "sensing/noise.h"
#include "sensing/sensor.h"

namespace convoy {

class UsersView final : public sensor::View {
 public:
  // All outlive it.
  UsersView(const SensorView& view, const SensorTraits& traits, Bytes& memory);

  std::int64_t now_ns() const override;
  std::uint64_t index() const override { return view_.key.index; }
  std::int64_t period_ns() const override { return nanos(view_.period); }
  Pose pose() const override { return view_.X_WS; }
  Twist twist() const override { return view_.v_WS_W; }
  Vec3 gravity() const override { return view_.gravity; }
  sensor::Entity robot() const override;
  double normal() override { return noise_.normal(); }
  double uniform() override { return noise_.uniform(); }
  std::span<const sensor::Entity> around(const Vec3& p_W, double radius) override;
  void cast(std::span<const sensor::Ray> rays, std::span<sensor::Hit> hits) override;
  std::span<const sensor::Shape> shapes(WorldNumber number) override;
  std::span<const sensor::Joint> joints() override;
  std::span<const sensor::Contact> contacts() override;
  Twist command() const override;
  double distance() const override;
  std::span<std::byte> memory() override;

 private:
  sensor::Entity entity_at(Slot slot) const;

  const SensorView& view_;
  const SensorTraits& traits_;
  Bytes& memory_;
  Noise noise_;
  std::vector<sensor::Entity> entities_;
  std::vector<Beam> beams_;
  std::vector<Hit> met_;
  std::vector<sensor::Shape> shapes_;
  std::vector<sensor::Joint> joints_;
  JointsReading read_;
  std::vector<sensor::Contact> contacts_;
  std::vector<ContactReading> touches_;
};

}  // namespace convoy
