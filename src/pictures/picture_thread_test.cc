#include "pictures/picture_thread.h"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "sensing/camera.h"

namespace picture_thread_test {

using namespace convoy;

namespace {

// A red box of 1 m, its near side 2 m ahead of the origin along x; its number is 7, its kind 3.
std::shared_ptr<const PictureScene> box_ahead() {
  Shapes shapes;
  shapes.fixed_base = true;
  shapes.links.push_back({"base", Link::Base::kPlace, kNoPart, 0, {}, {}});
  Shape box;
  box.kind = Shape::Kind::kBox, box.size = {0.5, 0.5, 0.5}, box.color = {220, 20, 20, 255};
  shapes.shapes.push_back(box);
  auto scene = std::make_shared<PictureScene>();
  scene->bodies.push_back({WorldNumber(7), 3, std::make_shared<const Shapes>(std::move(shapes)), {{{2.5, 0, 0}, {}}}});
  return scene;
}

Shot ahead(WorldNumber but = kNoEntity) {
  CameraModel model{.width = 64, .height = 48, .depth = true, .numbers = true, .classes = true};
  return shot_of(model, {}, but, but == kNoEntity);
}

constexpr std::size_t kMiddle = 24 * 64 + 32, kCorner = 0;

}  // namespace

TEST_CASE("a job has each of its pictures, whoever takes it and when") {
  PictureThread dut;
  const auto job = dut.draw(box_ahead(), {ahead(), ahead(WorldNumber(7)), ahead()});
  Result<CameraPicture> third = fail(ErrorCode::kInternal, "");
  std::thread other([&] { third = job->take(2); });
  const auto first = job->take(0), second = job->take(1);
  other.join();

  REQUIRE(first);
  CHECK(std::abs(first->depth[kMiddle] - 2) < 1e-3);
  CHECK(first->numbers[kMiddle] == 7);
  CHECK(first->classes[kMiddle] == 3);
  CHECK(first->numbers[kCorner] == 0);
  CHECK(std::isinf(first->depth[kCorner]));
  CHECK(first->color[3 * kMiddle] > 2 * first->color[3 * kMiddle + 1]);
  CHECK(first->lens == ahead().lens);
  REQUIRE(second);
  CHECK(second->numbers[kMiddle] == 0);
  REQUIRE(third);
  CHECK(third->color == first->color);
  CHECK(third->depth == first->depth);
}

TEST_CASE("a camera of its own world sees the scene and perhaps its robot, and others' pictures are as ever") {
  PictureThread dut;
  auto scene = std::make_shared<PictureScene>(*box_ahead());
  PictureBody wall = scene->bodies[0], other = scene->bodies[0];
  wall.number = kNoEntity, wall.category = 2, wall.X_WL[0].p = {6, 0, 0};
  other.number = WorldNumber(9), other.category = 3, other.X_WL[0].p = {4, 0, 0};
  scene->bodies.insert(scene->bodies.begin(), wall);
  scene->bodies.push_back(other);
  const auto alone = [](WorldNumber who) {
    Shot shot = ahead();
    shot.alone = who;
    return shot;
  };
  const auto job = dut.draw(scene, {alone(WorldNumber(9)), ahead(), alone(kNoEntity), ahead(WorldNumber(7)),
                                    alone(WorldNumber(4)), alone(WorldNumber(7)), ahead()});
  const std::uint32_t wanted[] = {9, 7, kSceneNumber, 9, kSceneNumber, 7, 7};
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    CAPTURE(i);
    const auto picture = job->take(i);
    REQUIRE(picture);
    CHECK(picture->numbers[kMiddle] == wanted[i]);
  }
}

TEST_CASE("what is drawn before does not show, and threads are renderers of their own") {
  PictureThread one, other;
  (void)one.draw(box_ahead(), {ahead(WorldNumber(7))})->take(0);
  const auto a = one.draw(box_ahead(), {ahead()})->take(0), b = other.draw(box_ahead(), {ahead()})->take(0);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(a->color == b->color);
  CHECK(one.fingerprint().value() == other.fingerprint().value());
}

TEST_CASE("what was begun is drawn before the thread ends") {
  std::shared_ptr<PictureJob> job;
  {
    PictureThread dut;
    job = dut.draw(box_ahead(), {ahead()});
  }
  CHECK(job->take(0));
}

}  // namespace picture_thread_test
