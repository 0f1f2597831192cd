// Code blocks in C++ of the pages in docs/, in a program. docs.blocks compares pages and program.
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#include "hybridfft/operators.hpp"
#include "hybridfft/pencils.hpp"

using namespace hybridfft;

namespace {

int failures = 0;

void require(bool holds, const char *what) {
  if (!holds) std::fprintf(stderr, "wrong: %s\n", what);
  if (!holds) ++failures;
}

void layouts() {
  const std::array<std::ptrdiff_t, 3> n{30, 48, 40};
  const std::vector<int> parts{1, 2, 1};
  const std::vector<IndexBox> boxes{{{0, 0, 0}, {30, 48, 13}}, {{0, 0, 13}, {30, 48, 27}}};
  Layout bricks = Layout::grid(n, {2, 2, 2}); // {1, P1, P2}: pencils, {P, 1, 1}: a slab
  Layout turned =
      Layout::grid(n, {2, 2, 1}, {.order = {2, 0, 1}});     // n1 fastest in memory, n2 slowest
  Layout uneven = Layout::grid({{10, 20}, {48}, {40}}, {}); // blocks of any sizes, also 0
  Layout any = Layout::boxes(n, boxes); // a box for each rank, together all points
  Layout fields =
      Layout::grid(n, parts, {.padding = {0, 0, 2}, .howmany = 3, .fields = Fields::separate});
  Options two_axes{.axes = {0, 2}};        // a transform of axes 0 and 2; r2c halves axis 2
  Options none{.redistribute_only = true}; // an exchange alone
  require(bricks.ranks() == 8, "bricks");
  require(turned.ranks() == 4, "turned");
  require(uneven.ranks() == 2, "uneven");
  require(any.ranks() == 2, "boxes");
  require(fields.howmany() == 3, "fields");
  require(two_axes.axes.size() == 2 && none.redistribute_only, "options");
}

void pruned_pencils_of_the_page() {
  const std::array<std::ptrdiff_t, 3> grid{24, 24, 24};
  const std::vector<std::ptrdiff_t> modes{16, 16, 16};
  const Pencils room = pencils(grid, {1, 1}, true);
  const LocalSizes sizes = local_sizes<double, Kind::r2c>(room.points, room.spectrum);
  Buffer<double> in(sizes.allocate_in);
  Buffer<std::complex<double>> out(sizes.allocate_out);
  // clang-format off
  const Pencils layouts = pruned_pencils(grid, modes, choose_grid<double, Kind::r2c>(grid), true);
  Plan<double, Kind::r2c> plan(layouts.points, layouts.spectrum, in, out, {.modes = modes});
  // clang-format on
  for (double &value : in)
    value = 1;
  plan.execute();
  require(std::abs(out[0] - 24.0 * 24 * 24) < 1e-9, "the sum of ones");
}

void derivative_of_the_page() {
  const std::array<std::ptrdiff_t, 3> extents{24, 24, 24};
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Buffer<double> field(24 * 24 * 24), result(24 * 24 * 24);
  // clang-format off
  const Layout layout = Layout::grid(extents, {1, ranks, 1}); // or another one
  SpectralOperator<double> derivative(layout, layout, field, result, [](const auto &line) {
    for (std::ptrdiff_t i = 0; i < line.count; ++i) { // bin line.first[a] along axis a
      const std::ptrdiff_t bin = line.first[0] + (line.axis == 0 ? i : 0);
      const double k = bin == 12 ? 0 : double(bin < 12 ? bin : bin - 24); // of 24 points
      line.values[i] *= std::complex<double>(0, k); // d/dx
    }
  });
  derivative.execute();
  // clang-format on
  const auto x = [](std::ptrdiff_t i) { return 2 * M_PI * static_cast<double>(i) / 24; };
  derivative.input().for_each<3>([&](auto at, const auto &i) { field[at] = std::sin(x(i[0])); });
  derivative.execute();
  derivative.output().for_each<3>([&](auto at, const auto &i) {
    require(std::abs(result[at] - 24.0 * 24 * 24 * std::cos(x(i[0]))) < 1e-9, "d/dx of a sine");
  });
}

} // namespace

int main(int argc, char **argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  try {
    layouts();
    pruned_pencils_of_the_page();
    derivative_of_the_page();
  } catch (const Error &e) {
    require(false, e.what());
  }
  MPI_Finalize();
  return failures;
}
