// A line of the table, IPv4 and IPv6, words between any number of spaces:
//
//   0: 0100007F:15B3 0100007F:C4E2 01 00000000:00000000 00:00000000 00000000  1000        0 12345 ...
//   number  local       remote  state    queues          timer      retries    uid  timeout inode
//
// An address is one or four words of 32 bits, each as this machine has it in memory; a port is a number.
#include "os/peer_user.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>

#include "os/address.h"
#include "os/file.h"

namespace convoy::os {

namespace {

constexpr std::size_t kLocal = 1, kRemote = 2, kUser = 7, kInode = 9;
using Words = std::array<std::string_view, kInode + 1>;

template <class Number>
bool read_number(std::string_view text, int base, Number& out) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [at, error] = std::from_chars(begin, end, out, base);
  return error == std::errc{} && at == end;
}

bool split(std::string_view line, Words& words) {
  std::size_t at = 0;
  for (std::string_view& word : words) {
    at = line.find_first_not_of(' ', at);
    if (at == line.npos) return false;
    const std::size_t end = std::min(line.find(' ', at), line.size());
    word = line.substr(at, end - at);
    at = end;
  }
  return true;
}

bool read_endpoint(std::string_view word, Endpoint& out) {
  const std::size_t colon = word.find(':');
  if ((colon != 8 && colon != 32) || !read_number(word.substr(colon + 1), 16, out.port)) return false;
  std::array<std::uint32_t, 4> address{};
  for (std::size_t i = 0; i < colon / 8; ++i)
    if (!read_number(word.substr(8 * i, 8), 16, address[i])) return false;
  SocketAddress kernel;
  if (colon == 8) {
    sockaddr_in in{};
    in.sin_family = AF_INET, in.sin_port = htons(out.port), in.sin_addr.s_addr = address[0];
    std::memcpy(&kernel.storage, &in, kernel.size = sizeof in);
  } else {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6, in.sin6_port = htons(out.port);
    std::memcpy(&in.sin6_addr, address.data(), sizeof in.sin6_addr);
    std::memcpy(&kernel.storage, &in, kernel.size = sizeof in);
  }
  out = from_socket_address(kernel);
  return true;
}

}  // namespace

std::uint32_t own_user() { return ::geteuid(); }

std::optional<std::uint32_t> user_in_table(std::string_view table, const SocketEnds& ends) {
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = std::min(table.find('\n', begin), table.size());
    Words words;
    SocketEnds of_line;
    std::uint32_t user = 0;
    std::uint64_t inode = 0;
    // What no program holds any more has inode 0, and is listed as root's.
    if (split(table.substr(begin, end - begin), words) && read_endpoint(words[kLocal], of_line.local) &&
        read_endpoint(words[kRemote], of_line.remote) && of_line == ends && read_number(words[kUser], 10, user) &&
        read_number(words[kInode], 10, inode) && inode != 0)
      return user;
    begin = end + 1;
  }
  return {};
}

std::optional<std::uint32_t> user_of_peer(int connection) {
  SocketAddress here, there;
  if (::getsockname(connection, here.get(), &here.size) != 0 ||
      ::getpeername(connection, there.get(), &there.size) != 0)
    return {};
  const SocketEnds of_peer{from_socket_address(there), from_socket_address(here)};
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    const auto table = read_text(path, kMaxSocketTable);
    if (!table) continue;
    if (const auto user = user_in_table(*table, of_peer)) return user;
  }
  return {};
}

}  // namespace convoy::os
