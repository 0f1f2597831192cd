#include "kspace/recorder.h"

#include <limits>

namespace hybridfft::kspace {

Recorder::Recorder(const Recording &wanted, std::int64_t steps, OutputFile &out,
                   const Sensor &sensor, const Slab &slab, const grid::Communicator &comm,
                   grid::Host host)
    : wanted_(wanted), out_(out), sensor_(sensor), slab_(slab), host_(host),
      rows_at_once_(wanted.p ? TimeSeries::rows_at_once(sensor, steps - wanted.start + 1, comm)
                             : 1),
      exchange_(comm, sensor.total(), sensor.positions(), rows_at_once_) {
  if (wanted.p) p_.emplace(out, "p", steps - wanted.start + 1, rows_at_once_, sensor, exchange_);
  sampled_.resize(sensor.positions().size());
  if (wanted.p_max) max_.assign(sensor.positions().size(), std::numeric_limits<float>::lowest());
}

void Recorder::sample(std::int64_t n, const Field &pressure) {
  if (n + 1 < wanted_.start || !(wanted_.p || wanted_.p_max)) return;
  sensor_.sample(pressure, host_, sampled_);
  if (p_) p_->append(sampled_);
  if (wanted_.p_max)
    for (std::size_t i = 0; i < max_.size(); ++i)
      if (sampled_[i] > max_[i]) max_[i] = sampled_[i];
}

void Recorder::finish(const Field &pressure) {
  if (p_) p_->flush();
  if (wanted_.p_max) {
    std::vector<float> piece(static_cast<std::size_t>(exchange_.count()));
    exchange_.exchange(1, max_, piece);
    out_.create_series("p_max", 1, static_cast<std::size_t>(sensor_.total()));
    out_.write_series("p_max", 0, 1, static_cast<std::size_t>(exchange_.start()),
                      static_cast<std::size_t>(exchange_.count()), piece.data());
  }
  if (wanted_.p_final) out_.field("p_final", slab_, pressure);
}

} // namespace hybridfft::kspace
