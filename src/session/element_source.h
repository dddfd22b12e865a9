// The interface through which a lockstep run takes the elements of outside programs, at each boundary.
#pragma once

#include <vector>

#include "wire/journal.h"

namespace convoy {

class ElementSource {
 public:
  virtual ~ElementSource() = default;
  // Changes since the last call, by (owner, id). A new run number starts without elements.
  virtual std::vector<ElementChanged> take(std::uint32_t run) = 0;
  // All there are, in the same order, as of the last take(), if nothing came since.
  virtual std::vector<ElementChanged> all() const = 0;
};

}  // namespace convoy
