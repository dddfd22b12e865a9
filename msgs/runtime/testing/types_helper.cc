// What the test against real ROS 2 (tools/check_msgs.py) asks: one line in, one line out.
//
//   types_helper types          every message, service, event and action: "NAME HASH"
//   types_helper schema NAME    the ros2msg text
//   types_helper fill FIRST N   every message, filled from the seeds FIRST to FIRST+N-1: "NAME HEX", the CDR
//   types_helper read           lines "NAME HEX" from stdin: "NAME HEX YAML", read and written again; YAML as hex, too;
//                               or "NAME error TEXT"
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "testing/all_packages.h"
#include "testing/fill.h"

namespace {

using convoy::ros::AnyMessage;
using convoy::ros::PackageFacts;
using convoy::ros::Types;
using convoy::ros::TypeSupport;

template <class Bytes>
std::string hex(const Bytes& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

std::vector<std::uint8_t> unhex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

void list(const Types& types) {
  for (const PackageFacts* package : types.packages()) {
    for (const auto* facts : package->messages) std::cout << facts->name << ' ' << facts->hash << '\n';
    for (const auto* facts : package->services) {
      const TypeSupport event = convoy::ros::ServiceSupport(*facts).event;
      std::cout << facts->name << ' ' << facts->hash << '\n' << event.name() << ' ' << event.hash() << '\n';
    }
    for (const auto* facts : package->actions) std::cout << facts->name << ' ' << facts->hash << '\n';
  }
}

int fill_all(const Types& types, std::uint64_t first, std::uint64_t count) {
  for (const PackageFacts* package : types.packages()) {
    for (const auto* facts : package->messages) {
      for (std::uint64_t seed = first; seed < first + count; ++seed) {
        AnyMessage message{TypeSupport(*facts)};
        fill(message.type(), message.get(), seed);
        const auto bytes = message.type().to_cdr(message.get());
        if (!bytes) return std::cerr << bytes.error().message() << '\n', 1;
        std::cout << facts->name << ' ' << hex(*bytes) << '\n';
      }
    }
  }
  return 0;
}

void read_one(const TypeSupport& type, const std::vector<std::uint8_t>& bytes) {
  AnyMessage message(type);
  if (const auto read = type.from_cdr(bytes, message.get(), convoy::ros::Rest::kIgnored); !read) {
    std::cout << "error " << read.error().message() << '\n';
    return;
  }
  const auto again = type.to_cdr(message.get());
  std::cout << (again ? hex(*again) : "error " + again.error().message()) << ' ' << hex(type.to_yaml(message.get()))
            << '\n';
}

int read_all(const Types& types) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string name, bytes;
    words >> name >> bytes;
    const auto type = types.message(name);
    if (!type) return std::cerr << type.error().message() << '\n', 1;
    std::cout << name << ' ';
    read_one(*type, unhex(bytes));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Types types = convoy::ros::all_types();
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "types") return list(types), 0;
  if (command == "fill" && argc == 4) return fill_all(types, std::stoull(argv[2]), std::stoull(argv[3]));
  if (command == "read") return read_all(types);
  if (command == "schema" && argc == 3) {
    const auto type = types.message(argv[2]);
    if (!type) return std::cerr << type.error().message() << '\n', 1;
    return std::cout << type->schema(), 0;
  }
  std::cerr << "usage: types_helper types | schema NAME | fill FIRST N | read\n";
  return 2;
}
