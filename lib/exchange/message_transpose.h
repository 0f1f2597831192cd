/// Bidirectional transpose between ranks without shared memory.
#pragma once

#include <memory>

#include "exchange/bidirectional_transpose.h"

namespace hybridfft::exchange {

/// Makes a transpose by chunked exchanges: fields leave while they are written, and are read while
/// they arrive. \param forced nullptr: the most suitable algorithm. Returns nullptr if the forced
/// algorithm does not support it. Collective. Throws Failure.
std::unique_ptr<BidirectionalTranspose>
make_message_transpose(const Transposition &t, int fields,
                       const std::shared_ptr<Communicator> &comm, int threads,
                       const Algorithm *forced);

} // namespace hybridfft::exchange
