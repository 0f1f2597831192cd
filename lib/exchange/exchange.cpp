#include "exchange/exchange.h"

#include <algorithm>
#include <array>

#include "base/environment.h"
#include "base/mpi.h"
#include "exchange/alltoallv.h"
#include "exchange/alltoallw.h"
#include "exchange/fftw_transpose.h"
#include "exchange/pairwise.h"
#include "exchange/pipelined.h"
#include "exchange/shared.h"

namespace hybridfft::exchange {

namespace {

class View final : public Exchange {
public:
  explicit View(const Transposition &t)
      : Exchange(SplitRows::tight(t.rows.n(), t.columns.n(), t.vec),
                 SplitRows::transposed_view(t.columns.n(), t.rows.n(), t.vec)) {}
  bool is_view() const override { return true; }
  void execute(std::byte *, std::byte *) override {}
  std::string describe() const override { return "none (one rank)"; }
};

constexpr std::array<Algorithm, 7> table{{{"alltoallv", make_alltoallv},
                                          {"shared", make_shared_memory},
                                          {"pairwise", make_pairwise},
                                          {"pipelined", make_pipelined, true},
                                          {"eager", make_eager, true},
                                          {"datatypes", make_datatypes},
                                          {"fftw", make_fftw_transpose}}};

} // namespace

void ChunkedExchange::execute(std::byte *send, std::byte *receive) {
  start(send, receive);
  rows_written(this->send().rows);
  finish();
}

std::span<const Algorithm> algorithms() { return table; }

const Algorithm *find_algorithm(std::string_view name) {
  const auto it = std::find_if(table.begin(), table.end(),
                               [name](const Algorithm &a) { return name == a.name; });
  return it != table.end() ? &*it : nullptr;
}

const Algorithm *forced_algorithm() {
  std::vector<std::string> names;
  for (const Algorithm &a : table)
    names.emplace_back(a.name);
  return find_algorithm(word_of_environment("HFFT_EXCHANGE", names));
}

const Algorithm *agreed_algorithm(MPI_Comm comm) {
  std::int64_t said = 0; // one more than the place in the table, of rank 0
  mpi::all_or_none(comm,
                   [&] {
                     const Algorithm *mine = forced_algorithm();
                     if (mine != nullptr && mpi::rank(comm) == 0) said = mine - table.data() + 1;
                   },
                   {&said, 1});
  return said == 0 ? nullptr : &table.at(static_cast<std::size_t>(said - 1));
}

std::unique_ptr<Exchange> make_view(const Transposition &t) { return std::make_unique<View>(t); }

} // namespace hybridfft::exchange
