// Follows one run for pages: a member of it that owns nothing, and makes the pages' calls.
//
// A role as any other, without sockets; what pages are told goes to a Site. Nobody waits for it: in lockstep it is a guest.
#pragma once

#include <deque>
#include <map>
#include <nlohmann/json.hpp>

#include "adapters/web/entity_list.h"
#include "adapters/web/foxglove_feed.h"
#include "adapters/web/page_feed.h"
#include "adapters/web/scene_book.h"
#include "client/foreign.h"

namespace convoy::web {

struct WebViewerOptions {
  SessionOptions session;  // role and datagrams are set here
  Duration frame_every = std::chrono::milliseconds(33);
  std::string version;  // of this program, for people
  std::string video;    // a page with live video of the same run, with its token; empty: none
};

class WebViewer final : public Role, public PageBackend {
 public:
  WebViewer(WebViewerOptions options, ElementTypes types, Site& site, Network& network, Log& log);

  void on_opened(LinkId link, Moment now) override { member_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { member_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override { member_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override { member_.on_datagram(from, bytes, now); }
  void on_time(Moment now) override;
  Moment deadline() const override;
  bool finished() const override { return member_.finished(); }

  void leave() { member_.leave(); }
  const ForeignRole& member() const { return member_; }

  // Of pages, in this role's thread.
  void joined(PageId page) override;
  void left(PageId page, const std::string& holder, bool has_leased) override;
  void ask(PageId page, std::uint64_t id, proto::Request request) override;
  void wants(const std::set<std::string>& topics) override;

 private:
  struct Asked {
    PageId page = 0;  // 0: asked for itself
    std::uint64_t id = 0;
  };
  void work(Moment now);
  void look(Moment now);
  void welcome_all();
  void follow_world();
  void take_replies(Moment now);
  void take_status(const proto::Reply& reply, Moment now);
  ForeignOptions as_viewer();
  std::string host_of(Owner owner) const;

  WebViewerOptions options_;
  Site& site_;
  PageFeed feed_;
  SceneBook scene_;
  nlohmann::json welcome_;  // docs/web.md, without what the desk knows
  ForeignRole member_;
  EntityList entities_;
  FoxgloveFeed foxglove_;
  std::map<Owner, std::string> hosts_;  // by the last status
  std::vector<PageId> joining_;
  std::size_t pages_ = 0;
  std::map<std::uint64_t, Asked> open_;  // calls, by the server's id
  std::uint64_t asked_status_ = 0;       // the call that is open; 0: none
  bool ready_ = false, paused_ = false;
  Moment next_frame_{}, next_status_{};
  struct {
    Moment at{};
    Instant sim{};
  } last_status_;
};

}  // namespace convoy::web
