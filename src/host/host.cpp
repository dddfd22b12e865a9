// convoy::Host: a ClientRole on a loop of its own, with a program's engines.
#include "convoy/host.h"

#include <dlfcn.h>

#include <atomic>
#include <optional>

#include "engines/engines.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/handler_pool.h"
#include "os/loop.h"
#include "os/machine.h"
#include "os/port_secret.h"
#include "os/process_report.h"
#include "os/sign_of_life.h"
#include "os/signals.h"
#include "os/terminal.h"
#include "os/thread_pool.h"
#include "plugins/engine_libraries.h"
#include "roles/client.h"

namespace convoy {

namespace {

// Of the library that this is in: what the server compares with the one that was made together with it.
std::string library_build() {
  static const char here = 0;
  Dl_info info{};
  if (dladdr(&here, &info) == 0) return {};
  const std::string file = info.dli_fname;
  return engines::build_text_of(std::span(&file, 1));
}

}  // namespace

struct Host::Inside {
  Inside(const Options& given, std::unique_ptr<os::NetLoop> l)
      : options(given),
        log(given.quiet ? LogLevel::kWarn : LogLevel::kInfo),
        physics(engines::physics_factory(), {}),
        rays(engines::ray_casters()),
        pictures(engines::picture_maker()),
        loop(std::move(l)),
        pool(given.threads),
        compilers(1, [this] { (void)loop->post([] {}); }) {}

  Options options;
  os::StderrLog log;
  EngineLibraries physics;
  std::unique_ptr<RayCasters> rays;
  std::unique_ptr<PictureMaker> pictures;
  std::unique_ptr<os::NetLoop> loop;
  os::SignOfLife life;
  os::ThreadPool pool;
  os::HandlerPool compilers;
  std::unique_ptr<ClientRole> role;
  std::atomic<bool> stopped{false};

  void stop() {
    stopped = true;
    (void)loop->post([this] { role->stop(); });
  }
};

Host::Host(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Host::Host(Host&&) noexcept = default;
Host& Host::operator=(Host&&) noexcept = default;
Host::~Host() = default;

Result<Host> Host::join(const Options& options, std::span<const robot::Type> engines) {
  if (options.threads == 0 || options.threads > 1024) return fail(ErrorCode::kInvalid, "threads: 1 to 1024");
  os::raise_descriptor_limit();
  os::NetLoopOptions net;
  net.connect = options.server;
  auto loop = os::NetLoop::open(net);
  if (!loop) return tl::unexpected(loop.error());
  auto inside = std::make_unique<Inside>(options, std::move(*loop));
  if (auto ok = inside->physics.add({engines.data(), engines.size()}); !ok) return tl::unexpected(ok.error());
  ClientOptions client;
  client.session.name = options.name;
  client.session.build = library_build();
  if (client.session.build.empty()) return fail(ErrorCode::kInternal, "the library convoy::host cannot read itself");
  client.session.fingerprint = engines::numeric_fingerprint();
  client.session.credentials = os::credentials(options.credentials, *inside->loop);
  client.session.datagrams = true;
  client.session.server = inside->loop->server_endpoint();
  client.stopwatch = [] { return static_cast<std::uint64_t>(nanos(os::now().time_since_epoch())); };
  client.process = os::process_report;
  Inside& self = *inside;
  client.welcomed = [&self](const Session& session) {
    self.life.begin({.server = self.loop->server_endpoint(),
                     .hello = side_hello(SideLink::kLife, session.number(), session.token()),
                     .sign = [] { return life_sign(os::is_traced(os::process_id()) ? std::string(kTraced) : ""); },
                     .every = Listening::most(session.liveness())});
  };
  client.handlers = &self.compilers;
  self.role = std::make_unique<ClientRole>(
      client, *self.loop, self.pool,
      AgentParts{self.physics, nullptr, self.rays.get(), nullptr, nullptr, self.pictures.get()}, self.log);
  return Host(std::move(inside));
}

Status Host::run() {
  Inside& self = *inside_;
  std::optional<os::Signals> signals;
  if (self.options.signals) signals.emplace([&self](int) { self.stop(); });
  if (auto ok = self.loop->run(*self.role); !ok) return ok;
  if (self.stopped) return {};
  if (const auto failure = self.role->failure()) {
    const std::string& trouble = self.loop->last_trouble();
    return fail(failure->code,
                failure->message() + (self.role->session().welcome() || trouble.empty() ? "" : ": " + trouble));
  }
  return {};
}

void Host::stop() { inside_->stop(); }

}  // namespace convoy
