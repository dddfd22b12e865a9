// convoy::Recorder, and what writes its bag.
#include <rclcpp_components/register_node_macro.hpp>

#include <filesystem>

#include "bag_recorder.hpp"
#include "convoy_ros/types.hpp"
#include "qos_text.hpp"

namespace convoy::ros {
namespace {

constexpr std::string_view kSuffix = ".mcap";

Error at(const std::string& path, Error error) {
  if (error.where.empty()) error.where = path;
  return error;
}

std::string lines_of(const std::string& text, const std::string& indent) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    out += indent + text.substr(from, end - from) + "\n";
    from = end + 1;
  }
  return out;
}

// A YAML scalar in double quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + "\"";
}

}  // namespace

Result<BagRecorder::Paths> BagRecorder::paths_of(const BagSpec& spec) {
  if (spec.file.empty()) return fail(ErrorCode::kInvalid, "a recorder needs a file");
  Paths paths;
  paths.file = spec.file;
  if (!std::string_view(spec.file).ends_with(kSuffix)) {
    paths.folder = spec.file;
    while (paths.folder.size() > 1 && paths.folder.back() == '/') paths.folder.pop_back();
    paths.file =
        paths.folder + "/" + std::filesystem::path(paths.folder).filename().string() + "_0" + std::string(kSuffix);
  }
  paths.file = os::followed(paths.file);  // links stay
  paths.active = os::is_special(paths.file) ? paths.file : paths.file + ".active";
  if (os::exists(spec.file) && !spec.overwrite)
    return fail(ErrorCode::kExists, "is there already, and is not to be overwritten", spec.file);
  return paths;
}

Status BagRecorder::attach(Simulation& simulation, const BagSpec& spec) {
  auto filter = TopicFilter::make(spec.topics, spec.exclude);
  if (!filter) return tl::unexpected(filter.error());
  const auto compression = compression_of(spec.compression == "none" ? "" : spec.compression);
  if (!compression || spec.compression.empty())
    return fail(ErrorCode::kInvalid, "compression '" + spec.compression + "' is none of none, zstd, lz4");
  auto paths = paths_of(spec);
  if (!paths) return tl::unexpected(paths.error());
  if (!paths->folder.empty())
    if (auto ok = os::make_directories(paths->folder); !ok) return ok;
  auto file = os::AppendFile::open(paths->active, os::AppendFile::Mode::kNew);
  if (!file) return tl::unexpected(file.error());
  // Shared: the graph's taps and the end of the run both use it, and either may go first.
  const std::shared_ptr<BagRecorder> self(
      new BagRecorder(simulation, std::move(*paths), std::move(*filter), std::move(*file), *compression));
  simulation.at_end([self] { return self->close(); });
  simulation.graph().watch_topics([self](const nodes::Topic& topic) {
    if (!self->open_ || !self->filter_.wants(topic.name())) return;
    (void)self->simulation_.graph().tap(topic.name(),
                                        [self, &topic](const nodes::Delivery& d) { self->take(topic, d); });
  });
  return {};
}

BagRecorder::BagRecorder(Simulation& simulation, Paths paths, TopicFilter filter, os::AppendFile file,
                         Compression compression)
    : simulation_(simulation),
      paths_(std::move(paths)),
      filter_(std::move(filter)),
      sink_(std::move(file)),
      writer_(sink_, {.compression = compression, .profile = "ros2"}) {}

BagRecorder::~BagRecorder() {
  if (keep_ || paths_.active == paths_.file) return;
  std::error_code ignored;
  std::filesystem::remove(paths_.active, ignored);
  if (!paths_.folder.empty()) std::filesystem::remove(paths_.folder, ignored);  // if it is empty
}

void BagRecorder::take(const nodes::Topic& topic, const nodes::Delivery& delivery) {
  if (!open_) return;
  if (auto ok = write(topic, delivery); !ok)
    open_ = false, keep_ = true, simulation_.graph().stop(at(paths_.active, ok.error()));
}

Status BagRecorder::write(const nodes::Topic& topic, const nodes::Delivery& delivery) {
  const nodes::MessageType& type = delivery.message.type();
  const auto to = channel(topic, type);
  if (!to) return tl::unexpected(to.error());
  const auto stamp = static_cast<std::uint64_t>(nanos(delivery.published));
  return writer_.write({.channel_id = (*to)->id,
                        .sequence = (*to)->messages++,
                        .log_time_ns = stamp,
                        .publish_time_ns = stamp,
                        .data = nodes::bytes_of(type, delivery.message.get(), scratch_)});
}

Result<std::uint16_t> BagRecorder::schema(const nodes::MessageType& type) {
  const std::string name(type.name());
  if (const auto found = schemas_.find(name); found != schemas_.end()) return found->second;
  std::string text = type.schema();
  if (text.empty())
    if (const auto known = find_type(name)) text = known->schema();
  if (text.empty())
    simulation_.log(
        30, "convoy",
        "the definition of " + name + " is not known: who reads " + paths_.file + " must have it from elsewhere");
  auto id = writer_.add_schema(name, text.empty() ? "" : "ros2msg", as_bytes(text));
  if (id) schemas_[name] = *id;
  return id;
}

Result<BagRecorder::Channel*> BagRecorder::channel(const nodes::Topic& topic, const nodes::MessageType& type) {
  if (const auto found = channels_.find(topic.name()); found != channels_.end()) return &found->second;
  const auto id_of_schema = schema(type);
  if (!id_of_schema) return tl::unexpected(id_of_schema.error());
  std::vector<nodes::QoS> offered;
  for (const nodes::Publisher* publisher : topic.publishers()) offered.push_back(publisher->qos());
  Channel made{
      .type = std::string(type.name()), .hash = std::string(type.definition_hash()), .qos = profiles_text(offered)};
  const auto id =
      writer_.add_channel({.schema_id = *id_of_schema,
                           .topic = topic.name(),
                           .message_encoding = "cdr",
                           .metadata = {{"offered_qos_profiles", made.qos}, {"topic_type_hash", made.hash}}});
  if (!id) return tl::unexpected(id.error());
  made.id = *id;
  return &channels_.emplace(topic.name(), std::move(made)).first->second;
}

Status BagRecorder::close() {
  if (!std::exchange(open_, false)) return {};  // what went wrong has been reported
  keep_ = true;
  // Topics with publishers, none of which has published.
  for (const auto& [name, topic] : simulation_.graph().topics())
    if (!topic->publishers().empty() && filter_.wants(name))
      if (auto made = channel(*topic, topic->type()); !made) return tl::unexpected(at(paths_.active, made.error()));
  Status ok = writer_.add_metadata({.name = "rosbag2", .entries = {{"serialized_metadata", metadata_text("")}}});
  if (ok) ok = writer_.close();
  if (!ok) return tl::unexpected(at(paths_.active, ok.error()));
  std::error_code failed;
  if (paths_.active != paths_.file) std::filesystem::rename(paths_.active, paths_.file, failed);
  if (failed) return fail(ErrorCode::kUnavailable, failed.message(), paths_.file);
  if (paths_.folder.empty()) return {};
  return os::write_file(paths_.folder + "/metadata.yaml", "rosbag2_bagfile_information:\n" + metadata_text("  "));
}

// What rosbag2 writes of a bag since version 9.
std::string BagRecorder::metadata_text(const std::string& indent) const {
  const mcap::Statistics& s = writer_.statistics();
  const std::string file = quoted(std::filesystem::path(paths_.file).filename().string());
  const std::string times = "duration:\n  nanoseconds: " + std::to_string(s.end_ns - s.start_ns) +
                            "\nstarting_time:\n  nanoseconds_since_epoch: " + std::to_string(s.start_ns) +
                            "\nmessage_count: " + std::to_string(s.message_count) + "\n";
  std::string out = "version: 9\nstorage_identifier: mcap\n" + times +
                    "topics_with_message_count:" + (channels_.empty() ? " []\n" : "\n");
  for (const auto& [topic, channel] : channels_)
    out += "  - topic_metadata:\n      name: " + quoted(topic) + "\n      type: " + quoted(channel.type) +
           "\n      serialization_format: cdr\n      offered_qos_profiles:" + (channel.qos.empty() ? " []\n" : "\n") +
           lines_of(channel.qos, "        ") + "      type_description_hash: " + quoted(channel.hash) +
           "\n    message_count: " + std::to_string(channel.messages) + "\n";
  out += "compression_format: \"\"\ncompression_mode: \"\"\nrelative_file_paths:\n  - " + file +
         "\nfiles:\n  - path: " + file + "\n" + lines_of(times, "    ") + "custom_data: ~\nros_distro: convoy\n";
  return lines_of(out, indent);
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
