/// \file levelset/solver.hpp
/// Moves a front through a grid by narrow-band level sets, on any number of ranks.
///
/// phi is negative inside and a signed distance near the front. It obeys
///
///     phi_t + c(phi) (v . grad phi + F |grad phi| - b kappa |grad phi|) = 0.
///
/// Work is proportional to the size of the front: only tiles with a point of the band, or beside
/// one, are computed (Peng, Merriman, Osher, Zhao and Kang, J. Comput. Phys. 155 (1999)). Results
/// have the same bits for any number of ranks and threads, for any tiles, and on devices with the
/// host's arithmetic.
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

/// Values beyond an end of an axis.
enum class End {
  outflow,  ///< extrapolated from the two outermost points
  periodic, ///< values of the other end
  fixed     ///< values of the start
};

/// The grid and the method. Lengths are in m.
struct Problem {
  Index3 points;                  ///< along z, y, x; 1 along z for two dimensions
  double h = 1;                   ///< distance of points
  std::array<double, 3> origin{}; ///< position of the first point: x, y, z
  int order = 5;                  ///< 1 or 5
  double beta = 0;                ///< inner half width of the band; 0: 3 h, for order 1 2 h
  double gamma = 0;               ///< outer half width of the band; 0: 6 h, for order 1 4 h
  std::array<End, 3> ends{};      ///< along x, y, z
};

/// Options of the computation. They do not change a bit of the results.
struct Execution {
  int threads = 1;                    ///< of this rank
  std::optional<grid::Device> device; ///< device to compute on; none: threads of the host
  Index tile = 16;                    ///< points along an edge of a tile
  bool dense = false;                 ///< work on all tiles
  bool profile = false; ///< waits for the device after each part, for times of the parts
};

/// Seconds of the parts of steps on one rank.
struct FrontTimes {
  double advance = 0;      ///< rates and stages of the motion
  double reinitialise = 0; ///< the same of reinitialisation, and the cut to the band
  double tubes = 0;        ///< finding T, N and the tiles at work
  double exchange = 0;     ///< ghosts of neighbours, and pads beyond ends
};

/// Velocities and speeds at one time. Arrays have the layout of the solver, and are borrowed.
template <class Real> struct Motion {
  /// Form of the velocity.
  enum class Velocity { none, fields, table };
  Velocity velocity = Velocity::none;    ///< the form in use
  kernels::FieldVelocity<Real> fields{}; ///< for Velocity::fields, m/s
  kernels::TableVelocity<Real> table{};  ///< for Velocity::table, m/s
  bool has_speed = false;                ///< true if the front also moves along its normal
  kernels::Field<Real> speed{};          ///< speed along the normal, m/s
  double bending = 0;                    ///< b, the factor of the curvature, m^2/s
};

/// Function that returns the motion at a time.
template <class Real> using Motions = std::function<Motion<Real>(double time)>;

/// Volume inside of a front in m^3, and its area in m^2. In two dimensions they belong to a layer
/// of thickness h.
struct Measures {
  double volume = 0; ///< m^3
  double area = 0;   ///< area of the front, m^2
};

/// The largest speeds over the band, in m/s.
struct Speeds {
  double sum = 0;        ///< largest |v_x| + |v_y| + |v_z| + |F|
  double displacing = 0; ///< |v| + |F|
};

/// Blocks along z, y, x, consisting of whole tiles: one for each rank, or fewer if the grid has
/// fewer tiles.
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

/// Axes of the grid along z, y, x whose ends are neighbours; also an axis of one point.
inline grid::Periodic periodic_axes(const Problem &p) {
  grid::Periodic periodic{};
  for (const std::size_t a : {0U, 1U, 2U})
    periodic[a] = p.ends[2 - a] == End::periodic || p.points[static_cast<int>(a)] == 1;
  return periodic;
}

/// A front on the ranks of a communicator. All members but those marked local are collective.
/// \tparam Real float or double
template <class Real> class Solver {
public:
  /// Makes a solver. Throws Error(HFFT_ERROR_ARGUMENT) on all ranks for an invalid grid or band.
  Solver(const grid::Communicator &comm, const Problem &problem, const Execution &execution = {})
      : Solver(problem, execution,
               grid::Cartesian(comm, tile_cuts(problem.points, execution.tile, comm.size()),
                               periodic_axes(problem))) {}
  /// With boxes of the user's choice: rank r works on boxes[r], which may be empty.
  Solver(const grid::Communicator &comm, const Problem &problem, const Execution &execution,
         const std::vector<Box> &boxes);

  const Problem &problem() const { return problem_; }        ///< local
  const grid::Cartesian &cartesian() const { return grid_; } ///< local
  const Box &box() const { return box_; }                    ///< points of this rank; local
  double time() const { return time_; }                      ///< s; local
  std::int64_t steps() const { return steps_; }              ///< local

  /// Makes an array on the host with the points of this rank and three layers of ghosts. Local.
  Array<Real> make_host_array() const {
    return Array<Real>(grid::Place::host, box_, grid::Widths::all(pad), exec_.host.threads);
  }
  /// Makes an array in the memory used for computing, for fields of a Motion. Local.
  Array<Real> make_array() const {
    return detail::make_array<Real>(exec_, box_, grid::Widths::all(pad));
  }
  /// Copies an array of the host to memory used for computing. Local.
  void upload(const Array<Real> &from, Array<Real> &to) const;

  /// Sets phi(x, y, z), limited to [-gamma, gamma].
  template <class F> void set(const F &phi);
  /// Sets phi from an array of the host.
  /// \param with_pads true to keep the values of its ghosts beyond fixed ends
  void set(const Array<Real> &phi, bool with_pads = false);
  /// Restores the state of an earlier run.
  /// \param phi   result of phi() in that run
  /// \param steps number of steps of that run
  void restore(const Array<Real> &phi, double time, std::int64_t steps);
  /// Returns phi at this rank's points, on the host. Local.
  Array<Real> phi() const;

  /// Makes one step with the user's own speed.
  /// \param speed function of a Point, HFFT_HOST_DEVICE
  /// \param iterations iterations of reinitialisation
  template <class F> void step(double dt, const F &speed, int iterations = 1);
  /// Makes one step with a motion.
  void move(double dt, const Motions<Real> &motions, int iterations = 1);
  /// Turns phi into a distance near the front, by `iterations` pseudo-time steps of h/2.
  void reinitialise(int iterations);
  /// Extends values at points with |phi| < h along the normals (first order), within the band.
  /// \param values array of make_array()
  void extend(Array<Real> &values, int iterations);

  /// Returns min(cfl h/max over T of (|v_x| + |v_y| + |v_z| + |F|), 0.15 h^2/b).
  double time_step(const Motion<Real> &motion, double cfl = 0.5) const;
  /// Returns the largest speeds over T.
  Speeds speeds(const Motion<Real> &motion) const;

  std::int64_t points() const { return points_; }    ///< points of T, of all ranks; local
  std::int64_t my_points() const { return mine_; }   ///< points of T of this rank; local
  std::int64_t inside() const;                       ///< points with phi < 0, of all ranks
  Measures measure() const;                          ///< volume and area, of all ranks
  double volume() const { return measure().volume; } ///< m^3, of all ranks
  double area() const { return measure().area; }     ///< m^2, of all ranks
  std::int64_t tiles() const;                        ///< tiles at work, of all ranks
  const FrontTimes &times() const { return times_; } ///< of all steps so far; local

  Index tile_edge() const { return edge_; } ///< local
  /// Number of tiles of the whole grid along z, y, x. Local.
  Index3 tiles_of_grid() const;
  /// Boxes of this rank's active tiles. Local.
  const std::vector<Box> &active_tiles() const { return active_.tiles.boxes; }
  /// Points of T in each active tile. Local.
  const std::vector<std::int64_t> &points_of_tiles() const { return points_of_tiles_; }
  /// The box of this rank's tiles. Local.
  Box tile_box() const { return tile_box_; }
  /// The sign of phi in each of these tiles; 0 for active tiles. Local.
  const std::vector<std::int8_t> &tile_signs() const { return signs_; }

private:
  using BlockLattice = kernels::BlockLattice;

  Solver(const Problem &problem, const Execution &execution, grid::Cartesian grid);
  /// Adds the time of its lifetime to a part, without the time of parts within it.
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
  /// Calls f for the points of N, and possibly for others of the active tiles and their rows.
  template <class F> void on_band(const F &f) const { detail::for_points<Real>(exec_, active_, f); }
  void check() const;
  grid::Halo<Real> make_halo(Array<Real> &array) const;
  /// Outermost points of the grid whose pads are filled, beyond one end of an axis.
  struct EndPatch {
    Box points; ///< one layer along the array's axis
    int axis;   ///< of the array
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
  std::array<Array<Real>, 3> fields_; ///< phi and the stages of a step
  Array<Real> work_;                  ///< rates, or signs
  Array<std::uint8_t> tube_, wide_;
  std::vector<grid::Halo<Real>> halos_;
  BlockLattice lattice_;
  int now_ = 0;        ///< index of the field with phi
  bool fresh_ = false; ///< true if the ghosts of phi are filled
  bool pads_cut_ = false;
  detail::WorkList active_;
  std::vector<EndPatch> patches_; ///< of the active tiles
  std::vector<char> is_active_;
  std::vector<std::int8_t> signs_;
  std::vector<std::int64_t> inside_of_tiles_, points_of_tiles_;
  std::int64_t points_ = 0, mine_ = 0;
  double time_ = 0;
  std::int64_t steps_ = 0;
  FrontTimes times_;
  double FrontTimes::*part_ = nullptr; ///< the part at work
  std::chrono::steady_clock::time_point since_;
};

} // namespace hybridfft::levelset

#include "hybridfft/levelset/solver_impl.hpp"

#endif
