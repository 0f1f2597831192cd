// P3DFFT++ as a peer: transforms between pencils.
#include "scaling/external/peers.h"

#include <p3dfft.h>

#include "base/mpi.h"
#include "scaling/external/grid_peer.h"

namespace hybridfft::bench {

namespace {

/// P3DFFT++ numbers axes from the fastest in memory.
std::array<int, 3> reversed(const std::vector<std::ptrdiff_t> &extents) {
  return {static_cast<int>(extents[2]), static_cast<int>(extents[1]), static_cast<int>(extents[0])};
}

IndexBox box_of(const Grid &grid) {
  IndexBox box{{0, 0, 0}, {0, 0, 0}};
  for (std::size_t a = 0; a < 3; ++a) {
    box.start[2 - a] = grid.GlobStart[a];
    box.count[2 - a] = grid.Ldims[a];
  }
  return box;
}

class P3dfftPeer final : public GridPeer {
public:
  P3dfftPeer(const Problem &problem, MPI_Comm comm) : GridPeer(problem, comm) {}
  ~P3dfftPeer() override { clear(); }

  void execute() override {
    constexpr int may_spoil_input = 1;
    if (problem().single)
      p3dfft_exec_3Dtrans_single(plan_, reinterpret_cast<float *>(in()),
                                 reinterpret_cast<float *>(out()), may_spoil_input);
    else
      p3dfft_exec_3Dtrans_double(plan_, reinterpret_cast<double *>(in()),
                                 reinterpret_cast<double *>(out()), may_spoil_input);
  }

private:
  /// Admits grids with data on every rank.
  bool admits(const ProcessGrid &grid) const override {
    const auto half = verifier::complex_extents(problem());
    const auto &n = problem().extents;
    return n[0] >= grid[1] && n[1] >= std::max(grid[0], grid[1]) && half[2] >= grid[0];
  }

  void plan_on(const ProcessGrid &grid, Effort) override {
    clear();
    // Called once, and never followed by p3dfft_cleanup(), which would delete the plans of all
    // users of FFTW.
    static const bool is_set_up = (p3dfft_setup(), true);
    static_cast<void>(is_set_up);
    std::array<int, 3> ranks{1, grid[0], grid[1]};
    const int processes = p3dfft_init_proc_grid(ranks.data(), comm());
    const Problem &p = problem();
    const auto half = verifier::complex_extents(p);
    const bool is_real = p.kind != Kind::c2c;
    std::array<int, 3> points = reversed(p.extents);
    std::array<int, 3> numbers = reversed(half);
    std::array<int, 3> cut_before{0, 1, 2}, cut_after{1, 2, 0};
    std::array<int, 3> order_before{0, 1, 2}, order_after{1, 2, 0};
    before_ =
        p3dfft_init_data_grid(points.data(), -1, processes, cut_before.data(), order_before.data());
    after_ = p3dfft_init_data_grid(numbers.data(), is_real ? 0 : -1, processes, cut_after.data(),
                                   order_after.data());
    const LayoutView pencils = gathered(p.extents, box_of(*before_), {0, 1, 2});
    const LayoutView spectrum = gathered(half, box_of(*after_), {1, 2, 0});
    const bool forward = p.direction == Direction::forward;
    std::array<int, 3> types = types_of(p);
    const int type = p3dfft_init_3Dtype(types.data());
    plan_ = p3dfft_plan_3Dtrans(forward ? before_ : after_, forward ? after_ : before_, type);
    make_arrays_of(forward ? pencils : spectrum, forward ? spectrum : pencils, 0);
  }

  const char *library() const override { return "P3DFFT++"; }

  static std::array<int, 3> types_of(const Problem &p) {
    const bool forward = p.direction == Direction::forward;
    const int complex = forward    ? p.single ? P3DFFT_CFFT_FORWARD_S : P3DFFT_CFFT_FORWARD_D
                        : p.single ? P3DFFT_CFFT_BACKWARD_S
                                   : P3DFFT_CFFT_BACKWARD_D;
    if (p.kind == Kind::c2c) return {complex, complex, complex};
    const int real = forward    ? p.single ? P3DFFT_R2CFFT_S : P3DFFT_R2CFFT_D
                     : p.single ? P3DFFT_C2RFFT_S
                                : P3DFFT_C2RFFT_D;
    return {real, complex, complex};
  }

  void clear() {
    if (before_ != nullptr) p3dfft_free_data_grid(before_);
    if (after_ != nullptr) p3dfft_free_data_grid(after_);
    before_ = after_ = nullptr;
  }

  Grid *before_ = nullptr;
  Grid *after_ = nullptr;
  int plan_ = 0;
};

} // namespace

std::unique_ptr<Peer> make_p3dfft_peer(const Problem &given, MPI_Comm comm) {
  Problem p = given;
  p.in_place = p.transposed_in = p.transposed_out = false;
  return std::make_unique<P3dfftPeer>(p, comm);
}

std::string refuses_p3dfft(const Problem &p, int) { return refuses_other_than_one_field_in_3d(p); }

} // namespace hybridfft::bench
