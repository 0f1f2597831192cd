// Makes the pass of a step. The kind, kernels and matrices of the step select the implementation.
#include "plan/lowering.h"

#include <string>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/threads.h"
#include "local/box_copy.h"
#include "local/passes.h"
#include "local/simd_passes.h"

namespace hybridfft::plan {

namespace {

using PassVector = std::vector<std::unique_ptr<local::Pass>>;

std::size_t scratch_of(const PassVector &passes) {
  std::size_t bytes = 0;
  for (const auto &p : passes)
    bytes += p->scratch_bytes();
  return bytes;
}

/// Runs several passes one after another as a single pass. It has one row, because it cannot run on
/// a part of the rows.
class PassList final : public local::Pass {
public:
  explicit PassList(PassVector passes) : Pass(1), passes_(std::move(passes)) {}

  void execute(std::byte *source, std::byte *destination, local::RowRange,
               const Poll &poll) const override {
    for (const auto &p : passes_)
      p->execute(source, destination, {0, p->rows()}, poll);
  }
  bool in_place() const override { return false; }
  std::string describe() const override {
    return passes_.front()->describe() + ", in " + std::to_string(passes_.size()) + " parts";
  }
  std::size_t scratch_bytes() const override { return scratch_of(passes_); }

private:
  PassVector passes_;
};

/// Passes of one thread over a plane, and the tile between them.
struct PlaneWorker {
  PassVector lines, columns;
  Memory tile;
};

/// Transforms planes one after another, each in the cached tile of its thread. The threads share
/// the planes. A worker's passes are made for the first plane; other planes are reached by adding
/// fixed offsets in bytes.
class PlaneListPass final : public local::Pass {
public:
  /// source_step and destination_step are the bytes from one plane to the next.
  PlaneListPass(std::vector<PlaneWorker> workers, std::ptrdiff_t planes, std::ptrdiff_t source_step,
                std::ptrdiff_t destination_step)
      : Pass(1), workers_(std::move(workers)), planes_(planes), source_step_(source_step),
        destination_step_(destination_step) {}

  void execute(std::byte *source, std::byte *destination, local::RowRange,
               const Poll &poll) const override {
    parallel_ranges(planes_, static_cast<int>(workers_.size()),
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      // The profile shows one pass, not a part for each plane.
                      const PartObserver observer = std::exchange(part_observer, {});
                      for (std::ptrdiff_t i = first; i < last; ++i) {
                        transform(workers_[static_cast<std::size_t>(thread)],
                                  source + i * source_step_, destination + i * destination_step_);
                        if (thread == 0) poll();
                      }
                      part_observer = observer;
                    });
  }
  bool in_place() const override { return false; }
  std::string describe() const override {
    const PlaneWorker &w = workers_.front();
    return w.lines.front()->describe() + ", then " + w.columns.front()->describe() +
           ", of planes in cache, in " + std::to_string(w.lines.size()) + " and " +
           std::to_string(w.columns.size()) + " parts";
  }
  std::size_t scratch_bytes() const override {
    std::size_t bytes = 0;
    for (const PlaneWorker &w : workers_)
      bytes += w.tile.bytes() + scratch_of(w.lines) + scratch_of(w.columns);
    return bytes;
  }

private:
  static void transform(const PlaneWorker &w, std::byte *source, std::byte *destination) {
    for (const auto &p : w.lines)
      p->execute(source, w.tile.data(), {0, p->rows()}, Poll());
    for (const auto &p : w.columns)
      p->execute(w.tile.data(), destination, {0, p->rows()}, Poll());
  }

  std::vector<PlaneWorker> workers_;
  std::ptrdiff_t planes_, source_step_, destination_step_;
};

/// Returns a matrix of complex numbers as a matrix of reals.
SplitRows as_reals(SplitRows m) {
  m.vec *= 2;
  for (Piece &p : m.pieces)
    p = {p.first, p.count, 2 * p.base, 2 * p.row_stride, 2 * p.column_stride};
  return m;
}

/// Returns the pass over real lines, over real and imaginary parts of complex lines, or between
/// real lines and half spectra.
template <class Real>
std::unique_ptr<local::Pass> make_real_lines(const Step &s, local::TileOrder order,
                                             const local::PassOptions &options) {
  const local::PlaneTransform &t = s.transform;
  if (t.kind != Kind::r2r)
    return local::make_simd_real_pass<Real>(s.source, s.destination, t.kind, t.extents[0], options);
  if (s.from.real)
    return local::make_column_pass<Real>(s.source, s.destination, t.line, order, options);
  return local::make_column_pass<Real>(as_reals(s.source), as_reals(s.destination), t.line, order,
                                       options);
}

template <class Real>
std::unique_ptr<local::Pass> make_fft(const Step &s, bool in_place, local::TileOrder order,
                                      const local::PassOptions &options) {
  if (s.kind == StepKind::whole)
    return local::make_whole_pass<Real>(s.transform, in_place, options);
  const bool columns = s.kind == StepKind::columns;
  if (s.transform.kind == Kind::r2r || (columns && s.transform.kind != Kind::c2c))
    return make_real_lines<Real>(s, order, options);
  if (!columns)
    return local::make_plane_pass<Real>(s.transform, s.source, s.destination, in_place, options);
  return local::make_column_pass<Real>(s.source, s.destination, s.transform.sign, order, options);
}

template <class Real>
std::unique_ptr<local::Pass> make_pass(const Step &step, bool in_place, local::TileOrder order,
                                       const local::PassOptions &options);

/// Returns the passes of a transform along one axis, one for each pair of matrices.
template <class Real>
PassVector make_each(Step one, std::vector<MatrixPair> matrices, local::TileOrder order,
                     const local::PassOptions &options) {
  const bool of_planes = one.cells.empty(); // choose lines or columns for each matrix
  one.cells.clear();
  PassVector passes;
  for (MatrixPair &m : matrices) {
    const bool lines = m.is_of_lines() && one.transform.kind == Kind::c2c;
    if (of_planes) one.kind = lines ? StepKind::planes : StepKind::columns;
    one.source = std::move(m.source);
    one.destination = std::move(m.destination);
    passes.push_back(make_pass<Real>(one, false, order, options));
  }
  return passes;
}

template <class Real>
std::unique_ptr<local::Pass> make_plane_list(const Step &s, local::TileOrder order,
                                             local::PassOptions options) {
  const auto cells = plane_cells(s, sizeof(Real));
  Step lines = s.parts[0];
  Step columns = s.parts[1];
  lines.to = columns.from = cells->tile;
  lines.cells = columns.cells = {}; // the matrices below replace them
  std::vector<PlaneWorker> workers(static_cast<std::size_t>(options.threads));
  options.threads = 1;
  local::PassOptions cached = options;
  cached.store = simd::Store::cached;
  cached.scale = 1;
  for (PlaneWorker &w : workers) {
    w.tile = Memory(buffer_bytes(cells->tile, sizeof(Real)), 1);
    w.lines = make_each<Real>(lines, cells->lines, order, cached);
    w.columns = make_each<Real>(columns, cells->columns, order, options);
  }
  const auto bytes = [](std::ptrdiff_t elements, const Storage &of) {
    return elements * static_cast<std::ptrdiff_t>(element_bytes(of, sizeof(Real)));
  };
  return std::make_unique<PlaneListPass>(std::move(workers), cells->planes,
                                         bytes(cells->source_step, s.from),
                                         bytes(cells->destination_step, s.to));
}

/// Returns one part of the matrix for each box of a storage, with the place of the part in memory.
std::vector<local::MatrixPart> matrix_parts(const Storage &s) {
  std::vector<local::MatrixPart> parts;
  for (const StoredBox &b : s.boxes)
    parts.push_back({b.box.start[0], b.box.start[1], b.box.count[0], b.box.count[1], b.base,
                     b.stride[0], b.stride[1], b.box.count[2], b.stride[2]});
  return parts;
}

template <class Real>
std::unique_ptr<local::Pass> make_pass(const Step &step, bool in_place, local::TileOrder order,
                                       const local::PassOptions &options) {
  if (step.twiddled_line > 0) {
    Step fft = step;
    fft.twiddled_line = 0;
    return local::make_twiddled_pass<Real>(make_pass<Real>(fft, in_place, order, options),
                                           matrix_parts(step.to), step.twiddled_line,
                                           step.transform.sign, options);
  }
  if (step.loop_axis >= 0) return make_plane_list<Real>(step, order, options);
  if (!step.cells.empty()) {
    auto matrices = as_matrices(step.from, step.to, step.cells, step.axis);
    return std::make_unique<PassList>(make_each<Real>(step, std::move(*matrices), order, options));
  }
  Step s = step;
  if (s.pruned) spread_modes(s, *s.pruned);
  auto pass = make_fft<Real>(s, in_place, order, options);
  if (s.cleared.empty()) return pass;
  return local::make_clearing_pass(std::move(pass), s.cleared, 2 * sizeof(Real), options);
}

} // namespace

std::unique_ptr<local::Pass> make_pass(const Step &step, std::size_t real_bytes, bool in_place,
                                       local::TileOrder order, const local::PassOptions &options) {
  if (step.is_exchange()) return nullptr;
  if (step.kind == StepKind::copy) { // real numbers of any size
    const std::size_t element = element_bytes(step.from, real_bytes);
    return step.source.pieces.empty()
               ? local::make_box_copy_pass(copies(step.from, step.to), element, options)
               : local::make_copy_pass(step.source, step.destination, element, options);
  }
  return real_bytes == sizeof(float) ? make_pass<float>(step, in_place, order, options)
                                     : make_pass<double>(step, in_place, order, options);
}

} // namespace hybridfft::plan
