#include "apps/zmq.h"

#include <cstdlib>

#include "adapters/zmq/streams.h"
#include "agent/gateways.h"
#include "apps/network.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/machine.h"

namespace convoy::apps {

namespace {

zmq::CallsOptions calls_options() {
  zmq::CallsOptions out;
  out.version = engines::version_text(), out.mujoco_version = engines::mujoco_version();
  out.mujoco_version_int = engines::mujoco_version_int();
  out.unix_time = os::unix_time;
  return out;
}

}  // namespace

Result<std::unique_ptr<Gateway>> open_streams(const scenario::ZmqOptions& o, Log& log) {
  const char* key = std::getenv("CONVOY_ZMQ_SECRET_KEY");
  if (!o.insecure && !key && !loopback(o.listen + ":0"))
    return fail(ErrorCode::kDenied,
                "zmq: listening on " + o.listen +
                    " lets anybody on the network control the robots; set CONVOY_ZMQ_SECRET_KEY, or insecure: true");
  zmq::StreamsOptions options;
  options.block.listen = o.listen, options.block.secret_key = key ? key : "";
  options.calls = calls_options();
  options.nonce = static_cast<std::uint64_t>(nanos(os::now().time_since_epoch())) ^
                  static_cast<std::uint64_t>(os::process_id()) << 48;
  std::vector<std::unique_ptr<Gateway>> all;
  const auto add = [&](std::uint16_t port, zmq::WireProfile profile) -> Status {
    options.block.port = port, options.profile = profile;
    auto made = zmq::Streams::open(options, log);
    if (!made) return tl::unexpected(made.error());
    all.push_back(std::move(*made));
    return {};
  };
  const bool both = o.profile == scenario::ZmqProfile::kBoth, urlab = o.profile == scenario::ZmqProfile::kUrlab01;
  if (auto ok = add(o.port, urlab ? zmq::WireProfile::kUrlab01 : zmq::WireProfile::kSeed); !ok)
    return tl::unexpected(ok.error());
  if (both)
    if (auto ok = add(o.urlab01_port, zmq::WireProfile::kUrlab01); !ok) return tl::unexpected(ok.error());
  return std::make_unique<Gateways>(std::move(all));
}

Status try_streams(const scenario::ZmqOptions& options, std::size_t clients) {
  struct Nobody final : Log {
    void line(LogLevel, const std::string&) override {}
  } nobody;
  for (std::size_t i = 0; i < clients; ++i)
    if (auto made = open_streams(of_client(options, i), nobody); !made) return tl::unexpected(made.error());
  return {};
}

}  // namespace convoy::apps
