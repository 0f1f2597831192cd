// 2DECOMP&FFT as a peer: complex and real transforms between pencils, through its Fortran
// interface.
#include "scaling/external/peers.h"

#include <algorithm>

#include "base/mpi.h"
#include "scaling/external/grid_peer.h"

// Implemented in decomp2d_calls.f90.
extern "C" {
int hfft_decomp2d_real_bytes();
void hfft_decomp2d_begin(const int *n, const int *grid, int halved, int comm);
void hfft_decomp2d_end();
void hfft_decomp2d_box(int spectrum, int halved, int *first, int *points);
void hfft_decomp2d_c2c(void *from, void *to, const int *from_points, const int *to_points,
                       int direction);
void hfft_decomp2d_r2c(void *from, void *to, const int *from_points, const int *to_points);
void hfft_decomp2d_c2r(void *from, void *to, const int *from_points, const int *to_points);
}

namespace hybridfft::bench {

namespace {

class Decomp2dPeer final : public GridPeer {
public:
  Decomp2dPeer(const Problem &problem, MPI_Comm comm) : GridPeer(problem, comm) {}
  ~Decomp2dPeer() override { clear(); }

  bool is_countable() const override { return false; }

  void execute() override {
    switch (problem().kind) {
    case Kind::r2c:
      return hfft_decomp2d_r2c(in(), out(), from_.data(), to_.data());
    case Kind::c2r:
      return hfft_decomp2d_c2r(in(), out(), from_.data(), to_.data());
    default:
      break;
    }
    hfft_decomp2d_c2c(in(), out(), from_.data(), to_.data(), static_cast<int>(problem().direction));
  }

private:
  using Points = std::array<int, 3>;

  /// Admits grids with data on every rank; on other grids the library ends the program. While other
  /// peers exist, admits only their grid, because the library supports one grid at a time.
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
      hfft_decomp2d_begin(n.data(), grid.data(), halved(), MPI_Comm_c2f(comm()));
    shared.grid = grid;
    begun_ = true;
    const bool backward = p.direction == Direction::backward;
    const LayoutView in = side(backward, from_);
    const LayoutView out = side(!backward, to_);
    make_arrays_of(in, out, 0);
  }

  int halved() const { return problem().kind == Kind::c2c ? 0 : 1; }

  LayoutView side(bool spectrum, Points &points) const {
    Points first{};
    hfft_decomp2d_box(spectrum ? 1 : 0, halved(), first.data(), points.data());
    const IndexBox box{{first[2], first[1], first[0]}, {points[2], points[1], points[0]}};
    return gathered(spectrum ? verifier::complex_extents(problem()) : problem().extents, box,
                    {0, 1, 2});
  }

  const char *library() const override { return "2DECOMP&FFT"; }

  void clear() {
    if (begun_ && --shared.peers == 0) hfft_decomp2d_end();
    begun_ = false;
  }

  inline static SharedGrid shared;

  bool begun_ = false;
  Points from_{}, to_{}; ///< extents of this rank's input and output arrays
};

} // namespace

std::unique_ptr<Peer> make_decomp2d_peer(const Problem &given, MPI_Comm comm) {
  Problem p = given;
  p.in_place = p.transposed_in = p.transposed_out = false;
  return std::make_unique<Decomp2dPeer>(p, comm);
}

std::string refuses_decomp2d(const Problem &p, int) {
  const bool single = hfft_decomp2d_real_bytes() == sizeof(float);
  if (p.single != single)
    return single ? "it was built for single precision" : "it was built for double precision";
  return refuses_other_than_one_field_in_3d(p);
}

} // namespace hybridfft::bench
