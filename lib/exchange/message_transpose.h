/// Bidirectional transpose between ranks without shared memory.
#pragma once

#include <memory>

#include "exchange/bidirectional_transpose.h"

namespace hybridfft::exchange {

/// Makes a transpose by chunked exchanges: fields are sent while they are written, and read while
/// they arrive. Returns nullptr if the forced algorithm does not support this. Collective. Throws
/// Failure.
/// \param forced nullptr: the most suitable algorithm
std::unique_ptr<BidirectionalTranspose>
make_message_transpose(const Transposition &t, int fields,
                       const std::shared_ptr<Communicator> &comm, int threads,
                       const Algorithm *forced);

} // namespace hybridfft::exchange
