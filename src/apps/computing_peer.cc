#include "apps/computing_peer.h"

#include "apps/library_folders.h"
#include "apps/users_code.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/machine.h"
#include "os/port_secret.h"

namespace convoy::apps {

SessionOptions peer_session(const Arguments& arguments, os::NetLoop& loop) {
  SessionOptions out;
  out.name = arguments.name;
  out.build = engines::build_text();
  out.fingerprint = engines::numeric_fingerprint();
  out.credentials = os::credentials(arguments.credentials.text, loop);
  out.server = loop.server_endpoint();
  return out;
}

std::function<void(const Session&)> begin_signs(os::SignOfLife& life, os::NetLoop& loop, std::string (*busy)()) {
  return [&life, &loop, busy](const Session& session) {
    life.begin({.server = loop.server_endpoint(),
                .from = loop.call_from(),
                .hello = side_hello(SideLink::kLife, session.number(), session.token()),
                .sign = [busy] { return life_sign(os::is_traced(os::process_id()) ? std::string(kTraced) : busy()); },
                .every = Listening::most(session.liveness())});
  };
}

Makers::Makers(const Arguments& arguments)
    : physics_(make_physics(library_folders(arguments))),
      rays_(engines::ray_casters()),
      pictures_(engines::picture_maker()),
      sensors_(library_folders(arguments)) {}

AgentParts Makers::parts(SoftwareFactory* software) {
  return {*physics_, software, rays_.get(), nullptr, &sensors_, pictures_.get()};
}

int peer_ended(const Session& session, const std::optional<Error>& failure, os::NetLoop& loop) {
  if (!failure) return kOk;
  const std::string& trouble = loop.last_trouble();
  return complain(failure->message() + (session.welcome() || trouble.empty() ? "" : ": " + trouble), kFailed);
}

}  // namespace convoy::apps
