/// Runs kernels over lists of operations, on host threads or on the device of a pool.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "base/threads.h"
#include "grid/forest_state.h"

namespace hybridfft::grid::detail {

/// Calls f with a pointer to the pool's first value, of type float or double.
template <class F> void with_type(const BlockPool &pool, const F &f) {
  if (pool.value_bytes == sizeof(float)) return f(pool.first<float>());
  f(pool.first<double>());
}

/// Runs a kernel's row() or cell() for all operations, variables and points of its box().
/// \param on_device address of the operations in the memory of the pool's device
template <class Kernel, class Op>
void run_ops(const BlockPool &pool, std::span<const Op> ops, const Op *on_device,
             const Kernel &kernel) {
  if (ops.empty()) return;
  const auto count = static_cast<Index>(ops.size());
  if (pool.device) {
    Index points = 0;
    for (const Op &op : ops)
      points = std::max(points, kernel.box(op).points());
    if (points > 0)
      parallel_for(*pool.device, Box(count, pool.variables, points),
                   kernels::OnList<Kernel, Op>{on_device, kernel});
    return;
  }
  parallel_ranges(count, pool.threads, [&](Index first, Index last, int) {
    const Kernel local = kernel; // copies, so that compilers keep the members in registers
    const Index variables = pool.variables;
    for (Index n = first; n < last; ++n) {
      const Op op = ops[static_cast<std::size_t>(n)];
      const Box b = local.box(op);
      for (Index v = 0; v < variables; ++v)
        for (Index i = b.lo[0]; i < b.hi[0]; ++i)
          for (Index j = b.lo[1]; j < b.hi[1]; ++j) {
            const Index first[3] = {i, j, b.lo[2]};
            kernels::run_row(local, op, v, first, b.extent(2));
          }
    }
  });
}

/// Calls kernel(0, variable, n) for all variables and 0 <= n < count.
template <class Kernel> void run_numbers(const BlockPool &pool, Index count, const Kernel &kernel) {
  if (count == 0) return;
  if (pool.device) return parallel_for(*pool.device, Box(1, pool.variables, count), kernel);
  parallel_ranges(count, pool.threads, [&](Index first, Index last, int) {
    for (Index v = 0; v < pool.variables; ++v)
      for (Index n = first; n < last; ++n)
        kernel(0, v, n);
  });
}

/// Copy of a list in a device's memory, freed by the destructor. Holds nothing if the pool is on
/// the host.
template <class Op> class ListOnDevice {
public:
  ListOnDevice(const BlockPool &pool, const std::vector<Op> &ops) : pool_(&pool) {
    if (!pool.device || ops.empty()) return;
    copy_ = allocate_on(*pool.device, ops.size() * sizeof(Op));
    pool.device->copy(copy_.get(), ops.data(), ops.size() * sizeof(Op));
  }
  ~ListOnDevice() {
    if (copy_ != nullptr) pool_->device->synchronize();
  }
  ListOnDevice(const ListOnDevice &) = delete;
  ListOnDevice &operator=(const ListOnDevice &) = delete;
  const Op *get() const { return static_cast<const Op *>(copy_.get()); }

private:
  const BlockPool *pool_;
  std::shared_ptr<void> copy_;
};

} // namespace hybridfft::grid::detail
