// Where a run in lockstep gets the elements of outside programs from, boundary by boundary.
#pragma once

#include <vector>

#include "wire/journal.h"

namespace convoy {

class ElementSource {
 public:
  virtual ~ElementSource() = default;
  // What has changed since the last call, by (owner, id). A run that was not asked for before begins without elements.
  virtual std::vector<ElementChanged> take(std::uint32_t run) = 0;
  // All there are, in the same order, as of the last take(), if nothing came since.
  virtual std::vector<ElementChanged> all() const = 0;
};

}  // namespace convoy
