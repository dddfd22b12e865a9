// Fills a bag with all that is published in a simulation: subscribes to each topic before its first message, as an
// observer that changes nothing of the run.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "bag/bag_file.h"
#include "bag/topic_filter.h"
#include "convoy_ros/bag.hpp"
#include "convoy_ros/simulation.hpp"

namespace convoy::ros {

// If the run never begins, the bag goes.
class BagRecorder {
 public:
  // The simulation keeps it, and closes the bag at the end of the run. What fails later ends the run.
  static Status attach(Simulation& simulation, const BagSpec& spec);
  BagRecorder(const BagRecorder&) = delete;
  BagRecorder& operator=(const BagRecorder&) = delete;

 private:
  BagRecorder(Simulation& simulation, TopicFilter filter, std::unique_ptr<BagFile> bag)
      : simulation_(simulation), filter_(std::move(filter)), bag_(std::move(bag)) {}
  void take(const nodes::Topic& topic, const nodes::Delivery& delivery);
  Status write(const nodes::Topic& topic, const nodes::Delivery& delivery);
  Status add(const nodes::Topic& topic, const nodes::MessageType& type);
  Status close();

  Simulation& simulation_;
  TopicFilter filter_;
  std::unique_ptr<BagFile> bag_;
  std::set<std::string> unknown_;  // types without a definition
  Bytes scratch_;
  bool open_ = true;  // takes messages
};

}  // namespace convoy::ros
