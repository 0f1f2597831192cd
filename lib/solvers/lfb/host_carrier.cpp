// Performs the stages of a block extension on the host. Along one axis of a block, small dense or
// sparse matrices of the basis are multiplied by many lines at once: they pack the values sent to
// the neighbours and fill the gap. Threads pack and fill planes of a block; planes are packed for
// the next stage while they are in cache.
#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "base/memory.h"
#include "base/threads.h"
#include "solvers/lfb/basis.h"
#include "solvers/lfb/extension_plan.h"
#include "solvers/lfb/lines.h"
#include "solvers/lfb/small_product.h"

namespace hybridfft::lfb {

/// Matrices of a basis for one size of gap. Thread-safe after construction.
template <class Real> class AxisFill {
public:
  /// \throws Error(HFFT_ERROR_ARGUMENT) for a gap not supported by the basis
  AxisFill(const Basis &basis, std::ptrdiff_t gap);

  /// Writes the message for the neighbour on one side, Basis::numbers() values per line. Processes
  /// the groups of lines [first, end), as numbered by Lines.
  void pack(const Packing<Real> &packing, Index first, Index end) const;
  /// Computes the gap behind the points of each line, for the groups of lines [first, end).
  void fill(const Filling<Real> &filling, Index first, Index end) const;

private:
  void pack_across(const Packing<Real> &packing, std::ptrdiff_t o) const;
  void pack_along(const Packing<Real> &packing, std::ptrdiff_t first, std::ptrdiff_t last) const;
  void fill_bell(const Filling<Real> &filling, std::ptrdiff_t outer) const;
  void fill_across(const Filling<Real> &filling, std::ptrdiff_t outer) const;
  void fill_along(const Filling<Real> &filling, std::ptrdiff_t first, std::ptrdiff_t last) const;

  std::ptrdiff_t overlap_, gap_;
  SmallMatrix<Real>
      moments_;             ///< matrix of moments of the points at a cut; empty if points are sent
  SparseMatrix<Real> bell_; ///< matrix of the gap for a bell
  MirroredMatrix<Real> continuation_; ///< matrix of Basis::coefficients(); empty for a bell
};

namespace {

/// Maximum number of operands or results of a line.
constexpr std::ptrdiff_t max_numbers = 256;
template <class Real>
using LineBuffers = std::array<std::array<Real, max_numbers>, SmallMatrix<Real>::max_lines>;

/// Multiplies the contiguous lines [first, last) by a matrix, Matrix::max_lines at a time. line(o,
/// buffer) returns the addresses of the operands and of the result of line o. It may copy the
/// operands into the buffer.
template <class Real, class Matrix, class Line>
void multiply_along(const Matrix &matrix, std::ptrdiff_t first, std::ptrdiff_t last,
                    const Line &line) {
  constexpr std::ptrdiff_t most = Matrix::max_lines;
  LineBuffers<Real> values;
  std::array<const Real *, most> from{};
  std::array<Real *, most> to{};
  for (std::ptrdiff_t o = first; o < last; o += most) {
    const std::ptrdiff_t count = std::min(most, last - o);
    for (std::ptrdiff_t l = 0; l < count; ++l) {
      const auto at = static_cast<std::size_t>(l);
      std::tie(from[at], to[at]) = line(o + l, values[at].data());
    }
    matrix.along(from.data(), to.data(), count);
  }
}

} // namespace

template <class Real>
AxisFill<Real>::AxisFill(const Basis &basis, std::ptrdiff_t gap)
    : overlap_(basis.overlap()), gap_(gap) {
  if (!basis.moments().empty())
    moments_ = SmallMatrix<Real>(basis.numbers(), overlap_, basis.moments().data());
  const std::vector<double> all = basis.coefficients(gap);
  if (basis.kind() == Basis::GapRule::continuation)
    continuation_ = MirroredMatrix<Real>(gap, basis.own(), basis.numbers(), all.data());
  else
    bell_ = SparseMatrix<Real>::of(gap, basis.columns(), all.data());
}

template <class Real>
void AxisFill<Real>::pack_across(const Packing<Real> &packing, std::ptrdiff_t o) const {
  const auto group = packing.group(o);
  std::array<const Real *, max_numbers> points{};
  for (std::ptrdiff_t j = 0; j < overlap_; ++j)
    points[static_cast<std::size_t>(j)] = group.from(j);
  std::array<Real *, max_numbers> rows{};
  for (std::ptrdiff_t q = 0; q < packing.numbers; ++q)
    rows[static_cast<std::size_t>(q)] = group.to(q);
  moments_.across(points.data(), rows.data(), packing.lines.inner);
}

template <class Real>
void AxisFill<Real>::pack_along(const Packing<Real> &packing, std::ptrdiff_t first,
                                std::ptrdiff_t last) const {
  multiply_along<Real>(moments_, first, last, [&](std::ptrdiff_t o, Real *buffer) {
    const auto line = packing.group(o);
    if (packing.side == AxisSide::below) return std::pair(line.cut, line.to(0));
    std::reverse_copy(line.cut - overlap_ + 1, line.cut + 1, buffer);
    return std::pair<const Real *, Real *>(buffer, line.to(0));
  });
}

template <class Real>
void AxisFill<Real>::pack(const Packing<Real> &packing, Index first, Index end) const {
  const Lines<Real> &lines = packing.lines;
  if (!moments_.empty() && lines.inner == 1 && lines.stride == 1)
    return pack_along(packing, first, end);
  for (Index o = first; o < end; ++o)
    if (moments_.empty()) {
      const auto group = packing.group(o);
      for (Index q = 0; q < packing.numbers; ++q)
        std::copy_n(group.from(q), lines.inner, group.to(q));
    } else {
      pack_across(packing, o);
    }
}

template <class Real>
void AxisFill<Real>::fill_bell(const Filling<Real> &filling, std::ptrdiff_t outer) const {
  const std::ptrdiff_t inner = filling.lines.inner;
  const auto group = filling.group(outer);
  for (std::ptrdiff_t g = 0; g < gap_; ++g) {
    Real *gap = group.to(g);
    std::fill_n(gap, inner, Real{0});
    for (std::ptrdiff_t t = bell_.begin(g); t < bell_.begin(g) + bell_.terms(g); ++t) {
      const auto term = static_cast<std::size_t>(t);
      const Real *from = group.from(bell_.columns[term]);
      const Real factor = bell_.factors[term];
#pragma omp simd
      for (std::ptrdiff_t i = 0; i < inner; ++i)
        gap[i] += factor * from[i];
    }
  }
}

template <class Real>
void AxisFill<Real>::fill_across(const Filling<Real> &filling, std::ptrdiff_t outer) const {
  const auto group = filling.group(outer);
  std::array<const Real *, max_numbers> columns{};
  for (std::ptrdiff_t c = 0; c < continuation_.columns(); ++c)
    columns[static_cast<std::size_t>(c)] = group.from(c);
  std::array<Real *, max_numbers> gap{};
  for (std::ptrdiff_t g = 0; g < gap_; ++g)
    gap[static_cast<std::size_t>(g)] = group.to(g);
  continuation_.across(columns.data(), gap.data(), filling.lines.inner);
}

template <class Real>
void AxisFill<Real>::fill_along(const Filling<Real> &filling, std::ptrdiff_t first,
                                std::ptrdiff_t last) const {
  const std::ptrdiff_t own = filling.own, numbers = filling.numbers;
  multiply_along<Real>(continuation_, first, last, [&](std::ptrdiff_t o, Real *buffer) {
    const auto line = filling.group(o);
    Real *next = buffer;
    for (const auto &[c, number] : {std::pair{std::ptrdiff_t{0}, own},
                                    {own, own},
                                    {2 * own, numbers},
                                    {2 * own + numbers, numbers}})
      next = std::copy_n(line.from(c), number, next);
    return std::pair<const Real *, Real *>(buffer, line.to(0));
  });
}

template <class Real>
void AxisFill<Real>::fill(const Filling<Real> &filling, Index first, Index end) const {
  const Lines<Real> &lines = filling.lines;
  if (!continuation_.empty() && lines.inner == 1 && lines.stride == 1)
    return fill_along(filling, first, end);
  for (Index o = first; o < end; ++o)
    if (continuation_.empty())
      fill_bell(filling, o);
    else
      fill_across(filling, o);
}

template class AxisFill<float>;
template class AxisFill<double>;

namespace {

/// ExtensionCarrier for fields in host memory.
template <class Real> class HostCarrier final : public ExtensionCarrier<Real> {
public:
  using typename ExtensionCarrier<Real>::Fields;

  HostCarrier(const ExtensionPlan<Real> &plan, int threads)
      : plan_(plan), threads_(threads), messages_(plan.communicator(), plan.traffic(), threads) {
    plan.communicator().agree([&] {
      for (const auto &stage : plan.stages()) {
        Axis &axis = axes_.emplace_back();
        for (const Index gap : stage.gaps)
          axis.fills.emplace_back(*stage.basis, gap);
        axis.local = Memory(static_cast<std::size_t>(stage.local_values) * sizeof(Real), threads);
      }
    });
  }

  void open() override {
    for (std::size_t s = 0; s < axes_.size(); ++s)
      begin(s);
    planes_packed_ = true;
  }

  void pack(std::size_t n, Index plane, Fields fields) override {
    for (std::size_t s = 0; s < axes_.size(); ++s)
      if (is_within_planes(s)) pack_rows(s, n, fields[n], plane, 0, plan_.points(n, 1));
  }

  void send(std::size_t s, std::size_t n, Fields fields) override {
    if (n == 0) begin(s);
    if (is_within_planes(s)) {
      if (!axes_[s].all_packed)
        parallel_ranges(plan_.period(n, 0), threads_, [&](Index first, Index end, int) {
          for (Index plane = first; plane < end; ++plane)
            pack_rest(s, n, fields[n], plane);
        });
    } else {
      for (const AxisSide side : sides) {
        const Packing<Real> packing = this->packing(s, n, side, fields[n]);
        parallel_ranges(packing.lines.outer(), threads_, [&](Index first, Index end, int) {
          axes_[s].fills[n].pack(packing, first, end);
        });
      }
    }
    if (n + 1 < fields.size()) return;
    messages_.start(s);
    axes_[s].begun = axes_[s].all_packed = false;
    if (s + 1 == axes_.size()) planes_packed_ = false;
  }

  bool poll(std::size_t s) override { return messages_.poll(s); }
  void receive(std::size_t s) override { axes_[s].turn = messages_.finish(s); }

  /// Fills the gaps, and packs completed rows for the next stage while they are in cache.
  void fill(std::size_t s, Fields fields) override {
    const bool pack_next = is_within_planes(s) && s + 1 < axes_.size();
    if (pack_next) begin(s + 1);
    for (std::size_t n = 0; n < fields.size(); ++n) {
      if (pack_next) {
        parallel_ranges(plan_.period(n, 0), threads_, [&](Index first, Index end, int) {
          for (Index plane = first; plane < end; ++plane) {
            fill_plane(s, n, plane, fields[n]);
            pack_rest(s + 1, n, fields[n], plane);
          }
        });
        continue;
      }
      const Filling<Real> filling = this->filling(s, n, fields[n]);
      parallel_ranges(filling.lines.outer(), threads_, [&](Index first, Index end, int) {
        axes_[s].fills[n].fill(filling, first, end);
      });
    }
    if (pack_next) axes_[s + 1].all_packed = true;
  }

  bool fills_planes() const override {
    return !axes_.empty() && is_within_planes(axes_.size() - 1);
  }
  void fill_planes(std::size_t n, Index first, Index end, Fields fields) override {
    parallel_ranges(end - first, threads_, [&](Index begin, Index last, int) {
      for (Index plane = first + begin; plane < first + last; ++plane)
        fill_plane(axes_.size() - 1, n, plane, fields[n]);
    });
  }

private:
  struct Axis {
    std::vector<AxisFill<Real>> fills; ///< one per block of this rank
    Memory local;                      ///< values exchanged within this rank
    int sent_turn = 0;                 ///< buffer of the messages being packed
    int turn = 0;                      ///< buffer of the received messages
    bool begun = false;                ///< true from begin() until the messages start
    bool all_packed = false; ///< true if fill() of the previous stage has packed all lines
  };

  /// Gets the buffers for the next messages of a stage.
  void begin(std::size_t s) {
    if (axes_[s].begun) return;
    axes_[s].sent_turn = messages_.begin(s);
    axes_[s].begun = true;
  }

  /// True if each line of a stage lies within a plane.
  bool is_within_planes(std::size_t s) const { return plan_.stages()[s].axis > 0; }
  /// Returns the number of a group of lines: the plane for lines along axis 1, else the row counted
  /// over all planes.
  Index group(std::size_t s, std::size_t n, Index plane, Index row) const {
    return plan_.stages()[s].axis == 1 ? plane : plane * plan_.period(n, 1) + row;
  }

  /// Packs lines of a plane for both sides: all lines along axis 1, or the rows [first, end) along
  /// axis 2.
  void pack_rows(std::size_t s, std::size_t n, const Period<Real> &field, Index plane, Index first,
                 Index end) const {
    const bool along_1 = plan_.stages()[s].axis == 1;
    for (const AxisSide side : sides)
      axes_[s].fills[n].pack(packing(s, n, side, field), group(s, n, plane, first),
                             along_1 ? plane + 1 : group(s, n, plane, end));
  }
  /// Packs the lines of a plane not yet packed by pack().
  void pack_rest(std::size_t s, std::size_t n, const Period<Real> &field, Index plane) const {
    const bool packed = planes_packed_ && plane < plan_.points(n, 0);
    if (packed && plan_.stages()[s].axis == 1) return;
    pack_rows(s, n, field, plane, packed ? plan_.points(n, 1) : 0, plan_.period(n, 1));
  }
  void fill_plane(std::size_t s, std::size_t n, Index plane, const Period<Real> &field) const {
    const bool along_1 = plan_.stages()[s].axis == 1;
    axes_[s].fills[n].fill(filling(s, n, field), group(s, n, plane, 0),
                           along_1 ? plane + 1 : group(s, n, plane + 1, 0));
  }

  Packing<Real> packing(std::size_t s, std::size_t n, AxisSide side,
                        const Period<Real> &field) const {
    const int turn = axes_[s].sent_turn;
    return plan_.packing(plan_.stages()[s], n, side, field, [&](const MessageSlot &slot) {
      return address(s, slot, slot.message ? messages_.outgoing(s, *slot.message, turn) : nullptr);
    });
  }
  Filling<Real> filling(std::size_t s, std::size_t n, const Period<Real> &field) const {
    const int turn = axes_[s].turn;
    return plan_.filling(plan_.stages()[s], n, field, [&](const MessageSlot &slot) {
      return address(s, slot, slot.message ? messages_.incoming(s, *slot.message, turn) : nullptr);
    });
  }

  using MessageSlot = typename ExtensionPlan<Real>::MessageSlot;
  Real *address(std::size_t s, const MessageSlot &slot, std::byte *message) const {
    const std::byte *memory = slot.message ? message : axes_[s].local.data();
    return reinterpret_cast<Real *>(const_cast<std::byte *>(memory)) + slot.first;
  }

  const ExtensionPlan<Real> &plan_;
  int threads_;
  grid::NeighbourMessages messages_;
  std::vector<Axis> axes_;
  bool planes_packed_ = false; ///< true if pack() has packed all planes of all blocks
};

} // namespace

template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> host_carrier(const ExtensionPlan<Real> &plan, int threads) {
  return std::make_unique<HostCarrier<Real>>(plan, threads);
}

template std::unique_ptr<ExtensionCarrier<float>> host_carrier(const ExtensionPlan<float> &, int);
template std::unique_ptr<ExtensionCarrier<double>> host_carrier(const ExtensionPlan<double> &, int);

} // namespace hybridfft::lfb
