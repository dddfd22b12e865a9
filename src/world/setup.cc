#include "world/setup.h"

namespace convoy {

void forget_scene(Setup& setup) {
  Bytes().swap(setup.map.cells);  // "= {}" would keep the memory
  std::vector<Bytes>().swap(setup.files);
  std::vector<EntitySpec>().swap(setup.entities);
}

}  // namespace convoy
