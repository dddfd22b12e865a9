// Shows a recording to pages: stored states at the time that they choose, without running anything again.
//
// All pages see one time, as all who watch a run do. It moves while it is not paused and a page looks. Calls that change
// a run are refused: kUnsupported. Single-threaded, without sockets; what pages are told goes to a Site.
#pragma once

#include <nlohmann/json.hpp>

#include "adapters/web/entity_list.h"
#include "adapters/web/scene_book.h"
#include "adapters/web/site.h"
#include "record/player.h"

namespace convoy::web {

struct WebPlayerOptions {
  Duration frame_every = std::chrono::milliseconds(33);
  std::string version;         // of this program, for people
  std::string file;            // the recording's name, for people
  std::uint64_t begin_ns = 0;  // log time
  double speed = 1;            // times recorded time
};

class WebPlayer final : public PageBackend {
 public:
  // The recording and the site outlive it.
  WebPlayer(WebPlayerOptions options, const Recording& recording, Player player, Site& site, Log& log);

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
  double end_s() const { return static_cast<double>(recording_.end_ns()) * 1e-9; }

  const WebPlayerOptions options_;
  const Recording& recording_;
  Player player_;
  Site& site_;
  SceneBook scene_;
  EntityList entities_;
  std::vector<PageId> joining_;
  std::size_t pages_ = 0;
  bool paused_ = false;
  double speed_;
  double at_ns_;              // log time, moving
  std::uint32_t jumps_ = 0;   // pages blend no states over them
  std::uint32_t number_ = 0;  // of the last frame
  std::uint64_t last_hash_ = 0;
  Moment moved_{}, next_frame_{}, next_status_{};
  std::string trouble_;  // said once
};

}  // namespace convoy::web
