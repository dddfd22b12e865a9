#include "adapters/ros2/fastdds/participant.h"

#include <fastdds/rtps/RTPSDomain.h>
#include <fastdds/rtps/participant/ParticipantDiscoveryInfo.h>
#include <fastdds/rtps/participant/RTPSParticipant.h>
#include <fastdds/rtps/participant/RTPSParticipantListener.h>
#include <fastdds/rtps/reader/ReaderDiscoveryInfo.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/writer/WriterDiscoveryInfo.h>
#include <fastrtps/utils/IPLocator.h>

#include "adapters/ros2/fastdds/endpoints.h"
#include "adapters/ros2/fastdds/warnings.h"

namespace convoy::ros2 {

namespace {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;

constexpr std::uint32_t kSocketBuffer = 4 << 20;  // bytes: several clouds of a megabyte
constexpr std::uint32_t kPeersAtAddress = 100;    // participants of one machine that are asked by their port

class Participant final : public Wire, private rtps::RTPSParticipantListener {
 public:
  static Result<std::unique_ptr<Wire>> open(const ParticipantOptions& options);
  ~Participant() override;

  Guid guid() const override { return guid_of(participant_->getGuid()); }
  Result<std::unique_ptr<WireWriter>> make_writer(const EndpointSpec& spec) override;
  Result<std::unique_ptr<WireReader>> make_reader(const EndpointSpec& spec) override;
  std::vector<WireReader*> take_ready() override { return bell_.take_ready(); }
  std::vector<Discovery> take_discoveries() override { return bell_.take_discoveries(); }
  int descriptor() const override { return bell_.descriptor(); }
  void clear_descriptor() override { bell_.clear(); }

 private:
  Participant() = default;
  void onParticipantDiscovery(rtps::RTPSParticipant*, rtps::ParticipantDiscoveryInfo&& info) override;
  void onReaderDiscovery(rtps::RTPSParticipant*, rtps::ReaderDiscoveryInfo&& info) override;
  void onWriterDiscovery(rtps::RTPSParticipant*, rtps::WriterDiscoveryInfo&& info) override;

  Bell bell_;
  rtps::RTPSParticipant* participant_ = nullptr;
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

eprosima::fastrtps::Duration_t dds_duration(Duration d) {
  return {static_cast<std::int32_t>(nanos(d) / 1'000'000'000), static_cast<std::uint32_t>(nanos(d) % 1'000'000'000)};
}

rtps::RTPSParticipantAttributes attributes_of(const ParticipantOptions& options) {
  rtps::RTPSParticipantAttributes out;
  out.setName(options.name.c_str());
  out.userData.assign(options.user_data.begin(), options.user_data.end());
  auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  udp->sendBufferSize = udp->receiveBufferSize = kSocketBuffer;
  udp->non_blocking_send = true;  // the simulation waits for nobody's network; what is reliable is sent again
  udp->maxInitialPeersRange = kPeersAtAddress;
  if (options.reach != Reach::kSubnet) udp->TTL = 0;
  if (options.reach == Reach::kLoopback) udp->interfaceWhiteList.emplace_back("127.0.0.1");
  out.useBuiltinTransports = false;
  out.userTransports = {udp};
  out.listenSocketBufferSize = out.sendSocketBufferSize = kSocketBuffer;
  for (const std::string& peer : options.peers) out.builtin.initialPeersList.push_back(address(peer));
  if (options.reach == Reach::kSubnet) {
    if (!options.peers.empty())
      out.builtin.initialPeersList.push_back(address("239.255.0.1"));  // else it would not be asked
  } else {  // as rmw_fastrtps does it: nobody is asked by multicast, and nobody who does so is heard
    out.builtin.initialPeersList.push_back(address("127.0.0.1"));
    out.builtin.metatrafficMulticastLocatorList.clear();
    out.builtin.metatrafficUnicastLocatorList.push_back(rtps::Locator_t{});
  }
  out.builtin.discovery_config.leaseDuration = dds_duration(options.lease);
  out.builtin.discovery_config.leaseDuration_announcementperiod = dds_duration(options.lease / 4);
  return out;
}

Result<std::unique_ptr<Wire>> Participant::open(const ParticipantOptions& options) {
  if (options.domain > kMaxDomain)
    return fail(ErrorCode::kInvalid, "a domain of ROS 2 is at most " + std::to_string(kMaxDomain));
  std::unique_ptr<Participant> out(new Participant());
  out->participant_ = rtps::RTPSDomain::createParticipant(options.domain, attributes_of(options), out.get());
  if (!out->participant_)
    return fail(ErrorCode::kUnavailable, "ROS 2: no participant of domain " + std::to_string(options.domain) +
                                             " can be opened: its ports are taken, or there is no network");
  return out;
}

Participant::~Participant() {
  if (!participant_) return;
  participant_->set_listener(nullptr);
  rtps::RTPSDomain::removeRTPSParticipant(participant_);
}

Result<std::unique_ptr<WireWriter>> Participant::make_writer(const EndpointSpec& spec) {
  auto writer = std::make_unique<RtpsWriter>(spec);
  if (writer->open(*participant_, spec)) return writer;
  return fail(ErrorCode::kUnavailable, "no writer of " + spec.topic + " can be made");
}

Result<std::unique_ptr<WireReader>> Participant::make_reader(const EndpointSpec& spec) {
  auto reader = std::make_unique<RtpsReader>(bell_, spec);
  if (reader->open(*participant_, spec)) return reader;
  return fail(ErrorCode::kUnavailable, "no reader of " + spec.topic + " can be made");
}

// ---------------------------------------------------------------------------------- on threads of Fast DDS

void Participant::onParticipantDiscovery(rtps::RTPSParticipant*, rtps::ParticipantDiscoveryInfo&& info) {
  using Seen = rtps::ParticipantDiscoveryInfo;
  const bool gone = info.status == Seen::REMOVED_PARTICIPANT || info.status == Seen::DROPPED_PARTICIPANT;
  Discovery out{gone ? Discovery::Kind::kParticipantGone : Discovery::Kind::kParticipant, {}, {}};
  out.participant = {guid_of(info.info.m_guid), text_of(info.info.m_userData.data_vec())};
  bell_.discovered(std::move(out));
}

void Participant::onReaderDiscovery(rtps::RTPSParticipant*, rtps::ReaderDiscoveryInfo&& info) {
  const bool gone = info.status == rtps::ReaderDiscoveryInfo::REMOVED_READER;
  bell_.discovered(
      {gone ? Discovery::Kind::kEndpointGone : Discovery::Kind::kEndpoint, {}, endpoint_of(info.info, false)});
}

void Participant::onWriterDiscovery(rtps::RTPSParticipant*, rtps::WriterDiscoveryInfo&& info) {
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
