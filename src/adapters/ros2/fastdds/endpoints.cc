#include "adapters/ros2/fastdds/endpoints.h"

#include <fastrtps/attributes/TopicAttributes.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cstring>
#include <fastdds/dds/publisher/qos/WriterQos.hpp>
#include <fastdds/dds/subscriber/qos/ReaderQos.hpp>

#include "core/check.h"

namespace convoy::ros2 {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using eprosima::fastrtps::TopicAttributes;

namespace {

constexpr std::size_t kHeader = 4;             // the encapsulation, of which Fast DDS wants to know beside the bytes
constexpr std::uint32_t kFirstReserved = 256;  // bytes; samples may be longer

rtps::GUID_t as_dds(const Guid& guid) {
  rtps::GUID_t out;
  std::memcpy(out.guidPrefix.value, guid.data(), 12);
  std::memcpy(out.entityId.value, guid.data() + 12, 4);
  return out;
}

std::int32_t depth_of(const Qos& qos) { return qos.depth <= 0 ? kMaxKept : std::min(qos.depth, kMaxKept); }

rtps::HistoryAttributes room_for(std::int32_t samples) {
  return {rtps::DYNAMIC_REUSABLE_MEMORY_MODE, kFirstReserved, 1, samples};
}

TopicAttributes topic_of(const EndpointSpec& spec) {
  TopicAttributes out(spec.topic.c_str(), spec.type.c_str(), rtps::NO_KEY);
  out.auto_fill_type_object = out.auto_fill_type_information = false;
  out.historyQos.kind = spec.qos.depth <= 0 ? dds::KEEP_ALL_HISTORY_QOS : dds::KEEP_LAST_HISTORY_QOS;
  out.historyQos.depth = depth_of(spec.qos);
  auto& limits = out.resourceLimitsQos;
  limits.max_samples = limits.max_samples_per_instance = kMaxKept, limits.max_instances = 1;
  limits.allocated_samples = 1;
  return out;
}

void put(const Qos& qos, rtps::EndpointAttributes& endpoint) {
  endpoint.topicKind = rtps::NO_KEY;
  endpoint.reliabilityKind = qos.reliable ? rtps::RELIABLE : rtps::BEST_EFFORT;
  endpoint.durabilityKind = qos.transient_local ? rtps::TRANSIENT_LOCAL : rtps::VOLATILE;
}

// Fast DDS's own 3 s between heartbeats keep who comes late waiting for one. Topics that go on by themselves need fewer: once
// as many messages wait as are kept, each brings one, by which a reader notices what it lacks. Each message sets a timer, too, and Fast DDS sorts all of a
// participant's whenever one is due: the time in which what was just sent is not sent again is 0 with Fast DDS, which costs
// hundreds of such topics half a core.
rtps::WriterTimes times_of(const EndpointSpec& spec) {
  const bool goes_on = spec.topic.starts_with("rt/") && !spec.qos.transient_local;
  rtps::WriterTimes out;
  out.heartbeatPeriod = eprosima::fastrtps::Duration_t(goes_on ? 1.0L : 0.1L);
  out.nackSupressionDuration = eprosima::fastrtps::Duration_t(goes_on ? 0.1L : 0.0L);
  return out;
}

// What peers are told: of writers and readers alike.
template <class DdsQos>
DdsQos told_of(const EndpointSpec& spec) {
  DdsQos out;
  out.m_reliability.kind = spec.qos.reliable ? dds::RELIABLE_RELIABILITY_QOS : dds::BEST_EFFORT_RELIABILITY_QOS;
  out.m_durability.kind = spec.qos.transient_local ? dds::TRANSIENT_LOCAL_DURABILITY_QOS : dds::VOLATILE_DURABILITY_QOS;
  out.m_userData.setValue({spec.user_data.begin(), spec.user_data.end()});
  out.representation.m_value = {dds::XCDR_DATA_REPRESENTATION};
  out.data_sharing.off();
  return out;
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

// With the mutex held, after what it rings for was put there.
void Bell::ring() {
  if (!rung_.exchange(true)) (void)::eventfd_write(wake_.get(), 1);
}

void Bell::clear() {
  if (!rung_) return;
  eventfd_t rung = 0;
  (void)::eventfd_read(wake_.get(), &rung);
  rung_ = false;  // what has come until now is taken after this; later it rings anew
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

RtpsWriter::RtpsWriter(const EndpointSpec& spec)
    : depth_(static_cast<std::size_t>(depth_of(spec.qos))),
      latched_(spec.qos.transient_local),
      history_(room_for(depth_of(spec.qos))) {}

bool RtpsWriter::open(rtps::RTPSParticipant& participant, const EndpointSpec& spec) {
  rtps::WriterAttributes attributes;
  put(spec.qos, attributes.endpoint);
  attributes.mode = rtps::SYNCHRONOUS_WRITER;
  attributes.times = times_of(spec);
  writer_ = rtps::RTPSDomain::createRTPSWriter(&participant, attributes, &history_, this);
  return writer_ && participant.registerWriter(writer_, topic_of(spec), told_of<dds::WriterQos>(spec));
}

RtpsWriter::~RtpsWriter() {
  if (writer_) rtps::RTPSDomain::removeRTPSWriter(writer_);
}

Guid RtpsWriter::guid() const { return guid_of(writer_->getGuid()); }

std::int64_t RtpsWriter::write(ByteView cdr, const Related* related) {
  if (cdr.size() < kHeader) return 0;
  {
    const std::lock_guard hold(*history_.getMutex());
    while (history_.getHistorySize() >= depth_ && history_.remove_min_change()) {}
  }
  const auto size = static_cast<std::uint32_t>(cdr.size());
  rtps::CacheChange_t* change = writer_->new_change([size] { return size; }, rtps::ALIVE);
  if (!change) return 0;
  std::memcpy(change->serializedPayload.data, cdr.data(), size);
  change->serializedPayload.length = size;
  change->serializedPayload.encapsulation = cdr[1] & 1 ? CDR_LE : CDR_BE;
  rtps::WriteParams parameters;
  if (related) {
    rtps::SampleIdentity identity;
    identity.writer_guid(as_dds(related->guid));
    identity.sequence_number() = rtps::SequenceNumber_t(static_cast<std::int32_t>(related->sequence >> 32),
                                                        static_cast<std::uint32_t>(related->sequence & 0xffffffff));
    parameters.related_sample_identity(identity);
  }
  if (!history_.add_change(change, parameters)) {
    writer_->release_change(change);
    return 0;
  }
  return static_cast<std::int64_t>(parameters.sample_identity().sequence_number().to64long());
}

bool RtpsWriter::matches(const Guid& reader) const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return readers_.count(reader) > 0;
}

bool RtpsWriter::acknowledged() const { return writer_->wait_for_all_acked({0, 0}); }

void RtpsWriter::onWriterMatched(rtps::RTPSWriter*, rtps::MatchingInfo& info) {
  const Guid reader = guid_of(info.remoteEndpointGuid);
  const std::lock_guard<std::mutex> hold(mutex_);
  if (info.status == rtps::MATCHED_MATCHING) readers_.insert(reader);
  else readers_.erase(reader);
  matched_count_ = readers_.size();
}

void RtpsWriter::onWriterChangeReceivedByAll(rtps::RTPSWriter*, rtps::CacheChange_t* change) {
  if (!latched_) history_.remove_change_g(change);
}

// ---------------------------------------------------------------------------------------------------- reader

Unordered::Unordered() : ReaderHistory(room_for(kMaxKept)) {}

// On a thread of Fast DDS, which holds the reader's mutex. What is next in its writer's order always comes in: others wait
// for it.
bool Unordered::can_change_be_added_nts(const rtps::GUID_t& writer, std::uint32_t bytes, std::size_t missing_before,
                                        bool& never) const {
  never = bytes > kMaxSampleBytes;
  if (never || !ReaderHistory::can_change_be_added_nts(writer, bytes, missing_before, never)) return false;
  std::size_t kept = 0;
  for (const rtps::CacheChange_t* one : m_changes) kept += one->serializedPayload.length;
  return missing_before == 0 || kept + bytes <= kMaxUnorderedBytes;
}

RtpsReader::RtpsReader(Bell& bell, const EndpointSpec& spec)
    : bell_(bell), depth_(static_cast<std::size_t>(depth_of(spec.qos))) {}

bool RtpsReader::open(rtps::RTPSParticipant& participant, const EndpointSpec& spec) {
  rtps::ReaderAttributes attributes;
  put(spec.qos, attributes.endpoint);
  reader_ = rtps::RTPSDomain::createRTPSReader(&participant, attributes, &history_, this);
  return reader_ && participant.registerReader(reader_, topic_of(spec), told_of<dds::ReaderQos>(spec));
}

RtpsReader::~RtpsReader() {
  if (reader_) rtps::RTPSDomain::removeRTPSReader(reader_);
  bell_.forget(*this);
}

Guid RtpsReader::guid() const { return guid_of(reader_->getGuid()); }

bool RtpsReader::take(Received& out) {
  const std::lock_guard<std::mutex> hold(mutex_);
  if (samples_.empty()) return false;
  out = std::move(samples_.front());
  samples_.pop_front();
  return true;
}

void RtpsReader::onReaderMatched(rtps::RTPSReader*, rtps::MatchingInfo& info) {
  if (info.status == rtps::MATCHED_MATCHING) ++matched_count_;
  else --matched_count_;
}

void RtpsReader::onNewCacheChangeAdded(rtps::RTPSReader*, const rtps::CacheChange_t* change) {
  const rtps::SerializedPayload_t& payload = change->serializedPayload;
  if (change->kind == rtps::ALIVE && payload.length >= kHeader) {
    Received got;
    got.cdr.assign(payload.data, payload.data + payload.length);
    got.writer = guid_of(change->writerGUID);
    got.sequence = static_cast<std::int64_t>(change->sequenceNumber.to64long());
    // Where it comes in, a related identity is written into the sample's own.
    const rtps::SampleIdentity& related = change->write_params.sample_identity();
    got.related = {guid_of(related.writer_guid()), static_cast<std::int64_t>(related.sequence_number().to64long())};
    const std::lock_guard<std::mutex> hold(mutex_);
    samples_.push_back(std::move(got));
    if (samples_.size() > depth_) samples_.pop_front();
  }
  history_.remove_change(const_cast<rtps::CacheChange_t*>(change));  // as the library has it
  bell_.arrived(*this);
}

}  // namespace convoy::ros2
