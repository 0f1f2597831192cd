#include "plan/step_pass.h"

#include <limits>
#include <utility>
#include <vector>

#include "local/box_copy.h"
#include "local/clearing_pass.h"
#include "local/column_pass.h"
#include "local/copy_pass.h"
#include "plan/cells.h"

namespace hybridfft::plan {

namespace {

/// Arrays have the modes that are kept, passes all bins of the FFT.
Step with_all_bins(const Step &step) {
  Step s = step;
  SplitRows &spectral = s.pruned->spectrum_in ? s.source : s.destination;
  SplitRows hole = s.pruned->modes.hole(spectral);
  spectral = s.pruned->modes.spread(spectral);
  if (!hole.pieces.empty() && !s.pruned->spectrum_in) s.cleared.push_back(std::move(hole));
  return s;
}

template <class Real>
std::unique_ptr<local::Pass> make_fft(const Step &s, bool in_place, local::TileOrder order,
                                      const local::PassOptions &options) {
  if (s.kind == StepKind::whole)
    return local::make_whole_pass<Real>(s.transform, in_place, options);
  if (s.kind == StepKind::planes)
    return local::make_plane_pass<Real>(s.transform, s.source, s.destination, in_place, options);
  return local::make_column_pass<Real>(s.source, s.destination, s.transform.sign, order, options);
}

/// Several passes as one, whose rows belong together.
class PassList final : public local::Pass {
public:
  explicit PassList(std::vector<std::unique_ptr<local::Pass>> passes)
      : Pass(1), passes_(std::move(passes)) {}

  void execute(std::byte *source, std::byte *destination, local::RowRange,
               const Poll &poll) const override {
    for (const auto &p : passes_)
      p->execute(source, destination, {0, p->rows()}, poll);
  }
  bool in_place() const override { return false; }
  std::string describe() const override {
    return passes_.front()->describe() + ", in " + std::to_string(passes_.size()) + " parts";
  }
  std::size_t scratch_bytes() const override {
    std::size_t bytes = 0;
    for (const auto &p : passes_)
      bytes += p->scratch_bytes();
    return bytes;
  }

private:
  std::vector<std::unique_ptr<local::Pass>> passes_;
};

template <class Real>
std::unique_ptr<local::Pass> make_list(const Step &s, local::TileOrder order,
                                       const local::PassOptions &options) {
  std::vector<std::unique_ptr<local::Pass>> passes;
  auto matrices =
      as_matrices(s.from, s.to, s.cells, s.axis, std::numeric_limits<std::size_t>::max());
  for (MatrixPair &m : *matrices) {
    Step one = s;
    one.cells.clear();
    one.source = std::move(m.source);
    one.destination = std::move(m.destination);
    passes.push_back(make_pass<Real>(one, false, order, options));
  }
  return std::make_unique<PassList>(std::move(passes));
}

} // namespace

template <class Real>
std::unique_ptr<local::Pass> make_pass(const Step &given, bool in_place, local::TileOrder order,
                                       const local::PassOptions &options) {
  if (!given.cells.empty()) return make_list<Real>(given, order, options);
  const Step s = given.pruned ? with_all_bins(given) : given;
  if (s.is_exchange()) return nullptr;
  if (!s.is_fft()) {
    const std::size_t element = element_bytes(s.from, sizeof(Real));
    return s.source.pieces.empty()
               ? local::make_box_copy_pass(copies(s.from, s.to), element, options)
               : local::make_copy_pass(s.source, s.destination, element, options);
  }
  auto pass = make_fft<Real>(s, in_place, order, options);
  if (s.cleared.empty()) return pass;
  return local::make_clearing_pass(std::move(pass), s.cleared, 2 * sizeof(Real), options);
}

template std::unique_ptr<local::Pass> make_pass<float>(const Step &, bool, local::TileOrder,
                                                       const local::PassOptions &);
template std::unique_ptr<local::Pass> make_pass<double>(const Step &, bool, local::TileOrder,
                                                        const local::PassOptions &);

} // namespace hybridfft::plan
