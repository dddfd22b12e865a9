// A robot client of Convoy's in a program of your own: it joins a run as any host, and moves the robots that it is given by
// engines that are compiled into the program (convoy/robot.h).
//
//   const convoy::robot::Type engines[] = {{"bicycle", convoy::robot::maker<Bicycle>()}};
//   auto host = convoy::Host::join({.server = "127.0.0.1:7447", .name = "cars"}, engines);
//   if (!host) ...                          // nobody listens there, a name that is none
//   if (auto over = host->run(); !over) ... // the server refused it, or is gone; over.error().message() says which
//
//   models: [{name: car, file: car.xml, engine: bicycle}]      # in the scenario: an engine without a library
//   robots: [{name: car, model: car, host: cars}]
//
// It links convoy::host, which has all of a robot client inside; a program links that or convoy::client, not both. Everything
// else of a robot is as at any host: contacts, sensors, drivers, digests. ROS 2 nodes it runs none.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "convoy/result.h"
#include "convoy/robot.h"

namespace convoy {

class Host {
 public:
  struct Options {
    std::string server;            // ADDRESS:PORT, of convoy server or launch
    std::string name;              // of the host, as scenarios place robots; empty: the server gives it one
    std::string credentials = {};  // empty: those that a run on this machine keeps for its user
    unsigned threads = 1;          // for its robots
    bool signals = true;           // SIGINT and SIGTERM end run(), in order
    bool quiet = false;            // warnings and errors alone on stderr
  };
  // kInvalid: no such address, an engine that cannot be one.
  static Result<Host> join(const Options& options, std::span<const robot::Type> engines);

  Host(Host&&) noexcept;
  Host& operator=(Host&&) noexcept;
  ~Host();

  // Takes part until the run is over, which is no error, or until stop().
  Status run();
  // From any thread, also before run().
  void stop();

 private:
  struct Inside;
  explicit Host(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace convoy
