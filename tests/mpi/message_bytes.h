/// Bytes sent by a plan.
#pragma once

#include "messages/message_count.h"

namespace hybridfft::test {

/// Returns the bytes sent by this rank to others in one execution.
template <class Plan> long long bytes_sent(Plan &plan) {
  return messages_of([&plan] { plan.execute(); }).bytes;
}

} // namespace hybridfft::test
