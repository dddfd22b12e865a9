#include "adapters/ros2/memory_wire.h"

#include <deque>
#include <set>

namespace convoy::ros2 {

namespace {

constexpr std::array<std::uint8_t, 4> kIdOfParticipant{0, 0, 1, 0xc1};

void put(std::uint32_t number, Guid& guid, std::size_t at) {
  for (std::size_t i = 0; i < 4; ++i) guid[at + i] = static_cast<std::uint8_t>(number >> 8 * (3 - i));
}

bool fit(const EndpointSpec& writer, const EndpointSpec& reader) {
  return writer.topic == reader.topic && writer.type == reader.type && writer.qos.reliable >= reader.qos.reliable &&
         writer.qos.transient_local >= reader.qos.transient_local;
}

void keep_last(std::deque<Received>& samples, std::int32_t depth) {
  while (depth > 0 && samples.size() > static_cast<std::size_t>(depth)) samples.pop_front();
}

Discovery discovery_of(Discovery::Kind kind, const Guid& guid, bool writer, const EndpointSpec& spec) {
  Discovery out{kind, {}, {}};
  out.endpoint = {guid, writer, spec.topic, spec.type, spec.user_data, spec.qos};
  return out;
}

}  // namespace

class MemoryBus::Participant final : public Wire {
 public:
  Participant(MemoryBus& bus, std::uint32_t number, std::string user_data)
      : bus_(bus), told_{{}, std::move(user_data)} {
    put(number, told_.guid, 8);
    std::copy(kIdOfParticipant.begin(), kIdOfParticipant.end(), told_.guid.begin() + 12);
  }
  ~Participant() override;

  Guid guid() const override { return told_.guid; }
  Result<std::unique_ptr<WireWriter>> make_writer(const EndpointSpec& spec) override;
  Result<std::unique_ptr<WireReader>> make_reader(const EndpointSpec& spec) override;
  std::vector<WireReader*> take_ready() override { return std::exchange(ready_, {}); }
  std::vector<Discovery> take_discoveries() override { return std::exchange(discoveries_, {}); }
  int descriptor() const override { return -1; }
  void clear_descriptor() override {}

  const RemoteParticipant& told() const { return told_; }
  MemoryBus& bus() { return bus_; }
  void discover(const Discovery& what) { discoveries_.push_back(what); }
  void ring(WireReader& reader) {
    if (std::find(ready_.begin(), ready_.end(), &reader) == ready_.end()) ready_.push_back(&reader);
  }
  void forget(WireReader& reader) { std::erase(ready_, &reader); }

 private:
  Guid next_guid() {
    Guid out = told_.guid;
    put(++endpoints_ << 8, out, 12);
    return out;
  }

  MemoryBus& bus_;
  RemoteParticipant told_;
  std::uint32_t endpoints_ = 0;
  std::vector<WireReader*> ready_;
  std::vector<Discovery> discoveries_;
};

class MemoryBus::Reader final : public WireReader {
 public:
  Reader(Participant& of, const Guid& guid, EndpointSpec spec) : of_(of), guid_(guid), spec_(std::move(spec)) {}
  ~Reader() override;
  Guid guid() const override { return guid_; }
  bool take(Received& out) override {
    if (samples_.empty()) return false;
    out = std::move(samples_.front());
    samples_.pop_front();
    return true;
  }
  std::size_t matched() const override { return writers_.size(); }

  const EndpointSpec& spec() const { return spec_; }
  void receive(const Received& sample) {
    samples_.push_back(sample);
    keep_last(samples_, spec_.qos.depth);
    of_.ring(*this);
  }
  void match(const Guid& writer) { writers_.insert(writer); }
  void lose(const Guid& writer) { writers_.erase(writer); }

 private:
  Participant& of_;
  Guid guid_;
  EndpointSpec spec_;
  std::deque<Received> samples_;
  std::set<Guid> writers_;
};

class MemoryBus::Writer final : public WireWriter {
 public:
  Writer(Participant& of, const Guid& guid, EndpointSpec spec) : of_(of), guid_(guid), spec_(std::move(spec)) {}
  ~Writer() override;
  Guid guid() const override { return guid_; }
  std::int64_t write(ByteView cdr, const Related* related) override {
    Received sample{{cdr.begin(), cdr.end()}, guid_, ++written_, related ? *related : Related{}};
    for (Reader* reader : readers_) reader->receive(sample);
    if (!spec_.qos.transient_local) return written_;
    kept_.push_back(std::move(sample));
    keep_last(kept_, spec_.qos.depth);
    return written_;
  }
  std::size_t matched() const override { return readers_.size(); }
  bool matches(const Guid& reader) const override {
    return std::any_of(readers_.begin(), readers_.end(), [&](const Reader* one) { return one->guid() == reader; });
  }
  bool acknowledged() const override { return true; }
  void forget() override { kept_.clear(); }

  const EndpointSpec& spec() const { return spec_; }
  void match(Reader& reader) {
    readers_.push_back(&reader);
    reader.match(guid_);
    if (reader.spec().qos.transient_local)
      for (const Received& sample : kept_) reader.receive(sample);
  }
  void lose(Reader& reader) { std::erase(readers_, &reader); }

 private:
  Participant& of_;
  Guid guid_;
  EndpointSpec spec_;
  std::vector<Reader*> readers_;
  std::deque<Received> kept_;  // for who comes later
  std::int64_t written_ = 0;
};

MemoryBus::MemoryBus() = default;
MemoryBus::~MemoryBus() = default;

MemoryBus::Participant::~Participant() {
  std::erase(bus_.participants_, this);
  bus_.tell(*this, {Discovery::Kind::kParticipantGone, told_, {}});
}

MemoryBus::Reader::~Reader() {
  MemoryBus& bus = of_.bus();
  std::erase(bus.readers_, this);
  for (Writer* writer : bus.writers_) writer->lose(*this);
  bus.tell(of_, discovery_of(Discovery::Kind::kEndpointGone, guid_, false, spec_));
  of_.forget(*this);
}

MemoryBus::Writer::~Writer() {
  MemoryBus& bus = of_.bus();
  std::erase(bus.writers_, this);
  for (Reader* reader : bus.readers_) reader->lose(guid_);
  bus.tell(of_, discovery_of(Discovery::Kind::kEndpointGone, guid_, true, spec_));
}

Result<std::unique_ptr<WireWriter>> MemoryBus::Participant::make_writer(const EndpointSpec& spec) {
  auto out = std::make_unique<Writer>(*this, next_guid(), spec);
  bus_.enter(*out);
  bus_.tell(*this, discovery_of(Discovery::Kind::kEndpoint, out->guid(), true, spec));
  return out;
}

Result<std::unique_ptr<WireReader>> MemoryBus::Participant::make_reader(const EndpointSpec& spec) {
  auto out = std::make_unique<Reader>(*this, next_guid(), spec);
  bus_.enter(*out);
  bus_.tell(*this, discovery_of(Discovery::Kind::kEndpoint, out->guid(), false, spec));
  return out;
}

Result<std::unique_ptr<Wire>> MemoryBus::open(const std::string& user_data) {
  auto out = std::make_unique<Participant>(*this, ++opened_, user_data);
  tell(*out, {Discovery::Kind::kParticipant, out->told(), {}});
  for (const Participant* other : participants_) out->discover({Discovery::Kind::kParticipant, other->told(), {}});
  for (const Writer* writer : writers_)
    out->discover(discovery_of(Discovery::Kind::kEndpoint, writer->guid(), true, writer->spec()));
  for (const Reader* reader : readers_)
    out->discover(discovery_of(Discovery::Kind::kEndpoint, reader->guid(), false, reader->spec()));
  participants_.push_back(out.get());
  return out;
}

void MemoryBus::tell(const Participant& from, const Discovery& what) {
  for (Participant* one : participants_)
    if (one != &from) one->discover(what);
}

void MemoryBus::enter(Writer& writer) {
  writers_.push_back(&writer);
  for (Reader* reader : readers_)
    if (fit(writer.spec(), reader->spec())) writer.match(*reader);
}

void MemoryBus::enter(Reader& reader) {
  readers_.push_back(&reader);
  for (Writer* writer : writers_)
    if (fit(writer->spec(), reader.spec())) writer->match(reader);
}

}  // namespace convoy::ros2
