#include "adapters/ros2/fastdds/participant.h"

#include <fastdds/rtps/participant/ParticipantDiscoveryInfo.h>
#include <fastdds/rtps/reader/ReaderDiscoveryInfo.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/writer/WriterDiscoveryInfo.h>
#include <fastrtps/utils/IPLocator.h>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>

#include <algorithm>
#include <map>
#include <mutex>

#include "adapters/ros2/fastdds/endpoints.h"
#include "adapters/ros2/fastdds/raw_type.h"
#include "adapters/ros2/fastdds/warnings.h"
#include "core/check.h"

namespace convoy::ros2 {

namespace {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;

constexpr std::uint32_t kSocketBuffer = 4 << 20;  // bytes: several clouds of a megabyte
constexpr std::uint32_t kPeersAtAddress = 100;    // participants of one machine that are asked by their port

class Participant final : public Wire, private dds::DomainParticipantListener {
 public:
  static Result<std::unique_ptr<Wire>> open(const ParticipantOptions& options);
  ~Participant() override;

  Guid guid() const override { return guid_of(participant_->guid()); }
  Result<std::unique_ptr<WireWriter>> make_writer(const EndpointSpec& spec) override;
  Result<std::unique_ptr<WireReader>> make_reader(const EndpointSpec& spec) override;
  std::vector<WireReader*> take_ready() override { return bell_.take_ready(); }
  std::vector<Discovery> take_discoveries() override { return bell_.take_discoveries(); }
  int descriptor() const override { return bell_.descriptor(); }
  void clear_descriptor() override { bell_.clear(); }

 private:
  struct OpenTopic {
    dds::Topic* topic = nullptr;
    std::string type;
    int uses = 0;
  };
  Participant() = default;
  Result<dds::Topic*> use_topic(const EndpointSpec& spec);
  void leave_topic(const std::string& name);

  void on_participant_discovery(dds::DomainParticipant*, rtps::ParticipantDiscoveryInfo&& info) override;
  void on_subscriber_discovery(dds::DomainParticipant*, rtps::ReaderDiscoveryInfo&& info) override;
  void on_publisher_discovery(dds::DomainParticipant*, rtps::WriterDiscoveryInfo&& info) override;

  Bell bell_;
  dds::DomainParticipant* participant_ = nullptr;
  dds::Publisher* publisher_ = nullptr;
  dds::Subscriber* subscriber_ = nullptr;
  std::map<std::string, OpenTopic> topics_;
};

std::string text_of(const std::vector<rtps::octet>& data) { return {data.begin(), data.end()}; }

template <class Info>
RemoteEndpoint endpoint_of(const Info& info, bool writer) {
  RemoteEndpoint out;
  out.guid = guid_of(info.guid()), out.writer = writer;
  out.topic = info.topicName().to_string(), out.type = info.typeName().to_string();
  out.user_data = text_of(info.m_qos.m_userData.data_vec());
  out.qos.reliable = info.m_qos.m_reliability.kind == dds::RELIABLE_RELIABILITY_QOS;
  out.qos.transient_local = info.m_qos.m_durability.kind != dds::VOLATILE_DURABILITY_QOS;
  return out;
}

rtps::Locator_t address(const std::string& host) {
  rtps::Locator_t out;
  out.kind = LOCATOR_KIND_UDPv4;
  rtps::IPLocator::setIPv4(out, host);
  return out;  // without a port: those of the first kPeersAtAddress participants
}

dds::DomainParticipantQos qos_of(const ParticipantOptions& options) {
  dds::DomainParticipantQos qos = dds::PARTICIPANT_QOS_DEFAULT;
  qos.name(options.name.c_str());
  qos.user_data().setValue({options.user_data.begin(), options.user_data.end()});
  auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  udp->sendBufferSize = udp->receiveBufferSize = kSocketBuffer;
  udp->non_blocking_send = true;  // the simulation waits for nobody's network; what is reliable is sent again
  udp->maxInitialPeersRange = kPeersAtAddress;
  if (options.reach != Reach::kSubnet) udp->TTL = 0;
  if (options.reach == Reach::kLoopback) udp->interfaceWhiteList.emplace_back("127.0.0.1");
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports = {udp};
  qos.transport().listen_socket_buffer_size = qos.transport().send_socket_buffer_size = kSocketBuffer;
  auto& builtin = qos.wire_protocol().builtin;
  for (const std::string& peer : options.peers) builtin.initialPeersList.push_back(address(peer));
  if (options.reach == Reach::kSubnet) {
    if (!options.peers.empty())
      builtin.initialPeersList.push_back(address("239.255.0.1"));  // else it would not be asked
  } else {  // as rmw_fastrtps does it: nobody is asked by multicast, and nobody who does so is heard
    builtin.initialPeersList.push_back(address("127.0.0.1"));
    builtin.metatrafficMulticastLocatorList.clear();
    builtin.metatrafficUnicastLocatorList.push_back(rtps::Locator_t{});
  }
  builtin.discovery_config.leaseDuration = {20, 0};
  return qos;
}

Result<std::unique_ptr<Wire>> Participant::open(const ParticipantOptions& options) {
  if (options.domain > kMaxDomain)
    return fail(ErrorCode::kInvalid, "a domain of ROS 2 is at most " + std::to_string(kMaxDomain));
  std::unique_ptr<Participant> out(new Participant());
  auto* factory = dds::DomainParticipantFactory::get_instance();
  // Of all callbacks only those that a participant alone has: endpoints have listeners of their own.
  out->participant_ = factory->create_participant(options.domain, qos_of(options), out.get(), dds::StatusMask::none());
  if (out->participant_) {
    out->publisher_ = out->participant_->create_publisher(dds::PUBLISHER_QOS_DEFAULT);
    out->subscriber_ = out->participant_->create_subscriber(dds::SUBSCRIBER_QOS_DEFAULT);
  }
  if (!out->publisher_ || !out->subscriber_)
    return fail(ErrorCode::kUnavailable, "ROS 2: no participant of domain " + std::to_string(options.domain) +
                                             " can be opened: its ports are taken, or there is no network");
  return out;
}

Participant::~Participant() {
  if (!participant_) return;
  participant_->set_listener(nullptr);
  participant_->delete_contained_entities();
  dds::DomainParticipantFactory::get_instance()->delete_participant(participant_);
}

Result<dds::Topic*> Participant::use_topic(const EndpointSpec& spec) {
  OpenTopic& open = topics_[spec.topic];
  if (open.uses > 0 && open.type != spec.type)
    return fail(ErrorCode::kUnsupported, spec.topic + " has the type " + open.type + " here already");
  if (open.uses++ > 0) return open.topic;
  open.type = spec.type;
  dds::TypeSupport type(new RawType(spec.type));
  type.register_type(participant_);
  open.topic = participant_->create_topic(spec.topic, spec.type, dds::TOPIC_QOS_DEFAULT);
  if (open.topic) return open.topic;
  topics_.erase(spec.topic);
  return fail(ErrorCode::kUnavailable, "the topic " + spec.topic + " cannot be made");
}

void Participant::leave_topic(const std::string& name) {
  const auto open = topics_.find(name);
  EXPECTS(open != topics_.end());
  if (--open->second.uses > 0) return;
  participant_->delete_topic(open->second.topic);
  topics_.erase(open);
}

Result<std::unique_ptr<WireWriter>> Participant::make_writer(const EndpointSpec& spec) {
  const auto topic = use_topic(spec);
  if (!topic) return tl::unexpected(topic.error());
  auto writer = std::make_unique<DdsWriter>([this, name = spec.topic] { leave_topic(name); });
  if (writer->open(*publisher_, **topic, spec)) return writer;
  return fail(ErrorCode::kUnavailable, "no writer of " + spec.topic + " can be made");
}

Result<std::unique_ptr<WireReader>> Participant::make_reader(const EndpointSpec& spec) {
  const auto topic = use_topic(spec);
  if (!topic) return tl::unexpected(topic.error());
  auto reader = std::make_unique<DdsReader>(bell_, [this, name = spec.topic] { leave_topic(name); });
  if (reader->open(*subscriber_, **topic, spec)) return reader;
  return fail(ErrorCode::kUnavailable, "no reader of " + spec.topic + " can be made");
}

// ---------------------------------------------------------------------------------- on threads of Fast DDS

void Participant::on_participant_discovery(dds::DomainParticipant*, rtps::ParticipantDiscoveryInfo&& info) {
  using Seen = rtps::ParticipantDiscoveryInfo;
  const bool gone = info.status == Seen::REMOVED_PARTICIPANT || info.status == Seen::DROPPED_PARTICIPANT;
  Discovery out{gone ? Discovery::Kind::kParticipantGone : Discovery::Kind::kParticipant, {}, {}};
  out.participant = {guid_of(info.info.m_guid), text_of(info.info.m_userData.data_vec())};
  bell_.discovered(std::move(out));
}

void Participant::on_subscriber_discovery(dds::DomainParticipant*, rtps::ReaderDiscoveryInfo&& info) {
  const bool gone = info.status == rtps::ReaderDiscoveryInfo::REMOVED_READER;
  bell_.discovered(
      {gone ? Discovery::Kind::kEndpointGone : Discovery::Kind::kEndpoint, {}, endpoint_of(info.info, false)});
}

void Participant::on_publisher_discovery(dds::DomainParticipant*, rtps::WriterDiscoveryInfo&& info) {
  const bool gone = info.status == rtps::WriterDiscoveryInfo::REMOVED_WRITER;
  bell_.discovered(
      {gone ? Discovery::Kind::kEndpointGone : Discovery::Kind::kEndpoint, {}, endpoint_of(info.info, true)});
}

}  // namespace

Result<std::unique_ptr<Wire>> open_participant(const ParticipantOptions& options, Log& log) {
  send_warnings_to(log);
  return Participant::open(options);
}

}  // namespace convoy::ros2
