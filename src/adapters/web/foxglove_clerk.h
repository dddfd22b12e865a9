// What Foxglove's clients ask for: services, robots to drive, parameters, and the run's time.
//
// Everything becomes a call of the control protocol, within the role of the client's token; who may not, or asks too much,
// is told so and counted. Lives in the web server's thread, as a part of the FoxgloveDesk.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "adapters/web/foxglove_parameters.h"
#include "adapters/web/foxglove_wire.h"
#include "adapters/web/page_desk.h"

namespace convoy::web {

inline constexpr std::size_t kMostPublished = 256;                     // channels of one client's own
inline constexpr Duration kParametersEvery = std::chrono::seconds(2);  // while somebody is told of nodes' ones

class FoxgloveClerk {
 public:
  using Json = nlohmann::json;
  using Done = std::function<void(const proto::Reply&)>;

  FoxgloveClerk(PagePort& port, PageBackend& backend) : port_(port), backend_(backend) {}

  void opened(PageId page, Access access, bool sdk);
  void closed(PageId page);
  // A message whose `op` is one of those that are for it; false: it is not.
  bool text(PageId page, const std::string& op, const Json& message);
  void binary(PageId page, ByteView bytes);
  void on_time(Moment now);

  // Makes a call. `done` is called once, with the reply, or with why there is none.
  void ask(PageId page, proto::Request request, Done done);
  void answered(std::uint64_t id, const proto::Reply& reply);
  void lose();  // there is nobody who answers
  void set_run(bool paused, double speed);
  void set_time(std::uint64_t time_ns) { time_ns_ = time_ns; }

  void say(PageId page, const Json& message) const;
  // Tells the client, and counts it.
  void refuse(PageId page, const char* reason, const std::string& text);
  // Of its capabilities, those that work for this role and subprotocol.
  static Json capabilities(Access access, bool sdk);
  const std::map<std::string, std::uint64_t>& refused() const { return refused_; }

 private:
  struct Asker {
    Access access = Access::kView;
    bool playback = false;                        // it knows messages of foxglove.sdk.v1
    std::map<std::uint32_t, std::string> drives;  // robots, by its own channels
    std::set<std::string> parameters;             // that it is told of; "" is all
    std::size_t calls = 0;                        // that wait for their answer
  };
  struct Open {
    PageId page = 0;
    Done done;
  };
  void advertise(PageId page, Asker& asker, const Json& message);
  void unadvertise(PageId page, Asker& asker, const Json& message);
  void get_parameters(PageId page, const Json& message);
  void set_parameters(PageId page, const Json& message);
  void follow_parameters(PageId page, Asker& asker, const Json& message, bool on);
  void take(PageId page, const FoxglovePublished& published);
  void take(PageId page, const FoxgloveCall& call);
  void take(PageId page, const FoxglovePlay& play);
  // Asks for the nodes' parameters, and then.
  void learn_parameters(PageId page, const std::function<void()>& then);
  void tell_parameters(const std::set<std::string>& names) const;
  void tell_playback(PageId page, const std::string& request) const;

  PagePort& port_;
  PageBackend& backend_;
  std::map<PageId, Asker> askers_;
  FoxgloveParameters parameters_;
  bool paused_ = false;
  double speed_ = 1;
  std::uint64_t time_ns_ = 0;
  std::map<std::uint64_t, Open> open_;  // calls, by our number
  std::uint64_t calls_ = 0;
  Moment next_parameters_{};
  std::map<std::string, std::uint64_t> refused_;
};

}  // namespace convoy::web
