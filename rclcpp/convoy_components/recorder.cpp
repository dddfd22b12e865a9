// convoy::Recorder, and what fills its bag.
#include <rclcpp_components/register_node_macro.hpp>

#include "bag_recorder.hpp"
#include "convoy_ros/types.hpp"

namespace convoy::ros {

Status BagRecorder::attach(Simulation& simulation, const BagSpec& spec) {
  auto filter = TopicFilter::make(spec.topics, spec.exclude);
  if (!filter) return tl::unexpected(filter.error());
  auto bag = BagFile::open(spec.file, spec.compression, spec.overwrite);
  if (!bag) return tl::unexpected(bag.error());
  // Shared: the graph's taps and the end of the run both use it, and either may go first.
  const std::shared_ptr<BagRecorder> self(new BagRecorder(simulation, std::move(*filter), std::move(*bag)));
  simulation.at_end([self] { return self->close(); });
  simulation.graph().watch_topics([self](const nodes::Topic& topic) {
    if (!self->open_ || !self->filter_.wants(topic.name())) return;
    (void)self->simulation_.graph().tap(topic.name(),
                                        [self, &topic](const nodes::Delivery& d) { self->take(topic, d); });
  });
  return {};
}

void BagRecorder::take(const nodes::Topic& topic, const nodes::Delivery& delivery) {
  if (!open_) return;
  if (auto ok = write(topic, delivery); !ok) open_ = false, simulation_.graph().stop(ok.error());
}

Status BagRecorder::write(const nodes::Topic& topic, const nodes::Delivery& delivery) {
  const nodes::MessageType& type = delivery.message.type();
  if (auto ok = add(topic, type); !ok) return ok;
  return bag_->write(topic.name(), nodes::bytes_of(type, delivery.message.get(), scratch_),
                     static_cast<std::uint64_t>(nanos(delivery.published)));
}

Status BagRecorder::add(const nodes::Topic& topic, const nodes::MessageType& type) {
  if (bag_->has(topic.name())) return {};
  BagFile::Topic made{.name = topic.name(),
                      .type = std::string(type.name()),
                      .hash = std::string(type.definition_hash()),
                      .schema = type.schema(),
                      .offered = {}};
  if (made.schema.empty())
    if (const auto known = find_type(made.type)) made.schema = known->schema();
  if (made.schema.empty() && unknown_.insert(made.type).second)
    simulation_.log(
        30, "convoy",
        "the definition of " + made.type + " is not known: who reads " + bag_->path() + " must have it from elsewhere");
  for (const nodes::Publisher* publisher : topic.publishers()) made.offered.push_back(publisher->qos());
  return bag_->add(made);
}

Status BagRecorder::close() {
  if (!std::exchange(open_, false)) return {};  // what went wrong has been reported
  // Topics with publishers, none of which has published.
  for (const auto& [name, topic] : simulation_.graph().topics())
    if (!topic->publishers().empty() && filter_.wants(name))
      if (auto ok = add(*topic, topic->type()); !ok) return ok;
  return bag_->close();
}

}  // namespace convoy::ros

extern "C" void convoy_record(convoy::ros::Simulation& simulation, const convoy::ros::BagSpec& spec,
                              convoy::Status& ok) {
  ok = convoy::ros::BagRecorder::attach(simulation, spec);
}

namespace convoy {

class Recorder : public rclcpp::Node {
 public:
  explicit Recorder(const rclcpp::NodeOptions& options) : Node("convoy_recorder", options) {
    using Words = std::vector<std::string>;
    ros::BagSpec spec;
    spec.file = declare_parameter("file", std::string());
    spec.topics = declare_parameter("topics", Words());
    spec.exclude = declare_parameter("exclude", Words());
    spec.compression = declare_parameter("compression", spec.compression);
    spec.overwrite = declare_parameter("overwrite", false);
    if (auto ok = ros::BagRecorder::attach(get_node_base_interface()->simulation(), spec); !ok)
      throw std::runtime_error(ok.error().message());
  }
};

}  // namespace convoy

RCLCPP_COMPONENTS_REGISTER_NODE(convoy::Recorder)
