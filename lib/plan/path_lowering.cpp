// Lowers a path to the steps of one rank. Each stage becomes FFTs along its axes. Each exchange
// between stages becomes a step, with copies only if the FFTs cannot read or write its blocks.
#include "plan/lowering.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "layout/tiling.h"
#include "local/simd_passes.h"

namespace hybridfft::plan {

namespace {

/// Returns the only axis along which the parts divide the box; -1 if there is none or more than
/// one.
int cut_axis(const IndexBox &whole, const std::vector<IndexBox> &parts) {
  int axis = -1;
  for (const IndexBox &part : parts) {
    if (part.points() == 0) continue;
    for (std::size_t a = 0; a < whole.count.size(); ++a) {
      if (part.count[a] == whole.count[a]) continue;
      if (axis >= 0 && axis != static_cast<int>(a)) return -1;
      axis = static_cast<int>(a);
    }
  }
  return axis;
}

/// Returns true if r2c and c2r may transform strided real lines, which are interleaved in memory.
/// FFTW's kernels, and the kernels of planes, need contiguous lines.
bool transforms_across(const Problem &p) {
  return p.halves() && !p.deterministic && !p.pruned() &&
         local::has_simd_lines(p.isa, p.real_bytes, p.extent(p.halved_axis(), p.kind == Kind::c2r));
}

class PathLowering {
public:
  PathLowering(const Problem &p, const Choice &choice, int rank)
      : p_(p), path_(choice.path->path), order_(choice.path->order), rank_(rank),
        planes_(choice.plane_kernel), passes_(choice.passes),
        between_slabs_(planes_of(path_) != nullptr), slabs_move_(exchanges_slabs(p)),
        at_(stored(p.in, rank, p.real_in())), out_(stored(p.out, rank, p.real_out())) {
    if (between_slabs_ && p.in.axes().front().axis == 1) std::swap(order_[0], order_[1]);
    slow_order_ = order_;
  }

  Steps run() {
    if (between_slabs_ && passes_ == Passes::whole) {
      add_slab(StepKind::whole, order_[0], {p_.kind, p_.sign, p_.extents(), p_.howmany()}, out_);
      steps_.back().makes_result = true;
      return std::move(steps_);
    }
    for (std::size_t l = 0; l < path_.size(); ++l) {
      if (l > 0) between_slabs_ ? exchange_slabs(l) : exchange(l);
      const std::size_t first = steps_.size();
      last_stage_ = l + 1 == path_.size();
      between_slabs_ ? transform_slab(l) : transform_all(l);
      // If the stage adds no FFT, because the rank has no data, none of the rank's steps makes the
      // result.
      if (path_[l].axes.empty()) continue;
      for (Step &s : steps_)
        s.makes_result = false;
      if (first < steps_.size() && steps_.back().is_fft()) steps_.back().makes_result = true;
    }
    if (between_slabs_)
      end_in_slab();
    else if ((steps_.empty() && !p_.in_place) || !same_place(at_, out_))
      copy_to(out_);
    return std::move(steps_);
  }

private:
  /// Transforms all axes of a stage, one or two at a time.
  void transform_all(std::size_t stage) {
    plan_sending(stage);
    const std::vector<int> axes = ordered_axes(path_[stage].axes);
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (i + 1 < axes.size() && transform_planes(axes[i], axes[i + 1], i + 2 == axes.size()))
        ++i;
      else
        transform(axes[i], i + 1 == axes.size());
  }

  /// Moves the data to the next slab, unless one rank has all data. In memory, the distributed axis
  /// of a slab comes first, then the other one of the first two axes, then the rest. Received data
  /// are still in the sender's order.
  void exchange_slabs(std::size_t stage) {
    if (slabs_move_) {
      if (path_[stage - 1].axes.empty())
        add_slab(StepKind::copy, order_[1], {}, stored(at_.box, order_, false));
      const IndexBox mine = box_of(stage, rank_, path_[stage].extents);
      add({StepKind::exchange, std::move(at_), stored(mine, order_, false)});
    }
    std::swap(order_[0], order_[1]);
  }

  /// Returns the matrix of the lines along an axis, in complex elements. Real lines are padded to
  /// the length of their spectra.
  SplitRows slab_matrix(const Storage &s, int axis) const {
    if (!s.real && !s.empty()) return *as_columns(s, order_, axis);
    IndexBox box = s.box;
    if (s.real) {
      const auto halved = static_cast<std::size_t>(p_.halved_axis());
      box.count[halved] = p_.complex_extents()[halved];
    }
    const SplitRows m = *as_columns(stored(box, order_, false), order_, axis);
    return SplitRows::tight(m.rows, m.columns, m.vec);
  }

  void add_slab(StepKind kind, int axis, local::PlaneTransform transform, Storage to) {
    SplitRows source = slab_matrix(at_, axis);
    SplitRows destination = slab_matrix(to, axis);
    Step step(kind, std::move(at_), std::move(to));
    step.source = std::move(source);
    step.destination = std::move(destination);
    step.transform = std::move(transform);
    if (step.is_fft() && p_.pruned())
      step.pruned =
          PrunedAxis{p_.retained_modes(axis), p_.spectrum_in(),
                     axis < 2 && halves_vec() ? p_.retained_modes(2).kept() * p_.howmany() : 0};
    add(std::move(step));
  }

  /// True if a pruned axis after the first two is halved.
  bool halves_vec() const { return p_.pruned() && p_.kind != Kind::c2c && p_.dimensions() == 3; }

  /// Returns the storage of a slab after the transforms of a stage. On one rank it keeps the order
  /// of the input.
  Storage slab_after(std::size_t stage) const {
    if (last_stage_) return out_;
    const Extents &n = path_[stage + 1].extents;
    IndexBox box = at_.box;
    for (const int axis : path_[stage].axes)
      box = transformed(std::move(box), axis);
    if (box.count.size() > 3) box.count[2] = n[2]; // retained modes
    return stored(box, slabs_move_ ? order_ : slow_order_, false);
  }

  /// Transforms a slab along the undistributed one of the first two axes, as columns. A stage with
  /// planes also transforms all later axes: in the same step, or in a separate step for more
  /// parallelism.
  void transform_slab(std::size_t stage) {
    if (path_[stage].axes.empty()) return;
    const int axis = order_[1];
    Storage to = slab_after(stage);
    const local::PlaneTransform columns{Kind::c2c, p_.sign, {points(axis)}, 1};
    if (!path_[stage].planes) return add_slab(StepKind::columns, axis, columns, std::move(to));
    const Extents n = p_.extents();
    local::PlaneTransform lines{p_.kind, p_.sign, {n.begin() + 2, n.end()}, p_.howmany()};
    if (passes_ != Passes::split || lines.extents.empty()) {
      lines.extents.insert(lines.extents.begin(), points(axis));
      return add_slab(StepKind::planes, axis, std::move(lines), std::move(to));
    }
    const bool lines_first = !path_.back().planes;
    IndexBox box = at_.box;
    for (int a = 2; a < p_.dimensions() && lines_first; ++a)
      box = transformed(std::move(box), a);
    if (!lines_first) box = transformed(std::move(box), axis);
    if (halves_vec()) box.count[2] = p_.retained_modes(2).kept();
    const Storage between = stored(box, order_, false);
    if (!lines_first) add_slab(StepKind::columns, axis, columns, between);
    add_slab(StepKind::planes, 2, lines, lines_first ? between : to);
    if (lines_first) add_slab(StepKind::columns, axis, columns, to);
  }

  /// Adds copies if the last slab has no transform. In place on one rank there are two: one copies
  /// the array to a buffer, the other one copies it back.
  void end_in_slab() {
    if (path_.back().axes.empty() && (slabs_move_ || p_.axes.empty()))
      add_slab(StepKind::copy, order_[1], {}, out_);
    if (p_.axes.empty() && !slabs_move_ && p_.in_place)
      add_slab(StepKind::copy, order_[1], {}, out_);
  }

  /// True if the library's own kernels transform the planes, and support lines of n points.
  bool simd_planes(std::ptrdiff_t n) const {
    return planes_ != local::Kernel::fftw && local::has_simd_lines(p_.isa, p_.real_bytes, n);
  }
  std::size_t element(bool real) const { return real ? p_.real_bytes : 2 * p_.real_bytes; }

  /// Returns the box of a rank in a stage, for an array of these extents.
  IndexBox box_of(std::size_t stage, int rank, const Extents &n) const {
    return with_fields(path_[stage].distribution->box(rank, n), p_.howmany());
  }

  /// Parts of a box in one stage, listed by rank.
  struct Parts {
    std::vector<int> ranks;
    std::vector<IndexBox> boxes;
  };
  Parts parts(const IndexBox &whole, std::size_t stage, const Extents &n) const {
    IndexBox points = whole;
    points.start.resize(n.size());
    points.count.resize(n.size());
    Parts list{path_[stage].distribution->ranks_of(points, n), {}};
    for (const int q : list.ranks)
      list.boxes.push_back(intersection(whole, box_of(stage, q, n)));
    return list;
  }

  /// True if the real lines of r2c or c2r are transformed as contiguous lines: because the kernels
  /// need this, or because their axis is the fastest in memory.
  bool has_real_lines() const {
    const bool of_points = order_.back() != p_.dimensions() || p_.howmany() > 1;
    const int fastest = of_points ? order_.back() : order_[order_.size() - 2];
    return p_.halves() && (!transforms_across(p_) || fastest == p_.halved_axis());
  }

  bool has_halved(std::size_t stage) const {
    const std::vector<int> &axes = path_[stage].axes;
    return p_.halves() && std::find(axes.begin(), axes.end(), p_.halved_axis()) != axes.end();
  }

  /// Sets the axis along which the next exchange divides this rank's data; -1 if it sends
  /// contiguous real lines of r2c or c2r, or if there is no single axis.
  void plan_sending(std::size_t stage) {
    stage_ = stage;
    sending_axis_ = -1;
    const bool real_then =
        has_real_lines() &&
        (p_.kind == Kind::c2r ? at_.real || has_halved(stage) : at_.real && !has_halved(stage));
    if (last_stage_ || real_then) return;
    IndexBox box = at_.box;
    for (const int axis : path_[stage].axes)
      box = transformed(std::move(box), axis);
    sending_axis_ = cut_axis(box, parts(box, stage + 1, path_[stage + 1].extents).boxes);
  }

  /// Orders the axes of a stage so that fewer copies are needed. The axis collected by the last
  /// exchange comes first, the axis divided by the next one last. Axes with transforms between
  /// reals come before r2c and after c2r, unless the real lines are contiguous and can form planes
  /// with another axis. Of the other axes, the ones with the most removed points come first, then
  /// the fastest in memory.
  std::vector<int> ordered_axes(std::vector<int> axes) const {
    if (p_.deterministic || p_.four_step) return axes;
    const auto turn = [this](int axis) {
      if (axis == p_.halved_axis()) return p_.kind == Kind::r2c ? -2 : 2;
      if (p_.halves() && !has_real_lines() && !is_fourier(axis))
        return p_.kind == Kind::r2c ? -3 : 3;
      if (axis == receiving_axis_) return -1;
      return axis == sending_axis_ ? 1 : 0;
    };
    const auto place = [&](int axis) {
      const double growth =
          static_cast<double>(p_.extent(axis, true)) / static_cast<double>(p_.extent(axis, false));
      return std::tuple(turn(axis), growth,
                        order_.end() - std::find(order_.begin(), order_.end(), axis));
    };
    std::sort(axes.begin(), axes.end(), [&](int a, int b) { return place(a) < place(b); });
    return axes;
  }

  void transform(int axis, bool last) {
    const bool halves = axis == p_.halved_axis();
    const bool lines = halves && has_real_lines();
    const bool real = halves ? p_.kind == Kind::c2r : at_.real;
    if (!lines && transform_cells(axis, last, real)) return;
    if (!matrix(at_, axis, lines)) copy_to(one_box(at_.box, axis, at_.real, lines));
    const SplitRows source = *matrix(at_, axis, lines);
    auto [to, destination] = target(transformed(at_.box, axis), axis, last, real, lines);
    Step step = fft(StepKind::columns, to, line_transform(axis), axis);
    step.source = source;
    step.destination = destination;
    if (lines) step.transform.howmany = source.vec;
    if (lines || (is_fourier(axis) && step.may_be_lines())) step.kind = StepKind::planes;
    add(std::move(step));
  }

  bool is_fourier(int axis) const { return p_.line_kind(axis) == local::LineKind::fourier; }

  /// Returns the transform of lines along an axis.
  local::PlaneTransform line_transform(int axis) const {
    const Kind kind = axis == p_.halved_axis() ? p_.kind : is_fourier(axis) ? Kind::c2c : Kind::r2r;
    return {kind, p_.sign, {points(axis)}, 1, p_.line_kind(axis)};
  }

  /// Returns the lines along an axis as a matrix; nothing if the storage does not have this form.
  /// \param lines true for contiguous real lines of r2c and c2r
  std::optional<SplitRows> matrix(const Storage &s, int axis, bool lines) const {
    return lines && s.real ? real_lines(s, axis) : as_columns(s, order_, axis);
  }

  /// Returns the storage in the working order, which always has this form.
  Storage one_box(const IndexBox &box, int axis, bool real, bool lines) const {
    return lines && real ? padded(box, axis) : stored(box, order_, real);
  }

  /// Returns an FFT step with this first axis. The caller sets its matrices.
  Step fft(StepKind kind, const Storage &to, local::PlaneTransform transform, int axis) const {
    Step step(kind, at_, to);
    step.transform = std::move(transform);
    step.axis = axis;
    step.pruned = pruned(axis);
    return step;
  }

  /// Adds an FFT over several matrices if this avoids a copy. This is so if the received boxes are
  /// divided along other axes, too, or if the result is sent in such boxes. Returns false if one
  /// matrix suffices, or if too many are needed.
  /// \param real true if the results are real numbers
  bool transform_cells(int axis, bool last, bool real) {
    if (at_.empty()) return false;
    const bool whole_source = as_columns(at_, order_, axis).has_value();
    const IndexBox box = transformed(at_.box, axis);
    std::optional<Storage> to;
    if (last) to = wanted(box, real);
    if (whole_source && (!to || as_columns(*to, order_, axis))) return false;
    std::optional<std::vector<MatrixPair>> matrices;
    if (to) matrices = as_matrices(at_, *to, order_, axis);
    if (!matrices) {
      if (whole_source) return false;
      const auto merged = merged_along(at_, axis, box.count[static_cast<std::size_t>(axis)]);
      if (!merged) return false;
      to = stored(box, *merged, order_, real, element(real)).storage;
      matrices = as_matrices(at_, *to, order_, axis);
    }
    if (!matrices) return false;
    const bool lines = std::all_of(matrices->begin(), matrices->end(),
                                   [](const MatrixPair &m) { return m.is_of_lines(); });
    Step step =
        fft(lines && line_transform(axis).kind == Kind::c2c && !pruned(axis) ? StepKind::planes
                                                                             : StepKind::columns,
            *to, line_transform(axis), axis);
    const std::ptrdiff_t points_before = at_.box.count[static_cast<std::size_t>(axis)];
    step.source = {at_.box.points() / points_before, points_before, 1, {}};
    step.cells = order_;
    add(std::move(step));
    return true;
  }

  /// Returns the storage for the result of the last transform of a stage: the output, or the
  /// messages of the next exchange. Returns nothing if the result is complex and the output real.
  std::optional<Storage> wanted(const IndexBox &box, bool real) const {
    if (last_stage_) return out_.real != real ? std::nullopt : std::optional(out_);
    return stored(box, parts(box, stage_ + 1, path_[stage_ + 1].extents).boxes, order_, real,
                  element(real))
        .storage;
  }

  /// Adds an FFT of the two axes that are fastest in memory, with planes in cache. Returns false if
  /// this is impossible, or if it would divide lines that could be sent without copies.
  bool transform_planes(int first, int second, bool last) {
    const auto rest = static_cast<std::size_t>(order_.back() == p_.dimensions() ? 1 : 0);
    if (p_.deterministic || p_.four_step || at_.empty() || p_.dimensions() < 2) return false;
    const int c = order_[order_.size() - 1 - rest];
    const int b = order_[order_.size() - 2 - rest];
    if (std::minmax(first, second) != std::minmax(b, c) || pruned(b) || pruned(c)) return false;
    if (!is_fourier(b) || !is_fourier(c) || b == p_.halved_axis()) return false;
    if (last && !last_stage_ && sending_axis_ == c) return false;
    const std::ptrdiff_t n_b = points(b);
    const std::ptrdiff_t n_c = points(c);
    const std::ptrdiff_t rows = at_.box.points() / at_.box.count[static_cast<std::size_t>(b)] /
                                at_.box.count[static_cast<std::size_t>(c)];
    if (!local::fits_cache(n_b * n_c, p_.real_bytes) || rows < p_.threads ||
        (rest == 1 && p_.howmany() > 1) || !simd_planes(n_b) || !simd_planes(n_c))
      return false;
    return add_planes(b, c, rows, last);
  }

  bool add_planes(int b, int c, std::ptrdiff_t rows, bool last) {
    const bool halves = c == p_.halved_axis();
    const std::ptrdiff_t n_b = points(b);
    const std::ptrdiff_t n_c = points(c);
    const SplitRows real_planes = SplitRows::tight(rows, n_b, n_c / 2 + 1);
    const auto are_planes = [&](const Storage &s) {
      const auto lines = real_lines(s, c);
      return lines && lines->is_tight();
    };
    const bool from_real = halves && p_.kind == Kind::r2c;
    const bool to_real = halves && p_.kind == Kind::c2r;
    if (from_real && !are_planes(at_)) return false;
    const auto source = from_real ? std::optional(real_planes) : as_columns(at_, order_, b);
    if (!source) return false;
    const IndexBox box = transformed(at_.box, c);
    auto [to, destination] =
        to_real ? std::pair(padded(box, c), real_planes) : target(box, b, last, false, false);
    if (to_real && last_stage_ && are_planes(out_)) to = out_;
    if (!source->is_tight() && !destination.is_tight()) return false;
    const Kind kind = from_real ? Kind::r2c : to_real ? Kind::c2r : Kind::c2c;
    Step step = fft(StepKind::planes, to, {kind, p_.sign, {n_b, n_c}, 1}, b);
    step.source = *source;
    step.destination = destination;
    add(std::move(step));
    return true;
  }

  /// Returns the destination of a transform along an axis: the next storage if the transform can
  /// write its lines to it, else one box in the working order.
  std::pair<Storage, SplitRows> target(const IndexBox &box, int axis, bool last, bool real,
                                       bool lines) const {
    if (lines && real ? last_stage_ : last && (last_stage_ || axis == sending_axis_))
      if (auto next = wanted(box, real))
        if (auto rows = matrix(*next, axis, lines)) return {std::move(*next), std::move(*rows)};
    Storage between = one_box(box, axis, real, lines);
    SplitRows rows = *matrix(between, axis, lines);
    return {std::move(between), std::move(rows)};
  }

  /// Returns the box after the transform of an undistributed axis.
  IndexBox transformed(IndexBox box, int axis) const {
    const auto a = static_cast<std::size_t>(axis);
    if (box.count[a] > 0) box.count[a] = p_.extent(axis, true);
    return box;
  }

  std::ptrdiff_t points(int axis) const { return p_.grid_side().extent(axis); }

  std::optional<PrunedAxis> pruned(int axis) const {
    if (!p_.pruned() || p_.modes[static_cast<std::size_t>(axis)] == points(axis))
      return std::nullopt;
    return PrunedAxis{p_.retained_modes(axis), p_.spectrum_in()};
  }

  /// Returns a storage of real lines with the padding that passes need.
  Storage padded(const IndexBox &box, int axis) const {
    const std::ptrdiff_t n = box.count[static_cast<std::size_t>(axis)];
    return stored(box, order_, true, axis, n > 0 ? 2 * (n / 2 + 1) - n : 0);
  }

  /// Returns real lines as a matrix of complex elements, which passes need. The lines must be
  /// padded to the length of their spectra; the library's own kernels allow any even distance
  /// between lines. Returns nothing for other lines.
  std::optional<SplitRows> real_lines(const Storage &s, int axis) const {
    const auto m = as_columns(s, order_, axis);
    if (!m) return std::nullopt;
    const std::ptrdiff_t half = m->columns / 2 + 1;
    const SplitRows tight = SplitRows::tight(m->rows, half, m->vec);
    if (m->pieces.empty()) return tight;
    const Piece &p = m->pieces.front();
    if (m->pieces.size() > 1 || p.base != 0 || (m->columns > 1 && p.column_stride != m->vec))
      return std::nullopt;
    if (m->rows == 1 || p.row_stride == 2 * half * m->vec) return tight;
    if (m->vec > 1 || p.row_stride % 2 != 0 || !simd_planes(m->columns)) return std::nullopt;
    return SplitRows{m->rows, half, 1, {{0, half, 0, p.row_stride / 2, 1}}};
  }

  void exchange(std::size_t stage) {
    const Extents &n = path_[stage].extents;
    const Parts to = parts(at_.box, stage, n);
    const PlacedBoxes send = stored(at_.box, to.boxes, order_, at_.real, element(at_.real));
    if (!same_place(at_, send.storage)) copy_to(send.storage);
    const IndexBox mine = box_of(stage, rank_, n);
    const Parts from = parts(mine, stage - 1, n);
    const PlacedBoxes receive = stored(mine, from.boxes, order_, at_.real, element(at_.real));
    receiving_axis_ = cut_axis(mine, from.boxes);
    Step step(StepKind::exchange, send.storage, receive.storage);
    step.slowest = slowest_axis(n);
    const auto bytes = static_cast<std::ptrdiff_t>(element(at_.real));
    const auto add_parts = [&](std::vector<exchange::RankBytes> &list, const Parts &of,
                               const PlacedBoxes &pieces) {
      for (std::size_t i = 0; i < of.ranks.size(); ++i)
        list.push_back({of.ranks[i], pieces.bases[i] * bytes, of.boxes[i].points() * bytes,
                        of.boxes[i].count[static_cast<std::size_t>(step.slowest)]});
    };
    add_parts(step.blocks.sent, to, send);
    add_parts(step.blocks.received, from, receive);
    step.blocks.real_bytes = p_.real_bytes;
    add(std::move(step));
  }

  /// Returns the slowest axis with more than one point in the array, the same on all ranks.
  int slowest_axis(const Extents &n) const {
    for (const int axis : order_)
      if ((axis < p_.dimensions() ? n[static_cast<std::size_t>(axis)] : p_.howmany()) > 1)
        return axis;
    return order_.front();
  }

  void copy_to(const Storage &to) { add({StepKind::copy, at_, to}); }

  /// Appends a step; its destination becomes the current place of the data. Ranks without data have
  /// only exchanges, except between slabs.
  void add(Step step) {
    at_ = step.to;
    if (p_.four_step && step.is_fft() && step.axis == p_.axes[0])
      step.twiddled_line = p_.in.extent(0) * p_.in.extent(1);
    if (between_slabs_ || step.is_exchange() || !step.from.empty())
      steps_.push_back(std::move(step));
  }

  /// True if every element has the same offset in both storages. Strides of axes with one point do
  /// not matter.
  static bool same_place(const Storage &a, const Storage &b) {
    const auto alike = [](const StoredBox &x, const StoredBox &y) {
      if (x.box != y.box || x.base != y.base) return false;
      for (std::size_t i = 0; i < x.stride.size(); ++i)
        if (x.box.count[i] > 1 && x.stride[i] != y.stride[i]) return false;
      return true;
    };
    return std::equal(a.boxes.begin(), a.boxes.end(), b.boxes.begin(), b.boxes.end(), alike);
  }

  const Problem &p_;
  const Path &path_;
  AxisOrder order_;      ///< memory order of the axes; between slabs it changes from stage to stage
  AxisOrder slow_order_; ///< order of the first stage
  int rank_;
  local::Kernel planes_;
  Passes passes_;
  bool between_slabs_;
  bool slabs_move_; ///< true if ranks exchange slabs
  Storage at_;      ///< current storage of the data
  Storage out_;
  std::size_t stage_ = 0;
  bool last_stage_ = false;
  int sending_axis_ = -1;
  int receiving_axis_ = -1;
  Steps steps_;
};

} // namespace

std::vector<AxisOrder> working_orders(const Problem &p) {
  std::vector<AxisOrder> orders;
  const bool across = transforms_across(p);
  for (const Layout *l : {&p.in, &p.out}) {
    AxisOrder order;
    for (const AxisLayout &a : l->axes())
      if (across || a.axis != p.halved_axis()) order.push_back(a.axis);
    if (p.halves() && !across) order.push_back(p.halved_axis());
    // The arithmetic of real lines differs between interleaved and separate fields, so
    // deterministic transforms always use separate ones.
    const bool apart = l->fields() == Fields::separate || (p.deterministic && p.halves());
    order.insert(apart ? order.begin() : order.end(), p.dimensions());
    if (orders.empty() || orders.front() != order) orders.push_back(std::move(order));
    // The last bits of twiddles depend on the order of the axes, so deterministic transforms have
    // one order.
    if (p.deterministic && p.four_step) break;
  }
  return orders;
}

Steps lower_path(const Problem &problem, const Choice &choice, int rank) {
  if (!choice.by_field) return PathLowering(problem, choice, rank).run();
  Problem one = problem;
  one.in = problem.in.of_one_field();
  one.out = problem.out.of_one_field();
  return PathLowering(one, choice, rank).run();
}

} // namespace hybridfft::plan
