// A bag that is being written: an F.mcap, or a folder F with F_0.mcap and metadata.yaml, as `ros2 bag record` makes it.
//
//   auto bag = BagFile::open("drive.mcap", "zstd", false);
//   Status ok = (*bag)->add({"/scan", "sensor_msgs/msg/LaserScan", hash, schema, {qos}});
//   ok = (*bag)->write("/scan", cdr, stamp_ns);
//   ok = (*bag)->close();
//
// The file has its name only once it is whole; before that it is called F.mcap.active. If it is never closed, and nothing
// has failed, it goes. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nodes/qos.h"
#include "os/file.h"
#include "record/mcap_writer.h"

namespace convoy {

class BagFile {
 public:
  struct Topic {
    std::string name, type;  // "/scan", "sensor_msgs/msg/LaserScan"
    std::string hash;        // RIHS01; may be empty
    std::string schema;      // the definition with those of nested types; empty: readers must have it from elsewhere
    std::vector<nodes::QoS> offered;
  };

  // `compression`: none, zstd, lz4. kExists: the file is there, and shall not be overwritten.
  static Result<std::unique_ptr<BagFile>> open(const std::string& file, const std::string& compression, bool overwrite);
  ~BagFile();
  BagFile(const BagFile&) = delete;
  BagFile& operator=(const BagFile&) = delete;

  const std::string& path() const { return paths_.file; }  // once it is whole
  bool has(const std::string& topic) const { return channels_.contains(topic); }
  Status add(const Topic& topic);  // once for each
  // The topic was added. ns since whatever epoch the bag has.
  Status write(const std::string& topic, ByteView cdr, std::uint64_t stamp_ns);
  std::uint64_t messages() const { return writer_.statistics().message_count; }
  // What a crash cannot take any more. Now and then.
  Status finish_chunk() { return kept(writer_.finish_chunk()); }
  // Once, and nothing afterwards.
  Status close();

 private:
  struct Paths {
    std::string folder;        // empty: a file without a folder
    std::string file, active;  // the same if it is a device or a pipe, which is written in place
  };
  class Sink final : public ByteSink {
   public:
    explicit Sink(os::AppendFile file) : file_(std::move(file)) {}
    Status write(ByteView bytes) override { return file_.write(bytes); }
    Status flush() override { return file_.flush(); }

   private:
    os::AppendFile file_;
  };
  struct Channel {
    std::uint16_t id = 0;
    std::uint32_t messages = 0;
    std::string type, hash, qos;
  };

  BagFile(Paths paths, os::AppendFile file, Compression compression)
      : paths_(std::move(paths)),
        sink_(std::move(file)),
        writer_(sink_, {.compression = compression, .profile = "ros2"}) {}
  static Result<Paths> paths_of(const std::string& file, bool overwrite);
  Status kept(Status ok);  // what has failed stays as it is, and is named
  std::string metadata_text(const std::string& indent) const;

  Paths paths_;
  Sink sink_;
  McapWriter writer_;
  std::map<std::string, Channel> channels_;  // by topic
  std::map<std::string, std::uint16_t> schemas_;
  bool keep_ = false;
};

// What stands in a bag's channel as `offered_qos_profiles`, as rosbag2 writes it since version 9.
std::string profiles_text(const std::vector<nodes::QoS>& profiles);

}  // namespace convoy
