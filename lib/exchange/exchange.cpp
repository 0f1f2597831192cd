#include "exchange/exchange.h"

#include <algorithm>
#include <array>

#include "base/environment.h"
#include "base/mpi.h"

namespace hybridfft::exchange {

void ChunkedExchange::execute(std::byte *send, std::byte *receive) {
  start(send, receive);
  rows_written(this->send().rows);
  finish();
}

} // namespace hybridfft::exchange

// Table of exchange algorithms, one line for each. The line's name is a function defined in the
// algorithm's file.

/// The first line is the default of unmeasured plans.
#define HFFT_EXCHANGE_ALGORITHMS(LINE)                                                             \
  LINE(alltoallv)                                                                                  \
  LINE(shared)                                                                                     \
  LINE(pairwise)                                                                                   \
  LINE(pipelined)                                                                                  \
  LINE(eager)                                                                                      \
  LINE(datatypes)                                                                                  \
  LINE(swap)                                                                                       \
  LINE(fftw)

namespace hybridfft::exchange {

namespace table {
#define HFFT_DECLARE(name) Algorithm name();
HFFT_EXCHANGE_ALGORITHMS(HFFT_DECLARE)
#undef HFFT_DECLARE
} // namespace table

namespace {

#define HFFT_ENTRY(name) table::name,
constexpr std::array makers{HFFT_EXCHANGE_ALGORITHMS(HFFT_ENTRY)};
#undef HFFT_ENTRY

/// The table, and its entries in the order of `place`.
struct Table {
  Table() {
    for (std::size_t i = 0; i < makers.size(); ++i) {
      all[i] = makers[i]();
      by_place[i] = &all[i];
    }
    std::sort(by_place.begin(), by_place.end(),
              [](const Algorithm *a, const Algorithm *b) { return a->place < b->place; });
  }
  std::array<Algorithm, makers.size()> all;
  std::array<const Algorithm *, makers.size()> by_place;
};

const Table &known() {
  static const Table table;
  return table;
}

} // namespace

std::span<const Algorithm> algorithms() { return known().all; }
std::span<const Algorithm *const> algorithms_by_place() { return known().by_place; }

const Algorithm *find_algorithm(std::string_view name) {
  for (const Algorithm &a : algorithms())
    if (name == a.name) return &a;
  return nullptr;
}

const Algorithm *forced_algorithm() {
  std::vector<std::string> names;
  for (const Algorithm &a : algorithms())
    names.emplace_back(a.name);
  return find_algorithm(word_of_environment("HFFT_EXCHANGE", names));
}

const Algorithm *agreed_algorithm(MPI_Comm comm) {
  std::int64_t chosen = 0; // index in the table plus one, from rank 0
  mpi::all_or_none(comm,
                   [&] {
                     const Algorithm *mine = forced_algorithm();
                     if (mine != nullptr && mpi::rank(comm) == 0)
                       chosen = mine - algorithms().data() + 1;
                   },
                   {&chosen, 1});
  return chosen == 0 ? nullptr : &algorithms()[static_cast<std::size_t>(chosen - 1)];
}

} // namespace hybridfft::exchange
