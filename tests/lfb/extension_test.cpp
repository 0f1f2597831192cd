// Compares extended fields of blocks with the matrix of their basis, applied to whole lines axis by
// axis. Results must have the same bits for any placement of blocks.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "blocks.h"
#include "hybridfft/grid/cartesian.hpp"
#include "solvers/lfb/extension.h"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft::lfb {
namespace {

using namespace cases;
using grid::Box;
using grid::Cartesian;
using grid::Communicator;
using grid::Index;
using grid::Index3;

/// Returns the matrix (period x total) from a periodic line of `total` points to the extended line
/// of the block at `start`.
std::vector<std::vector<double>> matrix(const AxisBasis &b, Index start, Index n, Index total,
                                        Index period) {
  std::vector<std::vector<double>> e(static_cast<std::size_t>(period),
                                     std::vector<double>(static_cast<std::size_t>(total), 0));
  const auto at = [&](Index row, Index point) -> double & {
    return e[static_cast<std::size_t>(row)]
            [static_cast<std::size_t>(((point % total) + total) % total)];
  };
  for (Index x = 0; x < n; ++x)
    at(x, start + x) = 1;
  const Index own = b.basis.own(), k = b.basis.numbers(), columns = 2 * own + 2 * k;
  const std::vector<double> c = b.basis.coefficients(period - n);
  const auto moment = [&](Index q, Index j) {
    if (b.basis.moments().empty()) return q == j ? 1.0 : 0.0;
    return b.basis.moments()[static_cast<std::size_t>(q * b.basis.overlap() + j)];
  };
  for (Index g = 0; g < period - n; ++g) {
    const double *row = c.data() + g * columns;
    for (Index o = 0; o < own; ++o) {
      at(n + g, start + n - own + o) += row[o];
      at(n + g, start + o) += row[own + o];
    }
    for (Index q = 0; q < k; ++q)
      for (Index j = 0; j < b.basis.overlap(); ++j) {
        at(n + g, start + n + j) += row[2 * own + q] * moment(q, j);
        at(n + g, start - 1 - j) += row[2 * own + k + q] * moment(q, j);
      }
  }
  return e;
}

/// Returns the extended field of a block by matrices in double precision.
std::vector<double> expected(const Cartesian &c, const Bases &bases, int block) {
  const Box box = c.box(block), domain = c.domain();
  std::array<std::vector<std::vector<double>>, 3> e;
  std::array<Index, 3> period{};
  for (int a = 0; a < 3; ++a) {
    const auto at = static_cast<std::size_t>(a);
    const auto place = static_cast<std::size_t>(c.place(block)[a]);
    period[at] = bases[at] ? bases[at]->periods[place] : box.extent(a);
    if (bases[at]) e[at] = matrix(*bases[at], box.lo[a], box.extent(a), domain.hi[a], period[at]);
  }
  // Applies one axis after another, over the whole domain along the remaining axes.
  std::array<Index, 3> n{domain.hi[0], domain.hi[1], domain.hi[2]};
  std::vector<double> field;
  for (Index i = 0; i < n[0]; ++i)
    for (Index j = 0; j < n[1]; ++j)
      for (Index k = 0; k < n[2]; ++k)
        field.push_back(value(i, j, k));
  for (std::size_t a = 0; a < 3; ++a) {
    if (!bases[a]) continue;
    std::array<Index, 3> m = n;
    m[a] = period[a];
    std::vector<double> next;
    for (Index i = 0; i < m[0]; ++i)
      for (Index j = 0; j < m[1]; ++j)
        for (Index k = 0; k < m[2]; ++k) {
          std::array<Index, 3> x{i, j, k};
          const std::vector<double> &row = e[a][static_cast<std::size_t>(x[a])];
          double sum = 0;
          for (Index q = 0; q < n[a]; ++q) {
            x[a] = q;
            if (row[static_cast<std::size_t>(q)] != 0)
              sum += row[static_cast<std::size_t>(q)] *
                     field[static_cast<std::size_t>((x[0] * n[1] + x[1]) * n[2] + x[2])];
          }
          next.push_back(sum);
        }
    field = std::move(next);
    n = m;
  }
  return field;
}

/// Extends fields in parts: planes are packed one by one, the last first, and gaps are filled three
/// planes at a time.
template <class Real>
void extend_by_planes(Extension<Real> &extension, const Cartesian &c, const Bases &bases,
                      const std::vector<Period<Real>> &fields) {
  extension.open(fields);
  for (std::size_t n = 0; n < fields.size(); ++n)
    for (Index plane = c.box(c.mine()[n]).extent(0); plane-- > 0;)
      extension.pack(n, plane);
  extension.start(fields);
  if (!extension.finish_messages()) return;
  for (std::size_t n = 0; n < fields.size(); ++n) {
    const int block = c.mine()[n];
    const Index planes = bases[0] ? bases[0]->periods[static_cast<std::size_t>(c.place(block)[0])]
                                  : c.box(block).extent(0);
    for (Index first = 0; first < planes; first += 3)
      extension.fill(n, first, std::min(first + 3, planes));
  }
}

enum class Way { whole, by_planes };

/// Returns the extended fields of this rank's blocks, by block number.
template <class Real>
std::map<int, std::vector<Real>> extended(const Cartesian &c, const Bases &bases, int threads,
                                          Way way = Way::whole) {
  std::map<int, std::vector<Real>> fields;
  std::vector<Period<Real>> periods;
  for (const int block : c.mine()) {
    BlockField<Real> field(c, bases, block);
    fields[block] = std::move(field.values);
    periods.push_back({fields[block].data(), field.pitch});
  }
  Extension<Real> extension(c, bases, threads);
  for (int again = 0; again < 2; ++again) {
    if (way == Way::by_planes) {
      extend_by_planes(extension, c, bases, periods);
      continue;
    }
    extension.start(periods);
    extension.advance();
    extension.finish();
  }
  return fields;
}

template <class Real> void compare_with_matrices(double tolerance) {
  const Communicator world(test::world());
  for (const Problem &p : problems()) {
    const Bases bases = bases_of(p);
    const Cartesian c(world, p.cuts, {true, true, true});
    for (const auto &[block, field] : extended<Real>(c, bases, 2)) {
      const std::vector<double> truth = expected(c, bases, block);
      ASSERT_EQ(field.size(), truth.size());
      double largest = 0, error = 0;
      for (std::size_t n = 0; n < truth.size(); ++n) {
        largest = std::max(largest, std::abs(truth[n]));
        const double difference = std::abs(static_cast<double>(field[n]) - truth[n]);
        error = std::isnan(difference) ? difference : std::max(error, difference);
        if (std::isnan(error)) break;
      }
      // Bounds a few hundred roundings: coefficients of up to 20 multiply values and cancel.
      EXPECT_LT(error, tolerance * largest) << p.bases[0] << " " << p.bases[1] << " " << p.bases[2];
    }
  }
}

TEST(Extension, EachAxis_MatchesMatrixOfBasis) {
  compare_with_matrices<double>(1e-13);
  compare_with_matrices<float>(2e-5);
}

TEST(Extension, ByPlanes_SameBits) {
  const Communicator world(test::world());
  for (const Problem &p : problems()) {
    const Bases bases = bases_of(p);
    const Cartesian c(world, p.cuts, {true, true, true});
    const std::map<int, std::vector<double>> truth = extended<double>(c, bases, 2);
    for (const auto &[block, field] : extended<double>(c, bases, 2, Way::by_planes))
      EXPECT_EQ(std::memcmp(field.data(), truth.at(block).data(), field.size() * sizeof(double)), 0)
          << "block " << block << " " << p.bases[0] << " " << p.bases[1] << " " << p.bases[2];
  }
}

TEST(Extension, AnyPlacement_SameBits) {
  const Communicator world(test::world());
  for (const Problem &p : problems()) {
    const Bases bases = bases_of(p);
    const int blocks = Cartesian(world, p.cuts, {true, true, true}).blocks();
    // The reference has all blocks on one rank.
    const Cartesian alone(Communicator(MPI_COMM_SELF), p.cuts, {true, true, true});
    std::map<int, std::vector<double>> truth = extended<double>(alone, bases, 1);
    for (int used = 1; used <= std::min(world.size(), 8); ++used) {
      std::vector<int> owners;
      for (int b = 0; b < blocks; ++b)
        owners.push_back(b * 5 % used);
      const Cartesian c(world, p.cuts, {true, true, true}, owners);
      for (const char *transport : {"shared", "messages"}) {
        const test::Variable variable("HFFT_HALO", transport);
        for (const auto &[block, field] : extended<double>(c, bases, 1 + used % 2))
          EXPECT_EQ(std::memcmp(field.data(), truth[block].data(), field.size() * sizeof(double)),
                    0)
              << "block " << block << " on " << used << " ranks, " << transport;
      }
    }
  }
}

TEST(Extension, SeveralInFlight_SameBits) {
  const Communicator world(test::world());
  const Problem &p = problems()[2];
  const Bases bases = bases_of(p);
  const Cartesian c(world, p.cuts, {true, true, true});
  const std::map<int, std::vector<double>> truth = extended<double>(c, bases, 1);
  for (const char *transport : {"shared", "messages"}) {
    const test::Variable variable("HFFT_HALO", transport);
    std::vector<Extension<double>> extensions;
    for (int n = 0; n < 3; ++n)
      extensions.emplace_back(c, bases, 1 + n % 2);
    for (int round = 0; round < 30; ++round) {
      // Fields are powers of two times the reference field. Their extensions are the same powers
      // times the reference's extension, bit for bit.
      const auto factor = [&](std::size_t e) { return std::ldexp(1, (round + 3 * int(e)) % 7); };
      std::vector<std::vector<BlockField<double>>> fields(extensions.size());
      for (std::size_t e = 0; e < extensions.size(); ++e) {
        std::vector<Period<double>> periods;
        fields[e].reserve(truth.size());
        for (const int block : c.mine()) {
          BlockField<double> &field = fields[e].emplace_back(c, bases, block, factor(e));
          periods.push_back({field.values.data(), field.pitch});
        }
        extensions[e].start(periods);
      }
      extensions[static_cast<std::size_t>(round) % extensions.size()].advance();
      for (std::size_t n = 0; n < extensions.size(); ++n)
        extensions[(n + static_cast<std::size_t>(round / 2)) % extensions.size()].finish();
      for (std::size_t e = 0; e < extensions.size(); ++e)
        for (std::size_t b = 0; b < c.mine().size(); ++b) {
          std::vector<double> expected = truth.at(c.mine()[b]);
          for (double &x : expected)
            x *= factor(e);
          EXPECT_EQ(fields[e][b].values, expected) << transport << ", round " << round;
        }
    }
  }
}

TEST(Extension, AllBases_SendExpectedBytes) {
  const Communicator world(test::world());
  if (world.size() != 3) return; // a ring of three blocks, one per rank
  for (const auto &[name, numbers] :
       std::map<std::string, Index>{{"erf:16", 16}, {"mom:6/32", 6}, {"ls:8", 8}}) {
    const Problem p{{{{96}, {8}, {10}}}, {"", "", ""}, {}};
    Problem cut = p;
    cut.cuts[0] = {32, 32, 32};
    cut.bases[0] = name;
    const Cartesian c(world, cut.cuts, {true, true, true});
    EXPECT_EQ(Extension<float>(c, bases_of(cut), 1).bytes_sent(), 2 * numbers * 8 * 10 * 4);
  }
}

TEST(Extension, ThinBlocks_AreRefusedOnAllRanks) {
  const Communicator world(test::world());
  Problem p{{{{31, 40}, {4}, {5}}}, {"mom:6/32", "", ""}, {}};
  try {
    const Cartesian c(world, p.cuts, {true, true, true});
    Extension<float>(c, bases_of(p), 1);
    ADD_FAILURE();
  } catch (const Error &e) {
    for (const char *part : {"31 points", "axis 0", "32", "mom:6/32"})
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << ": " << e.what();
  }
}

} // namespace
} // namespace hybridfft::lfb
