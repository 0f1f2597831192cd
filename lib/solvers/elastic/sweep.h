/// Runs the kernels of kernels.h and point_kernels.h over boxes, on host threads or a device. Rows
/// of points are computed with SIMD vectors, for the instruction set of the processor.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "hybridfft/grid/box.hpp"
#include "solvers/elastic/exec.h"
#include "solvers/elastic/kernels.h"
#include "solvers/elastic/point_kernels.h"
#include "solvers/elastic/sources.h"

namespace hybridfft::elastic {

/// Function that runs a kernel once for every point of a box.
template <class Kernel> using RowFunction = void (*)(const Kernel &kernel, const grid::Box &box);

/// Returns the functions for the instruction sets of this processor, widest vectors first. All give
/// the same bits.
template <class Kernel> std::vector<RowFunction<Kernel>> row_functions();

/// Returns the function with the widest vectors.
template <class Kernel> RowFunction<Kernel> fastest_rows() {
  static const RowFunction<Kernel> first = row_functions<Kernel>().front();
  return first;
}

/// Makes this thread flush denormal numbers to zero during the object's lifetime. Many occur ahead
/// of a wave front, and processors take a hundred times longer to compute with them.
class WithoutDenormals {
public:
  WithoutDenormals();
  ~WithoutDenormals();
  WithoutDenormals(const WithoutDenormals &) = delete;
  WithoutDenormals &operator=(const WithoutDenormals &) = delete;

private:
  [[maybe_unused]] unsigned before_ = 0;
};

/// If the box begins directly below the plane of a free surface, calls column(i, j, 0) for each of
/// its rows (i, j).
template <class Column>
void sweep_columns(const ElasticExec &exec, grid::Box box, const Column &column) {
  if (box.empty() || box.lo[2] != 1) return;
  box.lo[2] = 0;
  box.hi[2] = 1;
  for_points(exec, box, column);
}

/// Runs sweep_columns() in this thread alone.
template <class Column> void columns_of(const grid::Box &box, const Column &column) {
  if (box.lo[2] != 1) return;
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
      column(i, j, 0);
}

/// Returns the number of rows in a tile, for rows of `length` values of `bytes` bytes. Differences
/// along x reuse the tile's values in the next plane, so the tile's rows of `arrays` arrays must
/// fit into half of a 1 MiB cache.
Index rows_of_tile(Index length, std::size_t bytes, Index arrays);

/// Runs kernel(i, j, k) once for every index of the box, with the widest vectors of the processor.
/// If the box begins directly below the plane of a free surface and `column` is given, column(i, j,
/// 0) runs before the points of row (i, j). Threads share the rows evenly, and process them in
/// tiles sized for caches. A device runs all columns, then all rows.
template <class Kernel, class Column>
void sweep(const ElasticExec &exec, const grid::Box &box, const Kernel &kernel,
           const Column *column) {
  if (exec.device) {
    if (column != nullptr) sweep_columns(exec, box, *column);
    return grid::parallel_for(*exec.device, box, kernel);
  }
  if (box.empty()) return;
  constexpr Index arrays = 30;
  const Index rows = rows_of_tile(box.extent(2), sizeof(typename Kernel::Value), arrays);
  // A thread processes one tile in all planes of its share, then the next tile.
  const grid::Box slabs((box.extent(1) + rows - 1) / rows, box.extent(0), 1);
  grid::detail::for_rows(exec.host, slabs, [&](Index tile, Index plane) {
    const WithoutDenormals flushed;
    const Index i = box.lo[0] + plane, j = box.lo[1] + tile * rows;
    const grid::Box slab({{i, j, box.lo[2]}}, {{i + 1, std::min(j + rows, box.hi[1]), box.hi[2]}});
    if (column != nullptr) columns_of(slab, *column);
    fastest_rows<Kernel>()(kernel, slab);
    if (exec.messages != nullptr) exec.messages->advance();
  });
}

// Computes the velocities and stresses of a time step in one sweep, so that each field is loaded
// into cache once.

/// Kernel, column kernel and sources for the points of a box.
template <class Kernel, class Column> struct Work {
  using Real = typename Kernel::Value;
  grid::Box box;
  const Kernel *kernel;
  const Column
      *column; ///< kernel for columns at a free surface, run before the rows; nullptr: none
  const Drives<Real> *sources; ///< sources at points of the box
};

/// Seconds spent in each part of a sweep, summed over threads.
struct SweepSeconds {
  double velocity = 0, stress = 0, surface = 0, sources = 0;
};

/// Wave-front sweep over planes: once the velocities of plane i have advanced, the stresses of
/// plane i - reach advance. Stencils reach at most `reach` points, so velocities still read
/// stresses of the previous time step. In a tile of rows, the rows of stresses likewise lag behind
/// the rows of velocities by `reach`. Each thread has its own range of planes; stresses near the
/// ends of the ranges are computed last. In each tile, sources replace velocities after these have
/// advanced, and are added to stresses before these advance. Results equal those of two separate
/// sweeps, bit for bit.
template <class Real, class StressKernel> class FusedSweep {
public:
  using VelocityWork = Work<kernels::Velocity<Real>, kernels::SurfaceStress<Real>>;
  using StressWork = Work<StressKernel, kernels::SurfaceVelocity<Real>>;
  static constexpr Index reach = 2;

  /// Prepares one time step. Stresses advance in `stress.box`; velocities read by them outside of
  /// `velocity.box` must have advanced before.
  FusedSweep(const ElasticExec &exec, const VelocityWork &velocity, const StressWork &stress,
             std::int64_t step)
      : exec_(exec), velocity_(velocity), stress_(stress), step_(step) {
    all_ = velocity.box.empty() ? stress.box : velocity.box;
    for (int axis = 0; axis < 3 && !stress.box.empty(); ++axis) {
      all_.lo[axis] = std::min(all_.lo[axis], stress.box.lo[axis]);
      all_.hi[axis] = std::max(all_.hi[axis], stress.box.hi[axis]);
    }
  }

  /// Runs the sweep.
  /// \param timed true to measure seconds
  SweepSeconds run(bool timed) const;

private:
  /// The range of planes of one thread.
  struct Share {
    grid::Box velocity, stress;
    SweepSeconds seconds;
  };
  /// Clock for profiling: add_to(sum) adds the time since the previous call. It does nothing if
  /// `runs` is false.
  class Clock {
  public:
    explicit Clock(bool runs) : runs_(runs) {
      if (runs_) last_ = Time::now();
    }
    void add_to(double &seconds) {
      if (!runs_) return;
      const auto now = Time::now();
      seconds += std::chrono::duration<double>(now - last_).count();
      last_ = now;
    }

  private:
    using Time = std::chrono::steady_clock;
    bool runs_;
    Time::time_point last_;
  };

  std::vector<Share> shares() const;
  void advance(Share &share, bool timed) const;
  void advance_velocities(const grid::Box &rows, Clock &clock, SweepSeconds &seconds) const;
  void advance_stresses(const grid::Box &rows, Clock &clock, SweepSeconds &seconds) const;
  void advance_rest(const std::vector<Share> &shares) const;

  const ElasticExec &exec_; ///< without a device: fused sweeps run on host threads only
  VelocityWork velocity_;
  StressWork stress_;
  std::int64_t step_;
  grid::Box all_;
};

/// Returns the first index of a part if n indices are divided evenly.
inline Index begin_of_part(Index n, int part, int parts) { return n * part / parts; }

/// Returns the points of a box with first <= index < end along an axis.
inline grid::Box between(grid::Box box, int axis, Index first, Index end) {
  box.lo[axis] = std::max(box.lo[axis], first);
  box.hi[axis] = std::min(box.hi[axis], end);
  return box;
}

template <class Real, class StressKernel>
auto FusedSweep<Real, StressKernel>::shares() const -> std::vector<Share> {
  const Index planes = all_.extent(0);
  const auto count = static_cast<int>(std::clamp<Index>(exec_.host.threads, 1, planes));
  std::vector<Share> all;
  for (int s = 0; s < count; ++s) {
    const Index first = all_.lo[0] + begin_of_part(planes, s, count);
    const Index end = all_.lo[0] + begin_of_part(planes, s + 1, count);
    all.push_back({between(velocity_.box, 0, first, end),
                   between(stress_.box, 0, s == 0 ? first : first + reach,
                           s == count - 1 ? end : end - reach),
                   {}});
  }
  return all;
}

template <class Real, class StressKernel>
void FusedSweep<Real, StressKernel>::advance(Share &share, bool timed) const {
  const WithoutDenormals flushed;
  Clock clock(timed);
  // Number of planes read for a tile: five of each velocity and of three stresses, three of the
  // other stresses, one or two of each array of the medium.
  constexpr Index arrays = 44;
  const Index rows = all_.extent(1) + reach;
  const Index tile = rows_of_tile(all_.extent(2), sizeof(Real), arrays);
  const auto tiles = static_cast<int>((rows + tile - 1) / tile);
  const bool some = !share.stress.empty();
  const Index first =
      some ? std::min(share.velocity.lo[0], share.stress.lo[0] + reach) : share.velocity.lo[0];
  const Index end =
      some ? std::max(share.velocity.hi[0], share.stress.hi[0] + reach) : share.velocity.hi[0];
  for (int t = 0; t < tiles; ++t) {
    const Index j0 = all_.lo[1] + begin_of_part(rows, t, tiles);
    const Index j1 = all_.lo[1] + begin_of_part(rows, t + 1, tiles);
    const grid::Box velocities = between(share.velocity, 1, j0, j1);
    const grid::Box stresses = between(share.stress, 1, j0 - reach, j1 - reach);
    for (Index i = first; i < end; ++i) {
      advance_velocities(between(velocities, 0, i, i + 1), clock, share.seconds);
      advance_stresses(between(stresses, 0, i - reach, i - reach + 1), clock, share.seconds);
      if (exec_.messages != nullptr) exec_.messages->advance();
    }
  }
}

template <class Real, class StressKernel>
void FusedSweep<Real, StressKernel>::advance_velocities(const grid::Box &rows, Clock &clock,
                                                        SweepSeconds &seconds) const {
  if (rows.empty()) return;
  if (velocity_.column != nullptr) {
    columns_of(rows, *velocity_.column);
    clock.add_to(seconds.surface);
  }
  fastest_rows<kernels::Velocity<Real>>()(*velocity_.kernel, rows);
  clock.add_to(seconds.velocity);
  if (velocity_.sources->any(step_)) {
    velocity_.sources->apply_within(rows, step_);
    clock.add_to(seconds.sources);
  }
}

template <class Real, class StressKernel>
void FusedSweep<Real, StressKernel>::advance_stresses(const grid::Box &rows, Clock &clock,
                                                      SweepSeconds &seconds) const {
  if (rows.empty()) return;
  if (stress_.sources->any(step_)) {
    stress_.sources->apply_within(rows, step_);
    clock.add_to(seconds.sources);
  }
  if (stress_.column != nullptr) {
    columns_of(rows, *stress_.column);
    clock.add_to(seconds.surface);
  }
  fastest_rows<StressKernel>()(*stress_.kernel, rows);
  clock.add_to(seconds.stress);
}

/// Advances the stresses in planes between the threads' ranges.
template <class Real, class StressKernel>
void FusedSweep<Real, StressKernel>::advance_rest(const std::vector<Share> &shares) const {
  Index next = stress_.box.lo[0];
  const auto advance_to = [&](Index end) {
    const grid::Box planes = between(stress_.box, 0, next, end);
    for (Index i = planes.lo[0]; i < planes.hi[0]; ++i)
      stress_.sources->apply_within(between(planes, 0, i, i + 1), step_);
    sweep(exec_, planes, *stress_.kernel, stress_.column);
  };
  for (const Share &share : shares)
    if (!share.stress.empty()) {
      advance_to(share.stress.lo[0]);
      next = share.stress.hi[0];
    }
  advance_to(stress_.box.hi[0]);
}

template <class Real, class StressKernel>
SweepSeconds FusedSweep<Real, StressKernel>::run(bool timed) const {
  SweepSeconds sum;
  if (all_.empty()) return sum;
  std::vector<Share> all = shares();
  grid::detail::for_rows(exec_.host, grid::Box(static_cast<Index>(all.size()), 1, 1),
                         [&](Index s, Index) { advance(all[static_cast<std::size_t>(s)], timed); });
  Clock clock(timed);
  if (!stress_.box.empty()) advance_rest(all);
  for (const Share &share : all) {
    sum.velocity += share.seconds.velocity;
    sum.stress += share.seconds.stress;
    sum.surface += share.seconds.surface;
    sum.sources += share.seconds.sources;
  }
  clock.add_to(sum.stress);
  return sum;
}

} // namespace hybridfft::elastic
