// AccFFT as a peer: complex and real transforms between pencils.
#include <accfft.h>
#include <accfftf.h>

#include <algorithm>

#include "base/mpi.h"
#include "scaling/external/grid_peer.h"
#include "scaling/external/peers.h"

namespace hybridfft::bench {

namespace {

struct Double {
  using Plan = accfft_plan;
  using Number = Complex;
  static constexpr auto c2c_size = accfft_local_size_dft_c2c;
  static constexpr auto r2c_size = accfft_local_size_dft_r2c;
  static constexpr auto c2c_plan = accfft_plan_dft_3d_c2c;
  static Plan *r2c_plan(int *n, double *points, double *spectrum, MPI_Comm mesh, unsigned flags) {
    return accfft_plan_dft_3d_r2c(n, points, spectrum, mesh, flags);
  }
};

struct Single {
  using Plan = accfft_planf;
  using Number = Complexf;
  static constexpr auto c2c_size = accfft_local_size_dft_c2cf;
  static constexpr auto r2c_size = accfft_local_size_dft_r2cf;
  static constexpr auto c2c_plan = accfft_plan_dft_3d_c2cf;
  static Plan *r2c_plan(int *n, float *points, float *spectrum, MPI_Comm mesh, unsigned flags) {
    return accfft_plan_dft_3d_r2cf(n, points, spectrum, mesh, flags);
  }
};

template <class Real, class Api> class AccfftPeer final : public GridPeer {
  using Plan = typename Api::Plan;
  using Number = typename Api::Number;

public:
  using GridPeer::GridPeer;
  ~AccfftPeer() override { clear(); }

  void execute() override {
    auto *complex_in = reinterpret_cast<Number *>(in());
    auto *complex_out = reinterpret_cast<Number *>(out());
    switch (problem().kind) {
    case Kind::r2c:
      return accfft_execute_r2c(plan_, reinterpret_cast<Real *>(in()), complex_out);
    case Kind::c2r:
      return accfft_execute_c2r(plan_, complex_in, reinterpret_cast<Real *>(out()));
    default:
      break;
    }
    accfft_execute_c2c(plan_, static_cast<int>(problem().direction), complex_in, complex_out);
  }

private:
  /// AccFFT cannot plan on process grids with empty ranks.
  bool admits(const ProcessGrid &grid) const override {
    const auto n = verifier::complex_extents(problem());
    const auto all_work = [](std::ptrdiff_t points, int parts) {
      return BlockDistribution(points, parts, 0).count(parts - 1) > 0;
    };
    return all_work(n[0], grid[0]) && all_work(n[1], grid[1]) && all_work(n[1], grid[0]) &&
           all_work(n[2], grid[1]);
  }

  void plan_on(const ProcessGrid &grid, Effort effort) override {
    clear();
    const Problem &p = problem();
    std::array<int, 2> parts = grid;
    accfft_create_comm(comm(), parts.data(), &mesh_);
    accfft_init(p.threads);
    std::array<int, 3> n{}, counts_in{}, starts_in{}, counts_out{}, starts_out{};
    std::copy(p.extents.begin(), p.extents.end(), n.begin());
    const auto size = p.kind == Kind::c2c ? Api::c2c_size : Api::r2c_size;
    const int bytes = size(n.data(), counts_in.data(), starts_in.data(), counts_out.data(),
                           starts_out.data(), mesh_);
    const LayoutView points = gathered(p.extents, box(starts_in, counts_in), {0, 1, 2});
    const LayoutView spectrum =
        gathered(verifier::complex_extents(p), box(starts_out, counts_out), {0, 1, 2});
    const bool forward = p.direction == Direction::forward;
    make_arrays_of(forward ? points : spectrum, forward ? spectrum : points,
                   static_cast<std::size_t>(bytes));
    // An AccFFT plan computes both directions, between the points and the spectrum.
    std::byte *of_points = forward ? in() : out();
    std::byte *of_spectrum = forward ? out() : in();
    const unsigned flags = flags_of(effort);
    if (p.kind == Kind::c2c)
      plan_ = Api::c2c_plan(n.data(), reinterpret_cast<Number *>(of_points),
                            reinterpret_cast<Number *>(of_spectrum), mesh_, flags);
    else
      plan_ = Api::r2c_plan(n.data(), reinterpret_cast<Real *>(of_points),
                            reinterpret_cast<Real *>(of_spectrum), mesh_, flags);
  }

  static IndexBox box(const std::array<int, 3> &starts, const std::array<int, 3> &counts) {
    return {{starts.begin(), starts.end()}, {counts.begin(), counts.end()}};
  }

  static unsigned flags_of(Effort effort) {
    switch (effort) {
    case Effort::estimate:
      return ACCFFT_ESTIMATE;
    case Effort::patient:
    case Effort::exhaustive:
      return ACCFFT_PATIENT;
    case Effort::measure:
      break;
    }
    return ACCFFT_MEASURE;
  }

  const char *library() const override { return "AccFFT"; }

  void clear() {
    if (plan_ != nullptr) accfft_destroy_plan(plan_);
    plan_ = nullptr;
    if (mesh_ != MPI_COMM_NULL) MPI_Comm_free(&mesh_);
  }

  MPI_Comm mesh_ = MPI_COMM_NULL;
  Plan *plan_ = nullptr;
};

} // namespace

std::unique_ptr<Peer> make_accfft_peer(const Problem &given, MPI_Comm comm) {
  Problem p = given;
  p.in_place = p.transposed_in = p.transposed_out = false;
  if (p.single) return std::make_unique<AccfftPeer<float, Single>>(p, comm);
  return std::make_unique<AccfftPeer<double, Double>>(p, comm);
}

std::string refuses_accfft(const Problem &p, int) { return refuses_other_than_one_field_in_3d(p); }

} // namespace hybridfft::bench
