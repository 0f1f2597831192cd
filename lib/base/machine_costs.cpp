#include "base/machine_costs.h"

#include <algorithm>

namespace hybridfft {

double memory_bandwidth(const MachineParameters &machine, const CoreShare &share) {
  return std::min(machine.core_bandwidth * share.threads,
                  machine.node_bandwidth / share.ranks_per_node);
}

double pass_seconds(const MachineParameters &machine, const CoreShare &share, double bytes,
                    double flops) {
  return std::max(2 * bytes / memory_bandwidth(machine, share),
                  flops / (machine.simd_rate * share.threads));
}

double network_seconds(const MachineParameters &machine, double ranks_per_node,
                       const NetworkLoad &load) {
  const double wire = load.far_bytes * ranks_per_node / machine.network_bandwidth;
  const double gap = machine.message_gap * ranks_per_node * load.far_messages;
  const double overhead = 2 * machine.message_overhead * (load.near_messages + load.far_messages);
  const double rounds = (overhead + load.near_messages * machine.near_latency +
                         load.far_messages * machine.far_latency + wire) /
                        load.in_flight;
  double latency = 0;
  if (load.near_messages > 0) latency = machine.near_latency;
  if (load.far_messages > 0) latency = machine.far_latency;
  return std::max({std::max(wire, gap) + latency, overhead, rounds});
}

double all_to_all_seconds(const MachineParameters &machine, const CoreShare &share, double ranks,
                          double bytes, double in_flight) {
  const double near = std::min(share.ranks_per_node, ranks) - 1;
  const double far = ranks - 1 - near;
  const double copied = bytes * near / ranks;
  return network_seconds(machine, share.ranks_per_node,
                         {bytes * far / ranks, near, far, in_flight}) +
         2 * copied / memory_bandwidth(machine, share);
}

} // namespace hybridfft
