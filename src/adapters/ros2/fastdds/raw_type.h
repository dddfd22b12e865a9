// CDR as a type of Fast DDS: bytes in, bytes out.
#pragma once

#include <fastdds/dds/topic/TopicDataType.hpp>

#include "core/bytes.h"

namespace convoy::ros2 {

// A sample to be written; null: none, `read` gets one.
struct RawSample {
  ByteView write;
  Bytes* read = nullptr;
};

class RawType final : public eprosima::fastdds::dds::TopicDataType {
 public:
  using Payload = eprosima::fastrtps::rtps::SerializedPayload_t;
  explicit RawType(const std::string& name);
  bool serialize(void* data, Payload* payload) override;
  bool deserialize(Payload* payload, void* data) override;
  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override;
  void* createData() override { return new RawSample(); }
  void deleteData(void* data) override { delete static_cast<RawSample*>(data); }
  bool getKey(void*, eprosima::fastrtps::rtps::InstanceHandle_t*, bool) override { return false; }
};

}  // namespace convoy::ros2
