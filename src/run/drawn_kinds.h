// What a drawing may be, as people and programs write it; the place is its number (drawings.h).
#pragma once

namespace convoy {

inline constexpr const char* kDrawnKinds[] = {"lines", "strip", "arrows", "points", "text"};

}  // namespace convoy
