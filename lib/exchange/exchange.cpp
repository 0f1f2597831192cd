#include "exchange/exchange.h"

#include <array>

#include "base/environment.h"
#include "base/mpi.h"
#include "exchange/algorithms.h"

namespace hybridfft::exchange {

void ChunkedExchange::execute(std::byte *send, std::byte *receive) {
  start(send, receive);
  rows_written(this->send().rows);
  finish();
}

std::span<const Algorithm> algorithms() {
  static const std::array all{table::alltoallv(), table::shared(),    table::pairwise(),
                              table::eager(),     table::pipelined(), table::datatypes(),
                              table::swap(),      table::fftw()};
  return all;
}

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
