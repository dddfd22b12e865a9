// Writers and readers of Fast DDS's RTPS layer, and the bell by which its threads tell ours that something has come.
//
// Its DDS layer is left out: there a participant has one type for each name of a topic, and cmd_vel has two.
#pragma once

#include <fastdds/rtps/RTPSDomain.h>
#include <fastdds/rtps/history/ReaderHistory.h>
#include <fastdds/rtps/history/WriterHistory.h>
#include <fastdds/rtps/participant/RTPSParticipant.h>
#include <fastdds/rtps/reader/RTPSReader.h>
#include <fastdds/rtps/reader/ReaderListener.h>
#include <fastdds/rtps/writer/RTPSWriter.h>
#include <fastdds/rtps/writer/WriterListener.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <set>

#include "adapters/ros2/wire.h"
#include "os/descriptor.h"

namespace convoy::ros2 {

inline constexpr std::int32_t kMaxKept = 5000;                // samples of an endpoint that keeps all
inline constexpr std::uint32_t kMaxSampleBytes = 64 << 20;    // received; larger ones are passed over
inline constexpr std::size_t kMaxUnorderedBytes = 128 << 20;  // of samples of a reader that wait for earlier ones

Guid guid_of(const eprosima::fastrtps::rtps::GUID_t& guid);

// What waits for our thread. Any thread; the descriptor is read and written only when something has come, as it is looked at
// twice a tick.
class Bell {
 public:
  Bell();
  int descriptor() const { return wake_.get(); }
  void clear();

  void arrived(WireReader& reader);
  void forget(WireReader& reader);
  void discovered(Discovery what);
  std::vector<WireReader*> take_ready();
  std::vector<Discovery> take_discoveries();

 private:
  void ring();

  os::Descriptor wake_;
  std::atomic<bool> rung_ = false;  // since it was cleared
  std::mutex mutex_;
  std::vector<WireReader*> ready_;  // each once
  std::vector<Discovery> discoveries_;
};

// Keeps as many samples as its depth says, also where a reliable reader has not received them yet: the oldest goes. A volatile
// one keeps what has been received by all no longer.
class RtpsWriter final : public WireWriter, private eprosima::fastrtps::rtps::WriterListener {
 public:
  RtpsWriter(const EndpointSpec& spec);
  ~RtpsWriter() override;
  // Once. False: the participant has no room for it.
  bool open(eprosima::fastrtps::rtps::RTPSParticipant& participant, const EndpointSpec& spec);

  Guid guid() const override;
  std::int64_t write(ByteView cdr, const Related* related) override;
  std::size_t matched() const override { return matched_count_; }
  bool matches(const Guid& reader) const override;
  bool acknowledged() const override;
  void forget() override { (void)history_.remove_all_changes(); }

 private:
  using eprosima::fastrtps::rtps::WriterListener::onWriterMatched;
  void onWriterMatched(eprosima::fastrtps::rtps::RTPSWriter*, eprosima::fastrtps::rtps::MatchingInfo& info) override;
  void onWriterChangeReceivedByAll(eprosima::fastrtps::rtps::RTPSWriter*,
                                   eprosima::fastrtps::rtps::CacheChange_t* change) override;

  const std::size_t depth_;
  const bool latched_;
  eprosima::fastrtps::rtps::WriterHistory history_;  // outlives the writer
  eprosima::fastrtps::rtps::RTPSWriter* writer_ = nullptr;
  mutable std::mutex mutex_;  // of readers_
  std::set<Guid> readers_;
  std::atomic<std::size_t> matched_count_ = 0;
};

// What a reader of Fast DDS has that is not complete, or waits for earlier samples of its writer.
class Unordered final : public eprosima::fastrtps::rtps::ReaderHistory {
 public:
  Unordered();

 private:
  bool can_change_be_added_nts(const eprosima::fastrtps::rtps::GUID_t& writer, std::uint32_t bytes,
                               std::size_t missing_before, bool& never) const override;
};

// Keeps the last samples that have come, as many as its depth says, until they are taken.
class RtpsReader final : public WireReader, private eprosima::fastrtps::rtps::ReaderListener {
 public:
  RtpsReader(Bell& bell, const EndpointSpec& spec);
  ~RtpsReader() override;
  // Once. False: the participant has no room for it.
  bool open(eprosima::fastrtps::rtps::RTPSParticipant& participant, const EndpointSpec& spec);

  Guid guid() const override;
  bool take(Received& out) override;
  std::size_t matched() const override { return matched_count_; }

 private:
  using eprosima::fastrtps::rtps::ReaderListener::onReaderMatched;
  void onReaderMatched(eprosima::fastrtps::rtps::RTPSReader*, eprosima::fastrtps::rtps::MatchingInfo& info) override;
  void onNewCacheChangeAdded(eprosima::fastrtps::rtps::RTPSReader*,
                             const eprosima::fastrtps::rtps::CacheChange_t* change) override;

  Bell& bell_;
  const std::size_t depth_;
  Unordered history_;  // outlives the reader
  eprosima::fastrtps::rtps::RTPSReader* reader_ = nullptr;
  std::mutex mutex_;  // of samples_
  std::deque<Received> samples_;
  std::atomic<std::size_t> matched_count_ = 0;
};

}  // namespace convoy::ros2
