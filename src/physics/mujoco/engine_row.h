// The engine's state of one robot (mjSTATE_INTEGRATION, warm start included) as a row of numbers.
#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "core/fields.h"

namespace convoy::mujoco {

class EngineRow {
 public:
  // Of a model whose rows have so many numbers.
  explicit EngineRow(int size) : numbers_(static_cast<std::size_t>(size)) {}

  std::size_t size() const { return numbers_.size(); }
  std::vector<double>& numbers() { return numbers_; }
  const std::vector<double>& numbers() const { return numbers_; }

  // From the data, and into it. False, with what MuJoCo reported: it failed.
  bool get(const mjModel* m, const mjData* d, std::string& trouble);
  bool set(const mjModel* m, mjData* d, std::string& trouble) const;

  // In the byte order of this machine.
  void write(Bytes& out) const;
  bool fits(ByteView bytes) const { return bytes.size() == numbers_.size() * sizeof(double); }
  void read(ByteView bytes);  // they must fit
  bool is_finite() const;

  // "qpos[3]" and its value, for each number.
  void describe(const mjModel* m, DescribeFields::List& out) const;

 private:
  std::vector<double> numbers_;
};

}  // namespace convoy::mujoco
