#include "operators/operator_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "base/agreement.h"
#include "base/error.h"
#include "base/mpi.h"
#include "layout/checked_size.h"
#include "plan/candidates.h"
#include "plan/machine.h"
#include "plan/problem.h"

namespace hybridfft {

namespace {

constexpr std::size_t max_fields = 3; ///< maximum number of fields read, or written, by one sweep
constexpr int max_terms = 2;          ///< maximum number of terms of a product

/// Returns true if 63 bits can count the bytes of a complex field, and of its block on each rank.
bool fits(const std::array<std::ptrdiff_t, 3> &n, int ranks) {
  CheckedSize bytes = 2 * sizeof(double);
  for (const std::ptrdiff_t extent : n)
    bytes *= CheckedSize(extent) + ranks;
  return bytes.fits();
}

/// Throws Failure for invalid arguments of this rank.
void check(const std::array<std::ptrdiff_t, 3> &extents, int fields, int ranks, int threads) {
  for (const std::ptrdiff_t n : extents)
    if (n < 1) refuse_operator(HFFT_ERROR_EXTENTS, "extent ", n, ", expected at least 1");
  if (fields < 1) refuse_operator(HFFT_ERROR_ARGUMENT, fields, " fields, expected at least 1");
  if (!fits(extents, ranks))
    refuse_operator(HFFT_ERROR_OVERFLOW,
                    "a field of these extents has more bytes than 64-bit sizes can count");
  plan::check_threads(threads);
  plan::Overrides::read();
}

/// Returns a term of a product: the first one has number 0.
const hfft_term &term_of(const hfft_product &p, int number) {
  return number == 0 ? p.first : p.second;
}

/// Returns true if no field is read or written by two products.
bool are_apart(std::span<const hfft_product> products) {
  const auto uses = [](const hfft_product &p, int field) {
    return p.field == field || p.first.field == field || (p.terms > 1 && p.second.field == field);
  };
  for (const hfft_product &one : products)
    for (const hfft_product &other : products) {
      if (&one == &other) continue;
      if (uses(other, one.field)) return false;
      for (int t = 0; t < one.terms; ++t)
        if (uses(other, term_of(one, t).field)) return false;
    }
  return true;
}

/// Throws Failure unless the factors of bins k and n-k of axis 1 are conjugate, up to rounding
/// errors: the plan keeps the factors of only half of the bins.
template <class Real> void require_conjugates(std::span<const std::complex<Real>> values) {
  Real largest = 0;
  for (const std::complex<Real> &value : values)
    largest = std::max(largest, std::abs(value));
  const std::size_t n = values.size();
  for (std::size_t k = 1; 2 * k < n; ++k) {
    if (std::abs(values[n - k] - std::conj(values[k])) <= Real(1e-4) * largest) continue;
    std::ostringstream reason;
    reason << "factors " << values[k] << " of bin " << k << " and " << values[n - k] << " of bin "
           << n - k << " of axis 1, expected conjugate numbers";
    refuse_operator(HFFT_ERROR_ARGUMENT, reason.str());
  }
}

template <class Real>
exchange::Transposition transposition(const std::array<std::ptrdiff_t, 3> &n, int ranks) {
  return {BlockDistribution(n[0], ranks), BlockDistribution(n[1] / 2 + 1, ranks), n[2],
          sizeof(Real)};
}

} // namespace

template <class Real>
OperatorEngine<Real>::OperatorEngine(const std::array<std::ptrdiff_t, 3> &n,
                                     std::shared_ptr<exchange::Communicator> own)
    : extents_(n), comm_(std::move(own)), cut_(transposition<Real>(n, comm_->size())) {}

template <class Real>
auto OperatorEngine<Real>::make(const std::array<std::ptrdiff_t, 3> &n, int fields, MPI_Comm user,
                                int threads, const std::function<void()> &prepare)
    -> std::unique_ptr<OperatorEngine> {
  mpi::require_running();
  if (user == MPI_COMM_NULL)
    refuse_operator(HFFT_ERROR_NULL_POINTER, "the communicator is MPI_COMM_NULL");
  const std::shared_ptr<exchange::Communicator> comm = exchange::acquire(user);
  std::unique_ptr<OperatorEngine> made;
  plan::CommonIsa isa;
  std::int64_t traced = 0;
  Agreement agreement(comm->get());
  agreement.reach([&] {
    agreement.same({{"the first extent", n[0], true},
                    {"the second extent", n[1], true},
                    {"the third extent", n[2], true},
                    {"the number of fields", fields, true}});
    check(n, fields, comm->size(), threads);
    prepare();
    made.reset(new OperatorEngine(n, comm));
    isa.join(agreement, simd::active());
    traced = profile::Trace::wanted();
    agreement.first(traced);
  });
  made->plan(isa.isa(), fields, threads);
  made->trace(profile::Trace::join(comm->get(), threads, traced));
  return made;
}

template <class Real> bool OperatorEngine<Real>::fields_travel_apart() const {
  return program_->sends_messages();
}

template <class Real>
bool OperatorEngine<Real>::supports(const std::array<std::ptrdiff_t, 3> &extents) {
  return std::all_of(extents.begin(), extents.end(), [](std::ptrdiff_t n) {
    return n > 0 && local::LineFft<Real>::applies(simd::active(), n);
  });
}

template <class Real>
std::unique_ptr<hfft_factors_s>
OperatorEngine<Real>::factors(int axis, std::span<const Complex> values) const {
  if (axis < 0 || axis > 2)
    refuse_operator(HFFT_ERROR_ARGUMENT, "axis ", axis, ", expected 0, 1 or 2");
  if (static_cast<std::ptrdiff_t>(values.size()) != bins(axis))
    refuse_operator(HFFT_ERROR_ARGUMENT, values.size(), " factors for axis ", axis, ", expected ",
                    bins(axis));
  const std::ptrdiff_t n = extents_[static_cast<std::size_t>(axis)];
  if (axis == 1) require_conjugates<Real>(values);
  // Spectra of real fields are stored for half of the bins of axis 1 and all bins of axis 2.
  std::vector<Complex> stored(values.begin(), values.end());
  if (axis == 1) stored.resize(static_cast<std::size_t>(n / 2 + 1));
  if (axis == 2) {
    for (const std::ptrdiff_t real : {std::ptrdiff_t{0}, n / 2})
      if (2 * real % n == 0) stored[static_cast<std::size_t>(real)].imag(0);
    for (std::ptrdiff_t k = bins(2); k < n; ++k)
      stored.push_back(std::conj(values[static_cast<std::size_t>(n - k)]));
  }
  return std::make_unique<hfft_factors_s>(hfft_factors_s{axis, n, std::move(stored)});
}

template <class Real>
std::unique_ptr<hfft_table_s> OperatorEngine<Real>::table(hfft_table_function f, void *user) const {
  std::unique_ptr<hfft_table_s> made;
  mpi::all_or_none(comm_->get(), [&] {
    if (f == nullptr) refuse_operator(HFFT_ERROR_NULL_POINTER, "the function of a table is NULL");
    const std::ptrdiff_t start = cut_.columns.start(comm_->rank());
    auto values = line_sweep_->make_table(
        [&](std::ptrdiff_t row, std::ptrdiff_t bin, std::ptrdiff_t element) {
          const std::ptrdiff_t k1 = start + row;
          if (2 * element <= extents_[2]) return f(bin, k1, element, user);
          return f(bin, (extents_[1] - k1) % extents_[1], extents_[2] - element, user);
        });
    made = std::make_unique<hfft_table_s>(
        hfft_table_s{std::move(values), extents_, comm_->rank(), comm_->size()});
  });
  return made;
}

template <class Real> void OperatorEngine<Real>::plan(simd::Isa isa, int fields, int threads) {
  // Some ranks may fail to make the program. The exchanges live until all ranks know of the
  // failure, because all ranks must free them together.
  const exchange::FieldExchanges exchanges =
      exchange::make_field_exchanges(cut_, fields, comm_, threads);
  mpi::all_or_none(comm_->get(), [&] {
    const int most = static_cast<int>(max_fields);
    auto planes = std::make_unique<local::PlaneSweep<Real>>(
        isa, extents_[1], extents_[2], most, most, cut_.rows.count(comm_->rank()), threads);
    auto lines = std::make_unique<local::LineSweep<Real>>(isa, exchanges.forward.front()->receive(),
                                                          cut_.vec, most, threads);
    plane_sweep_ = planes.get();
    line_sweep_ = lines.get();
    program_ =
        std::make_unique<FieldProgram>(exchanges, std::move(planes), std::move(lines), threads);
    std::vector<profile::Stage> stages(4);
    stages[at_planes].name = "planes";
    stages[at_forward].name = "exchange";
    stages[at_lines].name = "lines";
    stages[at_backward].name = "exchange 2";
    recorder_ = std::make_unique<profile::Recorder>(std::move(stages));
    recorder_->set_profiling(true);
  });
}

template <class Real> void OperatorEngine<Real>::trace(profile::Trace *known) {
  if (known == nullptr) return;
  mpi::all_or_none(comm_->get(), [&] {
    recorder_->trace_into(*known,
                          "operators " + std::to_string(extents_[0]) + "x" +
                              std::to_string(extents_[1]) + "x" + std::to_string(extents_[2]),
                          {plane_sweep_->describe(), program_->describe(), line_sweep_->describe(),
                           program_->describe()});
  });
}

template <class Real>
auto OperatorEngine<Real>::values(const hfft_table_s *table) const
    -> const local::SpectralTable<Real> * {
  if (table == nullptr) return nullptr;
  const auto *values = std::get_if<local::SpectralTable<Real>>(&table->values);
  if (values == nullptr)
    refuse_operator(HFFT_ERROR_ARGUMENT, "a table of a plan of the other precision");
  if (table->extents != extents_ || table->rank != comm_->rank() || table->ranks != comm_->size())
    refuse_operator(HFFT_ERROR_ARGUMENT, "a table was made by a plan of other extents or ranks");
  return values;
}

template <class Real>
auto OperatorEngine<Real>::values(const hfft_factors_s *factors, int axis) const
    -> const Complex * {
  if (factors == nullptr) return nullptr;
  const auto *values = std::get_if<std::vector<Complex>>(&factors->values);
  if (values == nullptr)
    refuse_operator(HFFT_ERROR_ARGUMENT, "factors of a plan of the other precision");
  if (factors->axis != axis)
    refuse_operator(HFFT_ERROR_ARGUMENT, "factors of axis ", factors->axis, " given for axis ",
                    axis);
  const std::ptrdiff_t n = extents_[static_cast<std::size_t>(axis)];
  if (factors->extent != n)
    refuse_operator(HFFT_ERROR_ARGUMENT, "factors of a plan of extent ", factors->extent,
                    " along axis ", axis, ", expected ", n);
  return values->data();
}

template <class Real>
template <class F>
void OperatorEngine<Real>::cancelled_on_failure(const F &sweep) {
  try {
    sweep();
  } catch (...) {
    // Cancel at once: otherwise messages of the next sweep could match these.
    comm_->keep();
    program_->cancel();
    throw;
  }
}

/// Throws Failure for an invalid part of a sweep over planes.
template <class Real>
void OperatorEngine<Real>::check_part(const hfft_part &part, std::span<const int> targets) const {
  if (part.first < 0 || part.end < part.first || part.lines < 0)
    refuse_operator(HFFT_ERROR_ARGUMENT, "a part of planes ", part.first, " to ", part.end, " and ",
                    part.lines,
                    " lines, expected numbers of at least 0, the last one not before the "
                    "first");
  if (!targets.empty() && (comm_->size() > 1 || part.lines < extents_[1]))
    refuse_operator(HFFT_ERROR_ARGUMENT, "a part of planes on ", comm_->size(), " ranks and of ",
                    part.lines, " lines has targets, expected one rank and all ", extents_[1],
                    " lines");
}

template <class Real>
void OperatorEngine<Real>::planes(const hfft_part *wanted, std::span<const hfft_source> sources,
                                  std::span<const int> targets,
                                  const local::PlaneWork<Real> *work) {
  if (wanted != nullptr) check_part(*wanted, targets);
  constexpr std::ptrdiff_t all_of_them = std::numeric_limits<std::ptrdiff_t>::max();
  const hfft_part part = wanted != nullptr ? *wanted : hfft_part{0, all_of_them, all_of_them};
  if (sources.size() > max_fields || targets.size() > max_fields)
    refuse_operator(HFFT_ERROR_ARGUMENT, "more than ", max_fields,
                    " sources or targets in a sweep over planes");
  if (work == nullptr)
    refuse_operator(HFFT_ERROR_NULL_POINTER, "the work of a sweep over planes is empty");
  std::array<local::PlaneSource<Real>, max_fields> from{};
  std::array<local::PlaneTarget, max_fields> to{};
  std::array<int, max_fields> reads{};
  // Check all arguments first; the checks have the same result on all ranks.
  program_->check_written(targets);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    reads[s] = sources[s].field;
    program_->check_read(reads[s], Half::planes);
    from[s].along_columns = values(sources[s].along1, 1);
    from[s].along_lines = values(sources[s].along2, 2);
  }
  const profile::ExecutionSpan execution(recorder_.get());
  cancelled_on_failure([&] {
    program_->open(Half::planes, targets, recorder_.get());
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto side = program_->in(Half::planes, reads[s]);
      from[s].rows = side.rows;
      from[s].array = side.array;
    }
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const auto side = program_->out(Half::planes, targets[t]);
      to[t] = {side.rows, side.array};
    }
    plane_sweep_->set({{from.data(), sources.size()},
                       {to.data(), targets.size()},
                       {part.first, part.end},
                       part.lines,
                       work});
    program_->run(Half::planes, {reads.data(), sources.size()}, targets, recorder_.get());
    const bool all = part.first == 0 && part.end >= cut_.rows.count(comm_->rank());
    program_->note_written(targets, Half::planes, all);
  });
}

/// Checks all arguments before any work.
template <class Real>
void OperatorEngine<Real>::check_lines(std::span<const hfft_product> products) const {
  if (products.size() > max_fields)
    refuse_operator(HFFT_ERROR_ARGUMENT, "more than ", max_fields, " products in a sweep");
  std::array<int, max_fields> written{};
  std::array<int, max_fields> read{};
  std::size_t different = 0;
  for (std::size_t p = 0; p < products.size(); ++p) {
    if (products[p].terms < 1 || products[p].terms > max_terms)
      refuse_operator(HFFT_ERROR_ARGUMENT, "a product has ", products[p].terms,
                      " terms, expected 1 or 2");
    for (int t = 0; t < products[p].terms; ++t) {
      const hfft_term &term = term_of(products[p], t);
      program_->check_read(term.field, Half::lines);
      values(term.table);
      values(term.along0, 0);
      const auto end = read.begin() + static_cast<std::ptrdiff_t>(different);
      if (std::find(read.begin(), end, term.field) != end) continue;
      if (different == max_fields)
        refuse_operator(HFFT_ERROR_ARGUMENT, "more than ", max_fields, " fields in terms");
      read[different++] = term.field;
    }
    written[p] = products[p].field;
  }
  program_->check_written({written.data(), products.size()});
}

template <class Real> void OperatorEngine<Real>::lines(std::span<const hfft_product> products) {
  check_lines(products);
  const profile::ExecutionSpan execution(recorder_.get());
  cancelled_on_failure([&] {
    if (!program_->sends_messages() || !are_apart(products)) return lines_together(products);
    for (std::size_t p = 0; p < products.size(); ++p)
      lines_together(products.subspan(p, 1));
  });
}

template <class Real>
void OperatorEngine<Real>::lines_together(std::span<const hfft_product> products) {
  std::array<local::LineArray<Real>, max_fields> inputs{};
  std::array<int, max_fields> input_fields{};
  std::size_t input_count = 0;
  std::array<local::LineProduct<Real>, max_fields> outputs{};
  std::array<int, max_fields> writes{};
  std::array<std::array<local::LineTerm<Real>, max_terms>, max_fields> terms{};
  const auto input = [&](int field) {
    const auto end = input_fields.begin() + static_cast<std::ptrdiff_t>(input_count);
    const auto known = std::find(input_fields.begin(), end, field);
    if (known != end) return static_cast<int>(known - input_fields.begin());
    const auto side = program_->in(Half::lines, field);
    inputs[input_count] = {side.rows, side.array};
    input_fields[input_count] = field;
    return static_cast<int>(input_count++);
  };
  for (std::size_t p = 0; p < products.size(); ++p)
    writes[p] = products[p].field;
  const std::span<const int> written(writes.data(), products.size());
  program_->open(Half::lines, written, recorder_.get());
  for (std::size_t p = 0; p < products.size(); ++p) {
    const auto count = static_cast<std::size_t>(products[p].terms);
    for (std::size_t t = 0; t < count; ++t) {
      const hfft_term &term = term_of(products[p], static_cast<int>(t));
      terms[p][t] = {input(term.field), values(term.table), values(term.along0, 0)};
    }
    const auto side = program_->out(Half::lines, writes[p]);
    outputs[p] = {{side.rows, side.array}, {terms[p].data(), count}};
  }
  line_sweep_->set({{inputs.data(), input_count}, {outputs.data(), products.size()}});
  program_->run(Half::lines, {input_fields.data(), input_count}, written, recorder_.get());
  program_->note_written(written, Half::lines, true);
}

template <class Real> std::string OperatorEngine<Real>::describe() const {
  return "operator plan of " + std::to_string(program_->fields()) +
         " fields: " + plane_sweep_->describe() + "; " + line_sweep_->describe() +
         "; exchange: " + program_->describe();
}

template <class Real> auto OperatorEngine<Real>::profile() const -> Profile {
  const profile::Recorder &r = *recorder_;
  return {r.seconds(at_planes), r.seconds(at_lines),
          r.seconds(at_forward) + r.seconds(at_backward)};
}

template <class Real> std::size_t OperatorEngine<Real>::bytes() const {
  return program_->bytes() + plane_sweep_->scratch_bytes() + line_sweep_->scratch_bytes();
}

template class OperatorEngine<float>;
template class OperatorEngine<double>;

} // namespace hybridfft
