// What pages say and are told: who may come in, what each has drawn, what it asks for.
//
// Runs in the web server's thread, and has no socket and no world of its own: the simulation's side (web_viewer.h) hands
// it frames and texts in their order, and gets the pages' calls. Nobody waits for a page: each gets the newest frame when
// it has drawn one of the last two. Of a crowd (crowd.h) a page that says where it looks gets parts (sight.h).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "adapters/web/keys.h"
#include "adapters/web/scene_book.h"
#include "adapters/web/sight.h"
#include "adapters/web/web_server.h"
#include "convoy/control.pb.h"

namespace convoy::web {

inline constexpr std::uint32_t kMostUndrawn = 2;      // frames that a page has been sent and has not drawn
inline constexpr std::size_t kMostCalls = 64;         // of one page that wait for their answer
inline constexpr std::size_t kMostUntaken = 1 << 20;  // bytes; from there on a page gets no news that it can do without
// Until nothing newer is expected: from then on pages get what they lack of a crowd's last frame.
inline constexpr Duration kLastFrame = std::chrono::milliseconds(100);
inline constexpr Duration kSilence = std::chrono::seconds(10);  // from a page's opening to its hello

// The pages' way to the server's socket; a WebServer, or a test's.
class PagePort {
 public:
  virtual ~PagePort() = default;
  virtual void send(PageId page, const WebMessage& message) = 0;
  virtual std::size_t backlog(PageId page) const = 0;
  virtual void close(PageId page, CloseCode code, std::string_view reason) = 0;
  virtual std::map<std::string, std::uint64_t> refused() const = 0;  // at the sockets, by reason
};

// The simulation's side.
class PageBackend {
 public:
  virtual ~PageBackend() = default;
  virtual void joined(PageId page) = 0;  // it is to be told of everything
  virtual void left(PageId page, const std::string& holder, bool has_leased) = 0;
  virtual void ask(PageId page, std::uint64_t id, proto::Request request) = 0;
  // Of a recording: shows that log time to all. A run has one time.
  virtual void seek(PageId, std::uint64_t) {}
  // Of Foxglove's topics, those that somebody is subscribed to; told again when somebody more is.
  virtual void wants(const std::set<std::string>& topics) = 0;
};

// One of a page's files; 404: there is no such.
HttpResponse file_response(const SceneFiles& files, const std::string& path);

// A page's name, by which it leases robots.
std::string holder_of_page(PageId page);

class PageDesk {
 public:
  PageDesk(Keys keys, SceneFiles page_files, PagePort& port, PageBackend& backend)
      : keys_(std::move(keys)), page_files_(std::move(page_files)), port_(port), backend_(backend) {}

  // From the sockets.
  HttpResponse answer(const HttpRequest& request, Moment now);
  void opened(PageId page, Moment now);
  void text(PageId page, std::string_view text, Moment now);
  void closed(PageId page);
  void on_time(Moment now);

  // From the simulation. What only the desk knows is filled into `welcome` and `status`.
  void welcome(PageId page, nlohmann::json welcome, const std::vector<std::string>& texts);
  void status(nlohmann::json status);
  void tell_all(const std::string& text);  // news that a page can do without
  // Entities or models are others from here on: older frames no longer go with them.
  void change(const std::string& text);
  // The simulation is gone: open calls are answered so, and pages are told.
  void lose(const std::string& why);
  // Each page is to be told of everything again, by another simulation's side.
  void join_again();
  // A whole frame, which gets its number here; without `roster` nobody gets parts of it.
  void show(Bytes frame, std::shared_ptr<const Roster> roster, Moment now);
  void set_files(SceneFiles files) { scene_files_ = std::move(files); }
  void answered(PageId page, std::uint64_t id, const proto::Reply& reply);

  std::map<std::string, std::uint64_t> refused() const;  // here and at the sockets, by reason

 private:
  struct Page {
    Moment opened{};
    bool greeted = false, ready = false, has_leased = false;
    Access access = Access::kView;
    std::uint32_t shown = 0;             // frame of the crowd's that it was sent last, or a part of it
    std::vector<std::uint32_t> undrawn;  // numbers of frames
    Sight sight;
    Duration every = std::chrono::milliseconds(33);
    Moment last_frame{};
    std::set<std::uint64_t> calls;  // that wait for their answer
  };
  HttpResponse new_session(const HttpRequest& request, Moment now);
  void hello(PageId id, Page& page, const nlohmann::json& hello, Moment now);
  void call(PageId id, Page& page, const nlohmann::json& call);
  void seek(PageId id, const Page& page, const nlohmann::json& seek);
  void look(PageId id, Page& page, const nlohmann::json& look);
  void refuse(PageId page, const char* reason, const std::string& text);
  void refuse_call(PageId page, std::uint64_t id, ErrorCode code, const std::string& text);
  void offer(PageId id, Page& page, Moment now);
  SharedBytes next_frame(Page& page, Moment now);

  Keys keys_;
  SceneFiles page_files_, scene_files_;
  PagePort& port_;
  PageBackend& backend_;
  std::map<PageId, Page> pages_;
  Crowd crowd_;
  Moment shown_at_{};
  std::uint32_t number_ = 0;  // of the last frame, or part
  std::map<std::string, std::uint64_t> refused_;
};

}  // namespace convoy::web
