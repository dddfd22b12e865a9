#include "world/control_source.h"

namespace convoy {

std::optional<ControlSource> control_source_of(std::string_view name) {
  for (std::size_t i = 0; i < kControlSources; ++i)
    if (kControlSourceNames[i] == name) return static_cast<ControlSource>(i);
  return {};
}

}  // namespace convoy
