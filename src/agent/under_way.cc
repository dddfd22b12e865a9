#include "agent/under_way.h"

#include "agent/agent_inside.h"

namespace convoy {

namespace {

constexpr std::uint32_t kMark = 0xffffffff;  // no size of what may stand there else

}  // namespace

Bytes save_under_way(Fleet& fleet, WorldNumber robot, SampleMaker& maker) {
  Agent* agent = fleet.mine(robot);
  if (!agent || !agent->equipment().sensors) return {};
  fleet.orders().make_up(robot, maker);
  const std::vector<SampleQueue::UnderWay> samples = agent->equipment().sensors->queue().under_way();
  if (samples.empty()) return {};
  Bytes out;
  {
    SaveFields v(out);
    v("mark", kMark), v("under_way", samples);
  }
  return out;
}

bool begins_under_way(Reader in) { return in.u32() == kMark && in.ok(); }

bool load_under_way(Reader& in, SampleQueue& queue) {
  std::vector<SampleQueue::UnderWay> samples;
  std::uint32_t mark = 0;
  LoadFields v(in);
  v("mark", mark), v("under_way", samples);
  if (mark != kMark || !in.ok() || !in.done()) return false;
  for (SampleQueue::UnderWay& one : samples)
    queue.add({.due = one.due, .sample = std::move(one.sample), .to_nodes = false, .judged = true});
  return true;
}

}  // namespace convoy
