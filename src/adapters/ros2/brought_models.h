// Models of robots that programs bring: each description is read once, sent to the server in pieces, and judged there; from
// then on the run has the model.
//
//   models.bring(description, [](const Result<std::string>& model) { ... });   // its name in the run
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "adapters/ros2/ask.h"
#include "adapters/ros2/door_here.h"
#include "adapters/ros2/robot_importer.h"

namespace convoy::ros2 {

inline constexpr std::size_t kMaxDescription = 16u << 20;  // bytes of a text
inline constexpr std::size_t kMaxBrought = 64;             // that are being read or sent

class BroughtModels {
 public:
  using Done = std::function<void(const Result<std::string>&)>;
  explicit BroughtModels(DoorHere& here) : here_(here) {}
  BroughtModels(const BroughtModels&) = delete;

  // Is there somebody who reads descriptions?
  bool can() const { return here_.importer != nullptr; }
  // `done` is called once, now or later; with the importer's Errors, or the server's.
  void bring(RobotDescription what, Done done);
  void proceed() {
    if (here_.importer) here_.importer->proceed();
  }

 private:
  struct Coming {
    std::vector<Done> done;
    ImportedModel made;
    std::size_t file = 0, at = 0;  // what comes next of its files
    bool whole = false;            // all of it was sent
  };
  void imported(std::uint64_t key, const Result<ImportedModel>& made);
  void send(std::uint64_t key);
  void end(std::uint64_t key, const Result<std::string>& model);

  DoorHere& here_;
  std::map<std::uint64_t, Coming> coming_;      // by the hash of its description
  std::map<std::uint64_t, std::string> known_;  // models of texts, likewise; files may change
};

}  // namespace convoy::ros2
