// P3DFFT 2.7 as a peer: transforms between pencils, through its Fortran interface.
#include <algorithm>

#include "base/mpi.h"
#include "scaling/external/grid_peer.h"
#include "scaling/external/peers.h"

// Defined in p3dfft2_calls.f90. P3DFFT++ uses the names of P3DFFT's C functions with other
// arguments, so these are not called.
extern "C" {
int hfft_p3dfft2_real_bytes();
void hfft_p3dfft2_begin(const int *n, const int *grid, int comm, int *bytes);
void hfft_p3dfft2_end();
void hfft_p3dfft2_box(int spectrum, int *first, int *points);
void hfft_p3dfft2_r2c(void *from, void *to, const int *from_points, const int *to_points);
void hfft_p3dfft2_c2r(void *from, void *to, const int *from_points, const int *to_points);
}

namespace hybridfft::bench {

namespace {

#ifdef HFFT_BENCH_P3DFFT2_STRIDE1
constexpr bool built_with_stride1 = true;
#else
constexpr bool built_with_stride1 = false;
#endif

class P3dfft2Peer final : public GridPeer {
public:
  using GridPeer::GridPeer;
  ~P3dfft2Peer() override { clear(); }

  bool is_countable() const override { return false; }

  void execute() override {
    if (problem().kind == Kind::r2c)
      hfft_p3dfft2_r2c(in(), out(), points_.data(), numbers_.data());
    else
      hfft_p3dfft2_c2r(in(), out(), numbers_.data(), points_.data());
  }

private:
  using Points = std::array<int, 3>;

  /// Admits grids with data on every rank. While other peers exist, admits only their grid, because
  /// P3DFFT supports one grid at a time.
  bool admits(const ProcessGrid &grid) const override {
    if (shared.peers > (begun_ ? 1 : 0)) return grid == shared.grid;
    const auto n = verifier::complex_extents(problem());
    return grid[0] <= std::min(n[2], n[1]) && grid[1] <= std::min(n[1], n[0]);
  }

  void plan_on(const ProcessGrid &grid, Effort) override {
    clear();
    const Problem &p = problem();
    const Points n{static_cast<int>(p.extents[2]), static_cast<int>(p.extents[1]),
                   static_cast<int>(p.extents[0])};
    if (shared.peers++ == 0)
      hfft_p3dfft2_begin(n.data(), grid.data(), MPI_Comm_c2f(comm()), &shared.bytes);
    shared.grid = grid;
    begun_ = true;
    const LayoutView real_side = side(false, points_);
    const LayoutView spectrum = side(true, numbers_);
    const bool forward = p.direction == Direction::forward;
    make_arrays_of(forward ? real_side : spectrum, forward ? spectrum : real_side,
                   static_cast<std::size_t>(shared.bytes));
  }

  LayoutView side(bool spectrum, Points &points) const {
    // If P3DFFT was built with stride1, z is the fastest axis of the spectrum in memory, then y,
    // then x, and boxes use this order.
    const bool z_fastest = spectrum && built_with_stride1;
    Points first{};
    hfft_p3dfft2_box(spectrum ? 1 : 0, first.data(), points.data());
    IndexBox box{{first[2], first[1], first[0]}, {points[2], points[1], points[0]}};
    if (z_fastest) {
      std::reverse(box.start.begin(), box.start.end());
      std::reverse(box.count.begin(), box.count.end());
    }
    return gathered(spectrum ? verifier::complex_extents(problem()) : problem().extents, box,
                    z_fastest ? std::vector<int>{2, 1, 0} : std::vector<int>{0, 1, 2});
  }

  const char *library() const override { return "P3DFFT"; }

  void clear() {
    if (begun_ && --shared.peers == 0) hfft_p3dfft2_end();
    begun_ = false;
  }

  inline static SharedGrid shared;

  bool begun_ = false;
  Points points_{}, numbers_{}; ///< extents of this rank's arrays in the order of memory
};

} // namespace

std::unique_ptr<Peer> make_p3dfft2_peer(const Problem &given, MPI_Comm comm) {
  Problem p = given;
  p.in_place = p.transposed_in = p.transposed_out = false;
  return std::make_unique<P3dfft2Peer>(p, comm);
}

std::string refuses_p3dfft2(const Problem &p, int) {
  const bool single = hfft_p3dfft2_real_bytes() == sizeof(float);
  if (p.single != single)
    return single ? "it was built for single precision" : "it was built for double precision";
  if (p.kind == Kind::c2c) return "it transforms real data";
  return refuses_other_than_one_field_in_3d(p);
}

} // namespace hybridfft::bench
