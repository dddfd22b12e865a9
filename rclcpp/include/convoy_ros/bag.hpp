// Bags: recordings of topics as MCAP files that ROS 2's tools read (docs/bags.md).
#pragma once

#include <string>
#include <vector>

#include "convoy/result.h"

namespace convoy::ros {

class Simulation;

struct BagSpec {
  std::string file;                  // F.mcap, or a folder, made with F/F_0.mcap and metadata.yaml
  std::vector<std::string> topics;   // names or regular expressions; none: all
  std::vector<std::string> exclude;  // the same, and stronger
  std::string compression = "zstd";  // none, zstd, lz4
  bool overwrite = false;            // else a file that is there is an error
};

}  // namespace convoy::ros

// Of libconvoy_components.so: records all that is published in the simulation from now on, until its end. It is no node
// and takes part in nothing.
extern "C" void convoy_record(convoy::ros::Simulation& simulation, const convoy::ros::BagSpec& spec,
                              convoy::Status& ok);
