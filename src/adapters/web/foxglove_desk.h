// What Foxglove's clients are told: which channels there are, and what comes on those that they are subscribed to.
//
// Lives in the web server's thread beside the PageDesk, and like it has no socket and no world: the simulation's side
// (foxglove_feed.h) hands it bytes, and is told which topics are wanted. Nobody waits for a client: one that does not take
// what it is sent is spared streams, and closed by its socket when too much waits.
#pragma once

#include <map>
#include <set>
#include <string>

#include "adapters/web/foxglove_channels.h"
#include "adapters/web/foxglove_clerk.h"

namespace convoy::web {

inline constexpr std::size_t kMostOfUpdate = 4u << 20;   // bytes of one message of the scene; then another begins
inline constexpr const char* kFoxgloveScene = "/scene";  // its parts are kept for who comes later

// What became of the scene: foxglove.SceneUpdates by the name of their entity.
struct FoxgloveSceneChange {
  bool all = false;  // forget those known
  std::map<std::string, SharedBytes> gone, set;
  bool empty() const { return !all && gone.empty() && set.empty(); }
};

class FoxgloveDesk {
 public:
  // `session`: another one for each start of the server.
  FoxgloveDesk(Keys keys, std::string session, PagePort& port, PageBackend& backend)
      : keys_(std::move(keys)), session_(std::move(session)), port_(port), backend_(backend), clerk_(port, backend) {}

  // From the sockets.
  bool admits(const WebOpening& opening) const { return keys_.access_of_token(opening.token).has_value(); }
  void opened(PageId page, const WebOpening& opening);
  bool has(PageId page) const { return clients_.contains(page); }
  void text(PageId page, std::string_view text);
  void binary(PageId page, ByteView bytes);
  void closed(PageId page);
  void on_time(Moment now);

  // From the simulation.
  void begin(const nlohmann::json& facts) { facts_ = facts; }  // what clients are told of the run: texts
  void set_channels(const std::vector<FoxgloveChannel>& all);
  // `keep`: who subscribes later gets it, too.
  void publish(const std::string& topic, std::uint64_t time_ns, const SharedBytes& message, bool keep = false);
  void change_scene(std::uint64_t time_ns, const FoxgloveSceneChange& change);
  void set_time(std::uint64_t time_ns);
  void lose(const std::string& why);
  void join_again();
  FoxgloveClerk& clerk() { return clerk_; }

 private:
  using Json = nlohmann::json;
  struct Client {
    std::map<std::uint32_t, std::uint32_t> channels;  // by number of the subscription
    bool graph = false;                               // is told of who publishes what
  };
  struct Kept {
    std::uint64_t time_ns = 0;
    SharedBytes message;
  };

  void subscribe(PageId id, Client& client, const Json& message);
  void unsubscribe(PageId id, Client& client, const Json& message);
  void tell_graph(PageId id, const std::vector<std::uint32_t>& gone);
  void send_parts(PageId id, std::uint32_t subscription, const std::vector<SharedBytes>& parts) const;
  void send_kept(PageId id, std::uint32_t subscription, const std::string& topic) const;
  void want();

  Keys keys_;
  std::string session_;
  PagePort& port_;
  PageBackend& backend_;
  FoxgloveClerk clerk_;
  std::map<PageId, Client> clients_;
  FoxgloveChannels channels_;
  nlohmann::json facts_ = nlohmann::json::object();
  std::map<std::string, Kept> kept_;          // by topic
  std::map<std::string, SharedBytes> scene_;  // by entity
  std::uint64_t time_ns_ = 0, scene_ns_ = 0;
  std::set<std::string> wanted_;
};

}  // namespace convoy::web
