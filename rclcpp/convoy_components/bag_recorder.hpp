// Fills a bag with all that is published in a simulation: subscribes to each topic before its first message, as an
// observer that changes nothing of the run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "convoy_ros/bag.hpp"
#include "convoy_ros/simulation.hpp"
#include "os/file.h"
#include "record/mcap_writer.h"
#include "topic_filter.hpp"

namespace convoy::ros {

// The file has its name only once it is whole; before that it is called F.mcap.active. If the run never begins, it
// goes.
class BagRecorder {
 public:
  // The simulation keeps it, and closes the bag at the end of the run. What fails later ends the run.
  static Status attach(Simulation& simulation, const BagSpec& spec);
  ~BagRecorder();
  BagRecorder(const BagRecorder&) = delete;
  BagRecorder& operator=(const BagRecorder&) = delete;

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

  BagRecorder(Simulation& simulation, Paths paths, TopicFilter filter, os::AppendFile file, Compression compression);
  static Result<Paths> paths_of(const BagSpec& spec);
  void take(const nodes::Topic& topic, const nodes::Delivery& delivery);
  Status write(const nodes::Topic& topic, const nodes::Delivery& delivery);
  Result<Channel*> channel(const nodes::Topic& topic, const nodes::MessageType& type);
  Result<std::uint16_t> schema(const nodes::MessageType& type);
  Status close();
  std::string metadata_text(const std::string& indent) const;

  Simulation& simulation_;
  Paths paths_;
  TopicFilter filter_;
  Sink sink_;
  McapWriter writer_;
  std::map<std::string, Channel> channels_;  // by topic
  std::map<std::string, std::uint16_t> schemas_;
  Bytes scratch_;
  bool open_ = true;  // takes messages
  bool keep_ = false;
};

}  // namespace convoy::ros
