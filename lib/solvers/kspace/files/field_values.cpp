#include "solvers/kspace/files/field_values.h"

#include <algorithm>

#include "solvers/kspace/base/row_checks.h"

namespace hybridfft::kspace {

template <class Real>
FieldValues<Real>::FieldValues(const std::string &dataset, const LocalGrid &local,
                               const Range<Real> &allowed, bool sum, const Field<Real> &into)
    : local_(local), allowed_(allowed), sum_(sum), field_(into), salt_(Checksum::hash(dataset)) {}

template <class Real>
void FieldValues<Real>::take(std::size_t first, std::span<const Real> values) {
  const auto nx = static_cast<std::size_t>(local_.extents()[0]);
  while (!values.empty()) {
    const std::size_t x = first % nx;
    const std::size_t count = std::min(nx - x, values.size());
    take_row(static_cast<std::ptrdiff_t>(first / nx), static_cast<std::ptrdiff_t>(x),
             values.first(count));
    first += count;
    values = values.subspan(count);
  }
}

template <class Real>
void FieldValues<Real>::take_row(std::ptrdiff_t row, std::ptrdiff_t x,
                                 std::span<const Real> values) {
  const grid::Box &box = local_.box();
  const std::ptrdiff_t columns = local_.rows_per_plane();
  const std::ptrdiff_t i = row / columns - local_.start(0);
  const std::ptrdiff_t j = row % columns - local_.start(1);
  if (i < 0 || i >= box.extent(0) || j < 0 || j >= box.extent(1)) return;
  const auto count = static_cast<std::ptrdiff_t>(values.size());
  const std::ptrdiff_t begin = std::max(x, local_.start(2));
  const std::ptrdiff_t n = std::min(x + count, local_.start(2) + box.extent(2)) - begin;
  if (n <= 0) return;
  const std::span<const Real> own =
      values.subspan(static_cast<std::size_t>(begin - x), static_cast<std::size_t>(n));
  const Real *const from = own.data();
  std::copy_n(from, n, field_.row(local_, i, j) + (begin - local_.start(2)));
  const std::int64_t position = row * local_.extents()[0] + begin;
  if (sum_) checksum_ += Checksum::sum_of(salt_, position, own);
  if (allowed_.any || rows::all_between(n, from, allowed_.low, allowed_.high)) return;
  const Real *const wrong = std::find_if(from, from + n, [&](Real v) { return !allowed_.has(v); });
  const std::int64_t where = position + (wrong - from);
  std::int64_t lowest = bad_;
  while (where < lowest && !bad_.compare_exchange_weak(lowest, where)) {
  }
}

template <class Real> grid::Communicator::ArgMin FieldValues<Real>::bad() const {
  const std::int64_t where = bad_;
  if (where == grid::Communicator::ArgMin::nowhere) return {};
  return {where, static_cast<double>(field_.data()[local_.offset_of(where).value()])};
}

template class FieldValues<float>;
template class FieldValues<double>;

} // namespace hybridfft::kspace
