#include "lfb/extension.h"

#include <vector>

#include "lfb/extension_carrier.h"

namespace hybridfft::lfb {

using Clock = std::chrono::steady_clock;
using grid::Cartesian;

template <class Real> struct Extension<Real>::Impl {
  Impl(const Cartesian &cartesian, const Bases &bases) {
    cartesian.communicator().agree(
        [&] { plan = std::make_unique<ExtensionPlan<Real>>(cartesian, bases); });
    current = plan->stages().size();
  }

  bool done() const { return current == plan->stages().size(); }
  void send();
  void receive();
  void poll();
  void spent(Phase phase, Clock::time_point begin, Clock::time_point end);

  std::unique_ptr<ExtensionPlan<Real>> plan;
  std::unique_ptr<ExtensionCarrier<Real>> carrier;
  std::vector<Period<Real>> fields;
  std::size_t current = 0; ///< stage under way; all are done at the end
  Times times;
  Observer observer;
  Clock::time_point started; ///< when the stage's messages were started
  bool active = false;       ///< not all of them have been seen to arrive
};

template <class Real> void Extension<Real>::Impl::send() {
  const Clock::time_point begin = Clock::now();
  carrier->send(current, fields);
  started = Clock::now();
  active = true;
  spent(Phase::pack, begin, started);
}

template <class Real>
void Extension<Real>::Impl::spent(Phase phase, Clock::time_point begin, Clock::time_point end) {
  double &total = phase == Phase::pack   ? times.pack
                  : phase == Phase::wait ? times.wait
                                         : times.exchange;
  total += std::chrono::duration<double>(end - begin).count();
  if (observer) observer(phase, begin, end);
}

template <class Real> void Extension<Real>::Impl::poll() {
  if (done() || !carrier->poll(current) || !active) return;
  active = false;
  spent(Phase::exchange, started, Clock::now());
}

template <class Real> void Extension<Real>::Impl::receive() {
  const Clock::time_point begin = Clock::now();
  carrier->receive(current);
  const Clock::time_point received = Clock::now();
  spent(Phase::wait, begin, received);
  if (active) spent(Phase::exchange, started, received);
  active = false;
  carrier->fill(current, fields);
  spent(Phase::pack, received, Clock::now());
}

template <class Real>
Extension<Real>::Extension(const Cartesian &cartesian, const Bases &bases, int threads)
    : impl_(std::make_unique<Impl>(cartesian, bases)) {
  impl_->carrier = host_carrier(*impl_->plan, threads);
}

template <class Real>
Extension<Real>::Extension(const Cartesian &cartesian, const Bases &bases, device::Runtime &runtime,
                           grid::Transport transport)
    : impl_(std::make_unique<Impl>(cartesian, bases)) {
  impl_->carrier = device_carrier(*impl_->plan, runtime, transport);
}

template <class Real> Extension<Real>::~Extension() = default;
template <class Real> Extension<Real>::Extension(Extension &&) noexcept = default;
template <class Real> Extension<Real> &Extension<Real>::operator=(Extension &&) noexcept = default;

template <class Real> void Extension<Real>::start(std::span<const Period<Real>> fields) {
  impl_->fields.assign(fields.begin(), fields.end());
  impl_->current = 0;
  if (!impl_->done()) impl_->send();
}

template <class Real> void Extension<Real>::advance() {
  if (impl_->done()) return;
  impl_->receive();
  ++impl_->current;
  if (!impl_->done()) impl_->send();
}

template <class Real> void Extension<Real>::poll() { impl_->poll(); }

template <class Real> void Extension<Real>::finish() {
  while (!impl_->done())
    advance();
}

template <class Real> void Extension<Real>::observe(Observer observer) {
  impl_->observer = std::move(observer);
}

template <class Real> auto Extension<Real>::times() const -> const Times & { return impl_->times; }

template <class Real> std::ptrdiff_t Extension<Real>::bytes_sent() const {
  return impl_->plan->bytes_sent();
}

template class Extension<float>;
template class Extension<double>;

} // namespace hybridfft::lfb
