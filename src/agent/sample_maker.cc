#include "agent/sample_maker.h"

#include <algorithm>

#include "agent/sensed_at.h"

namespace convoy {

struct SampleMaker::Work {
  Slot slot = kNoSlot;
  const SensorSpec* spec = nullptr;
  SensorTraits traits;
  std::shared_ptr<const Sensor> sensor;  // null: it cannot be computed
  MountedFrame mount;
  std::string why;
};

SampleMaker::Work SampleMaker::begin(const SampleOrder& order, const World& world) {
  Work out;
  out.slot = world.slot_of(order.robot);
  const Entity* robot = out.slot == kNoSlot ? nullptr : &world.entity(out.slot);
  if (!robot || order.sensor >= robot->kind->sensors.size()) return out.why = "there is no such sensor", out;
  out.spec = &robot->kind->sensors[order.sensor];
  const auto type = rays_.sensors().type_of(*out.spec);
  auto made = type ? order.parameters.empty() ? rays_.sensors().of(*out.spec) : [&] {
    SensorSpec changed = *out.spec;
    changed.parameters = order.parameters;
    return rays_.sensors().of(changed);
  }() : tl::unexpected(type.error());
  if (!made) return out.why = made.error().message(), out;
  out.traits = (*type)->traits;
  const auto shapes = rays_.shapes_of(world.models()[robot->model], world.files());
  out.mount = place_mount(*out.spec, {world.model_of(out.slot), shapes ? *shapes : Shapes{},
                                      world.snapshot().state(out.slot), robot->pose, world.joints(out.slot)});
  out.sensor = std::move(*made);
  return out;
}

std::vector<Result<SampleData>> SampleMaker::make(std::span<const SampleOrder> orders, const World& world,
                                                  const Setup& setup, Instant now) {
  std::vector<Work> works;
  works.reserve(orders.size());
  for (const SampleOrder& order : orders) works.push_back(begin(order, world));
  const auto any = [&](bool SensorTraits::*which) {
    return std::any_of(works.begin(), works.end(), [&](const Work& w) { return w.sensor && w.traits.*which; });
  };
  rebuild(grid_, world);
  const RayWorld* rays = any(&SensorTraits::rays) ? rays_.cast_for(world, setup) : nullptr;
  const auto view = [&](std::size_t i) {
    SensedWorld at = sensed_at(world, works[i].slot, now, setup.tick);
    at.rays = rays, at.grid = &grid_, at.rules = &setup.sensors;
    SensorView out = view_of(*works[i].spec, works[i].mount, at, orders[i].robot, orders[i].index);
    out.age = orders[i].age, out.period = orders[i].period, out.gravity = orders[i].gravity;
    return out;
  };

  std::map<Exposures::Camera, Shot> shots;
  for (std::size_t i = 0; i < works.size(); ++i)
    if (works[i].sensor && works[i].traits.pictures)
      shots.emplace(Exposures::Camera{orders[i].robot, orders[i].sensor}, works[i].sensor->shot(view(i)));
  CameraShots begun;
  for (auto& [camera, shot] : shots) begun.cameras.push_back(camera), begun.shots.push_back(std::move(shot));
  const auto exposures = shots.empty() ? nullptr : pictures_.now(world, setup, rays_.shapes(), now, std::move(begun));

  std::vector<Result<SampleData>> out(orders.size());
  const auto sample = [&](std::size_t i) -> Result<SampleData> {
    const Work& work = works[i];
    if (!work.sensor) return fail(ErrorCode::kNotFound, work.why);
    if (work.traits.rays && !rays) return fail(ErrorCode::kUnsupported, "nobody casts rays here");
    SensorView seen = view(i);
    if (!work.traits.pictures) return work.sensor->sample(seen);
    if (!exposures) return fail(ErrorCode::kUnsupported, "nobody draws here");
    const auto picture = exposures->take({orders[i].robot, orders[i].sensor});
    if (!picture) return tl::unexpected(picture.error());
    seen.picture = &*picture;
    return work.sensor->sample(seen);
  };
  std::vector<SampleSpent> spent(meter_ ? orders.size() : 0);
  executor_.parallel(orders.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t begin = meter_ ? meter_->now() : 0;
      out[i] = sample(i);
      if (meter_) spent[i] = {orders[i].robot, orders[i].sensor, 1, meter_->now() - begin};
    }
  });
  for (const SampleSpent& one : spent) meter_->add(one);
  return out;
}

}  // namespace convoy
