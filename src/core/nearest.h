// The known word that somebody may have meant by an unknown one, for "did you mean".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// Words are compared by so many of their first characters: the time goes with the product of two lengths, and what is
// unknown comes from strangers.
inline constexpr std::size_t kComparedCharacters = 64;

// The nearest of `known` by insertions, deletions, replacements and swaps of neighbours, the first of several; or else
// the first that holds the word whole ("burger": "turtlebot3_burger"). Empty if none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace convoy
