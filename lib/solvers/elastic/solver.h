/// Advances elastic waves by time steps on the blocks of a grid, on host threads or devices.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "solvers/elastic/attenuation.h"
#include "solvers/elastic/medium.h"
#include "solvers/elastic/point_kernels.h"
#include "solvers/elastic/problem.h"
#include "solvers/elastic/sources.h"

namespace hybridfft::elastic {

/// Seconds spent by this rank in each part of its time steps.
struct StepTimes {
  double velocity = 0; ///< sweeps of velocities, including the sponge
  double stress = 0;   ///< sweeps of stresses and memory variables, including the sponge
  double surface = 0;  ///< free surface; without profiling its time is part of velocity and stress
  double sources = 0;
  double pack = 0;   ///< packing and starting messages
  double wait = 0;   ///< waiting for messages
  double copies = 0; ///< unpacking messages, and copies within the rank
};

/// Adds the seconds from its construction to its destruction to a sum.
class Timed {
public:
  explicit Timed(double &seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Timed(const Timed &) = delete;
  Timed &operator=(const Timed &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double &seconds_;
  Clock::time_point begin_ = Clock::now();
};

/// Number of sweeps over the fields in a time step. A fused sweep loads the fields into cache once.
enum class Sweeps {
  separate, ///< two sweeps; always used on a device
  fused,    ///< velocities and stresses in one sweep, which begins after exchanged stresses arrive
  automatic ///< fused if no stresses of other ranks arrive: one block, or GhostExchange::wide
};

/// Options of the computation. They affect speed only: results have the same bits.
struct Method {
  GhostExchange exchange = GhostExchange::least;
  grid::Schedule schedule = grid::Schedule::all_at_once;
  int threads = 1;
  /// Device that computes the steps; none: host threads.
  std::optional<grid::Device> device = std::nullopt;
  /// Measure the parts of a step: compute the free surface separately, and wait for the device
  /// after each part.
  bool profile = false;
  Sweeps sweeps = Sweeps::automatic;
};

/// The fields of a problem and their time steps. `cartesian` must have problem.extents() points,
/// the problem's periodic axes, and at most one block per rank. The constructor, begin(), step()
/// and settle() are collective.
template <class Real> class Solver {
public:
  /// \param cells medium in the cells, with ghosts(method.exchange) ghosts
  /// \throws Error(HFFT_ERROR_ARGUMENT) on all ranks if a rank has several blocks, or if the block
  /// at a free surface has too few cells along z (2 for fs2, 4 for fs4);
  /// Error(HFFT_ERROR_OUT_OF_MEMORY)
  Solver(const grid::Cartesian &cartesian, const Problem &problem, Cells<Real> cells,
         const Sources &sources, const Method &method);

  /// Returns the ghosts required in the arrays of Cells.
  static grid::Widths ghosts(GhostExchange exchange) { return exchange_widths(exchange).ghosts; }

  /// Points of this rank's block: box() includes planes above the cells, cells() does not.
  const grid::Box &box() const { return box_; }
  const grid::Box &cells() const { return cells_; }
  /// Returns field number f, velocities first, in the memory used by exec(). vz has
  /// values on the plane of the free surface, k = 0 of the grid. Writing is allowed between
  /// settle() and begin() only.
  grid::Array<Real> &field(int f) { return *arrays_[static_cast<std::size_t>(f)]; }
  /// Returns the memory variable of stress s. Requires a problem with a quality.
  grid::Array<Real> &memory(int s) { return *memory_[static_cast<std::size_t>(s)]; }
  /// Number of arrays of memory variables: 6 or 0.
  int memories() const { return static_cast<int>(memory_.size()); }
  /// Returns a field or memory variable on the host: the array itself, or a copy of the device's
  /// array. The next call overwrites the copy.
  grid::Array<Real> &on_host(grid::Array<Real> &array);
  /// Copies changes of on_host(array) back to the array.
  void take_back(grid::Array<Real> &array);
  /// Place of execution; its memory holds the fields.
  const ElasticExec &exec() const { return exec_; }
  const Problem &problem() const { return problem_; }
  const Medium<Real> &medium() const { return medium_; }

  /// Exchanges all ghosts. Call it before the first step, and after writing fields.
  void begin();
  /// Runs time step n >= 0: advances velocities to (n + 1/2) dt, then stresses to (n + 1) dt.
  void step(std::int64_t n);
  /// Completes messages in flight.
  void settle();

  /// Measures the exchanges of one step without computation, in seconds of the slowest rank. Call
  /// it between settle() and begin(). Collective.
  double seconds_of_exchange(const grid::Communicator &comm);

  /// Seconds spent by this rank in each part of all steps so far.
  StepTimes profile() const;
  /// Floating-point operations per point and time step, without sources and the free surface.
  static int flops_of_point(const Problem &problem) {
    const int stress = !problem.quality            ? kernels::Stress<Real>::flops
                       : problem.quality->in_cells ? kernels::AnelasticStressOfCells<Real>::flops
                                                   : kernels::AnelasticStress<Real>::flops;
    return kernels::Velocity<Real>::flops + stress;
  }
  /// Bytes and messages sent by this rank in a step.
  Index bytes_sent() const;
  Index messages_sent() const;

private:
  void allocate();
  /// Cells whose stresses this rank computes.
  grid::Box box_of_stresses(const grid::Cartesian &cartesian) const;
  void make_drives(const grid::Cartesian &cartesian, const Sources &sources);
  template <class Work> void timed(double &seconds, const Work &work);
  template <class Kernel, class Column>
  void advance(double &seconds, const grid::Box &part, const Kernel &kernel,
               const std::optional<Column> &surface);
  void make_kernels();
  void make_regions(const grid::Cartesian &cartesian);
  void make_halos(const grid::Cartesian &cartesian);

  void drive(const Drives<Real> &drives);
  void velocities_between();
  void velocities_first();
  void velocities_with_stresses();
  void boundary_velocities();
  void start(grid::Halo<Real> &halo);
  void finish(grid::Halo<Real> &halo);
  void boundary_stresses();
  /// Calls f with the kernel that advances stresses, with or without memory variables.
  template <class F> void with_stress_kernel(const F &f);
  template <class Kernel> void attenuate(Kernel &kernel);
  template <class StressKernel> void fused_sweep(const StressKernel &stress);
  void stresses_between();
  void advance_velocity(const grid::Box &part);
  void advance_stress(const grid::Box &part);

  Problem problem_;
  Method method_;
  ExchangeWidths widths_;
  ElasticExec exec_;
  MessagesInFlight messages_;
  grid::Box box_, cells_;
  Medium<Real> medium_;
  SpongeProfiles<Real> sponge_;
  std::optional<Attenuation<Real>> attenuation_;
  std::vector<std::unique_ptr<grid::Array<Real>>> arrays_, memory_;
  std::optional<grid::Array<Real>> copy_; ///< host copy of one array on the device
  std::array<Real *, fields> data_{};
  kernels::Velocity<Real> velocity_{};
  kernels::Stress<Real> stress_{};
  std::optional<kernels::AnelasticStress<Real>> anelastic_;
  std::optional<kernels::AnelasticStressOfCells<Real>> anelastic_of_cells_;
  std::optional<kernels::SurfaceStress<Real>> surface_stress_;
  std::optional<kernels::SurfaceVelocity<Real>> surface_velocity_;
  /// [0]: sources at boundary points; [1]: sources at interior points.
  using DrivesOfParts = std::array<Drives<Real>, 2>;
  Drives<Real> forces_, given_stresses_; ///< forces act first in a step, given stresses last
  DrivesOfParts given_velocities_;       ///< replace velocities after these have advanced
  DrivesOfParts moments_;                ///< added to stresses before these advance
  grid::Regions velocity_parts_, stress_parts_;
  std::optional<grid::Halo<Real>> velocity_halo_, stress_halo_, first_halo_;
  bool fused_ = false;
  bool stresses_in_flight_ = false;
  StepTimes profile_;
  std::int64_t step_ = 0; ///< number of the current time step
};

} // namespace hybridfft::elastic
