/// Bytes that a plan sends.
#pragma once

#include "messages/message_count.h"

namespace hybridfft::test {

/// Bytes that this rank sends to others in one execution.
template <class Plan> long long bytes_sent(Plan &plan) {
  return messages_of([&plan] { plan.execute(); }).bytes;
}

} // namespace hybridfft::test
