// What robots are, out: their actuators and cameras, one message a robot.
#pragma once

#include "adapters/zmq/block.h"
#include "adapters/zmq/cameras.h"
#include "adapters/zmq/info_rhythm.h"

namespace convoy::zmq {

class InfoStream {
 public:
  explicit InfoStream(Socket socket) : socket_(std::move(socket)) {}

  // Robots have come or gone.
  void ask() { rhythm_.ask(); }
  void after_tick(const control::Roster& roster, const Cameras& cameras, Moment now) {
    if (rhythm_.ticked()) send(roster, cameras, now);
  }
  // Takes subscriptions.
  void on_time(const control::Roster& roster, const Cameras& cameras, Moment now);

 private:
  void send(const control::Roster& roster, const Cameras& cameras, Moment now);

  Socket socket_;
  Subscriptions subscriptions_;
  InfoRhythm rhythm_;
  InfoTurn turn_;
};

}  // namespace convoy::zmq
