#include "adapters/ros2/fastdds/raw_type.h"

#include <cstring>

namespace convoy::ros2 {

namespace {

constexpr std::uint32_t kHeader = 4;  // the encapsulation, which Fast DDS wants to know of beside the bytes

}  // namespace

RawType::RawType(const std::string& name) {
  setName(name.c_str());
  m_typeSize = 256;  // where memory is reserved ahead; samples may be longer
  m_isGetKeyDefined = false;
  auto_fill_type_object(false), auto_fill_type_information(false);
}

bool RawType::serialize(void* data, Payload* payload) {
  const auto& sample = *static_cast<const RawSample*>(data);
  if (sample.write.size() < kHeader || sample.write.size() > payload->max_size) return false;
  std::memcpy(payload->data, sample.write.data(), sample.write.size());
  payload->encapsulation = sample.write[1] & 1 ? CDR_LE : CDR_BE;
  payload->length = static_cast<std::uint32_t>(sample.write.size());
  return true;
}

bool RawType::deserialize(Payload* payload, void* data) {
  const auto& sample = *static_cast<const RawSample*>(data);
  if (sample.read) sample.read->assign(payload->data, payload->data + payload->length);
  return true;
}

std::function<std::uint32_t()> RawType::getSerializedSizeProvider(void* data) {
  return [data] { return static_cast<std::uint32_t>(static_cast<const RawSample*>(data)->write.size()); };
}

}  // namespace convoy::ros2
