#include "pictures/picture_thread.h"

#include <algorithm>
#include <functional>
#include <future>
#include <optional>

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

// Shots from which different robots are left out are drawn one after the other: what is left out goes to the end meanwhile.
void PictureThread::render(Job& job) {
  const auto drawer = renderer(job.scene().quality);
  std::vector<render::Item> items;
  for (const PictureBody& body : job.scene().bodies)
    items.push_back({.shapes = body.shapes,
                     .X_WL = body.X_WL,
                     .instance = body.number == kNoEntity ? kSceneNumber : body.number.value(),
                     .category = static_cast<std::uint16_t>(body.category)});
  for (std::size_t first = 0, last = 0; first < job.shots().size(); first = last) {
    const WorldNumber but = job.shots()[first].but;
    std::vector<render::View> views;
    for (; last < job.shots().size() && job.shots()[last].but == but; ++last)
      views.push_back(view_of(job.shots()[last]));
    const auto left_out = std::find_if(items.begin(), items.end(), [&](const render::Item& item) {
      return but != kNoEntity && item.instance == but.value();
    });
    const bool any = left_out != items.end();
    if (any) std::rotate(left_out, left_out + 1, items.end());
    const render::Scene scene{.items = std::span(items).first(items.size() - any),
                              .environment = job.scene().environment,
                              .time = seconds(job.scene().now - Instant{})};
    auto pictures = drawer ? (*drawer)->render(scene, views) : tl::unexpected(drawer.error());
    if (any) std::rotate(left_out, items.end() - 1, items.end());
    for (std::size_t i = first; i < last; ++i)
      job.finish(i, pictures ? taken(job.shots()[i], (*pictures)[i - first])
                             : Result<CameraPicture>(tl::unexpected(pictures.error())));
  }
}

}  // namespace convoy
