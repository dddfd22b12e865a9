// convoy zmq-echo: prints the joints of URLab's state stream as they come, and shows its camera's frames.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>

#include "adapters/zmq/layout.h"
#include "adapters/zmq/socket.h"
#include "apps/zmq.h"
#include "os/clock.h"
#include "os/signals.h"
#include "os/standard_streams.h"
#include "os/terminal.h"

namespace convoy::apps {

namespace {

constexpr int kColumns = 80, kRows = 24;  // of a picture on a terminal; each row shows two of its own
constexpr std::size_t kMaxShown = 60;     // joints on one screen

struct Picture {
  std::string topic;
  std::uint64_t count = 0;
  std::uint32_t width = 0, height = 0;  // px
  Bytes pixels;                         // B, G, R, A
};

std::string joint_text(ByteView payload) {
  std::int32_t id = 0;
  float values[3];
  std::memcpy(&id, payload.data(), 4);
  std::memcpy(values, payload.data() + 4, 12);
  return fmt::format("id {:3}  pos {:+9.4f}  vel {:+9.4f}  acc {:+10.3f}", id, values[0], values[1], values[2]);
}

// Two pixels a character, one above the other.
std::string drawn(const Picture& picture) {
  const auto colour = [&](int x, int y, int kind) {
    const std::size_t at = (static_cast<std::size_t>(y) * picture.width + static_cast<std::size_t>(x)) * 4;
    const std::uint8_t* p = picture.pixels.data() + at;
    return fmt::format("\x1b[{};2;{};{};{}m", kind, p[2], p[1], p[0]);
  };
  std::string out;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      const int x = column * static_cast<int>(picture.width) / kColumns;
      const auto y = [&](int half) { return half * static_cast<int>(picture.height) / (2 * kRows); };
      out += colour(x, y(2 * row), 38) + colour(x, y(2 * row + 1), 48) + "\u2580";
    }
    out += "\x1b[0m\n";
  }
  return out;
}

void redraw(const std::map<std::string, std::string>& joints, std::uint64_t messages, const Picture& picture) {
  std::string screen = "\x1b[H\x1b[J";
  std::size_t shown = 0;
  for (const auto& [topic, text] : joints)
    if (shown++ < kMaxShown) screen += fmt::format("{:40} {}\n", topic, text);
  screen += fmt::format("{} joints, {} messages\n", joints.size(), messages);
  if (picture.count > 0) screen += fmt::format("{}, frame {}\n", picture.topic, picture.count) + drawn(picture);
  os::print_text(screen);
  os::flush_stdout();
}

Result<zmq::Socket> listen_to(zmq::Context& context, std::string endpoint, int queue) {
  if (endpoint.rfind("tcp://", 0) == 0) endpoint = endpoint.substr(6);
  zmq::SocketOptions options;
  options.kind = zmq::SocketOptions::Kind::kListen;
  options.address = endpoint, options.bind = false, options.queue = queue;
  return zmq::Socket::open(context, options);
}

}  // namespace

int zmq_echo(const Arguments& arguments) {
  const ZmqArguments& a = arguments.zmq;
  zmq::Context context;
  auto main = listen_to(context, a.main_endpoint, 1000);
  if (!main) return complain(main.error().message(), kUsage);
  auto camera = listen_to(context, a.camera_endpoint, 2);
  if (!camera) return complain(camera.error().message(), kUsage);

  std::atomic<bool> stopped{false};
  os::Signals signals([&](int) { stopped = true; });
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  std::map<std::string, std::string> joints;
  std::uint64_t messages = 0;
  Picture picture;
  bool told_size = false;
  std::vector<Bytes> parts;
  Moment next{};
  while (!stopped && !os::stdout_failed() && (a.count == 0 || messages < a.count)) {
    bool any = false;
    while ((a.count == 0 || messages < a.count) && main->receive(parts)) {
      any = true;
      if (parts.size() != 2 || parts[1].size() != 16) continue;  // not a joint
      const std::string topic = os::escape_line(as_text(parts[0]), 200);
      if (topic.find("/joint/") == topic.npos) continue;
      ++messages;
      if (terminal) joints[topic] = joint_text(parts[1]);
      else os::print("{} {}\n", topic, joint_text(parts[1]));
    }
    while (camera->receive(parts)) {
      any = true;
      const auto read = parts.size() == 2 ? zmq::read_picture(parts[1], a.width, a.height) : std::nullopt;
      if (!read) {
        if (parts.size() == 2 && !std::exchange(told_size, true))
          os::print_error(
              "zmq-echo: a picture of {} bytes, and {} x {} pixels have {}: --res_x and --res_y say the size\n",
              parts[1].size(), a.width, a.height, std::uint64_t{4} * a.width * a.height);
        continue;
      }
      picture.topic = os::escape_line(as_text(parts[0]), 200);
      picture.pixels.assign(read->pixels.begin(), read->pixels.end());
      picture.width = read->width, picture.height = read->height;
      if (++picture.count; !terminal)
        os::print("{}frame {}, {} x {}\n", picture.topic, picture.count, picture.width, picture.height);
    }
    const Moment now = os::now();
    if (terminal && now >= next) {
      next = now + std::chrono::milliseconds(100);
      redraw(joints, messages, picture);
    }
    if (!terminal && any) os::flush_stdout();
    if (!any) ::poll(nullptr, 0, 5);
  }
  return stopped && a.count != 0 ? kInterrupted : kOk;
}

}  // namespace convoy::apps
