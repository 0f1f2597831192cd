/// Tests plans of transpositions by the C interface: every number must be at its place.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hybridfft/hybridfft.h"
#include "support/mpi_test.h"

namespace hybridfft {
namespace {

struct Case {
  std::ptrdiff_t n0 = 1, n1 = 1, howmany = 1, block0 = 0, block1 = 0;
  unsigned flags = HFFT_ESTIMATE;
  bool in_place = false;
};

class Matrix {
public:
  explicit Matrix(const Case &c) : c_(c) {
    const std::ptrdiff_t n[2] = {c.n0, c.n1};
    const std::ptrdiff_t size = hfft_local_size_many_transposed(
        2, n, c.howmany, c.block0, c.block1, test::world(), &rows_, &row0_, &columns_, &column0_);
    in_.resize(static_cast<std::size_t>(size));
    if (!c.in_place) out_.resize(static_cast<std::size_t>(size));
  }

  /// Returns how many numbers are not at their place after the first and the second execution.
  int misplaced() {
    fill();
    const hfft_plan plan =
        hfft_plan_many_transpose(c_.n0, c_.n1, c_.howmany, c_.block0, c_.block1, in_.data(),
                                 result().data(), test::world(), c_.flags);
    EXPECT_NE(plan, nullptr) << hfft_last_error_message();
    if (plan == nullptr) return 1;
    fill();
    EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
    int wrong = count_wrong();
    fill();
    EXPECT_EQ(hfft_execute_r2r(plan, in_.data(), result().data()), HFFT_SUCCESS);
    wrong += count_wrong();
    auto *complex = reinterpret_cast<hfft_complex *>(in_.data());
    EXPECT_EQ(hfft_execute_dft(plan, complex, complex), HFFT_ERROR_ARGUMENT);
    hfft_destroy_plan(plan);
    return wrong;
  }

private:
  std::vector<double> &result() { return c_.in_place ? in_ : out_; }

  /// Returns the value of element (i, j) of field f.
  double value(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t f) const {
    return static_cast<double>((i * c_.n1 + j) * c_.howmany + f);
  }

  void fill() {
    std::fill(in_.begin(), in_.end(), -1);
    for (std::ptrdiff_t i = 0; i < rows_; ++i)
      for (std::ptrdiff_t j = 0; j < c_.n1; ++j)
        for (std::ptrdiff_t f = 0; f < c_.howmany; ++f) {
          const bool local = (c_.flags & HFFT_TRANSPOSED_IN) != 0;
          const std::ptrdiff_t at = local ? j * rows_ + i : i * c_.n1 + j;
          in_[static_cast<std::size_t>(at * c_.howmany + f)] = value(row0_ + i, j, f);
        }
  }

  int count_wrong() {
    int wrong = 0;
    for (std::ptrdiff_t j = 0; j < columns_; ++j)
      for (std::ptrdiff_t i = 0; i < c_.n0; ++i)
        for (std::ptrdiff_t f = 0; f < c_.howmany; ++f) {
          const bool local = (c_.flags & HFFT_TRANSPOSED_OUT) != 0;
          const std::ptrdiff_t at = local ? i * columns_ + j : j * c_.n0 + i;
          if (result()[static_cast<std::size_t>(at * c_.howmany + f)] != value(i, column0_ + j, f))
            ++wrong;
        }
    return wrong;
  }

  Case c_;
  std::ptrdiff_t rows_ = 0, row0_ = 0, columns_ = 0, column0_ = 0;
  std::vector<double> in_, out_;
};

TEST(Transpose, ShapesFieldsAndOrders_EveryNumberAtItsPlace) {
  for (const auto &[n0, n1] :
       {std::pair{1, 1}, std::pair{1, 7}, std::pair{13, 5}, std::pair{64, 48}, std::pair{3, 100}})
    for (const std::ptrdiff_t howmany : {1, 3})
      for (const unsigned order :
           {0U, HFFT_TRANSPOSED_IN, HFFT_TRANSPOSED_OUT, HFFT_TRANSPOSED_IN | HFFT_TRANSPOSED_OUT})
        for (const bool in_place : {false, true}) {
          const Case c{n0, n1, howmany, 0, 0, HFFT_ESTIMATE | order, in_place};
          EXPECT_EQ(Matrix(c).misplaced(), 0)
              << n0 << "x" << n1 << " x " << howmany << ", flags " << c.flags << in_place;
        }
}

TEST(Transpose, BlocksAndMeasuring_EveryNumberAtItsPlace) {
  const int ranks = test::size_of(test::world());
  const std::ptrdiff_t block0 = (30 + ranks - 1) / ranks + 1;
  EXPECT_EQ(Matrix({30, 20, 2, block0, 0, HFFT_ESTIMATE}).misplaced(), 0);
  EXPECT_EQ(Matrix({30, 20, 1, block0, 20, HFFT_ESTIMATE}).misplaced(), 0);
  EXPECT_EQ(Matrix({32, 64, 1, 0, 0, HFFT_MEASURE}).misplaced(), 0);
}

TEST(Transpose, WrongArguments_AreNamed) {
  double x[4] = {};
  EXPECT_EQ(hfft_plan_transpose(0, 2, x, x, test::world(), 0), nullptr);
  EXPECT_NE(std::string(hfft_last_error_message()).find("n[0] is 0"), std::string::npos);
  EXPECT_EQ(hfft_plan_transpose(2, 2, nullptr, x, test::world(), 0), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NULL_POINTER);
  EXPECT_EQ(hfft_plan_many_transpose(2, 2, 1, -1, 0, x, x, test::world(), 0), nullptr);
  EXPECT_NE(std::string(hfft_last_error_message()).find("block0 is -1"), std::string::npos);
  // Reduced precision is refused for transpositions of reals: a format with half of their bytes
  // would mix bits of two numbers.
  EXPECT_EQ(hfft_plan_transpose(2, 2, x, x, test::world(), HFFT_WIRE_BFLOAT16), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_FLAGS);
}

} // namespace
} // namespace hybridfft
