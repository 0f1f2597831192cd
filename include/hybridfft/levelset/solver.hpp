/// \file levelset/solver.hpp
/// Tracks a moving surface (front) on a uniform grid by the narrow-band level-set method, on any
/// number of ranks.
///
/// phi is negative inside and a signed distance near the front. It obeys
///
///     phi_t + c(phi) (v . grad phi + F |grad phi| - b kappa |grad phi|) = 0
///
/// with a velocity v, a speed F along the normal, and the curvature kappa times a factor b. The
/// cut-off c(phi) is 1 near the front and 0 at |phi| >= gamma.
///
/// The cost of a step is proportional to the area of the front. The grid is divided into tiles,
/// small cubes of points, and only tiles near the front are computed (Peng, Merriman, Osher, Zhao
/// and Kang, J. Comput. Phys. 155 (1999)). T, the tube, is the set of points with |phi| < gamma; N
/// is T and its 26-neighbours. A tile is active if it contains points of N. Results have the same
/// bits for any number of ranks and threads and any tile size, and also on a device if its
/// arithmetic rounds like the host's.
#ifndef HYBRIDFFT_LEVELSET_SOLVER_HPP
#define HYBRIDFFT_LEVELSET_SOLVER_HPP

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/grid/halo.hpp"
#include "hybridfft/levelset/tiles.hpp"

namespace hybridfft::levelset {

/// Boundary condition at both ends of an axis: the values beyond the ends.
enum class End {
  outflow,  ///< linear extrapolation from the two outermost points
  periodic, ///< values from the opposite end
  fixed     ///< initial values
};

/// Grid, numerical method and boundary conditions. Lengths are in m.
struct Problem {
  Index3 points;                  ///< number of points along z, y, x; 1 along z for two dimensions
  double h = 1;                   ///< grid spacing
  std::array<double, 3> origin{}; ///< position of the first point: x, y, z
  int order = 5;                  ///< order of the space and time discretisation: 1 or 5
  double beta = 0;           ///< inner half width of the band; 0: default, 3 h (2 h for order 1)
  double gamma = 0;          ///< outer half width of the band; 0: default, 6 h (4 h for order 1)
  std::array<End, 3> ends{}; ///< boundary conditions along x, y, z
};

/// Execution options. They affect speed only: results have the same bits.
struct Execution {
  int threads = 1;                    ///< number of OpenMP threads of this rank
  std::optional<grid::Device> device; ///< device to compute on; none: host threads
  Index tile = 16;                    ///< edge length of a tile in points
  bool dense = false;                 ///< compute all tiles, not only active ones
  bool profile = false; ///< wait for the device after each phase, so that FrontTimes are exact
};

/// Seconds spent by one rank in each phase of its steps.
struct FrontTimes {
  double advance = 0;      ///< rates and Runge-Kutta stages of the motion
  double reinitialise = 0; ///< rates and stages of reinitialisation, and limiting to the band
  double tubes = 0;        ///< finding T, N and the active tiles
  double exchange = 0;     ///< halo exchange, and extrapolation beyond ends
};

/// Velocity, normal speed and curvature factor at one time. Arrays are borrowed, and must have the
/// layout of Solver::make_array().
template <class Real> struct Motion {
  /// Representation of the velocity.
  enum class Velocity { none, fields, table };
  Velocity velocity = Velocity::none;    ///< member that holds the velocity
  kernels::FieldVelocity<Real> fields{}; ///< for Velocity::fields, m/s
  kernels::TableVelocity<Real> table{};  ///< for Velocity::table, m/s
  bool has_speed = false;                ///< true if the front also moves along its normal
  kernels::Field<Real> speed{};          ///< speed along the normal, m/s
  double bending = 0;                    ///< b, the factor of the curvature, m^2/s
};

/// Function that returns the motion at a given time in s.
template <class Real> using Motions = std::function<Motion<Real>(double time)>;

/// Volume enclosed by the front, and area of the front. In two dimensions they refer to a layer of
/// thickness h.
struct Measures {
  double volume = 0; ///< enclosed volume, m^3
  double area = 0;   ///< area of the front, m^2
};

/// Largest speeds over T in m/s, needed to choose time steps.
struct Speeds {
  double sum = 0;        ///< largest |v_x| + |v_y| + |v_z| + |F|
  double displacing = 0; ///< largest |v| + |F|
};

/// Divides the grid into blocks of whole tiles with the least surface: one block for each rank, or
/// fewer if the tiles cannot be divided into so many blocks.
inline grid::Cuts tile_cuts(const Index3 &points, Index tile, int ranks) {
  Index3 tiles;
  for (int a = 0; a < 3; ++a)
    tiles[a] = (points[a] + tile - 1) / tile;
  Index3 best{{1, 1, 1}};
  for (Index blocks = ranks; blocks > 1 && best == Index3{{1, 1, 1}}; --blocks) {
    double least = std::numeric_limits<double>::infinity();
    for (Index a = 1; a <= std::min(blocks, tiles[0]); ++a)
      for (Index b = 1; b <= std::min(blocks / a, tiles[1]); ++b) {
        const Index c = blocks / (a * b);
        if (a * b * c != blocks || c > tiles[2]) continue;
        const double edges[3] = {double(points[0]) / double(a), double(points[1]) / double(b),
                                 double(points[2]) / double(c)};
        const double surface = (a > 1 ? edges[1] * edges[2] : 0) +
                               (b > 1 ? edges[0] * edges[2] : 0) +
                               (c > 1 ? edges[0] * edges[1] : 0);
        if (surface < least) least = surface, best = {{a, b, c}};
      }
  }
  grid::Cuts cuts;
  for (int a = 0; a < 3; ++a) {
    auto &sizes = cuts[static_cast<std::size_t>(a)];
    sizes = grid::even_sizes(tiles[a], best[a]);
    for (Index &size : sizes)
      size *= tile;
    sizes.back() -= tiles[a] * tile - points[a];
  }
  return cuts;
}

/// Returns the periodic axes of the grid along z, y, x. An axis with one point counts as periodic.
inline grid::Periodic periodic_axes(const Problem &p) {
  grid::Periodic periodic{};
  for (const std::size_t a : {0U, 1U, 2U})
    periodic[a] = p.ends[2 - a] == End::periodic || p.points[static_cast<int>(a)] == 1;
  return periodic;
}

namespace detail {
inline Problem completed(Problem p, const Execution &execution);
}

/// A moving front, distributed over the ranks of a communicator. All members are collective, except
/// members marked as local.
/// \tparam Real float or double
template <class Real> class Solver {
public:
  /// Makes a solver with equal blocks. Throws Error(HFFT_ERROR_ARGUMENT) on all ranks for an
  /// invalid grid, band, tile or number of threads.
  Solver(const grid::Communicator &comm, const Problem &problem, const Execution &execution = {})
      : Solver(problem, execution,
               grid::Cartesian(comm,
                               tile_cuts(detail::completed(problem, execution).points,
                                         execution.tile, comm.size()),
                               periodic_axes(problem))) {}
  /// Makes a solver with the user's partition: rank r computes boxes[r], which may be empty.
  Solver(const grid::Communicator &comm, const Problem &problem, const Execution &execution,
         const std::vector<Box> &boxes);

  const Problem &problem() const { return problem_; }        ///< local
  const grid::Cartesian &cartesian() const { return grid_; } ///< local
  const Box &box() const { return box_; }                    ///< points of this rank; local
  double time() const { return time_; }                      ///< time in s; local
  std::int64_t steps() const { return steps_; }              ///< local

  /// Returns a new array on the host for this rank's points, with three layers of ghosts. Local.
  Array<Real> make_host_array() const {
    return Array<Real>(grid::Place::host, box_, grid::Widths::all(pad), exec_.host.threads);
  }
  /// Returns a new array for the fields of a Motion, on the device if there is one. Local.
  Array<Real> make_array() const {
    return detail::make_array<Real>(exec_, box_, grid::Widths::all(pad));
  }
  /// Copies a host array to an array of make_array(). Local.
  void upload(const Array<Real> &from, Array<Real> &to) const;

  /// Sets the initial phi from a function phi(x, y, z), limited to [-gamma, gamma].
  template <class F> void set(const F &phi);
  /// Sets the initial phi from a host array.
  /// \param with_pads true to use the array's ghosts as values beyond fixed ends
  void set(const Array<Real> &phi, bool with_pads = false);
  /// Restores the state of an earlier run.
  /// \param phi   result of phi() in that run
  /// \param steps number of steps of that run
  void restore(const Array<Real> &phi, double time, std::int64_t steps);
  /// Returns a host copy of phi at this rank's points. Local.
  Array<Real> phi() const;
  /// Returns phi at this rank's points. Without a device it returns the solver's own array, valid
  /// until the next change of phi. With a device it copies phi to the host array `copy` and returns
  /// `copy`. Local.
  const Array<Real> &phi(Array<Real> &copy) const;

  /// Advances phi by one step of dt seconds with the user's speed along the normal.
  /// \param speed HFFT_HOST_DEVICE function of a Point; returns m/s
  /// \param iterations number of reinitialisation iterations after the motion
  template <class F> void step(double dt, const F &speed, int iterations = 1);
  /// Advances phi by one step of dt seconds with a motion.
  void move(double dt, const Motions<Real> &motions, int iterations = 1);
  /// Restores |grad phi| = 1 near the front by `iterations` pseudo-time steps of h/2.
  void reinitialise(int iterations);
  /// Extends values from points with |phi| < h along the normals to all points of the band, by
  /// `iterations` steps of a first-order scheme.
  /// \param values array from make_array()
  void extend(Array<Real> &values, int iterations);

  /// Returns the stable time step in s: min(cfl h/max(|v_x| + |v_y| + |v_z| + |F|), 0.15 h^2/b),
  /// with the maximum over T.
  double time_step(const Motion<Real> &motion, double cfl = 0.5) const;
  /// Returns the largest speeds over T.
  Speeds speeds(const Motion<Real> &motion) const;

  std::int64_t points() const { return points_; }    ///< number of points of T on all ranks; local
  std::int64_t my_points() const { return mine_; }   ///< number of points of T on this rank; local
  std::int64_t inside() const;                       ///< number of points with phi < 0 on all ranks
  Measures measure() const;                          ///< volume and area over all ranks
  double volume() const { return measure().volume; } ///< m^3, over all ranks
  double area() const { return measure().area; }     ///< m^2, over all ranks
  std::int64_t tiles() const;                        ///< number of active tiles of all ranks
  const FrontTimes &times() const { return times_; } ///< total of all steps so far; local

  Index tile_edge() const { return edge_; } ///< local
  /// Number of tiles of the whole grid along z, y, x. Local.
  Index3 tiles_of_grid() const;
  /// Boxes of points of this rank's active tiles. Local.
  const std::vector<Box> &active_tiles() const { return active_.tiles.boxes; }
  /// Number of points of T in each active tile. Local.
  const std::vector<std::int64_t> &points_of_tiles() const { return points_of_tiles_; }
  /// Box of all tiles of this rank, in tile indices. Local.
  Box tile_box() const { return tile_box_; }
  /// Sign of phi in each tile of tile_box(), row-major; 0 for active tiles. Local.
  const std::vector<std::int8_t> &tile_signs() const { return signs_; }

private:
  using BlockLattice = kernels::BlockLattice;

  Solver(const Problem &problem, const Execution &execution, grid::Cartesian grid);
  /// Adds the time of its lifetime to one phase, without the time of phases nested in it.
  class PartTimer {
  public:
    PartTimer(Solver &solver, double FrontTimes::*part) : s_(solver), outer_(solver.part_) {
      s_.enter(part);
    }
    ~PartTimer() { s_.enter(outer_); }
    PartTimer(const PartTimer &) = delete;
    PartTimer &operator=(const PartTimer &) = delete;

  private:
    Solver &s_;
    double FrontTimes::*outer_;
  };
  void enter(double FrontTimes::*part);

  Real *data(int field) { return fields_[std::size_t(field)].view().origin(); }
  const Real *data(int field) const { return fields_[std::size_t(field)].view().origin(); }
  /// Calls f for all points of N; it may also call f for other points of the active tiles.
  template <class F> void on_band(const F &f) const { detail::for_points<Real>(exec_, active_, f); }
  void require_layout(const Array<Real> &array) const;
  grid::Halo<Real> make_halo(Array<Real> &array) const;
  /// Points of the grid's last layer at one end of an axis. The pads, the ghosts beyond the end,
  /// are computed from these points.
  struct EndPatch {
    Box points; ///< one layer along `axis`
    int axis;   ///< axis of the array: 0, 1, 2 for z, y, x
    bool above;
    Index pads;
  };
  std::optional<EndPatch> patch_of(int axis, bool above, const Box &part) const;
  std::vector<EndPatch> end_patches(const std::vector<std::size_t> &tiles) const;
  void fill_pads(Array<Real> &array, const std::vector<EndPatch> &patches, bool first,
                 bool nearest);
  void fill_ends(Array<Real> &array, grid::Halo<Real> &halo, bool first, bool nearest);
  void refresh(int field);
  template <class Stage> void runge_kutta(double dt, const Stage &stage);
  template <int order> void add_rates(int in, const Motion<Real> &motion);
  template <class Velocity> Speeds speeds_of(const Velocity &v, const Motion<Real> &m) const;
  template <class Rates> void advance(double dt, const Rates &rates, int iterations);
  template <int order> void reinitialise_stage(int in, int to, const kernels::Stage<Real> &stage);
  void cut();
  void find_tubes(bool all);
  std::vector<std::size_t> candidates(bool all) const;
  std::vector<Box> shell() const;
  template <class F> void for_tiles(const Box &places, const F &f) const;
  std::vector<detail::Segment> segments() const;
  std::vector<Box> boxes_of(const std::vector<std::size_t> &tiles) const;
  void take_tiles(const std::vector<std::size_t> &tiles,
                  const std::vector<kernels::Counts> &counts);

  Problem problem_;
  Executor exec_;
  grid::Cartesian grid_;
  Box box_, domain_, tile_box_;
  Index edge_;
  Index3 edges_;
  bool dense_, profile_;
  Band<Real> band_;
  std::array<Array<Real>, 3> fields_; ///< phi and two Runge-Kutta stages, in changing roles
  Array<Real> work_;                  ///< rates of a stage, or signs for reinitialisation
  Array<std::uint8_t> tube_, wide_;
  std::vector<grid::Halo<Real>> halos_;
  BlockLattice lattice_;
  int now_ = 0;        ///< index of the field that holds phi
  bool fresh_ = false; ///< true if the ghosts of phi are filled
  bool pads_cut_ = false;
  detail::WorkList active_;
  std::vector<EndPatch> patches_; ///< patches read by stencils of the active tiles
  std::vector<char> is_active_;
  std::vector<std::int8_t> signs_;
  std::vector<std::int64_t> inside_of_tiles_, points_of_tiles_;
  std::int64_t points_ = 0, mine_ = 0;
  double time_ = 0;
  std::int64_t steps_ = 0;
  FrontTimes times_;
  double FrontTimes::*part_ = nullptr; ///< phase being timed
  std::chrono::steady_clock::time_point since_;
};

} // namespace hybridfft::levelset

#include "hybridfft/levelset/solver_impl.hpp"

#endif
