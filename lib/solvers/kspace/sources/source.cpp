#include "solvers/kspace/sources/source.h"

#include <algorithm>
#include <vector>

#include "solvers/kspace/equations/equation_kernels.h"

namespace hybridfft::kspace {

SourcePoints::SourcePoints(const InputFile &file, const std::string &dataset,
                           const LocalGrid &local)
    : total_(file.size(dataset)) {
  struct Entry {
    std::ptrdiff_t offset;
    std::size_t place;
  };
  std::vector<Entry> entries;
  file.own_points(dataset, local, [&](std::size_t place, std::ptrdiff_t offset) {
    entries.push_back({offset, place});
  });
  file.comm().agree([&] {
    std::ranges::stable_sort(entries, {}, &Entry::offset);
    std::vector<std::ptrdiff_t> offsets, first;
    for (const Entry &entry : entries) {
      if (offsets.empty() || offsets.back() != entry.offset) {
        offsets.push_back(entry.offset);
        first.push_back(static_cast<std::ptrdiff_t>(places_.size()));
      }
      places_.push_back(entry.place);
    }
    first.push_back(static_cast<std::ptrdiff_t>(places_.size()));
    offsets_ = ExecArray<std::ptrdiff_t>(std::move(offsets));
    first_ = ExecArray<std::ptrdiff_t>(std::move(first));
  });
}

template <class Real>
Signals<Real>::Signals(const InputFile &file, const std::string &dataset, std::int64_t steps,
                       bool many, const SourcePoints &points)
    : steps_(steps), many_(many), own_(many ? points.places().size() : 1) {
  if (steps == 0) return;
  const std::size_t columns = many ? points.total() : 1;
  std::vector<Real> own;
  file.comm().agree([&] { own.reserve(static_cast<std::size_t>(steps) * own_); });
  file.rows<Real>(dataset, static_cast<std::size_t>(steps), columns,
                  [&](std::size_t, std::span<const Real> values) {
                    for (std::size_t row = 0; row < values.size(); row += columns) {
                      if (!many_) own.push_back(values[row]);
                      if (many_)
                        for (const std::size_t place : points.places())
                          own.push_back(values[row + place]);
                    }
                  });
  values_ = ExecArray<Real>(std::move(own));
}

template class Signals<float>;
template class Signals<double>;

template <class Real>
Sources<Real>::Sources(const InputFile &file, const Parameters &p, const LocalGrid &local,
                       grid::Host host)
    : local_(local), exec_{host}, p_mode_(p.p_source_mode), u_mode_(p.u_source_mode),
      transducer_steps_(p.transducer_steps) {
  if (p.p_source_steps > 0) {
    p_points_ = SourcePoints(file, "p_source_index", local);
    p_signals_ =
        Signals<Real>(file, "p_source_input", p.p_source_steps, p.p_source_many, p_points_);
  }
  // Transducers drive the points of the velocity source.
  if (p.has_velocity_source() || p.transducer_steps > 0)
    u_points_ = SourcePoints(file, "u_source_index", local);
  for (int axis = 0; axis < p.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    u_signals_[a] = Signals<Real>(file, std::string("u") + axis_name(axis) + "_source_input",
                                  p.u_source_steps[a], p.u_source_many, u_points_);
  }
  if (p.transducer_steps > 0) read_transducer(file);
}

template <class Real> void Sources<Real>::read_transducer(const InputFile &file) {
  std::vector<Real> signal = file.list<Real>("transducer_source_input",
                                             file.size("transducer_source_input"), Values::finite);
  const std::vector<std::int64_t> all = file.integers("delay_mask", u_points_.total());
  const auto length = static_cast<std::int64_t>(signal.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] < 1 || all[i] > length - transducer_steps_ + 1)
      file.reject(
          "delay_mask", std::to_string(all[i]) + " at entry " + std::to_string(i + 1),
          "1 to " + std::to_string(std::max<std::int64_t>(length - transducer_steps_ + 1, 0)) +
              ": transducer_source_input has " + std::to_string(length) +
              " values and transducer_source_flag asks for " + std::to_string(transducer_steps_));
  std::vector<std::ptrdiff_t> delays;
  file.comm().agree([&] {
    for (const std::size_t place : u_points_.places())
      delays.push_back(all[place] - 1);
  });
  transducer_signal_ = ExecArray<Real>(std::move(signal));
  delays_ = ExecArray<std::ptrdiff_t>(std::move(delays));
}

template <class Real> void Sources<Real>::move_to(const Exec &exec) {
  exec_ = exec;
  for (SourcePoints *points : {&p_points_, &u_points_})
    points->move_to(exec);
  for (Signals<Real> *signals : {&p_signals_, &u_signals_[0], &u_signals_[1], &u_signals_[2]})
    signals->move_to(exec);
  transducer_signal_.move_to(exec);
  delays_.move_to(exec);
}

template <class Real> std::size_t Sources<Real>::bytes() const {
  std::size_t bytes = p_points_.bytes() + u_points_.bytes() + p_signals_.bytes() +
                      transducer_signal_.bytes() + delays_.bytes();
  for (const Signals<Real> &signals : u_signals_)
    bytes += signals.bytes();
  return bytes;
}

template <class Real>
void Sources<Real>::inject(std::int64_t n, const SourcePoints &points, const Signals<Real> &signals,
                           SourceMode mode, const Field<Real> &target) const {
  for_each_index(exec_, points.count(),
                 kernels::DrivePoints<Real>{target.data(), points.offsets(), points.first(),
                                            signals.at(n), signals.many() ? 1 : 0, nullptr,
                                            mode == SourceMode::additive});
}

template <class Real>
void Sources<Real>::add_corrected(std::int64_t n, const SourcePoints &points,
                                  const Signals<Real> &signals, Driven driven, Field<Real> &scratch,
                                  Derivative<Real> &derivative,
                                  std::span<const Field<Real>> targets) const {
  for_points(exec_, local_.box(), kernels::SetTo<Real>{scratch.view(local_), 0});
  inject(n, points, signals, SourceMode::corrected, scratch);
  derivative.correct_source(driven, scratch, targets);
}

template <class Real>
void Sources<Real>::drive_velocity(std::int64_t n, State<Real> &state,
                                   Derivative<Real> &derivative) const {
  constexpr std::array<Driven, 3> components{Driven::ux, Driven::uy, Driven::uz};
  for (std::size_t a = 0; a < 3; ++a) {
    if (!u_signals_[a].active(n)) continue;
    if (u_mode_ == SourceMode::corrected)
      add_corrected(n, u_points_, u_signals_[a], components[a], state.pressure, derivative,
                    {&state.velocity[a], 1});
    else
      inject(n, u_points_, u_signals_[a], u_mode_, state.velocity[a]);
  }
  if (n >= transducer_steps_) return;
  for_each_index(exec_, u_points_.count(),
                 kernels::DrivePoints<Real>{state.velocity[0].data(), u_points_.offsets(),
                                            u_points_.first(), transducer_signal_.data() + n, 0,
                                            delays_.data(), true});
}

template <class Real>
void Sources<Real>::drive_density(std::int64_t n, State<Real> &state,
                                  Derivative<Real> &derivative) const {
  if (!p_signals_.active(n)) return;
  const std::span<Field<Real>> components(state.density.data(),
                                          static_cast<std::size_t>(local_.dimensions()));
  if (p_mode_ == SourceMode::corrected)
    return add_corrected(n, p_points_, p_signals_, Driven::pressure, state.pressure, derivative,
                         components);
  for (const Field<Real> &component : components)
    inject(n, p_points_, p_signals_, p_mode_, component);
}

template class Sources<float>;
template class Sources<double>;

} // namespace hybridfft::kspace
