// Counts what a publisher sends: a listener that keeps up, where one in Python does not.
//
//   bench_zmq_listener PORT SECONDS TOPIC...
//
// Prints the messages of SECONDS, counted from the first one on.
#include <time.h>
#include <zmq.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

double now_s() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fputs("usage: bench_zmq_listener PORT SECONDS TOPIC...\n", stderr), 2;
  void* context = zmq_ctx_new();
  void* socket = zmq_socket(context, ZMQ_SUB);
  for (int i = 3; i < argc; ++i) zmq_setsockopt(socket, ZMQ_SUBSCRIBE, argv[i], std::string(argv[i]).size());
  if (zmq_connect(socket, ("tcp://127.0.0.1:" + std::string(argv[1])).c_str()) != 0) return 1;
  const double seconds = std::atof(argv[2]);
  double end = 0;
  long count = 0;
  char part[4096];
  do {
    for (int i = 0; i < 1000; ++i) {
      int more = 0;
      std::size_t size = sizeof more;
      if (zmq_recv(socket, part, sizeof part, 0) < 0) return 1;
      zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
      count += more == 0;
    }
    if (end == 0) end = now_s() + seconds, count = 0;
  } while (now_s() < end);
  std::printf("%ld\n", count);
  zmq_close(socket);
  zmq_ctx_term(context);
  return 0;
}
