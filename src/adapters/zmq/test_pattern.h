// What a camera shows until there is rendering: a moving test picture, marked as such.
#pragma once

#include "core/bytes.h"

namespace convoy::zmq {

inline constexpr int kPictureWidth = 640, kPictureHeight = 480;  // all that URLab's programs take

// Bars, the word TEST, and a line at `frame`; B, G, R, A, rows from the top.
void put_test_pattern(Bytes& out, std::uint64_t frame);

}  // namespace convoy::zmq
