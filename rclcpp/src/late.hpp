// A program that has loaded this library when the C library's functions were bound already: Python, a program that loads
// plug-ins. What nodes call there does not come by (interpose.cpp), so that threads of theirs would have no order.
#pragma once

#include <string>

namespace convoy::ros {

// Ours do not stand before the C library's in this program.
bool is_late();
// The first function by which this loaded library, of dlopen(), would make threads; empty: none.
std::string makes_threads_by(void* library);

}  // namespace convoy::ros
