// DDS in memory, for tests in virtual time: endpoints on one bus that match each other, and bytes that arrive at once.
//
//   MemoryBus bus;
//   auto domain = Domain::open(bus.opener(), {.run = "run"});
//   auto other = Domain::open(bus.opener(), {});
//
// Writers and readers match by topic, type and quality, as in DDS, those of one participant too; a reader keeps as many
// samples as its depth says. What a wire makes outlives neither it nor the bus.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/ros2/wire.h"

namespace convoy::ros2 {

class MemoryBus {
 public:
  MemoryBus();
  ~MemoryBus();
  MemoryBus(const MemoryBus&) = delete;

  Result<std::unique_ptr<Wire>> open(const std::string& user_data);
  // As Domain::open() wants it.
  std::function<Result<std::unique_ptr<Wire>>(const std::string&)> opener() {
    return [this](const std::string& user_data) { return open(user_data); };
  }

 private:
  class Participant;
  class Writer;
  class Reader;
  void tell(const Participant& from, const Discovery& what);
  void enter(Writer& writer);
  void enter(Reader& reader);

  std::vector<Participant*> participants_;
  std::vector<Writer*> writers_;
  std::vector<Reader*> readers_;
  std::uint32_t opened_ = 0;
};

}  // namespace convoy::ros2
