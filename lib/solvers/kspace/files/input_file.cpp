#include "solvers/kspace/files/input_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "io/box.h"
#include "solvers/kspace/base/rows.h"

namespace hybridfft::kspace {

namespace {

/// Maximum number of values read at once from a list or matrix: large enough for efficient disk
/// access, small compared with the fields.
constexpr std::size_t piece = std::size_t{1} << 20;

std::size_t values_in(const io::Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::size_t size_of(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

/// Shape of a dataset with one value per grid point.
io::Shape shape_of(const Extents &n) { return {size_of(n[2]), size_of(n[1]), size_of(n[0])}; }

/// The range low <= v <= high of finite numbers.
template <class Real> struct Range {
  Real low, high;
  bool any = false; ///< accept all values, including NaN
  bool has(Real v) const { return any || (v >= low && v <= high); }
};

/// Checks the values of a dataset [Nz][Ny][Nx] and copies them to this rank's points of a host
/// field. Skips points of other ranks.
template <class Real> class FieldValues {
public:
  /// The references must outlive this object.
  /// \param sum true to compute the checksum
  FieldValues(const std::string &dataset, const LocalGrid &local, const Range<Real> &allowed,
              bool sum, const Field<Real> &into);

  /// Checks and copies the values first, first + 1, ... of the dataset. May be called concurrently.
  void take(std::size_t first, std::span<const Real> values);

  /// Position in the dataset and value of the first value that is out of range on this rank.
  grid::Communicator::ArgMin bad() const;
  /// This rank's contribution to the checksum.
  std::uint64_t checksum() const { return checksum_; }

private:
  void take_row(std::ptrdiff_t row, std::ptrdiff_t x, std::span<const Real> values);

  const LocalGrid &local_;
  Range<Real> allowed_;
  bool sum_;
  const Field<Real> &field_;
  std::uint64_t salt_;
  std::atomic<std::int64_t> bad_{grid::Communicator::ArgMin::nowhere};
  std::atomic<std::uint64_t> checksum_{0};
};

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

template <class Real> Range<Real> range_of(Values allowed) {
  using Limits = std::numeric_limits<Real>;
  const Real low = allowed == Values::non_negative ? Real(0)
                   : allowed == Values::positive   ? Limits::denorm_min()
                                                   : Limits::lowest();
  return {low, Limits::max(), allowed == Values::any};
}

/// Describes the allowed values: "finite number above 0". \param plural "s" for several
std::string describe(Values allowed, const char *plural = "") {
  const std::string number = std::string("finite number") + plural;
  if (allowed == Values::positive) return number + " above 0";
  return allowed == Values::finite ? number : number + " of at least 0";
}

} // namespace

std::string to_string(const io::Shape &shape) {
  std::string text;
  for (const std::size_t n : shape)
    text += "[" + std::to_string(n) + "]";
  return text;
}

std::string to_string(double value) {
  std::array<char, 32> text{};
  char *const last = text.data() + text.size();
  // Prints a value of single precision with few digits, as the user wrote it.
  const auto single = static_cast<float>(value);
  const bool exact = !(static_cast<double>(single) < value || static_cast<double>(single) > value);
  const auto end =
      exact ? std::to_chars(text.data(), last, single) : std::to_chars(text.data(), last, value);
  return std::string(text.data(), end.ptr);
}

InputFile::InputFile(const std::string &path, const grid::Communicator &comm, Precision precision,
                     grid::Host host, const std::string &file_type)
    : comm_(comm), precision_(precision), host_(host), file_(io::File::open(path, comm.handle())) {
  const auto attribute = [&](const std::string &name, const std::string &expected) {
    if (!file_.has_attribute("/", name))
      throw InputError(path + ": attribute " + name + " is missing, expected " + expected +
                       "; this is not a k-Wave " + file_type + " file");
    return file_.attribute("/", name);
  };
  const auto require = [&](const std::string &name, const std::string &found, bool ok,
                           const std::string &expected) {
    if (!ok)
      throw InputError(path + ": attribute " + name + " is '" + found + "', expected " + expected);
  };
  const std::string type = attribute("file_type", "'" + file_type + "'");
  require("file_type", type, type == file_type, "'" + file_type + "'");
  const std::string major = attribute("major_version", "'1'");
  require("major_version", major, major == "1", "'1'");
  const std::string minor = attribute("minor_version", "'0', '1' or '2'");
  require("minor_version", minor, minor == "0" || minor == "1" || minor == "2", "'0', '1' or '2'");
  minor_version_ = minor[0] - '0';
}

io::Shape InputFile::shape(const std::string &dataset) const {
  if (!has(dataset)) throw InputError(path() + ": dataset " + dataset + " is missing");
  const io::Shape shape = file_.info(dataset).shape;
  if (shape.size() < 3 || shape.size() > 4 || values_in(shape) == 0)
    reject(dataset, "of shape " + (shape.empty() ? "[]" : to_string(shape)),
           "three dimensions, none of them 0");
  return shape;
}

bool InputFile::is_empty(const std::string &dataset) const {
  return has(dataset) && values_in(file_.info(dataset).shape) == 0;
}

bool InputFile::is_reversed(const std::string &dataset, const Extents &n) const {
  return io::is_reversed(shape(dataset), shape_of(n));
}

bool InputFile::is_scalar(const std::string &dataset) const {
  return values_in(shape(dataset)) == 1;
}

void InputFile::require_scalar(const std::string &dataset) const {
  const io::Shape found = shape(dataset);
  if (values_in(found) != 1) reject(dataset, "of shape " + to_string(found), "[1][1][1]");
}

void InputFile::require_type(const std::string &dataset, const std::string &data_type) const {
  const auto require = [&](const std::string &name, const std::string &expected,
                           const std::string &other) {
    const std::string where = path() + ": dataset " + dataset + ": attribute " + name + " is ";
    const std::string wanted =
        ", expected '" + expected + (other == expected ? "'" : "' or '" + other + "'");
    if (!file_.has_attribute(dataset, name)) throw InputError(where + "missing" + wanted);
    const std::string found = file_.attribute(dataset, name);
    if (found != expected && found != other) throw InputError(where + "'" + found + "'" + wanted);
  };
  require("data_type", data_type, data_type == "float" ? real_data_type(precision_) : data_type);
  require("domain_type", "real", "real");
}

void InputFile::require_values(const std::string &dataset, std::size_t values,
                               const std::string &expected, const std::string &data_type) const {
  const io::Shape found = shape(dataset);
  if (values_in(found) != values) reject(dataset, "of shape " + to_string(found), expected);
  require_type(dataset, data_type);
  const io::NumberKind kind = file_.info(dataset).kind;
  if (kind != io::NumberKind::floating && kind != io::NumberKind::integer)
    reject(dataset, "of another type", "real or integer numbers");
  file_.require_readable(dataset);
}

void InputFile::require_field(const std::string &dataset, const Extents &n) const {
  const io::Shape shape = shape_of(n);
  require_values(dataset, values_in(shape), to_string(shape) + " (Nz, Ny, Nx)", "float");
}

void InputFile::require_rows(const std::string &dataset, std::size_t rows,
                             std::size_t columns) const {
  std::size_t values = 0;
  if (__builtin_mul_overflow(rows, columns, &values))
    values = std::numeric_limits<std::size_t>::max();
  require_values(dataset, values, to_string(io::Shape{1, rows, columns}), "float");
}

void InputFile::whole_numbers(const std::string &dataset, std::size_t first,
                              std::span<const double> values,
                              std::span<std::int64_t> numbers) const {
  constexpr double exact = 9007199254740992; // 2^53
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i]) <= exact) || values[i] != std::floor(values[i]))
      reject(dataset, to_string(values[i]) + " at entry " + std::to_string(first + i + 1),
             "integers");
    numbers[i] = static_cast<std::int64_t>(values[i]);
  }
}

std::vector<std::int64_t> InputFile::all_integers(const std::string &dataset) const {
  // Reads into signed integers, so negative numbers are detected rather than wrapped or clipped.
  if (file_.info(dataset).kind != io::NumberKind::floating)
    return file_.read_all<std::int64_t>(dataset);
  const std::vector<double> reals = file_.read_all<double>(dataset);
  std::vector<std::int64_t> numbers;
  comm_.agree([&] { numbers.resize(reals.size()); });
  whole_numbers(dataset, 0, reals, numbers);
  return numbers;
}

double InputFile::real(const std::string &dataset, Values allowed) const {
  require_scalar(dataset);
  const auto checked = [&]<class Real>(Real found) {
    if (!range_of<Real>(allowed).has(found))
      reject(dataset, to_string(static_cast<double>(found)), "a " + describe(allowed));
    count(dataset, 0, std::span<const Real>(&found, 1));
    return static_cast<double>(found);
  };
  return precision_ == Precision::single ? checked(file_.read_all<float>(dataset).front())
                                         : checked(file_.read_all<double>(dataset).front());
}

template <class Real>
void InputFile::field(const std::string &dataset, const LocalGrid &local, Values allowed,
                      const Field<Real> &into, Checksum *checksum) const {
  require_field(dataset, local.extents());
  Field<Real> copy;
  const Field<Real> *field = &into;
  comm_.agree([&] { field = &into.on_host(copy, 1); });
  FieldValues<Real> values(dataset, local, range_of<Real>(allowed),
                           fingerprint_ || checksum != nullptr, *field);
  const io::File::UseRun<Real> take = [&](std::size_t first, std::span<const Real> run) {
    values.take(first, run);
  };
  const Extents &n = local.extents();
  // A hyperslab needs a dataset of the expected shape. Otherwise this rank reads whole planes in
  // storage order and skips points of other ranks.
  if (!local.whole_planes() && shape(dataset) == shape_of(n)) {
    file_.read_runs(dataset, local.hyperslab(), host_.threads, take);
  } else {
    const std::ptrdiff_t plane = is_flat(n) ? n[0] : n[0] * n[1];
    file_.read_runs(dataset, size_of(local.start(0) * plane),
                    size_of(local.box().extent(0) * plane), host_.threads, take);
  }
  if (fingerprint_) fingerprint_->add_sum(values.checksum());
  require_allowed(dataset, n, allowed, values.bad());
  if (checksum != nullptr) checksum->add_sum(values.checksum());
  if (field != &into) comm_.agree([&] { into.assign(*field); });
}

void InputFile::require_allowed(const std::string &dataset, const Extents &n, Values allowed,
                                const grid::Communicator::ArgMin &mine) const {
  const grid::Communicator::ArgMin bad = comm_.argmin(mine);
  if (!bad.found()) return;
  const std::int64_t row = bad.where / n[0];
  reject(dataset,
         to_string(bad.value) + " at (x, y, z) = (" + std::to_string(bad.where % n[0] + 1) + ", " +
             std::to_string(row % n[1] + 1) + ", " + std::to_string(row / n[1] + 1) + ")",
         describe(allowed, "s") + " (the first point is (1, 1, 1))");
}

template <class Real>
void InputFile::box(const std::string &dataset, const io::Shape &expected,
                    const io::Hyperslab &part, Real *into) const {
  const io::Shape found = shape(dataset);
  if (found != expected) reject(dataset, "of shape " + to_string(found), to_string(expected));
  require_type(dataset, "float");
  file_.read(dataset, part, into);
}

std::size_t InputFile::size(const std::string &dataset) const { return values_in(shape(dataset)); }

template <class Real>
std::vector<Real> InputFile::list(const std::string &dataset, std::size_t expected,
                                  Values allowed) const {
  require_list(dataset, expected);
  std::vector<Real> values = file_.read_all<Real>(dataset);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!range_of<Real>(allowed).has(values[i]))
      reject(dataset,
             to_string(static_cast<double>(values[i])) + " at entry " + std::to_string(i + 1),
             describe(allowed, "s"));
  count(dataset, 0, std::span<const Real>(values));
  return values;
}

std::vector<std::int64_t> InputFile::integers(const std::string &dataset,
                                              std::size_t expected) const {
  require_values(dataset, expected, std::to_string(expected) + " values", "long");
  std::vector<std::int64_t> values = all_integers(dataset);
  const auto bad = std::find_if(values.begin(), values.end(), [](auto v) { return v < 0; });
  if (bad != values.end())
    reject(dataset, std::to_string(*bad) + " at entry " + std::to_string(bad - values.begin() + 1),
           "integers of at least 0");
  count(dataset, 0, std::span<const std::int64_t>(values));
  return values;
}

void InputFile::indices(
    const std::string &dataset, double points,
    const std::function<void(std::size_t, std::span<const std::int64_t>)> &use) const {
  const std::size_t total = size(dataset);
  require_integers(dataset);
  const bool floating = file_.info(dataset).kind == io::NumberKind::floating;
  std::vector<std::int64_t> indices;
  std::vector<double> reals;
  comm_.agree([&] {
    indices.resize(std::min(total, piece));
    reals.resize(floating ? indices.size() : 0);
  });
  for (std::size_t first = 0; first < total; first += piece) {
    const std::size_t n = std::min(piece, total - first);
    if (floating) {
      file_.read_run(dataset, first, n, reals.data());
      whole_numbers(dataset, first, {reals.data(), n}, indices);
    } else {
      file_.read_run(dataset, first, n, indices.data());
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (indices[i] < 1 || static_cast<double>(indices[i]) > points)
        reject(dataset, std::to_string(indices[i]) + " at entry " + std::to_string(first + i + 1),
               "indices 1 to " + std::to_string(static_cast<std::int64_t>(points)) +
                   " (Nx * Ny * Nz)");
      --indices[i];
    }
    count(dataset, first, std::span<const std::int64_t>(indices.data(), n));
    use(first, {indices.data(), n});
  }
}

void InputFile::own_points(const std::string &dataset, const LocalGrid &local,
                           const std::function<void(std::size_t, std::ptrdiff_t)> &use) const {
  indices(dataset, local.points(), [&](std::size_t first, std::span<const std::int64_t> points) {
    comm_.agree([&] {
      for (std::size_t i = 0; i < points.size(); ++i)
        if (const auto offset = local.offset_of(points[i])) use(first + i, *offset);
    });
  });
}

template <class Real>
void InputFile::rows(const std::string &dataset, std::size_t rows, std::size_t columns,
                     const std::function<void(std::size_t, std::span<const Real>)> &use,
                     Values allowed) const {
  require_rows(dataset, rows, columns);
  const Range<Real> range = range_of<Real>(allowed);
  const std::size_t each = std::max<std::size_t>(1, piece / columns);
  std::vector<Real> values;
  comm_.agree([&] { values.resize(std::min(each, rows) * columns); });
  for (std::size_t first = 0; first < rows; first += each) {
    const std::size_t n = std::min(each, rows - first);
    file_.read_run(dataset, first * columns, n * columns, values.data());
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(n * columns);
    const auto bad = std::find_if(values.begin(), end, [&](Real v) { return !range.has(v); });
    if (bad != end) {
      const auto at = static_cast<std::size_t>(bad - values.begin());
      reject(dataset,
             to_string(static_cast<double>(*bad)) + " at point " +
                 std::to_string(at % columns + 1) + ", time step " +
                 std::to_string(first + at / columns + 1),
             describe(allowed, "s"));
    }
    count(dataset, first * columns, std::span<const Real>(values.data(), n * columns));
    use(first, {values.data(), n * columns});
  }
}

template void InputFile::field(const std::string &, const LocalGrid &, Values, const Field<float> &,
                               Checksum *) const;
template void InputFile::field(const std::string &, const LocalGrid &, Values,
                               const Field<double> &, Checksum *) const;
template void InputFile::box(const std::string &, const io::Shape &, const io::Hyperslab &,
                             float *) const;
template void InputFile::box(const std::string &, const io::Shape &, const io::Hyperslab &,
                             double *) const;
template std::vector<float> InputFile::list(const std::string &, std::size_t, Values) const;
template std::vector<double> InputFile::list(const std::string &, std::size_t, Values) const;
template void InputFile::rows(const std::string &, std::size_t, std::size_t,
                              const std::function<void(std::size_t, std::span<const float>)> &,
                              Values) const;
template void InputFile::rows(const std::string &, std::size_t, std::size_t,
                              const std::function<void(std::size_t, std::span<const double>)> &,
                              Values) const;

} // namespace hybridfft::kspace
