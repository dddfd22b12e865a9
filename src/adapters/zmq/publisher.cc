#include "adapters/zmq/publisher.h"

#include <algorithm>

#include "os/machine.h"

namespace convoy::zmq {

namespace {

constexpr int kQueuedBatches = 4;
constexpr std::size_t kMaxMessagesWaiting = 10'000;

int core_at(int place) {
  const std::vector<int> all = os::core_numbers();
  return all[all.size() - 1 - static_cast<std::size_t>(place) % all.size()];
}

}  // namespace

Result<std::unique_ptr<Publisher>> Publisher::open(const SocketOptions& options, int core) {
  std::unique_ptr<Publisher> out(new Publisher);
  out->thread_ = std::thread([&, self = out.get()] { self->thread_main(options, core_at(core)); });
  std::unique_lock<std::mutex> hold(out->mutex_);
  out->turn_.wait(hold, [&] { return !out->leaving_; });
  if (!out->socket_) return tl::unexpected(out->socket_.error());
  return out;
}

Publisher::~Publisher() {
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    end_ = true;
  }
  turn_.notify_all();
  thread_.join();
}

void Publisher::add(std::string_view topic, ByteView payload) {
  added_.messages.push_back({static_cast<std::uint32_t>(topic.size()), static_cast<std::uint32_t>(payload.size())});
  added_.bytes.insert(added_.bytes.end(), topic.begin(), topic.end());
  added_.bytes.insert(added_.bytes.end(), payload.begin(), payload.end());
}

void Publisher::flush() {
  if (added_.messages.empty()) return;
  {
    std::unique_lock<std::mutex> hold(mutex_);
    turn_.wait(hold, [&] { return !leaving_; });
    std::swap(added_, handed_);
    leaving_ = true;
  }
  turn_.notify_all();
  added_.clear();
}

bool Publisher::receive(std::vector<Bytes>& parts) {
  const std::lock_guard<std::mutex> hold(mutex_);
  if (received_.empty()) return !leaving_ && socket_->receive(parts);
  parts = std::move(received_.front());
  received_.pop_front();
  return true;
}

// Here as well: an owner that is always ahead would never find the socket free.
void Publisher::listen() {
  std::vector<Bytes> parts;
  while (received_.size() < kMaxMessagesWaiting && socket_->receive(parts)) received_.push_back(std::move(parts));
}

void Publisher::send(const Batch& batch) {
  // libzmq's own thread gets the core when all are with it, and until then they wait in the peers' queues.
  const int needed = static_cast<int>(std::min<std::size_t>(batch.messages.size(), 10'000'000)) * kQueuedBatches;
  if (needed > queue_) socket_->set_queue(queue_ = needed);
  std::size_t at = 0;
  for (const Message& message : batch.messages) {
    const ByteView bytes = ByteView(batch.bytes).subspan(at, message.topic + message.payload);
    socket_->send(as_text(bytes.first(message.topic)), bytes.subspan(message.topic));
    at += bytes.size();
  }
}

void Publisher::thread_main(const SocketOptions& options, int core) {
  os::keep_thread_on(core);
  os::let_others_finish(true);  // libzmq's thread is like the one that makes it
  socket_ = Socket::open(context_, options);
  os::let_others_finish(false);
  queue_ = options.queue;
  std::unique_lock<std::mutex> hold(mutex_);
  for (;;) {
    leaving_ = false;
    turn_.notify_all();
    turn_.wait(hold, [&] { return leaving_ || end_; });
    if (!leaving_) return;
    listen();
    hold.unlock();
    send(handed_);
    hold.lock();
  }
}

}  // namespace convoy::zmq
