// Applies FFTW's rules: transposed data exchange the first two axes, and rows of real data are
// padded.
#include "verifier/box.h"

#include <utility>

namespace hybridfft::verifier {

DataBox::DataBox(const Problem &p, ArraySide side, LocalRange range)
    : range_(range), howmany_(p.howmany), real_((side == ArraySide::in && p.kind == Kind::r2c) ||
                                                (side == ArraySide::out && p.kind == Kind::c2r)) {
  const std::vector<std::ptrdiff_t> n = real_ ? p.extents : complex_extents(p);
  for (std::size_t i = 0; i < n.size(); ++i)
    axes_.push_back({i, n[i], 0, n[i]});
  if (real_) axes_.back().allocated = 2 * (n.back() / 2 + 1);
  if (side == ArraySide::in ? p.transposed_in : p.transposed_out) std::swap(axes_[0], axes_[1]);
  axes_[0].count = axes_[0].allocated = range.count;
  axes_[0].start = range.start;
}

std::ptrdiff_t DataBox::elements() const {
  std::ptrdiff_t n = howmany_;
  for (const Axis &a : axes_)
    n *= a.allocated;
  return n;
}

bool DataBox::advance(Index &at) const {
  for (std::size_t i = axes_.size(); i-- > 0;) {
    if (++at[i] < axes_[i].count) return true;
    at[i] = 0;
  }
  return false;
}

std::ptrdiff_t DataBox::offset_of(const Index &at, Index &index) const {
  std::ptrdiff_t offset = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    offset = offset * axes_[i].allocated + at[i];
    index[axes_[i].logical] = axes_[i].start + at[i];
  }
  return offset * howmany_;
}

} // namespace hybridfft::verifier
