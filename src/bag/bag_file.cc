#include "bag/bag_file.h"

#include <filesystem>

namespace convoy {

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

Result<BagFile::Paths> BagFile::paths_of(const std::string& file, bool overwrite) {
  if (file.empty()) return fail(ErrorCode::kInvalid, "a recorder needs a file");
  Paths paths;
  paths.file = file;
  if (!std::string_view(file).ends_with(kSuffix)) {
    paths.folder = file;
    while (paths.folder.size() > 1 && paths.folder.back() == '/') paths.folder.pop_back();
    paths.file =
        paths.folder + "/" + std::filesystem::path(paths.folder).filename().string() + "_0" + std::string(kSuffix);
  }
  paths.file = os::followed(paths.file);  // links stay
  paths.active = os::is_special(paths.file) ? paths.file : paths.file + ".active";
  if (os::exists(file) && !overwrite)
    return fail(ErrorCode::kExists, "is there already, and is not to be overwritten", file);
  return paths;
}

Result<std::unique_ptr<BagFile>> BagFile::open(const std::string& file, const std::string& compression,
                                               bool overwrite) {
  const auto packed = compression_of(compression == "none" ? "" : compression);
  if (!packed || compression.empty())
    return fail(ErrorCode::kInvalid, "compression '" + compression + "' is none of none, zstd, lz4");
  auto paths = paths_of(file, overwrite);
  if (!paths) return tl::unexpected(paths.error());
  if (!paths->folder.empty())
    if (auto ok = os::make_directories(paths->folder); !ok) return tl::unexpected(ok.error());
  auto opened = os::AppendFile::open(paths->active, os::AppendFile::Mode::kNew);
  if (!opened) return tl::unexpected(opened.error());
  return std::unique_ptr<BagFile>(new BagFile(std::move(*paths), std::move(*opened), *packed));
}

BagFile::~BagFile() {
  if (keep_ || paths_.active == paths_.file) return;
  std::error_code ignored;
  std::filesystem::remove(paths_.active, ignored);
  if (!paths_.folder.empty()) std::filesystem::remove(paths_.folder, ignored);  // if it is empty
}

Status BagFile::kept(Status ok) {
  if (ok) return ok;
  keep_ = true;
  return tl::unexpected(at(paths_.active, ok.error()));
}

Status BagFile::add(const Topic& topic) {
  auto schema = schemas_.find(topic.type);
  if (schema == schemas_.end()) {
    const auto id = writer_.add_schema(topic.type, topic.schema.empty() ? "" : "ros2msg", as_bytes(topic.schema));
    if (!id) return kept(tl::unexpected(id.error()));
    schema = schemas_.emplace(topic.type, *id).first;
  }
  Channel made{.type = topic.type, .hash = topic.hash, .qos = profiles_text(topic.offered)};
  const auto id =
      writer_.add_channel({.schema_id = schema->second,
                           .topic = topic.name,
                           .message_encoding = "cdr",
                           .metadata = {{"offered_qos_profiles", made.qos}, {"topic_type_hash", made.hash}}});
  if (!id) return kept(tl::unexpected(id.error()));
  made.id = *id;
  channels_.emplace(topic.name, std::move(made));
  return {};
}

Status BagFile::write(const std::string& topic, ByteView cdr, std::uint64_t stamp_ns) {
  Channel& channel = channels_.at(topic);
  return kept(writer_.write({.channel_id = channel.id,
                             .sequence = channel.messages++,
                             .log_time_ns = stamp_ns,
                             .publish_time_ns = stamp_ns,
                             .data = cdr}));
}

Status BagFile::close() {
  keep_ = true;
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
std::string BagFile::metadata_text(const std::string& indent) const {
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

std::string profiles_text(const std::vector<nodes::QoS>& profiles) {
  const std::string infinite = "{sec: 9223372036, nsec: 854775807}";
  std::string out;
  for (const nodes::QoS& qos : profiles)
    out += std::string("- history: ") + (qos.keep_all ? "keep_all" : "keep_last") +
           "\n  depth: " + std::to_string(qos.keep_all ? 0 : qos.depth) +
           "\n  reliability: " + (qos.reliable ? "reliable" : "best_effort") +
           "\n  durability: " + (qos.transient_local ? "transient_local" : "volatile") + "\n  deadline: " + infinite +
           "\n  lifespan: " + infinite + "\n  liveliness: automatic\n  liveliness_lease_duration: " + infinite +
           "\n  avoid_ros_namespace_conventions: false\n";
  return out;
}

}  // namespace convoy
