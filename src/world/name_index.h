// A hash table from entity names to world numbers that stores no names: it asks the caller for them, and so takes some
// ten bytes an entity.
//
//   index.insert(name, number, names);    false: the name is taken
//   index.find(name, names);              kNoEntity: no entity has it
//
// `names(number)` gives the name of an entity that is in the index.
#pragma once

#include <string>
#include <vector>

#include "convoy/ids.h"
#include "core/hash.h"

namespace convoy {

class NameIndex {
 public:
  std::size_t size() const { return size_; }
  void clear() { table_.clear(), size_ = 0; }

  template <class Names>
  WorldNumber find(const std::string& name, const Names& names) const {
    return table_.empty() ? kNoEntity : table_[place_of(name, names)];
  }

  template <class Names>
  bool insert(const std::string& name, WorldNumber number, const Names& names) {
    if (4 * (size_ + 1) > 3 * table_.size()) grow(names);
    WorldNumber& place = table_[place_of(name, names)];
    if (place != kNoEntity) return false;
    place = number;
    ++size_;
    return true;
  }

  // Before the entity goes.
  template <class Names>
  void erase(const std::string& name, const Names& names) {
    if (table_.empty()) return;
    std::size_t hole = place_of(name, names);
    if (table_[hole] == kNoEntity) return;
    --size_;
    // An entry behind the hole because its own place was taken moves up, so that no search ends too early.
    for (std::size_t at = next(hole); table_[at] != kNoEntity; at = next(at)) {
      const std::size_t home = home_of(names(table_[at]));
      const bool reaches = ((at - home) & mask()) >= ((at - hole) & mask());
      if (reaches) table_[hole] = table_[at], hole = at;
    }
    table_[hole] = kNoEntity;
  }

 private:
  std::size_t mask() const { return table_.size() - 1; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  std::size_t home_of(const std::string& name) const { return hash64(as_bytes(name)) & mask(); }

  // Where the name is stored, or would be.
  template <class Names>
  std::size_t place_of(const std::string& name, const Names& names) const {
    std::size_t at = home_of(name);
    while (table_[at] != kNoEntity && names(table_[at]) != name) at = next(at);
    return at;
  }

  template <class Names>
  void grow(const Names& names) {
    std::vector<WorldNumber> before(table_.empty() ? 16 : 2 * table_.size(), kNoEntity);
    before.swap(table_);
    for (WorldNumber number : before) {
      if (number == kNoEntity) continue;
      std::size_t at = home_of(names(number));
      while (table_[at] != kNoEntity) at = next(at);
      table_[at] = number;
    }
  }

  std::vector<WorldNumber> table_;  // a power of two of places, at most three quarters of them taken
  std::size_t size_ = 0;
};

}  // namespace convoy
