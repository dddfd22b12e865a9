// Links to other peers than the server, for roles that use them; not every network has them.
#pragma once

#include <optional>

#include "core/ports.h"

namespace convoy {

class PeerNetwork {
 public:
  virtual ~PeerNetwork() = default;
  // Opens a link to that peer; on_opened or on_closed follows, as with Network::connect().
  virtual LinkId connect_to(const Endpoint& peer) = 0;
  // From now on others may open links to this process, at the address from which that link goes out and a free port;
  // on_opened follows for each. Where; the same each time. Nothing: there is no such link, or no port can be had.
  virtual std::optional<Endpoint> take_links(LinkId beside) = 0;
  // What was sent on any link goes out now, as far as its peer takes it, and not when the role's call returns: others can
  // work on it while this one does.
  virtual void send_now() = 0;
};

}  // namespace convoy
