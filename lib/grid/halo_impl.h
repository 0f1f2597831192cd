/// How an exchange is carried out: by threads of the host, or by a device.
#pragma once

#include "grid/halo_plan.h"
#include "hybridfft/grid/halo.hpp"

namespace hybridfft::grid::detail {

struct HaloExchange::Impl {
  explicit Impl(const HaloPlan &plan)
      : bytes_sent(plan.bytes_sent()), messages_sent(plan.messages_sent()) {}
  virtual ~Impl() = default;
  virtual void start() = 0;
  virtual void finish() = 0;
  /// Bytes that receiving ranks read in memory that they share with this one.
  virtual Index bytes_shared() const = 0;

  Index bytes_sent, messages_sent;
};

} // namespace hybridfft::grid::detail
