/// A transpose between ranks that share no memory.
#pragma once

#include <memory>

#include "exchange/bidirectional_transpose.h"

namespace hybridfft::exchange {

/// Fields that exchanges in chunks carry leave while they are written and are read while they
/// arrive. \param forced nullptr: whatever suits best. nullptr where that algorithm cannot do it.
/// Collective. Throws Failure.
std::unique_ptr<BidirectionalTranspose>
make_message_transpose(const Transposition &t, int fields,
                       const std::shared_ptr<Communicator> &comm, int threads,
                       const Algorithm *forced);

} // namespace hybridfft::exchange
