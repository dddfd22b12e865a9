#include "apps/zmq.h"

#include <cstdlib>

#include "adapters/zmq/doorman.h"
#include "adapters/zmq/streams.h"
#include "agent/gateways.h"
#include "apps/network.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/address.h"
#include "os/clock.h"
#include "os/machine.h"
#include "os/sockets.h"

namespace convoy::apps {

namespace {

zmq::CallsOptions calls_options() {
  zmq::CallsOptions out;
  out.version = engines::version_text(), out.mujoco_version = engines::mujoco_version();
  out.mujoco_version_int = engines::mujoco_version_int();
  out.unix_time = os::unix_time;
  return out;
}

// The streams of one client, each with its block of ports, but the process's own name for its sessions.
Result<std::vector<zmq::StreamsOptions>> streams_of(const scenario::ZmqOptions& o, zmq::Admits own_user) {
  const char* key = std::getenv("CONVOY_ZMQ_SECRET_KEY");
  if (!o.insecure && !key && !loopback(o.listen + ":0"))
    return fail(ErrorCode::kDenied,
                "zmq: listening on " + o.listen +
                    " lets anybody on the network control the robots; set CONVOY_ZMQ_SECRET_KEY, or insecure: true");
  const bool both = o.profile == scenario::ZmqProfile::kBoth, urlab = o.profile == scenario::ZmqProfile::kUrlab01;
  zmq::StreamsOptions first;
  first.block.listen = o.listen, first.block.secret_key = key ? key : "", first.block.port = o.port;
  if (!o.insecure && !key) first.block.admits = std::move(own_user);
  first.profile = urlab ? zmq::WireProfile::kUrlab01 : zmq::WireProfile::kSeed;
  first.header = o.pictures == scenario::ZmqPictures::kBare       ? zmq::PictureHeader::kNone
                 : o.pictures == scenario::ZmqPictures::kVersion1 ? zmq::PictureHeader::kVersion1
                                                                  : zmq::PictureHeader::kVersion2;
  first.calls = calls_options();
  first.calls.role = o.role;
  std::vector<zmq::StreamsOptions> all{first};
  if (both) {
    all.push_back(first);
    all.back().block.port = o.urlab01_port, all.back().profile = zmq::WireProfile::kUrlab01;
  }
  return all;
}

// Are the block's ports free? What ZeroMQ alone can resolve ("eth0") is left to it.
Status try_ports(const zmq::Block& block) {
  const auto where = os::parse_host_port((block.listen == "*" ? "0.0.0.0" : block.listen) + ":0");
  const auto found = where ? os::resolve(*where) : tl::unexpected(where.error());
  if (!found || found->empty()) return {};
  Endpoint at = found->front();
  for (int place : zmq::kBoundAtOnce) {
    at.port = static_cast<std::uint16_t>(block.port + place);
    const auto ok = os::try_tcp_port(at);
    if (ok) continue;
    if (ok.error().code != ErrorCode::kExists) return ok;
    return fail(ErrorCode::kUnavailable, block.listen + ":" + std::to_string(at.port) + " is taken (ZeroMQ)");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Gateway>> open_streams(const scenario::ZmqOptions& o, Log& log) {
  const auto doorman = std::make_shared<zmq::Doorman>(log);  // of all sockets, which go at times of their own
  auto streams = streams_of(o, [doorman](int connection) { return doorman->admits(connection); });
  if (!streams) return tl::unexpected(streams.error());
  const std::uint64_t nonce = os::drawn_number();
  std::vector<std::unique_ptr<Gateway>> all;
  for (zmq::StreamsOptions& options : *streams) {
    options.nonce = nonce;
    auto made = zmq::Streams::open(std::move(options), log);
    if (!made) return tl::unexpected(made.error());
    all.push_back(std::move(*made));
  }
  return std::make_unique<Gateways>(std::move(all));
}

// Without sockets of ZeroMQ: a program that waits for its client would send them its first request, and it would be
// lost with them.
Status try_streams(const scenario::ZmqOptions& options, std::size_t clients) {
  for (std::size_t i = 0; i < clients; ++i) {
    const auto streams = streams_of(of_client(options, i), {});
    if (!streams) return tl::unexpected(streams.error());
    for (const zmq::StreamsOptions& one : *streams) {
      if (!one.block.secret_key.empty())
        if (auto ok = zmq::check_secret_key(one.block.secret_key); !ok) return ok;
      if (auto ok = try_ports(one.block); !ok) return ok;
    }
  }
  return {};
}

}  // namespace convoy::apps
