#include "stream/camera_thread.h"

#include <utility>

namespace convoy::stream {

CameraThread::CameraThread(Show show) : show_(std::move(show)), thread_([this] { run(); }) {}

CameraThread::~CameraThread() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool CameraThread::offer(std::shared_ptr<PictureJob> job) {
  {
    const std::scoped_lock lock(mutex_);
    if (job_) return false;
    job_ = std::move(job);
  }
  changed_.notify_all();
  return true;
}

bool CameraThread::busy() const {
  const std::scoped_lock lock(mutex_);
  return job_ != nullptr;
}

void CameraThread::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_; });
}

std::optional<std::string> CameraThread::take_trouble() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(trouble_, std::nullopt);
}

void CameraThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || job_; });
    if (ends_) return;
    const std::shared_ptr<PictureJob> job = job_;
    lock.unlock();
    auto picture = job->take(0);
    if (picture) show_(std::move(*picture));
    lock.lock();
    if (!picture) trouble_ = picture.error().message();
    job_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace convoy::stream
