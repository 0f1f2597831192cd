#include "local/transpose.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/memory.h"
#include "guarded_matrix.h"

namespace hybridfft::local {
namespace {

struct Shape {
  std::size_t rows, cols;
};

constexpr std::size_t elements[] = {4, 8, 16};
constexpr int thread_counts[] = {1, 2, 3};

std::vector<simd::Isa> sets() {
  std::vector<simd::Isa> found;
  for (const simd::Isa isa : simd::instruction_sets())
    if (simd::supported(isa)) found.push_back(isa);
  return found;
}

std::string describe(simd::Isa isa, std::size_t element, Shape s, std::size_t ld, int threads) {
  return std::string(simd::name(isa)) + ", " + std::to_string(s.rows) + "x" +
         std::to_string(s.cols) + " elements of " + std::to_string(element) + " bytes, ld " +
         std::to_string(ld) + ", " + std::to_string(threads) + " threads";
}

void check_out_of_place(simd::Isa isa, std::size_t element, Shape s, std::size_t pad,
                        std::size_t shift, int threads) {
  const std::size_t ld_in = s.cols + pad;
  const std::size_t ld_out = s.rows + 2 * pad;
  GuardedMatrix in(element, s.rows, s.cols, ld_in, shift);
  GuardedMatrix out(element, s.cols, s.rows, ld_out, shift);
  GuardedMatrix expected(element, s.cols, s.rows, ld_out, shift);
  in.fill();
  expected.fill_transposed();
  transpose(isa, element, s.rows, s.cols, in.data(), ld_in, out.data(), ld_out, threads);
  ASSERT_TRUE(out.same_bytes(expected)) << describe(isa, element, s, ld_in, threads);
}

void check_in_place(simd::Isa isa, std::size_t element, Shape s, std::size_t pad, std::size_t shift,
                    int threads) {
  GuardedMatrix a(element, s.rows, s.cols, s.cols + pad, shift);
  GuardedMatrix expected(element, s.cols, s.rows, s.rows + pad, shift);
  a.fill();
  expected.fill_transposed();
  transpose_in_place(isa, element, s.rows, s.cols, a.data(), s.cols + pad, threads);
  ASSERT_TRUE(a.same_bytes(expected)) << describe(isa, element, s, s.cols + pad, threads);
}

TEST(LocalTranspose, OutOfPlaceEqualsTheDefinition) {
  // Small and slender matrices.
  const Shape shapes[] = {{1, 1},   {1, 5000}, {5000, 1},  {3, 20000},  {20000, 3},
                          {97, 89}, {64, 64},  {300, 400}, {257, 1030}, {1030, 257}};
  for (const simd::Isa isa : sets())
    for (const std::size_t element : elements)
      for (const Shape s : shapes)
        for (const int threads : thread_counts)
          for (const std::size_t pad : {0U, 3U})
            check_out_of_place(isa, element, s, pad, pad, threads);
}

TEST(LocalTranspose, LargeMatricesEqualTheDefinition) {
  // Beyond the 4 MiB from which matrices go through tiles, with aligned and misaligned rows and
  // the power of two between rows that maps them all to few sets of a cache.
  for (const simd::Isa isa : sets())
    for (const int threads : {1, 2}) {
      check_out_of_place(isa, 8, {2048, 1024}, 0, 0, threads);
      check_out_of_place(isa, 8, {1531, 1427}, 3, 1, threads);
      check_in_place(isa, 8, {1493, 1493}, 3, 1, threads);
      check_in_place(isa, 8, {1536, 1536}, 0, 0, threads);
    }
}

TEST(LocalTranspose, SquareInPlaceEqualsTheDefinition) {
  for (const simd::Isa isa : sets())
    for (const std::size_t element : elements)
      for (const std::size_t n : {1U, 2U, 7U, 63U, 64U, 65U, 128U, 257U, 400U})
        for (const int threads : thread_counts)
          for (const std::size_t pad : {0U, 1U, 5U})
            check_in_place(isa, element, {n, n}, pad, pad, threads);
}

TEST(LocalTranspose, RectangularInPlaceEqualsTheDefinition) {
  // Coprime sides, sides with a common factor, one side a multiple of the other, one side 1.
  const Shape shapes[] = {{1, 1000}, {2, 3},    {2, 1001}, {3, 4},    {4, 8},     {6, 4},
                          {12, 18},  {13, 17},  {5, 700},  {64, 128}, {100, 75},  {100, 101},
                          {97, 211}, {31, 310}, {600, 90}, {48, 900}, {256, 384}, {1024, 31}};
  for (const std::size_t element : elements)
    for (const Shape s : shapes)
      for (const int threads : thread_counts) {
        check_in_place(simd::active(), element, s, 0, 0, threads);
        check_in_place(simd::active(), element, {s.cols, s.rows}, 0, 1, threads);
      }
}

TEST(LocalTranspose, AllSmallRectanglesInPlaceEqualTheDefinition) {
  for (std::size_t rows = 1; rows <= 24; ++rows)
    for (std::size_t cols = 1; cols <= 24; ++cols)
      check_in_place(simd::active(), 4, {rows, cols}, 0, 0, 1);
}

TEST(LocalTranspose, UsesNoMoreScratchThanItTells) {
  constexpr std::size_t guard = 64;
  const auto check = [&](std::size_t bytes, const auto &run) {
    Memory memory(bytes + guard, 1);
    for (std::size_t k = 0; k < guard; ++k)
      memory.data()[bytes + k] = std::byte{0x5a};
    run(memory.data());
    for (std::size_t k = 0; k < guard; ++k)
      ASSERT_EQ(memory.data()[bytes + k], std::byte{0x5a}) << "byte " << k << " after the scratch";
  };
  for (const std::size_t element : elements)
    for (const int threads : thread_counts) {
      std::vector<std::byte> in(800 * 1400 * 16);
      std::vector<std::byte> out(in.size());
      check(transpose_scratch(element, threads), [&](void *scratch) {
        transpose(simd::active(), element, 800, 1400, in.data(), 1400, out.data(), 800, threads,
                  scratch);
      });
      for (const Shape s : {Shape{800, 800}, Shape{400, 700}, Shape{700, 400}, Shape{3, 9001}})
        check(transpose_in_place_scratch(element, s.rows, s.cols, threads), [&](void *scratch) {
          transpose_in_place(simd::active(), element, s.rows, s.cols, in.data(), s.cols, threads,
                             scratch);
        });
    }
}

TEST(LocalTranspose, RectanglesNeedNoCopyOfTheMatrix) {
  for (const Shape s : {Shape{4096, 2048}, Shape{1000, 3001}, Shape{200, 100003}})
    for (const int threads : {1, 2, 16})
      EXPECT_LE(transpose_in_place_scratch(8, s.rows, s.cols, threads),
                s.rows * s.cols * 8 / 8 + (std::size_t{1} << 20) * static_cast<unsigned>(threads))
          << s.rows << "x" << s.cols << ", " << threads << " threads";
}

TEST(LocalTranspose, ThreadsOfACallersRegionMayEachTranspose) {
  constexpr std::size_t n = 600;
  GuardedMatrix in(8, n, n, n, 0);
  GuardedMatrix expected(8, n, n, n, 0);
  in.fill();
  expected.fill_transposed();
  std::vector<GuardedMatrix> out(3, GuardedMatrix(8, n, n, n, 0));
#pragma omp parallel for num_threads(3)
  for (std::size_t k = 0; k < out.size(); ++k)
    transpose(simd::active(), 8, n, n, in.data(), n, out[k].data(), n, 1);
  for (const GuardedMatrix &each : out)
    EXPECT_TRUE(each.same_bytes(expected));
}

TEST(LocalTranspose, RefusesArgumentsThatContradictEachOther) {
  std::vector<std::byte> a(1024);
  const simd::Isa isa = simd::active();
  EXPECT_THROW(transpose(isa, 2, 4, 4, a.data(), 4, a.data() + 512, 4, 1), std::invalid_argument);
  EXPECT_THROW(transpose(isa, 8, 4, 5, a.data(), 4, a.data() + 512, 4, 1), std::invalid_argument);
  EXPECT_THROW(transpose(isa, 8, 5, 4, a.data(), 4, a.data() + 512, 4, 1), std::invalid_argument);
  EXPECT_THROW(transpose_in_place(isa, 12, 4, 4, a.data(), 4, 1), std::invalid_argument);
  EXPECT_THROW(transpose_in_place(isa, 8, 4, 4, a.data(), 3, 1), std::invalid_argument);
  EXPECT_THROW(transpose_in_place(isa, 8, 4, 5, a.data(), 6, 1), std::invalid_argument);
}

} // namespace
} // namespace hybridfft::local
