// Shows a recording to pages, or two beside each other: stored states at the time that they choose, without running anything again.
//
// All pages see one time, as all who watch a run do. It moves while it is not paused and a page looks. Calls that change
// a run are refused: kUnsupported. Single-threaded, without sockets; what pages are told goes to a Site.
#pragma once

#include <nlohmann/json.hpp>

#include "adapters/web/films.h"
#include "adapters/web/page_feed.h"

namespace convoy::web {

struct WebPlayerOptions {
  Duration frame_every = std::chrono::milliseconds(33);
  std::string version;         // of this program, for people
  std::string file, beside;    // the recordings' names, for people; no second: empty
  std::uint64_t begin_ns = 0;  // log time
  // Where two recordings begin to differ; null: they do not, or that is not known.
  nlohmann::json difference;  // {time_s, entity, text}
};

class WebPlayer final : public PageBackend {
 public:
  // The site outlives it.
  WebPlayer(WebPlayerOptions options, Films films, Site& site);

  void on_time(Moment now);
  Moment deadline() const;

  void joined(PageId page) override;
  void left(PageId page, const std::string& holder, bool has_leased) override;
  void ask(PageId page, std::uint64_t id, proto::Request request) override;
  void seek(PageId page, std::uint64_t time_ns) override;
  void wants(const std::set<std::string>&) override {}

 private:
  void move(Moment now);
  void jump(std::uint64_t time_ns);
  void show(const Status& shown);
  void look();
  void tell_world();
  void tell_status();
  Status carry_out(const proto::Request& request);

  const WebPlayerOptions options_;
  Films films_;
  Site& site_;
  PageFeed feed_;
  std::vector<PageId> joining_;
  std::size_t pages_ = 0;
  bool paused_ = false;
  double speed_ = 1;         // times recorded time; 0: kFastest
  double at_ns_;             // log time, moving
  std::uint32_t jumps_ = 0;  // pages blend no states over them
  Moment moved_{}, next_frame_{}, next_status_{};
  std::string trouble_;  // said once
};

}  // namespace convoy::web
