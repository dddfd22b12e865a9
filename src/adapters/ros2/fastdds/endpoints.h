// Writers and readers of Fast DDS, and the bell by which its threads tell ours that something has come.
#pragma once

#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/Topic.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>

#include "adapters/ros2/wire.h"
#include "os/descriptor.h"

namespace convoy::ros2 {

Guid guid_of(const eprosima::fastrtps::rtps::GUID_t& guid);

// What waits for our thread. Any thread.
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
  std::mutex mutex_;
  std::vector<WireReader*> ready_;  // each once
  std::vector<Discovery> discoveries_;
};

class DdsWriter final : public WireWriter, private eprosima::fastdds::dds::DataWriterListener {
 public:
  explicit DdsWriter(std::function<void()> leave_topic) : leave_topic_(std::move(leave_topic)) {}
  ~DdsWriter() override;
  bool open(eprosima::fastdds::dds::Publisher& publisher, eprosima::fastdds::dds::Topic& topic,
            const EndpointSpec& spec);

  Guid guid() const override;
  std::int64_t write(ByteView cdr, const Related* related) override;
  std::size_t matched() const override { return matched_count_; }
  bool matches(const Guid& reader) const override;
  bool acknowledged() const override;

 private:
  void on_publication_matched(eprosima::fastdds::dds::DataWriter*,
                              const eprosima::fastdds::dds::PublicationMatchedStatus& info) override;

  std::function<void()> leave_topic_;
  eprosima::fastdds::dds::Publisher* publisher_ = nullptr;
  eprosima::fastdds::dds::DataWriter* writer_ = nullptr;
  mutable std::mutex mutex_;  // of readers_
  std::set<Guid> readers_;
  std::atomic<std::size_t> matched_count_ = 0;
};

class DdsReader final : public WireReader, private eprosima::fastdds::dds::DataReaderListener {
 public:
  DdsReader(Bell& bell, std::function<void()> leave_topic) : bell_(bell), leave_topic_(std::move(leave_topic)) {}
  ~DdsReader() override;
  bool open(eprosima::fastdds::dds::Subscriber& subscriber, eprosima::fastdds::dds::Topic& topic,
            const EndpointSpec& spec);

  Guid guid() const override;
  bool take(Received& out) override;
  std::size_t matched() const override { return matched_count_; }

 private:
  void on_data_available(eprosima::fastdds::dds::DataReader*) override { bell_.arrived(*this); }
  void on_subscription_matched(eprosima::fastdds::dds::DataReader*,
                               const eprosima::fastdds::dds::SubscriptionMatchedStatus& info) override;

  Bell& bell_;
  std::function<void()> leave_topic_;
  eprosima::fastdds::dds::Subscriber* subscriber_ = nullptr;
  eprosima::fastdds::dds::DataReader* reader_ = nullptr;
  std::atomic<std::size_t> matched_count_ = 0;
};

}  // namespace convoy::ros2
