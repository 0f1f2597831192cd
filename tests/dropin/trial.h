/// Runs one random case with the library of FFTW-MPI that is linked to the program, and records its
/// results.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "calls.h"

namespace conformance {

/// The result of a case on this rank.
struct Outcome {
  std::vector<std::ptrdiff_t> ranges; ///< local_n and starts returned by FFTW
  std::ptrdiff_t size = 0;            ///< returned number of complex elements to allocate
  bool planned = false;
  bool accelerated = false;   ///< true if the plan is not FFTW's by its description
  std::ptrdiff_t overrun = 0; ///< changed reals behind the arrays
  std::ptrdiff_t spoiled = 0; ///< changed reals of an input that must be kept
  std::vector<double> values; ///< values of the output, without padding
};

/// The local part of the input or output: rows along the distributed axis. A row has all other
/// axes.
struct Side {
  std::ptrdiff_t start = 0, count = 0;
  std::ptrdiff_t row = 0; ///< reals
  /// reals of a line of the last axis, with and without padding
  std::ptrdiff_t line = 1, filled = 1;

  bool padding(std::ptrdiff_t i) const { return i % line >= filled; }
  std::ptrdiff_t reals() const { return count * row; }
};

template <class Real> class Trial {
  using C = Calls<Real>;
  using Complex = typename C::Complex;

public:
  explicit Trial(const Case &c, MPI_Comm comm = MPI_COMM_WORLD) : c_(c), comm_(comm) {
    ask_sizes();
  }

  Outcome run() {
    Array in;
    Array out;
    Array other_in;
    Array other_out;
    allocate(in);
    allocate(c_.in_place ? other_in : out);
    Array &output = c_.in_place ? in : out;
    const auto plan = C::plan(c_, in.data, output.data, comm_);
    o_.planned = plan != nullptr;
    if (plan != nullptr) {
      describe(plan);
      if (c_.new_arrays) {
        allocate(other_in);
        if (!c_.in_place) allocate(other_out);
        execute(plan, other_in, c_.in_place ? other_in : other_out, true);
      } else {
        execute(plan, in, output, false);
      }
      C::destroy(plan);
    }
    for (const Array *a : {&in, &out, &other_in, &other_out})
      o_.overrun += a->overrun();
    return std::move(o_);
  }

  /// Returns the outcome before an execution: it has only the sizes and index ranges.
  const Outcome &sizes() const { return o_; }

  /// Returns this rank's part of the values of the whole array.
  std::vector<double> part_of(const std::vector<double> &all) const {
    const std::ptrdiff_t row = out_.row / out_.line * out_.filled;
    const auto first = all.begin() + out_.start * row;
    return {first, first + out_.count * row};
  }

  /// Returns the output without padding, computed by serial FFTW. Needs a communicator of one rank.
  std::vector<double> truth() const {
    const auto n = c_.element_extents();
    std::vector<Real> in = make_input();
    std::vector<Real> out(static_cast<std::size_t>(out_.reals()));
    if (c_.transposed_in()) in = swapped(in, n[1], n[0]);
    const std::vector<int> extents(c_.n.begin(), c_.n.end());
    std::vector<int> padded = extents;
    padded.back() = static_cast<int>(2 * n.back());
    const int d = static_cast<int>(extents.size());
    const int many = static_cast<int>(c_.howmany);
    auto *complex_in = reinterpret_cast<Complex *>(in.data());
    auto *complex_out = reinterpret_cast<Complex *>(out.data());
    const auto plan = c_.kind == Kind::c2c
                          ? C::serial_c2c(d, extents.data(), many, complex_in, nullptr, many, 1,
                                          complex_out, nullptr, many, 1, c_.sign, FFTW_ESTIMATE)
                      : c_.kind == Kind::r2c
                          ? C::serial_r2c(d, extents.data(), many, in.data(), padded.data(), many,
                                          1, complex_out, nullptr, many, 1, FFTW_ESTIMATE)
                          : C::serial_c2r(d, extents.data(), many, complex_in, nullptr, many, 1,
                                          out.data(), padded.data(), many, 1, FFTW_ESTIMATE);
    C::execute(plan);
    C::destroy(plan);
    if (c_.transposed_out()) out = swapped(out, n[0], n[1]);
    return without_padding(out);
  }

private:
  /// Transposes n0 x n1 rows to n1 x n0 rows.
  static std::vector<Real> swapped(const std::vector<Real> &rows, std::ptrdiff_t n0,
                                   std::ptrdiff_t n1) {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(rows.size()) / (n0 * n1);
    std::vector<Real> result;
    for (std::ptrdiff_t j = 0; j < n1; ++j)
      for (std::ptrdiff_t i = 0; i < n0; ++i) {
        const auto first = rows.begin() + (i * n1 + j) * row;
        result.insert(result.end(), first, first + row);
      }
    return result;
  }

  template <class Array> std::vector<double> without_padding(const Array &out) const {
    std::vector<double> values;
    for (std::ptrdiff_t i = 0; i < out_.reals(); ++i)
      if (!out_.padding(i)) values.push_back(static_cast<double>(out[static_cast<std::size_t>(i)]));
    return values;
  }

  /// An array of the size that FFTW-MPI returned, followed by a guard that must not change.
  struct Array {
    static constexpr Real guard = Real{12345};
    std::vector<Real> memory;
    std::size_t used = 0;
    Real *data = nullptr;
    std::ptrdiff_t overrun() const {
      return std::count_if(memory.begin() + static_cast<std::ptrdiff_t>(used), memory.end(),
                           [](Real x) { return x != guard; });
    }
  };

  void allocate(Array &a) const {
    a.used = 2 * static_cast<std::size_t>(o_.size);
    // In a few cases FFTW itself writes beyond this size.
    a.memory.assign(4 * a.used + 4096, Array::guard);
    a.data = a.memory.data();
  }

  bool real_elements() const { return c_.kind == Kind::r2r || c_.kind == Kind::transpose; }

  /// True if the second axis is distributed. Transpositions are distributed along n0 before and n1
  /// after, and their flags only describe the order within local parts.
  bool cut_along_second(bool input) const {
    if (c_.kind == Kind::transpose) return !input;
    return input ? c_.transposed_in() : c_.transposed_out();
  }

  Side side(bool input, std::ptrdiff_t count, std::ptrdiff_t start) const {
    const auto n = c_.element_extents();
    const std::ptrdiff_t parts = real_elements() ? 1 : 2;
    Side s{start, count, c_.howmany * parts, 0, 0};
    for (std::size_t i = 0; i < n.size(); ++i)
      if (i != (cut_along_second(input) ? 1U : 0U)) s.row *= n[i];
    s.line = s.filled = s.row;
    if (c_.kind == (input ? Kind::r2c : Kind::c2r)) {
      s.line = 2 * n.back() * c_.howmany;
      s.filled = c_.n.back() * c_.howmany;
    }
    return s;
  }

  /// Returns the points of this rank. If one block covers a whole axis, FFTW-MPI's transpositions
  /// keep this axis on rank 0, although FFTW's local sizes count its points on all ranks.
  std::ptrdiff_t part(std::ptrdiff_t count, std::ptrdiff_t n, std::ptrdiff_t block) const {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    return c_.kind == Kind::transpose && block >= n && rank > 0 ? 0 : count;
  }

  Side side_of_line(bool input, std::ptrdiff_t block) const {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(comm_, &rank);
    MPI_Comm_size(comm_, &ranks);
    const std::ptrdiff_t n = c_.n[0];
    bool prime = n > 1;
    for (std::ptrdiff_t d = 2; d < n; ++d)
      prime = prime && n % d != 0;
    if (block == 0) block = (n + ranks - 1) / ranks;
    if (prime) block = n;
    const std::ptrdiff_t start = std::min(rank * block, n);
    return side(input, std::min(block, n - start), start);
  }

  void ask_sizes() {
    const auto n = c_.element_extents();
    const int d = static_cast<int>(n.size());
    std::ptrdiff_t r[4] = {0, 0, 0, 0};
    if (d == 1 && c_.kind == Kind::r2r) {
      // FFTW has no local sizes for real lines. Its plans may need room for the whole lines.
      o_.size = n[0] * c_.howmany;
      in_ = side_of_line(true, c_.iblock);
      out_ = side_of_line(false, c_.oblock);
      return;
    }
    if (d == 1) {
      o_.size =
          C::local_size_1d(n[0], c_.howmany, comm_, c_.sign, c_.flags, r, r + 1, r + 2, r + 3);
      o_.ranges.assign(r, r + 4);
      in_ = side(true, r[0], r[1]);
      out_ = side(false, r[2], r[3]);
      return;
    }
    const bool in = cut_along_second(true);
    const bool out = cut_along_second(false);
    const auto query = [&](std::ptrdiff_t block0, std::ptrdiff_t block1) {
      const std::ptrdiff_t size =
          C::local_size(d, n.data(), c_.howmany, block0, block1, comm_, r, r + 1, r + 2, r + 3);
      o_.size = std::max(o_.size, size);
      o_.ranges.insert(o_.ranges.end(), r, r + 4);
    };
    query(in ? 0 : c_.iblock, in ? c_.iblock : 0);
    in_ = side(true, part(r[in ? 2 : 0], n[in ? 1 : 0], c_.iblock), r[in ? 3 : 1]);
    query(out ? 0 : c_.oblock, out ? c_.oblock : 0);
    out_ = side(false, part(r[out ? 2 : 0], n[out ? 1 : 0], c_.oblock), r[out ? 3 : 1]);
    if (in != out) query(in ? c_.oblock : c_.iblock, in ? c_.iblock : c_.oblock);
  }

  void describe(typename C::Plan plan) {
    char *text = C::sprint(plan);
    o_.accelerated = text != nullptr && text[0] != '(';
    std::free(text);
  }

  void execute(typename C::Plan plan, Array &in, Array &out, bool on_new_arrays) {
    const std::vector<Real> input = make_input();
    std::copy(input.begin(), input.end(), in.data);
    if (!on_new_arrays)
      C::execute(plan);
    else if (c_.kind == Kind::c2c)
      C::execute_c2c(plan, reinterpret_cast<Complex *>(in.data),
                     reinterpret_cast<Complex *>(out.data));
    else if (c_.kind == Kind::r2c)
      C::execute_r2c(plan, in.data, reinterpret_cast<Complex *>(out.data));
    else if (c_.kind == Kind::c2r)
      C::execute_c2r(plan, reinterpret_cast<Complex *>(in.data), out.data);
    else
      C::execute_r2r(plan, in.data, out.data);
    o_.values = without_padding(out.data);
    const bool may_spoil =
        (c_.flags & (FFTW_PRESERVE_INPUT | FFTW_DESTROY_INPUT)) == FFTW_DESTROY_INPUT;
    if (&in == &out || may_spoil) return;
    for (std::size_t i = 0; i < input.size(); ++i)
      o_.spoiled += in.data[i] != input[i] ? 1 : 0;
  }

  /// Returns the input. A number depends only on its position in the global array.
  std::vector<Real> make_input() const {
    const auto reals = static_cast<std::size_t>(in_.reals());
    if (c_.kind == Kind::c2r) return spectrum();
    std::vector<Real> values(reals);
    for (std::size_t i = 0; i < reals; ++i)
      values[i] = number(in_.start * in_.row + static_cast<std::ptrdiff_t>(i));
    return values;
  }

  Real number(std::ptrdiff_t place) const {
    Random r(c_.seed ^ (static_cast<std::uint64_t>(place) << 20U));
    return static_cast<Real>(r.value());
  }

  /// Returns this rank's part of the spectrum of real numbers. Every rank computes the whole
  /// transform.
  std::vector<Real> spectrum() const {
    const auto n = c_.element_extents();
    std::ptrdiff_t reals = c_.howmany;
    std::ptrdiff_t rest = c_.howmany; // complex numbers per pair of the first two indices
    for (std::size_t i = 0; i < n.size(); ++i) {
      reals *= c_.n[i];
      if (i > 1) rest *= n[i];
    }
    std::vector<Real> real(static_cast<std::size_t>(reals));
    std::vector<Real> complex(static_cast<std::size_t>(2 * n[0] * n[1] * rest));
    const std::vector<int> extents(c_.n.begin(), c_.n.end());
    const int many = static_cast<int>(c_.howmany);
    const auto plan = C::serial_r2c(
        static_cast<int>(extents.size()), extents.data(), many, real.data(), nullptr, many, 1,
        reinterpret_cast<Complex *>(complex.data()), nullptr, many, 1, FFTW_ESTIMATE);
    for (std::ptrdiff_t i = 0; i < reals; ++i)
      real[static_cast<std::size_t>(i)] = number(i);
    C::execute(plan);
    C::destroy(plan);
    std::vector<Real> mine;
    for (std::ptrdiff_t i = in_.start; i < in_.start + in_.count; ++i)
      for (std::ptrdiff_t j = 0; j < (c_.transposed_in() ? n[0] : n[1]); ++j) {
        const std::ptrdiff_t pair = c_.transposed_in() ? j * n[1] + i : i * n[1] + j;
        const auto first = complex.begin() + 2 * rest * pair;
        mine.insert(mine.end(), first, first + 2 * rest);
      }
    return mine;
  }

  const Case &c_;
  MPI_Comm comm_;
  Side in_, out_;
  Outcome o_;
};

} // namespace conformance
