// The car of bicycle.h in a program of its own, which joins a run as a host:
//
//   convoy server cars.yaml                 # says where it listens
//   convoy client --connect 127.0.0.1:PORT --name host0
//   cars 127.0.0.1:PORT
#include <convoy/host.h>

#include <cstdio>

#include "bicycle.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: cars ADDRESS:PORT\n");
    return 2;
  }
  const convoy::robot::Type engines[] = {{"bicycle", convoy::robot::maker<convoy_example::Bicycle>()}};
  auto host = convoy::Host::join({.server = argv[1], .name = "cars"}, engines);
  const convoy::Status over = host ? host->run() : tl::unexpected(host.error());
  if (!over) std::fprintf(stderr, "cars: %s\n", over.error().message().c_str());
  return over ? 0 : 1;
}
