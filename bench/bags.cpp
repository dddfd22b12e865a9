// Playing a bag, beside what it is made of: reading the file alone, and the same messages through the graph alone.
//
//   bench_bags [--megabytes N]     one JSON object: nanoseconds of CPU time a message, by size of the messages
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>

#include "os/file.h"
#include "record/mcap_cursor.h"
#include "record/mcap_writer.h"

namespace {

using namespace convoy;
using rclcpp::SerializedMessage;

constexpr const char* kType = "nowhere_msgs/msg/Blob";  // bytes, of a type that nothing unpacks

template <class T>
T must(Result<T> result) {
  if (!result) std::fprintf(stderr, "%s\n", result.error().message().c_str()), std::abort();
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// A message each microsecond.
Bytes bag_of(std::size_t size, std::uint64_t n) {
  MemorySink sink;
  McapWriter writer(sink, {.compression = Compression::kNone, .profile = "ros2"});
  const auto schema = must(writer.add_schema(kType, "ros2msg", as_bytes("uint8[] data\n")));
  const auto channel = must(writer.add_channel({.schema_id = schema, .topic = "/blob", .message_encoding = "cdr"}));
  const Bytes data(size, 7);
  for (std::uint64_t i = 0; i < n; ++i)
    must(writer.write({.channel_id = channel, .log_time_ns = 1000 * (i + 1), .data = data}));
  must(writer.close());
  return std::move(sink.bytes);
}

template <class F>
double ns_each(std::uint64_t n, F run) {
  double least = 1e300;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t begin = std::clock();
    run();
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC * 1e9 / static_cast<double>(n));
  }
  return least;
}

// Messages to one subscription, until nothing is left; how many came.
template <class Make>
std::uint64_t run(Make make) {
  ros::Simulation simulation({});
  const ros::Simulation::Scope scope(simulation);
  const auto source = make();
  auto node = std::make_shared<rclcpp::Node>("listener");
  std::uint64_t heard = 0;
  auto in = node->create_generic_subscription("/blob", kType, 10, [&](const SerializedMessage&) { ++heard; });
  while (simulation.next() != nodes::kNoInstant) must(simulation.run_instant(simulation.next()));
  return heard;
}

void measure(std::size_t size, std::uint64_t n, const std::string& folder) {
  const std::string file = folder + "/bag.mcap";
  must(os::write_file(file, bag_of(size, n)));
  const auto expect = [n](std::uint64_t is) {
    if (is != n) std::fprintf(stderr, "%llu messages\n", static_cast<unsigned long long>(is)), std::abort();
  };
  const double read = ns_each(n, [&] {
    const auto mapped = must(os::MappedFile::open(file));
    const auto reader = must(McapReader::open(mapped.bytes()));
    McapCursor cursor(reader, {});
    std::uint64_t count = 0;
    while (must(cursor.next())) ++count;
    expect(count);
  });
  const double graph = ns_each(n, [&] {
    expect(run([&] {
      struct Source {
        explicit Source(std::size_t bytes, std::uint64_t n) : node("source"), message(Bytes(bytes, 7)), left(n) {
          out = node.create_generic_publisher("/blob", kType, 10);
          timer = node.create_wall_timer(std::chrono::microseconds(1), [this] {
            out->publish(message);
            if (--left == 0) timer->cancel();
          });
        }
        rclcpp::Node node;
        SerializedMessage message;
        std::uint64_t left;
        rclcpp::GenericPublisher::SharedPtr out;
        rclcpp::TimerBase::SharedPtr timer;
      };
      return std::make_unique<Source>(size, n);
    }));
  });
  const double play = ns_each(n, [&] {
    expect(run([&] {
      return rclcpp_components::find_component("convoy::Player")
          ->create_node_instance(rclcpp::NodeOptions().append_parameter_override("file", file));
    }));
  });
  std::printf("{\"bytes\": %zu, \"read\": %.1f, \"graph\": %.1f, \"play\": %.1f}", size, read, graph, play);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t megabytes = 200;
  for (int i = 1; i + 1 < argc; i += 2)
    if (!std::strcmp(argv[i], "--megabytes")) megabytes = static_cast<std::uint64_t>(std::atoll(argv[i + 1]));
  const auto folder = must(os::TempDirectory::create());
  std::printf("[");
  measure(100, megabytes * 2'500, folder.path());
  std::printf(", ");
  measure(100'000, megabytes * 10, folder.path());
  std::printf("]\n");
}
