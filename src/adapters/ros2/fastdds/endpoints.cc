#include "adapters/ros2/fastdds/endpoints.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <cstring>

#include "adapters/ros2/fastdds/raw_type.h"
#include "core/check.h"

namespace convoy::ros2 {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using eprosima::fastrtps::types::ReturnCode_t;

namespace {

constexpr std::uint32_t kHeartbeatNanos = 100'000'000;  // Fast DDS's own 3 s keep who comes late waiting for it
constexpr std::int32_t kMaxKept = 5000;                 // samples of an endpoint that keeps all

rtps::GUID_t as_dds(const Guid& guid) {
  rtps::GUID_t out;
  std::memcpy(out.guidPrefix.value, guid.data(), 12);
  std::memcpy(out.entityId.value, guid.data() + 12, 4);
  return out;
}

// What writers and readers have alike.
template <class DdsQos>
void put(const EndpointSpec& spec, DdsQos& qos) {
  qos.reliability().kind = spec.qos.reliable ? dds::RELIABLE_RELIABILITY_QOS : dds::BEST_EFFORT_RELIABILITY_QOS;
  qos.durability().kind = spec.qos.transient_local ? dds::TRANSIENT_LOCAL_DURABILITY_QOS : dds::VOLATILE_DURABILITY_QOS;
  const bool all = spec.qos.depth <= 0;
  qos.history().kind = all ? dds::KEEP_ALL_HISTORY_QOS : dds::KEEP_LAST_HISTORY_QOS;
  qos.history().depth = all ? 1 : std::min(spec.qos.depth, kMaxKept);
  auto& limits = qos.resource_limits();
  limits.max_samples = limits.max_samples_per_instance = kMaxKept, limits.max_instances = 1;
  limits.allocated_samples = 1;
  qos.user_data().setValue({spec.user_data.begin(), spec.user_data.end()});
  qos.data_sharing().off();
  qos.endpoint().history_memory_policy = rtps::DYNAMIC_REUSABLE_MEMORY_MODE;
}

}  // namespace

Guid guid_of(const rtps::GUID_t& guid) {
  Guid out{};
  std::memcpy(out.data(), guid.guidPrefix.value, 12);
  std::memcpy(out.data() + 12, guid.entityId.value, 4);
  return out;
}

// ------------------------------------------------------------------------------------------------------ bell

Bell::Bell() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { EXPECTS(wake_); }

void Bell::ring() { (void)::eventfd_write(wake_.get(), 1); }

void Bell::clear() {
  eventfd_t rung = 0;
  (void)::eventfd_read(wake_.get(), &rung);
}

void Bell::arrived(WireReader& reader) {
  const std::lock_guard<std::mutex> hold(mutex_);
  if (std::find(ready_.begin(), ready_.end(), &reader) == ready_.end()) ready_.push_back(&reader);
  ring();
}

void Bell::forget(WireReader& reader) {
  const std::lock_guard<std::mutex> hold(mutex_);
  std::erase(ready_, &reader);
}

void Bell::discovered(Discovery what) {
  const std::lock_guard<std::mutex> hold(mutex_);
  discoveries_.push_back(std::move(what));
  ring();
}

std::vector<WireReader*> Bell::take_ready() {
  const std::lock_guard<std::mutex> hold(mutex_);
  return std::exchange(ready_, {});
}

std::vector<Discovery> Bell::take_discoveries() {
  const std::lock_guard<std::mutex> hold(mutex_);
  return std::exchange(discoveries_, {});
}

// ---------------------------------------------------------------------------------------------------- writer

bool DdsWriter::open(dds::Publisher& publisher, dds::Topic& topic, const EndpointSpec& spec) {
  dds::DataWriterQos qos = dds::DATAWRITER_QOS_DEFAULT;
  put(spec, qos);
  qos.publish_mode().kind = dds::SYNCHRONOUS_PUBLISH_MODE;
  qos.reliable_writer_qos().times.heartbeatPeriod = {0, kHeartbeatNanos};
  qos.writer_data_lifecycle().autodispose_unregistered_instances = false;
  publisher_ = &publisher;
  writer_ = publisher.create_datawriter(&topic, qos, this, dds::StatusMask::publication_matched());
  return writer_ != nullptr;
}

DdsWriter::~DdsWriter() {
  if (writer_) {
    writer_->set_listener(nullptr);
    publisher_->delete_datawriter(writer_);
  }
  leave_topic_();
}

Guid DdsWriter::guid() const { return guid_of(writer_->guid()); }

std::int64_t DdsWriter::write(ByteView cdr, const Related* related) {
  RawSample sample{cdr};
  rtps::WriteParams parameters;
  if (related) {
    rtps::SampleIdentity identity;
    identity.writer_guid(as_dds(related->guid));
    identity.sequence_number() = rtps::SequenceNumber_t(static_cast<std::int32_t>(related->sequence >> 32),
                                                        static_cast<std::uint32_t>(related->sequence & 0xffffffff));
    parameters.related_sample_identity(identity);
  }
  if (!writer_->write(&sample, parameters)) return 0;
  return static_cast<std::int64_t>(parameters.sample_identity().sequence_number().to64long());
}

bool DdsWriter::matches(const Guid& reader) const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return readers_.count(reader) > 0;
}

bool DdsWriter::acknowledged() const { return writer_->wait_for_acknowledgments({0, 0}) == ReturnCode_t::RETCODE_OK; }

void DdsWriter::on_publication_matched(dds::DataWriter*, const dds::PublicationMatchedStatus& info) {
  const Guid reader = guid_of(rtps::iHandle2GUID(info.last_subscription_handle));
  const std::lock_guard<std::mutex> hold(mutex_);
  if (info.current_count_change > 0) readers_.insert(reader);
  else readers_.erase(reader);
  matched_count_ = readers_.size();
}

// ---------------------------------------------------------------------------------------------------- reader

bool DdsReader::open(dds::Subscriber& subscriber, dds::Topic& topic, const EndpointSpec& spec) {
  dds::DataReaderQos qos = dds::DATAREADER_QOS_DEFAULT;
  put(spec, qos);
  subscriber_ = &subscriber;
  reader_ = subscriber.create_datareader(&topic, qos, this,
                                         dds::StatusMask::data_available() << dds::StatusMask::subscription_matched());
  return reader_ != nullptr;
}

DdsReader::~DdsReader() {
  if (reader_) {
    reader_->set_listener(nullptr);
    subscriber_->delete_datareader(reader_);
  }
  bell_.forget(*this);
  leave_topic_();
}

Guid DdsReader::guid() const { return guid_of(reader_->guid()); }

bool DdsReader::take(Received& out) {
  RawSample sample{{}, &out.cdr};
  for (dds::SampleInfo info; reader_->take_next_sample(&sample, &info) == ReturnCode_t::RETCODE_OK;) {
    if (!info.valid_data) continue;
    out.writer = guid_of(info.sample_identity.writer_guid());
    out.sequence = static_cast<std::int64_t>(info.sample_identity.sequence_number().to64long());
    out.related.guid = guid_of(info.related_sample_identity.writer_guid());
    out.related.sequence = static_cast<std::int64_t>(info.related_sample_identity.sequence_number().to64long());
    return true;
  }
  return false;
}

void DdsReader::on_subscription_matched(dds::DataReader*, const dds::SubscriptionMatchedStatus& info) {
  matched_count_ = static_cast<std::size_t>(std::max(info.current_count, 0));
}

}  // namespace convoy::ros2
