#include "pictures/picture_thread.h"

#include <algorithm>
#include <functional>
#include <future>
#include <optional>
#include <span>

#include "os/machine.h"

namespace convoy {

namespace {

render::View view_of(const Shot& shot) {
  const PictureLens& lens = shot.lens;
  const auto& k = lens.distortion;
  return {.X_WC = shot.X_WC,
          .width = lens.width,
          .height = lens.height,
          .fx = lens.fx,
          .fy = lens.fy,
          .cx = lens.cx,
          .cy = lens.cy,
          .near = lens.near,
          .far = lens.far,
          .lens = {k[0], k[1], k[2], k[3], k[4]},
          .channels = {.colour = shot.color, .depth = shot.depth, .ids = shot.numbers || shot.classes}};
}

CameraPicture taken(const Shot& shot, render::Picture& from) {
  CameraPicture out{.lens = shot.lens, .color = std::move(from.rgb), .depth = std::move(from.depth)};
  if (shot.numbers) out.numbers = std::move(from.instance);
  if (shot.classes) out.classes = std::move(from.category);
  return out;
}

// What a shot shows, in front, in the order in which it was; put back at the end.
class Arranged {
 public:
  Arranged(std::vector<render::Item>& items, const Shot& shot) : all_(items) {
    const auto number = [](WorldNumber who) { return who.value(); };
    if (shot.alone) {
      // The scene comes first, and the one that is seen goes behind it.
      const auto moves =
          std::find_if(all_.begin(), all_.end(), [](const auto& i) { return i.instance != kSceneNumber; });
      const auto one = std::find_if(moves, all_.end(), [&](const auto& i) {
        return *shot.alone != kNoEntity && i.instance == number(*shot.alone);
      });
      turn(moves, one, one == all_.end() ? one : one + 1);
      count_ = static_cast<std::size_t>(moves - all_.begin()) + (one != all_.end());
      return;
    }
    const auto out = std::find_if(all_.begin(), all_.end(), [&](const auto& i) {
      return shot.but != kNoEntity && i.instance == number(shot.but);
    });
    count_ = all_.size() - (out != all_.end());
    if (out != all_.end()) turn(out, out + 1, all_.end());
  }
  ~Arranged() { std::rotate(first_, middle_, last_); }
  Arranged(const Arranged&) = delete;
  Arranged& operator=(const Arranged&) = delete;

  std::span<const render::Item> items() const { return std::span(all_).first(count_); }

 private:
  using Place = std::vector<render::Item>::iterator;
  void turn(Place first, Place middle, Place last) {
    middle_ = std::rotate(first, middle, last);
    first_ = first, last_ = last;
  }

  std::vector<render::Item>& all_;
  std::size_t count_ = 0;
  Place first_ = all_.begin(), middle_ = first_, last_ = first_;  // what turns it back
};

}  // namespace

// What is drawn, and what came of it.
class PictureThread::Job final : public PictureJob {
 public:
  Job(std::shared_ptr<const PictureScene> scene, std::vector<Shot> shots)
      : scene_(std::move(scene)), shots_(std::move(shots)), done_(shots_.size()) {}

  const PictureScene& scene() const { return *scene_; }
  const std::vector<Shot>& shots() const { return shots_; }

  Result<CameraPicture> take(std::size_t shot) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_[shot].has_value(); });
    return *done_[shot];
  }
  void finish(std::size_t shot, Result<CameraPicture> picture) {
    {
      const std::lock_guard lock(mutex_);
      done_[shot] = std::move(picture);
    }
    changed_.notify_all();
  }

 private:
  std::shared_ptr<const PictureScene> scene_;
  std::vector<Shot> shots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Result<CameraPicture>>> done_;
};

PictureThread::~PictureThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<PictureJob> PictureThread::draw(std::shared_ptr<const PictureScene> scene, std::vector<Shot> shots) {
  auto job = std::make_shared<Job>(std::move(scene), std::move(shots));
  begin([this, job] { render(*job); });
  return job;
}

Result<std::uint64_t> PictureThread::fingerprint() {
  std::promise<Result<std::uint64_t>> told;
  auto future = told.get_future();
  begin([this, &told] {
    if (!fingerprint_) fingerprint_ = render::fingerprint();
    told.set_value(*fingerprint_);
  });
  return future.get();
}

void PictureThread::begin(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    work_.push_back(std::move(work));
  }
  changed_.notify_all();
}

// What was begun is drawn before it ends: somebody may wait for it.
void PictureThread::run() {
  os::keep_large_pieces();
  while (true) {
    std::function<void()> next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ends_ || !work_.empty(); });
      if (work_.empty()) break;
      next = std::move(work_.front());
      work_.pop_front();
    }
    next();
  }
  renderers_.clear();  // where they were made
}

Result<render::Renderer*> PictureThread::renderer(PictureQuality quality) {
  auto known = renderers_.find(quality);
  if (known == renderers_.end()) {
    const auto wanted = quality == PictureQuality::kNice ? render::Quality::kNice : render::Quality::kPlain;
    known = renderers_.emplace(quality, render::Renderer::make({.quality = wanted})).first;
  }
  if (!known->second) return tl::unexpected(known->second.error());
  return known->second->get();
}

// Shots that show different robots are drawn one after the other: what is not seen goes to the end meanwhile.
void PictureThread::render(Job& job) {
  const auto drawer = renderer(job.scene().quality);
  std::vector<render::Item> items;
  for (const PictureBody& body : job.scene().bodies)
    items.push_back({.shapes = body.shapes,
                     .X_WL = body.X_WL,
                     .instance = body.number == kNoEntity ? kSceneNumber : body.number.value(),
                     .category = static_cast<std::uint16_t>(body.category)});
  const std::vector<Shot>& shots = job.shots();
  for (std::size_t first = 0, last = 0; first < shots.size(); first = last) {
    std::vector<render::View> views;
    for (; last < shots.size() && shots[last].but == shots[first].but && shots[last].alone == shots[first].alone;
         ++last)
      views.push_back(view_of(shots[last]));
    const Arranged seen(items, shots[first]);
    const render::Scene scene{
        .items = seen.items(), .environment = job.scene().environment, .time = seconds(job.scene().now - Instant{})};
    auto pictures = drawer ? (*drawer)->render(scene, views) : tl::unexpected(drawer.error());
    for (std::size_t i = first; i < last; ++i)
      job.finish(i, pictures ? taken(shots[i], (*pictures)[i - first])
                             : Result<CameraPicture>(tl::unexpected(pictures.error())));
  }
}

}  // namespace convoy
