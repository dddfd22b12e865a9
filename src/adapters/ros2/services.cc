#include "adapters/ros2/services.h"

#include <algorithm>
#include <cstring>

#include "adapters/ros2/names.h"

namespace convoy::ros2 {

namespace {

constexpr std::size_t kHeader = 4;          // of CDR
constexpr std::size_t kCycloneHeader = 16;  // a whole number of eight: what follows is aligned as if it were not there
constexpr Qos kReplies{.depth = 1}, kRequests{.depth = 1000};

struct CycloneHeader {
  std::uint64_t guid = 0;
  std::int64_t sequence = 0;
};
static_assert(sizeof(CycloneHeader) == kCycloneHeader);

Bytes without_header(ByteView cdr) {
  Bytes out(cdr.begin(), cdr.end());
  out.erase(out.begin() + kHeader, out.begin() + kHeader + kCycloneHeader);
  return out;
}

Bytes with_header(ByteView cdr, std::span<const std::uint8_t, kCycloneHeader> header) {
  Bytes out(cdr.begin(), cdr.end());
  out.insert(out.begin() + kHeader, header.begin(), header.end());
  return out;
}

struct ServiceSpecs {
  EndpointSpec request, reply;
};
ServiceSpecs specs_of(const std::string& name, const ServiceTypes& type) {
  return {{dds_request(name), dds_type(type.request.name), kRequests, type_hash_datum(type.request.hash)},
          {dds_reply(name), dds_type(type.response.name), kReplies, type_hash_datum(type.response.hash)}};
}

}  // namespace

// --------------------------------------------------------------------------------------------------- services

Result<std::unique_ptr<Service>> Node::service(std::string_view name, const ServiceTypes& type, Serves serves) {
  const auto full = resolve_name(name, ns_, name_);
  if (!full) return tl::unexpected(full.error());
  const ServiceSpecs specs = specs_of(*full, type);
  std::unique_ptr<Service> out(new Service(domain_, std::move(serves)));
  out->name_ = *full, out->reply_topic_ = specs.reply.topic;
  auto replies = out->make_writer(*this, specs.reply);
  if (!replies) return tl::unexpected(replies.error());
  out->replies_ = std::move(*replies);
  auto requests = out->make_reader(*this, specs.request);
  if (!requests) return tl::unexpected(requests.error());
  out->requests_ = std::move(*requests);
  return out;
}

void Service::received(const Received& sample) {
  ServiceRequest request;
  request.from.client = sample.writer, request.from.sequence = sample.sequence;
  request.from.dialect = domain().graph().dialect(sample.writer), request.from.reader = sample.related.guid;
  request.type_hash = domain().graph().type_hash(sample.writer);
  if (waiting_.size() >= kMaxReplies) {
    ++domain().counts().crowded;
    return;
  }
  if (request.from.dialect == Dialect::kFast) {
    request.cdr = sample.cdr;
  } else if (sample.cdr.size() < kHeader + kCycloneHeader) {
    ++domain().counts().malformed;
    return;
  } else {
    std::memcpy(request.from.cyclone.data(), sample.cdr.data() + kHeader, kCycloneHeader);
    request.cdr = without_header(sample.cdr);
  }
  serves_(request);
}

void Service::reply(const ReplyTo& to, ByteView cdr) {
  waiting_.push_back({to, Bytes(cdr.begin(), cdr.end()), kNever});
  if (work(domain().now()) != kNever) wait();
}

bool Service::reachable(const ReplyTo& to) const {
  if (to.dialect == Dialect::kFast && to.reader != kNoGuid) return replies_->matches(to.reader);
  const auto reader = domain().graph().reply_reader(to.client, reply_topic_);
  return reader && replies_->matches(*reader);
}

// Those that can be reached go; of one client in their order, as they are asked one after the other.
Moment Service::work(Moment now) {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (at->until == kNever) at->until = now + kReaderComes;
    const bool free = at->to.client == last_client_ || now >= last_sent_ + kReplyArrives || replies_->acknowledged();
    if (reachable(at->to) && free) {
      send(*at, now);
      at = waiting_.erase(at);
    } else if (now >= at->until || !domain().graph().there(participant_of(at->to.client))) {
      ++domain().counts().late_replies;
      at = waiting_.erase(at);
    } else {
      ++at;
    }
  }
  return waiting_.empty() ? kNever : now;
}

void Service::send(const Waiting& reply, Moment now) {
  last_client_ = reply.to.client, last_sent_ = now;
  if (reply.to.dialect == Dialect::kCyclone) {
    (void)replies_->write(with_header(reply.cdr, reply.to.cyclone));
    return;
  }
  const Related to{reply.to.reader == kNoGuid ? reply.to.client : reply.to.reader, reply.to.sequence};
  (void)replies_->write(reply.cdr, &to);
}

// ---------------------------------------------------------------------------------------------------- clients

Result<std::unique_ptr<Client>> Node::client(std::string_view name, const ServiceTypes& type) {
  const auto full = resolve_name(name, ns_, name_);
  if (!full) return tl::unexpected(full.error());
  ServiceSpecs specs = specs_of(*full, type);
  specs.reply.qos.depth = 1000;
  std::unique_ptr<Client> out(new Client(domain_));
  out->name_ = *full, out->request_topic_ = specs.request.topic, out->reply_topic_ = specs.reply.topic;
  auto replies = out->make_reader(*this, specs.reply);
  if (!replies) return tl::unexpected(replies.error());
  out->replies_ = std::move(*replies);
  auto requests = out->make_writer(*this, specs.request);
  if (!requests) return tl::unexpected(requests.error());
  out->requests_ = std::move(*requests);
  return out;
}

bool Client::ready() const { return requests_->matched() > 0 && replies_->matched() > 0; }

bool Client::ready_outside() { return ready() && outside_.of(domain(), *requests_, request_topic_); }

// Do all that are there serve in Cyclone's manner?
bool Client::asks_cyclone() const {
  bool any = false, all = true;
  for (const auto& [guid, one] : domain().graph().endpoints())
    if (!one.writer && one.topic == request_topic_)
      any = true, all = all && !user_datum(one.user_data, "serviceid").empty();
  return any && all;
}

void Client::call(ByteView request, Moment until, Done done) {
  std::int64_t sequence = 0;
  const Guid reader = replies_->guid();
  if (asks_cyclone()) {
    CycloneHeader header;
    std::memcpy(&header.guid, reader.data() + 8, sizeof header.guid);
    header.sequence = sequence = ++cyclone_asked_;
    (void)requests_->write(with_header(request, std::span<const std::uint8_t, kCycloneHeader>(
                                                    reinterpret_cast<const std::uint8_t*>(&header), kCycloneHeader)));
  } else {
    const Related from{reader, 0};
    sequence = requests_->write(request, &from);
  }
  asked_[sequence] = {until, std::move(done)};
  wait();
}

void Client::received(const Received& sample) {
  const RemoteEndpoint* server = domain().graph().find(sample.writer);
  const bool cyclone = server && !user_datum(server->user_data, "serviceid").empty();
  if (!cyclone) {
    if (sample.related.guid == replies_->guid() || sample.related.guid == requests_->guid())
      answered(sample.related.sequence, sample.cdr);
    return;
  }
  if (sample.cdr.size() < kHeader + kCycloneHeader) {
    ++domain().counts().malformed;
    return;
  }
  CycloneHeader header;
  std::memcpy(&header, sample.cdr.data() + kHeader, sizeof header);
  if (std::memcmp(&header.guid, replies_->guid().data() + 8, sizeof header.guid) == 0)
    answered(header.sequence, without_header(sample.cdr));
}

void Client::answered(std::int64_t sequence, Bytes cdr) {
  const auto asked = asked_.find(sequence);
  if (asked == asked_.end()) return;
  const Done done = std::move(asked->second.done);
  asked_.erase(asked);
  done(std::move(cdr));
}

Moment Client::work(Moment now) {
  std::vector<Done> late;
  std::erase_if(asked_, [&](auto& one) {
    if (now < one.second.until) return false;
    late.push_back(std::move(one.second.done));
    return true;
  });
  for (const Done& done : late) done(fail(ErrorCode::kUnavailable, "no reply of " + name_));
  return asked_.empty() ? kNever : now;
}

}  // namespace convoy::ros2
