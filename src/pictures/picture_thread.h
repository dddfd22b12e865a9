// Draws pictures of all fleets of this process on a thread of its own, one scene after the other.
//
// The renderer is made with the first picture. Nobody who steps physics draws; who takes a picture waits for it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "render/renderer.h"
#include "sensing/pictures.h"

namespace convoy {

class PictureThread final : public PictureMaker {
 public:
  PictureThread() = default;
  ~PictureThread() override;
  PictureThread(const PictureThread&) = delete;

  std::shared_ptr<PictureJob> draw(std::shared_ptr<const PictureScene> scene, std::vector<Shot> shots) override;
  Result<std::uint64_t> fingerprint() override;

 private:
  class Job;
  void begin(std::function<void()> work);
  void run();
  Result<render::Renderer*> renderer(PictureQuality quality);
  void render(Job& job);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool ends_ = false;
  std::thread thread_;  // from the first work on
  // Of the thread alone.
  std::optional<Result<std::uint64_t>> fingerprint_;
  std::map<PictureQuality, Result<std::unique_ptr<render::Renderer>>> renderers_;
};

}  // namespace convoy
