// The kinds of edits that an agent may ask for, where its scenario lets it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy {

enum class EditKind : std::uint8_t { kSpawn = 0, kDelete = 1, kSet = 2, kAttach = 3, kDetach = 4 };
// As scenarios and errors name them; by kind.
inline constexpr const char* kEditNames[] = {"spawn", "delete", "set", "attach", "detach"};
inline constexpr std::size_t kEditKinds = 5;

}  // namespace convoy
