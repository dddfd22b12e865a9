// Joins a run, and asks the server's own function each of its words before it is ready; prints the answers.
//
//   welcomed_client HOST:PORT hello world places
#include <chrono>
#include <cstdio>
#include <string>

#include "convoy/client.h"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  convoy::Client::Options options{.address = argv[1], .name = "asker"};
  options.tcp_phase = [&](convoy::TcpPhase& server) -> convoy::Status {
    for (int i = 2; i < argc; ++i) {
      const std::string word = argv[i];
      if (auto ok = server.send({reinterpret_cast<const std::uint8_t*>(word.data()), word.size()}); !ok) return ok;
      const auto answer = server.receive(2s);
      if (!answer) std::printf("%s: no answer: %s\n", argv[i], answer.error().message().c_str());
      else std::printf("%s: %s\n", argv[i], std::string(answer->begin(), answer->end()).c_str());
    }
    return {};
  };
  auto client = convoy::Client::connect(std::move(options));
  if (!client) return std::printf("%s\n", client.error().message().c_str()), 1;
  std::printf("joined\n");
  client->leave();
}
