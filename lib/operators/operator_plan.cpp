#include <algorithm>

#include "base/error.h"
#include "base/mpi.h"
#include "operators/operator_sweeps.h"

namespace hybridfft {

template <class Real> bool OperatorEngine<Real>::fields_travel_apart() const {
  return impl_->program->sends_messages();
}

template <class Real>
bool OperatorEngine<Real>::supports(const std::array<std::ptrdiff_t, 3> &extents) {
  return std::all_of(extents.begin(), extents.end(), [](std::ptrdiff_t n) {
    return n > 0 && local::LineFft<Real>::applies(simd::active(), n);
  });
}

template <class Real>
OperatorEngine<Real>::OperatorEngine(const std::array<std::ptrdiff_t, 3> &extents, int fields,
                                     MPI_Comm comm, int threads,
                                     const std::function<void()> &prepare)
    : impl_(Impl::make(extents, fields, comm, threads, prepare)) {}

template <class Real> OperatorEngine<Real>::OperatorEngine() = default;
template <class Real> OperatorEngine<Real>::~OperatorEngine() = default;
template <class Real> OperatorEngine<Real>::OperatorEngine(OperatorEngine &&) noexcept = default;
template <class Real>
OperatorEngine<Real> &OperatorEngine<Real>::operator=(OperatorEngine &&) noexcept = default;

template <class Real>
auto OperatorEngine<Real>::factors(int axis, std::span<const Complex> values) const -> Factors {
  if (axis < 0 || axis > 2)
    refuse_operator(HFFT_ERROR_ARGUMENT, "axis " + std::to_string(axis) + ", expected 0, 1 or 2");
  const std::ptrdiff_t n = impl_->extents[static_cast<std::size_t>(axis)];
  const std::ptrdiff_t bins = axis == 2 ? n / 2 + 1 : n;
  if (static_cast<std::ptrdiff_t>(values.size()) != bins)
    refuse_operator(HFFT_ERROR_ARGUMENT, std::to_string(values.size()) + " factors for axis " +
                                             std::to_string(axis) + ", expected " +
                                             std::to_string(bins));
  Factors made;
  made.axis_ = axis;
  made.values_.assign(values.begin(), values.end());
  if (axis == 1)
    for (std::size_t j = 0; j < values.size(); ++j)
      made.values_[static_cast<std::size_t>(impl_->plane_sweep->positions()[j])] = values[j];
  return made;
}

template <class Real>
auto OperatorEngine<Real>::table(
    const std::function<double(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t)> &f,
    const std::function<void()> &prepare) const -> std::shared_ptr<const Table> {
  std::shared_ptr<Table> made;
  mpi::all_or_none(impl_->comm->get(), [&] {
    if (!f)
      throw Failure(HFFT_ERROR_NULL_POINTER, "operator plan: the function of a table is NULL");
    prepare();
    made = std::make_shared<Table>();
    const std::ptrdiff_t start = impl_->cut.columns.start(impl_->comm->rank());
    made->extents = impl_->extents;
    made->rank = impl_->comm->rank();
    made->ranks = impl_->comm->size();
    made->values = impl_->line_sweep->make_table(
        [&](std::ptrdiff_t row, std::ptrdiff_t bin, std::ptrdiff_t element) {
          return f(bin, start + row, element);
        });
  });
  return std::shared_ptr<const Table>(made);
}

template <class Real>
void OperatorEngine<Real>::planes(std::span<const Source> sources, std::span<const int> targets,
                                  const Work *work) {
  impl_->planes(sources, targets, Part(), work);
}

template <class Real>
void OperatorEngine<Real>::planes(const Part &part, std::span<const Source> sources,
                                  std::span<const int> targets, const Work *work) {
  if (part.first < 0 || part.end < part.first || part.lines < 0)
    refuse_operator(HFFT_ERROR_ARGUMENT,
                    "a part of planes " + std::to_string(part.first) + " to " +
                        std::to_string(part.end) + " and " + std::to_string(part.lines) +
                        " lines, expected numbers of at least 0, the last one not before the "
                        "first");
  if (!targets.empty() && (impl_->comm->size() > 1 || part.lines < impl_->extents[1]))
    refuse_operator(HFFT_ERROR_ARGUMENT, "a part of planes on " +
                                             std::to_string(impl_->comm->size()) +
                                             " ranks and of " + std::to_string(part.lines) +
                                             " lines has targets, expected one rank and all " +
                                             std::to_string(impl_->extents[1]) + " lines");
  impl_->planes(sources, targets, part, work);
}

template <class Real> void OperatorEngine<Real>::lines(std::span<const LineProduct> products) {
  impl_->lines(products);
}

template <class Real> std::string OperatorEngine<Real>::describe() const {
  return "operator plan of " + std::to_string(impl_->fields.size()) +
         " fields: " + impl_->plane_sweep->describe() + "; " + impl_->line_sweep->describe() +
         "; exchange: " + impl_->program->describe();
}

template <class Real> auto OperatorEngine<Real>::profile() const -> Profile {
  const profile::Recorder &r = *impl_->recorder;
  return {r.seconds(at_planes), r.seconds(at_lines),
          r.seconds(at_forward) + r.seconds(at_backward)};
}

template <class Real> std::size_t OperatorEngine<Real>::bytes() const {
  return impl_->program->bytes() + impl_->plane_sweep->scratch_bytes() +
         impl_->line_sweep->scratch_bytes();
}

template class OperatorEngine<float>;
template class OperatorEngine<double>;

} // namespace hybridfft
