/// \file grid/list_exchange.hpp
/// Transfers values at listed grid points from the owners of the points to ranks that each hold a
/// contiguous piece of the list. Used to write files whose order is the order of the list.
#ifndef HYBRIDFFT_GRID_LIST_EXCHANGE_HPP
#define HYBRIDFFT_GRID_LIST_EXCHANGE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/layout.hpp"

namespace hybridfft::grid {

/// Exchanges rows of values. A row has one value for each entry of the list.
/// \tparam T float or double
template <class T> class HFFT_EXPORT ListExchange {
public:
  /// Prepares the exchange. Collective.
  /// \param total number of entries of the list
  /// \param positions numbers of the entries with values on this rank, ascending, 0-based; every
  /// entry must be on some rank
  /// \param max_rows maximum number of rows of an exchange()
  /// \throws Error(HFFT_ERROR_OVERFLOW) on all ranks if a message would exceed 2^31-1 values
  ListExchange(const Communicator &comm, std::ptrdiff_t total,
               std::span<const std::int64_t> positions, std::ptrdiff_t max_rows);

  /// First entry of this rank's piece of the list, 0-based.
  std::ptrdiff_t start() const { return pieces_.start(comm_.rank()); }
  /// Number of entries of this rank's piece.
  std::ptrdiff_t count() const { return pieces_.count(comm_.rank()); }

  /// Transfers `rows` rows of values: `mine` holds rows x positions.size() values, `piece` receives
  /// rows x count() values, both row-major. All ranks pass the same number of rows. Collective.
  void exchange(std::ptrdiff_t rows, std::span<const T> mine, std::span<T> piece);

private:
  struct Messages {
    std::vector<std::ptrdiff_t> entries; ///< number of entries of one row, for each rank
    std::vector<int> counts, offsets; ///< number and offset of each rank's values in one exchange
    std::vector<T> values;
  };
  void check_counts(std::ptrdiff_t max_rows) const;
  void exchange_positions(std::span<const std::int64_t> positions);

  Communicator comm_;
  BlockDistribution pieces_;
  std::ptrdiff_t mine_;
  Messages send_, receive_;
  std::vector<std::int64_t> received_; ///< positions within the piece, ordered by sending rank
};

} // namespace hybridfft::grid

#endif
