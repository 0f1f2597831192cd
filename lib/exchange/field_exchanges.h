/// Exchanges of fields that go back and forth between two distributions. Operator plans use them:
/// their sweeps alternate between the rows and the columns.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Exchanges of each field. Ranks free them together.
struct FieldExchanges {
  std::vector<std::shared_ptr<Exchange>> forward;  ///< from rows to columns
  std::vector<std::shared_ptr<Exchange>> backward; ///< from columns to rows
  std::size_t element_bytes = 0;
};

/// Makes the exchanges of `fields` fields of the matrix rows.n() x columns.n() x vec. Ranks of one
/// node share one window, with all fields and both directions: no data move. Others send messages.
/// The environment variable HFFT_EXCHANGE forces an algorithm (`shared` on one node only).
/// Collective. Throws Failure on all ranks alike.
FieldExchanges make_field_exchanges(const Transposition &t, int fields,
                                    const std::shared_ptr<Communicator> &comm, int threads);

} // namespace hybridfft::exchange
