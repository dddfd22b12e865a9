// convoy::Player publishes a bag's messages, each at its very nanosecond.
#include <yaml-cpp/yaml.h>
#include <rclcpp_components/register_node_macro.hpp>
#include <std_msgs/msg/float32.hpp>

#include <filesystem>

#include "bag/topic_filter.h"
#include "bag_source.hpp"
#include "os/terminal.h"
#include "qos_text.hpp"
#include "rclcpp/logging.hpp"
#include "seconds_parameter.hpp"

namespace convoy::ros {
namespace {

// The one file of a folder, as its metadata.yaml names it.
Result<std::string> file_in(const std::string& folder) {
  const std::string metadata = folder + "/metadata.yaml";
  const auto text = os::read_text(metadata);
  if (!text) return tl::unexpected(text.error());
  try {
    const YAML::Node info = YAML::Load(*text)["rosbag2_bagfile_information"];
    if (info["storage_identifier"].as<std::string>() != "mcap")
      return fail(ErrorCode::kUnsupported,
                  "the bag is stored as '" + info["storage_identifier"].as<std::string>() +
                      "', not as mcap (ros2 bag convert makes one)",
                  metadata);
    if (const auto mode = info["compression_mode"].as<std::string>("");
        !mode.empty() && mode != "none" && mode != "NONE")
      return fail(ErrorCode::kUnsupported,
                  "the bag is compressed by " + mode + "; compression inside of the file is read", metadata);
    const auto files = info["relative_file_paths"].as<std::vector<std::string>>();
    if (files.size() != 1)
      return fail(ErrorCode::kUnsupported, "the bag has " + std::to_string(files.size()) + " files; name one of them",
                  metadata);
    return folder + "/" + std::filesystem::path(files[0]).filename().string();
  } catch (const YAML::Exception& e) {
    return fail(ErrorCode::kInvalid, "not the metadata of a bag: " + e.msg, metadata);
  }
}

}  // namespace

Result<std::unique_ptr<BagSource>> BagSource::open(const std::string& given) {
  std::string path = given;
  std::error_code ignored;
  if (std::filesystem::is_directory(given, ignored)) {
    auto inside = file_in(given);
    if (!inside) return tl::unexpected(inside.error());
    path = std::move(*inside);
  }
  const auto named = [&](Error error) {
    error.where = error.where.empty() ? path : error.where;
    return tl::unexpected(std::move(error));
  };
  auto file = os::MappedFile::open(path);
  if (!file) return named(file.error());
  std::unique_ptr<BagSource> source(new BagSource(path, std::move(*file)));
  auto reader = McapReader::open(source->file_.bytes());
  if (!reader) return named(reader.error());
  source->reader_ = std::move(*reader);
  if (auto ok = source->reader_->make_index(); !ok) return named(ok.error());
  return source;
}

Result<std::optional<std::uint64_t>> BagSource::first() const {
  McapCursor all(*reader_, {});
  const auto message = all.next();
  if (!message) return tl::unexpected(message.error());
  return *message ? std::optional((*message)->log_time_ns) : std::nullopt;
}

}  // namespace convoy::ros

namespace convoy {

using ros::BagSource;

class Player : public rclcpp::Node {
 public:
  explicit Player(const rclcpp::NodeOptions& options) : Node("convoy_player", options) {
    const auto file = declare_parameter("file", std::string());
    topics_ = declare_parameter("topics", Words());
    exclude_ = declare_parameter("exclude", Words());
    const Duration offset = ros::seconds_parameter(*this, "start_offset");
    const auto overrides_file = declare_parameter("qos_profile_overrides_path", std::string());
    const bool progress = declare_parameter("progress", false);
    if (file.empty()) throw std::invalid_argument("parameter 'file' is missing");
    source_ = must(BagSource::open(file));
    if (!overrides_file.empty()) must(overrides_.add_file(overrides_file));
    must(overrides_.add_parameters(get_node_parameters_interface()->get_parameter_overrides()));
    make_publishers();
    if (progress) {
      const auto topic = declare_parameter("progress_topic", std::string("/convoy/progress"));
      progress_ = create_publisher<std_msgs::msg::Float32>(topic, 1);
      on_terminal_ = os::stderr_is_terminal();
    }
    begin(offset);
  }

 private:
  using Words = std::vector<std::string>;

  // What cannot start is thrown, and becomes the job's one line.
  template <class T>
  T must(Result<T> result) const {
    if (result) {
      if constexpr (std::is_void_v<T>) return;
      else return std::move(*result);
    }
    Error error = result.error();
    if (error.where.empty() && source_) error.where = source_->path();
    throw std::runtime_error(error.message());
  }

  void make_publishers() {
    const auto filter = must(TopicFilter::make(topics_, exclude_));
    Words all, played;
    for (const auto& [id, channel] : source_->reader().channels()) {
      all.push_back(channel.topic);
      if (!filter.wants(channel.topic)) continue;
      played.push_back(channel.topic);
      publishers_[id] = make_publisher(channel);
    }
    if (const std::string word = filter.unmet(all); !word.empty()) {
      std::string list;
      for (const std::string& topic : all) list += (list.empty() ? "" : ", ") + topic;
      must(Status(fail(ErrorCode::kNotFound, "no topic '" + word + "'; there are: " + (list.empty() ? "none" : list))));
    }
    must(overrides_.check(played));
  }

  rclcpp::GenericPublisher::SharedPtr make_publisher(const mcap::Channel& channel) {
    const auto refuse = [&](const std::string& text) {
      must(Status(fail(ErrorCode::kUnsupported, "topic '" + channel.topic + "': " + text)));
    };
    if (channel.message_encoding != "cdr")
      refuse("its messages are encoded as '" + channel.message_encoding +
             "', not as cdr; exclude it to play the others");
    const auto schema = source_->reader().schemas().find(channel.schema_id);
    if (schema == source_->reader().schemas().end()) refuse("its type is not known: it has no schema");
    const auto entry = [&](const char* key) {
      const auto found = channel.metadata.find(key);
      return found == channel.metadata.end() ? std::string() : found->second;
    };
    const mcap::Schema& s = schema->second;
    const std::string text = s.encoding == "ros2msg" ? std::string(s.data.begin(), s.data.end()) : std::string();
    const auto type = ros::serialized_type(s.name, entry("topic_type_hash"), text);
    if (!type) refuse(type.error().text);
    auto qos = ros::recorded_qos(entry("offered_qos_profiles"));
    if (!qos) refuse(qos.error().message());
    return create_generic_publisher(channel.topic, **type, overrides_.applied(channel.topic, *qos));
  }

  void begin(Duration offset) {
    const auto first = must(source_->first());
    if (!first) return;
    // Stamps of another kind of clock, beyond 2262.
    if (*first > INT64_MAX || source_->last() > INT64_MAX ||
        offset > nodes::kNoInstant - instant(static_cast<std::int64_t>(*first)))
      must(Status(fail(ErrorCode::kInvalid, "its times are beyond what simulated time can be")));
    ros::Simulation& simulation = get_node_base_interface()->simulation();
    from_ = instant(static_cast<std::int64_t>(*first)) + offset;
    to_ = instant(static_cast<std::int64_t>(source_->last()));
    if (!simulation.request_start(from_)) from_ = std::max(from_, simulation.start().value_or(simulation.now()));
    cursor_.emplace(source_->reader(),
                    McapSpan{.from_ns = static_cast<std::uint64_t>(nanos(from_)),
                             .wants = [this](const mcap::Channel& c) { return publishers_.contains(c.id); }});
    timer_ =
        get_node_base_interface()->kernel().create_timer({.autostart = false, .callback = [this, &simulation] {
                                                            simulation.guarded("convoy::Player", [this] { play(); });
                                                          }});
    next_ = must(cursor_->next());
    arm();
  }

  Instant due() const { return instant(static_cast<std::int64_t>(next_->log_time_ns)); }

  // One timer, for the very instant of the next message.
  void arm() {
    if (!next_) return timer_->cancel();
    timer_->set_period(due() - get_node_base_interface()->simulation().now());
    timer_->reset();
  }

  void play() {
    const Instant now = due();
    while (next_ && due() == now) {
      const ByteView bytes = next_->data;
      publishers_.at(next_->channel->id)->publish(rclcpp::SerializedMessage(Bytes(bytes.begin(), bytes.end())));
      next_ = must(cursor_->next());
    }
    if (progress_) publish_progress(next_ ? percent(now) : 100);
    arm();
  }

  int percent(Instant now) const {
    return to_ > from_ ? static_cast<int>(100 * seconds(now - from_) / seconds(to_ - from_)) : 100;
  }

  void publish_progress(int percent) {
    if (percent == published_percent_) return;
    published_percent_ = percent;
    std_msgs::msg::Float32 message;
    message.data = static_cast<float>(percent) / 100;
    progress_->publish(message);
    if (on_terminal_)
      std::fprintf(stderr, "\r%s: %d %%%s", source_->path().c_str(), percent, percent == 100 ? "\n" : "");
  }

  Words topics_, exclude_;
  ros::QosOverrides overrides_;
  std::unique_ptr<BagSource> source_;
  std::map<std::uint16_t, rclcpp::GenericPublisher::SharedPtr> publishers_;  // by channel
  rclcpp::Publisher<std_msgs::msg::Float32>::SharedPtr progress_;
  bool on_terminal_ = false;
  int published_percent_ = -1;
  Instant from_{}, to_{};
  std::optional<McapCursor> cursor_;
  const MessageView* next_ = nullptr;  // the one that the timer is armed for
  nodes::Owned<nodes::Timer> timer_;
};

}  // namespace convoy

RCLCPP_COMPONENTS_REGISTER_NODE(convoy::Player)
