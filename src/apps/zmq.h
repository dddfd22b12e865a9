// A robot client's streams over ZeroMQ, as a scenario or the command line asks for them.
#pragma once

#include <memory>

#include "agent/gateway.h"
#include "apps/arguments.h"
#include "scenario/scenario.h"

namespace convoy::apps {

// What the `index`-th robot client of a run uses of the options: its own blocks of ports.
scenario::ZmqOptions of_client(scenario::ZmqOptions options, std::size_t index);

// Binds the ports. Beyond this machine only with keys (CONVOY_ZMQ_SECRET_KEY), or if the options allow it.
Result<std::unique_ptr<Gateway>> open_streams(const scenario::ZmqOptions& options, Log& log);

// Would open_streams() succeed for that many clients just now?
Status try_streams(const scenario::ZmqOptions& options, std::size_t clients);

// As the flags of convoy client, and back.
void add_zmq_flags(std::vector<std::string>& argv, const scenario::ZmqOptions& options);
Result<scenario::ZmqOptions> zmq_options(const ZmqArguments& arguments);

// convoy zmq-echo
int zmq_echo(const Arguments& arguments);

}  // namespace convoy::apps
