// A member that makes calls to a running server: a quiet one, whose calls are timed, or one that floods it.
//
//   bench_caller --connect ADDR:PORT --what quiet|status|files [--name NAME] [--seconds S]
//
// quiet: asks for the pose of robot NAME, one call at a time, the next kPause after its answer. status: asks for the state
// of the run, kOutstanding calls at a time. files: brings the beginning of a file over and over, as many pieces of 512 KiB
// at a time as the server takes of one member. Prints "ready" when it begins, and JSON after S seconds: calls,
// refused, and of a quiet one what each call took, us.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "convoy/control.pb.h"
#include "os/clock.h"
#include "os/loop.h"
#include "os/port_secret.h"
#include "session/session.h"
#include "world/edit.h"
#include "world/model_files.h"

namespace {

using namespace convoy;

constexpr Duration kPause = std::chrono::milliseconds(1);
constexpr std::size_t kOutstanding = 1000;  // of 1,024 that a member may have
constexpr std::size_t kPieces = 7;          // of 512 KiB, of the 4 MiB that a member's open calls may have

SessionOptions session_options(const os::NetLoop& loop) {
  SessionOptions options;
  options.role = PeerRole::kControl;
  options.load_setup = false;
  options.credentials = os::credentials("", loop);
  return options;
}

proto::Request request_of(const std::string& what, const std::string& name) {
  proto::Request request;
  if (what == "quiet") request.mutable_get()->set_name(name);
  else if (what == "status") request.mutable_status();
  else {
    const Bytes piece = save(AddFile{1, 0, kMaxModelFile, Bytes(kMaxFilePiece)});
    request.set_add_file(piece.data(), piece.size());
  }
  return request;
}

class Calls final : public Role, private SessionEvents {
 public:
  Calls(const std::string& what, const std::string& name, Duration length, os::NetLoop& loop)
      : session_(session_options(loop), loop, *this),
        request_(request_of(what, name)),
        at_once_(what == "status"  ? kOutstanding
                 : what == "files" ? kPieces
                                   : 1),
        quiet_(what == "quiet"),
        length_(length) {}

  void on_opened(LinkId link, Moment now) override { session_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { session_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override { session_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override {
    session_.on_datagram(from, bytes, now);
  }
  void on_time(Moment now) override;
  Moment deadline() const override {
    return std::min({session_.deadline(), next_, begun_ == kNever ? kNever : begun_ + length_});
  }
  bool finished() const override { return over_ || session_.ended().has_value(); }
  void print() const;

 private:
  void welcomed(Moment now) override;
  void setup_loaded(ByteView, Moment) override {}
  void frame(FrameType type, ByteView payload, Moment now) override;
  bool datagram(const Datagram&, Moment) override { return true; }
  void call();

  Session session_;
  proto::Request request_;
  std::size_t at_once_;
  bool quiet_, started_ = false, over_ = false;
  Duration length_;
  Moment begun_ = kNever, next_{}, asked_{};
  std::uint64_t id_ = 0, answered_ = 0, refused_ = 0;
  std::vector<Duration> took_;
};

void Calls::on_time(Moment now) {
  if (!std::exchange(started_, true)) session_.start(now);
  session_.on_time(now);
  over_ = begun_ != kNever && now - begun_ >= length_;
  if (begun_ == kNever) {
    next_ = kNever;
  } else if (quiet_ && now >= next_) {
    next_ = kNever;
    call();
  }
  session_.flush();
}

void Calls::welcomed(Moment now) {
  begun_ = now;
  fmt::print("ready\n");
  std::fflush(stdout);
  for (std::size_t i = 0; i < at_once_; ++i) call();
}

void Calls::call() {
  request_.set_id(++id_);
  const std::string bytes = request_.SerializeAsString();
  asked_ = os::now();
  session_.send(FrameType::kRequest, Bytes(bytes.begin(), bytes.end()));
}

void Calls::frame(FrameType type, ByteView payload, Moment) {
  proto::Reply reply;
  if (type != FrameType::kReply || !reply.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return;
  ++answered_;
  refused_ += reply.error() != 0;
  if (!quiet_) return call();
  const Moment now = os::now();
  took_.push_back(now - asked_);
  next_ = now + kPause;
}

void Calls::print() const {
  std::string all;
  for (const Duration one : took_) all += fmt::format("{}{:.1f}", all.empty() ? "" : ", ", 1e6 * seconds(one));
  fmt::print("{{\"calls\": {}, \"refused\": {}, \"took_us\": [{}]}}\n", answered_, refused_, all);
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options{{"connect", ""}, {"what", "quiet"}, {"name", ""}, {"seconds", "3"}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i] + 2] = argv[i + 1];
  os::NetLoopOptions net;
  net.connect = options["connect"];
  auto loop = os::NetLoop::open(net);
  if (!loop) return 1;
  Calls calls(options["what"], options["name"],
              Duration(static_cast<std::int64_t>(1e9 * std::atof(options["seconds"].c_str()))), **loop);
  if (!(*loop)->run(calls)) return 1;
  calls.print();
  return 0;
}
