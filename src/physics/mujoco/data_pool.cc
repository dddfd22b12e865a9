#include "physics/mujoco/data_pool.h"

#include "physics/mujoco/guard.h"

namespace convoy::mujoco {

namespace {

// Where this thread searches first: it finds what it gave back last.
std::size_t place_of_this_thread() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t place = threads++;
  return place;
}

mjData* made(const mjModel* model, std::string& trouble) {
  mjData* data = nullptr;
  if (guarded(trouble, [&] { data = mj_makeData(model); }) && !data) trouble = "no memory";
  return data;
}

void destroy(mjData* data) {
  std::string ignored;
  if (data) guarded(ignored, [data] { mj_deleteData(data); });
}

// Does an mjData of it remember what no row of state holds? Sleeping bodies, and what plugins keep.
bool has_memory(const mjModel* model) { return (model->opt.enableflags & mjENBL_SLEEP) || model->nplugin > 0; }

}  // namespace

DataPool::~DataPool() {
  for (Slot& slot : slots_) destroy(slot.data);
}

DataPool::Loan& DataPool::Loan::operator=(Loan&& other) noexcept {
  end();
  slot_ = std::exchange(other.slot_, nullptr), data_ = std::exchange(other.data_, nullptr);
  return *this;
}

void DataPool::Loan::end() {
  if (slot_) slot_->taken.store(false, std::memory_order_release);
  else destroy(data_);
  slot_ = nullptr, data_ = nullptr;
}

DataPool::Loan DataPool::take(const mjModel* model, std::string& trouble) {
  const std::size_t first = place_of_this_thread();
  Loan out;
  for (std::size_t i = 0; i < slots_.size() && !out.data_; ++i) {
    Slot& slot = slots_[(first + i) % slots_.size()];
    if (slot.taken.exchange(true, std::memory_order_acquire)) continue;
    if (!slot.data) slot.data = made(model, trouble);
    out = Loan(&slot, slot.data);
    if (!slot.data) return out.end(), Loan();
  }
  if (!out.data_) return Loan(nullptr, made(model, trouble));
  if (has_memory(model)) {
    std::string ignored;
    guarded(ignored, [&] { mj_resetData(model, out.data_); });
  }
  return out;
}

}  // namespace convoy::mujoco
