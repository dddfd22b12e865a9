#include "adapters/zmq/info_stream.h"

#include "adapters/zmq/layout.h"

namespace convoy::zmq {

void InfoStream::on_time(const control::Roster& roster, const Cameras& cameras, Moment now) {
  if (subscriptions_.take(socket_)) rhythm_.ask();
  if (rhythm_.due(now)) send(roster, cameras, now);
}

void InfoStream::send(const control::Roster& roster, const Cameras& cameras, Moment now) {
  const std::vector<control::RobotEntry>& all = roster.all();
  const std::size_t first = turn_.next(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const control::RobotEntry& robot = all[(first + i) % all.size()];
    socket_.send(info_text(robot.name, robot.panel, cameras.places_of(robot.number)));
  }
  rhythm_.sent(now);
}

}  // namespace convoy::zmq
