// Who is at the other end of a TCP connection within this machine: the user of the program that opened it, as the
// kernel lists it. Of a connection beyond this machine, of a socket that its program has closed already, and of one in
// another network namespace the list knows nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/ports.h"

namespace convoy::os {

inline constexpr std::size_t kMaxSocketTable = 64u << 20;  // bytes that are read: some 400,000 sockets

std::uint32_t own_user();  // the effective one

// Reads the whole list: some microseconds a hundred sockets of this machine.
std::optional<std::uint32_t> user_of_peer(int connection);

// Of the socket with these two ends in the text of /proc/net/tcp or tcp6.
struct SocketEnds {
  Endpoint local, remote;
  friend bool operator==(const SocketEnds&, const SocketEnds&) = default;
};
std::optional<std::uint32_t> user_in_table(std::string_view table, const SocketEnds& ends);

}  // namespace convoy::os
