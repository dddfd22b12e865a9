#include "stream/stream_viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "stream/stamp.h"

namespace convoy::stream {

namespace {

constexpr Duration kSecond = std::chrono::seconds(1);
constexpr Duration kLate = std::chrono::milliseconds(4);  // timers are a little late

std::uint64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

// One view with those who look at it.
class StreamViewer::Stream final : private BroadcastEvents {
 public:
  Stream(StreamOptions options, StreamViewer& all, SignalingLine& line)
      : all_(all),
        name_(std::move(options.view)),
        size_{options.broadcast.format.width, options.broadcast.format.height},
        every_(std::chrono::nanoseconds(1'000'000'000 / options.broadcast.format.rate)),
        broadcast_(std::move(options.broadcast), line, *this, all.log_),
        camera_([this](CameraPicture picture) { show(std::move(picture)); }) {}

  bool due(Moment now) const { return broadcast_.wanted() && now + kLate >= next_; }
  Moment next() const { return broadcast_.wanted() ? next_ : kNever; }
  Broadcast& broadcast() { return broadcast_; }
  // A run begins anew, or another one: what was seen of the last one does not count.
  void forget() { view_.reset(), free_ = nullptr, run_ = kNoRun; }

  // Is a picture of it to be drawn now? When it is due and the last one is still being drawn, that one is left out.
  bool turn(Moment now) {
    if (!due(now)) return false;
    next_ = std::max(next_ + every_, now);
    if (auto trouble = camera_.take_trouble(); trouble && std::exchange(said_, *trouble) != *trouble)
      all_.log_.line(LogLevel::kWarn, broadcast_.id() + ": " + *trouble);
    return !camera_.busy();
  }
  Duration every() const { return every_; }
  // What drawing has taken since the last call, and of how many pictures.
  std::pair<Duration, std::int64_t> take_drawn() { return {Duration(drawn_ns_.exchange(0)), drawn_.exchange(0)}; }

  void look(const film::Seen& seen, std::uint32_t run, const std::shared_ptr<const PictureScene>& scene, Moment now) {
    if (!view_ || std::exchange(run_, run) != run) begin(seen, run);
    if (free_ != nullptr) free_->on_time(now - moved_);
    moved_ = now;
    const auto shot = view_->shot(seen);
    if (!shot) return broadcast_.send_away(name_.who() + " is not there");
    begun_ms_ = unix_ms(), begun_ = std::chrono::steady_clock::now();
    (void)camera_.offer(all_.maker_.draw(scene, {*shot}));
  }

 private:
  static constexpr std::uint32_t kNoRun = 0xffffffff;

  void begin(const film::Seen& seen, std::uint32_t run) {
    run_ = run;
    if (free_ != nullptr) return;  // its players have it where they want it
    view_ = make_view(name_, seen, size_, every_, all_.book_);
    if (name_.kind == ViewName::Kind::kFree) free_ = static_cast<FreeView*>(view_.get());
  }

  // In the camera's thread.
  void show(CameraPicture picture) {
    drawn_ns_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begun_).count();
    ++drawn_;
    Bytes rgb = film::mounted(std::move(picture), size_);
    if (all_.options_.stamped) stamp(rgb, size_.width, begun_ms_);
    broadcast_.show(std::move(rgb));
  }

  void said(const PlayerId& player, const PlayerMessage& message) override {
    const auto respond = [this, player](const std::string& text) { broadcast_.respond(player, text); };
    if (all_.players_.said(named(player), message, respond, all_.now_)) return;
    if (free_ != nullptr) (void)free_->take(message);
  }
  void gone(const PlayerId& player) override {
    all_.players_.gone(named(player));
    if (free_ != nullptr) free_->release();
  }
  // The server's numbers of players are those of all of its streams.
  PlayerId named(const PlayerId& player) const { return broadcast_.id() + " " + player; }

  StreamViewer& all_;
  ViewName name_;
  film::PictureSize size_;
  Duration every_;
  std::unique_ptr<film::View> view_;
  FreeView* free_ = nullptr;  // view_, if players move it
  std::uint32_t run_ = kNoRun;
  Moment next_{}, moved_{};
  std::string said_;
  std::atomic<std::uint64_t> begun_ms_{0};       // of the picture that is being drawn, Unix time
  std::chrono::steady_clock::time_point begun_;  // of the same; read while it is drawn alone
  std::atomic<std::int64_t> drawn_ns_{0}, drawn_{0};
  Broadcast broadcast_;
  CameraThread camera_;  // last: its thread shows in the broadcast
};

StreamViewer::StreamViewer(StreamViewerOptions options, ElementTypes types, std::vector<SignalingLine*> lines,
                           PictureMaker& maker, Network& network, Log& log)
    : options_(std::move(options)),
      maker_(maker),
      log_(log),
      quality_(options_.quality, options_.adapts),
      member_(as_viewer(), std::move(types), network),
      players_(
          options_.session, [this](const std::string& robot) { return pace_of(robot); }, network) {
  for (std::size_t i = 0; i < options_.streams.size(); ++i) {
    StreamOptions stream = options_.streams[i];
    stream.broadcast.post = options_.post;
    streams_.push_back(std::make_unique<Stream>(std::move(stream), *this, *lines[i]));
  }
}

StreamViewer::~StreamViewer() = default;

ForeignOptions StreamViewer::as_viewer() {
  ForeignOptions out;
  out.session = options_.session;
  out.role = PeerRole::kViewer;
  out.loaded = [this](const Setup& setup, const World& world) { loaded(setup, world); };
  return out;
}

void StreamViewer::loaded(const Setup& setup, const World& world) {
  setup_ = setup;
  setup_.sensors.pictures = quality_.quality();
  pictures_ = std::make_unique<PictureWorld>(book_, world, setup_);
  for (auto& stream : streams_) stream->forget();
}

Broadcast& StreamViewer::broadcast(std::size_t stream) { return streams_[stream]->broadcast(); }

Moment StreamViewer::deadline() const {
  if (!member_.running()) return member_.deadline();
  Moment out = std::min({member_.deadline(), players_.deadline(), next_second_});
  for (const auto& stream : streams_) out = std::min(out, stream->next());
  return out;
}

std::optional<Pace> StreamViewer::pace_of(const std::string& robot) const {
  if (!member_.running()) return std::nullopt;
  const World& world = member_.world();
  const Slot slot = world.find(robot);
  if (slot == kNoSlot) return std::nullopt;
  const Model& model = world.model_of(slot);
  return Pace{model.max_speed, model.max_turn_rate};
}

void StreamViewer::on_time(Moment now) {
  now_ = now;
  if (member_.loaded() && !std::exchange(ready_, true)) member_.ready();
  if (now >= next_second_) {
    next_second_ = now + kSecond;
    for (auto& stream : streams_) stream->broadcast().on_second();
    adapt();
  }
  if (!member_.end() && member_.running()) look(now);
  players_.on_time(now);
  member_.on_time(now);  // what has been said above leaves
}

void StreamViewer::look(Moment now) {
  std::vector<Stream*> drawn;
  for (auto& stream : streams_)
    if (stream->turn(now)) drawn.push_back(stream.get());
  if (drawn.empty()) return;
  member_.reckon(now);
  const World& world = member_.world();
  const auto scene = pictures_->at(world, member_.sim_now(now));
  for (Stream* stream : drawn) stream->look({world, *scene}, member_.run(), scene, now);
}

void StreamViewer::adapt() {
  Duration every = kSecond;
  for (auto& stream : streams_) {
    const auto drawn = stream->take_drawn();
    quality_.drew(drawn.first, drawn.second);
    every = std::min(every, stream->every());
  }
  if (!quality_.on_second(every) || !pictures_) return;
  const auto ms = [](Duration time) { return 1000 * seconds(time); };
  log_.line(LogLevel::kInfo,
            fmt::format("a picture takes {:.0f} ms of the {:.0f} that there are: from now on they are drawn plainly",
                        ms(quality_.took()), ms(every)));
  setup_.sensors.pictures = quality_.quality();
  pictures_ = std::make_unique<PictureWorld>(book_, member_.world(), setup_);
}

}  // namespace convoy::stream
