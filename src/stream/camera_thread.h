// Takes pictures that are being drawn, in a thread of its own, and hands each to where it is shown.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sensing/pictures.h"

namespace convoy::stream {

class CameraThread {
 public:
  // Three bytes a pixel, row by row from the top. Called in the thread.
  using Show = std::function<void(CameraPicture picture)>;
  explicit CameraThread(Show show);
  ~CameraThread();
  CameraThread(const CameraThread&) = delete;
  CameraThread& operator=(const CameraThread&) = delete;

  // False: the one before is not shown yet, and this one is dropped.
  bool offer(std::shared_ptr<PictureJob> job);
  bool busy() const;
  void wait() const;  // until it is not
  // Why the last picture could not be drawn; once.
  std::optional<std::string> take_trouble();

 private:
  void run();

  Show show_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::shared_ptr<PictureJob> job_;  // that is under way
  bool ends_ = false;
  std::optional<std::string> trouble_;
  std::thread thread_;
};

}  // namespace convoy::stream
