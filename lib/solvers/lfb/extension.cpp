#include "solvers/lfb/extension.h"

#include <vector>

#include "solvers/lfb/extension_plan.h"

namespace hybridfft::lfb {

using Clock = std::chrono::steady_clock;
using grid::Cartesian;

template <class Real> struct Extension<Real>::Impl {
  using MessageUnit = typename ExtensionPlan<Real>::MessageUnit;
  Impl(const Cartesian &cartesian, const Bases &bases, MessageUnit messages) {
    cartesian.communicator().agree(
        [&] { plan = std::make_unique<ExtensionPlan<Real>>(cartesian, bases, messages); });
    current = plan->stages().size();
    fields.resize(cartesian.mine().size());
  }

  bool done() const { return current == plan->stages().size(); }
  void send(std::size_t first_block, std::size_t end_block);
  void send_all() { send(0, fields.size()); }
  void receive();
  void fill();
  void poll();
  void spent(ExtensionPhase phase, Clock::time_point begin, Clock::time_point end);

  std::unique_ptr<ExtensionPlan<Real>> plan;
  std::unique_ptr<ExtensionCarrier<Real>> carrier;
  std::vector<Period<Real>> fields;
  std::size_t current = 0; ///< current stage; the number of stages after the last one
  Times times;
  Observer observer;
  Clock::time_point started; ///< start time of the stage's messages
  bool active = false;       ///< true until the arrival of all messages is detected
};

template <class Real>
void Extension<Real>::Impl::send(std::size_t first_block, std::size_t end_block) {
  const Clock::time_point begin = Clock::now();
  for (std::size_t block = first_block; block < end_block; ++block)
    carrier->send(current, block, fields);
  started = Clock::now();
  active = true;
  spent(ExtensionPhase::pack, begin, started);
}

template <class Real>
void Extension<Real>::Impl::spent(ExtensionPhase phase, Clock::time_point begin,
                                  Clock::time_point end) {
  double &total = phase == ExtensionPhase::pack   ? times.pack
                  : phase == ExtensionPhase::wait ? times.wait
                                                  : times.exchange;
  total += std::chrono::duration<double>(end - begin).count();
  if (observer) observer(phase, begin, end);
}

template <class Real> void Extension<Real>::Impl::poll() {
  if (done() || !carrier->poll(current) || !active) return;
  active = false;
  spent(ExtensionPhase::exchange, started, Clock::now());
}

template <class Real> void Extension<Real>::Impl::receive() {
  const Clock::time_point begin = Clock::now();
  carrier->receive(current);
  const Clock::time_point received = Clock::now();
  spent(ExtensionPhase::wait, begin, received);
  if (active) spent(ExtensionPhase::exchange, started, received);
  active = false;
}

template <class Real> void Extension<Real>::Impl::fill() {
  const Clock::time_point begin = Clock::now();
  carrier->fill(current, fields);
  spent(ExtensionPhase::pack, begin, Clock::now());
}

template <class Real>
Extension<Real>::Extension(const Cartesian &cartesian, const Bases &bases, int threads)
    : impl_(std::make_unique<Impl>(cartesian, bases, Impl::MessageUnit::of_rank)) {
  impl_->carrier = host_carrier(*impl_->plan, threads);
}

template <class Real>
Extension<Real>::Extension(const Cartesian &cartesian, const Bases &bases, device::Runtime &runtime,
                           grid::Transport transport)
    : impl_(std::make_unique<Impl>(cartesian, bases, Impl::MessageUnit::of_block)) {
  impl_->carrier = device_carrier(*impl_->plan, runtime, transport);
}

template <class Real> Extension<Real>::~Extension() = default;
template <class Real> Extension<Real>::Extension(Extension &&) noexcept = default;
template <class Real> Extension<Real> &Extension<Real>::operator=(Extension &&) noexcept = default;

template <class Real> void Extension<Real>::start(std::span<const Period<Real>> fields) {
  impl_->fields.assign(fields.begin(), fields.end());
  impl_->current = 0;
  if (!impl_->done()) impl_->send_all();
}

template <class Real> void Extension<Real>::start(std::size_t block, const Period<Real> &field) {
  impl_->fields[block] = field;
  impl_->current = 0;
  if (!impl_->done()) impl_->send(block, block + 1);
}

template <class Real> void Extension<Real>::advance() {
  if (impl_->done()) return;
  impl_->receive();
  impl_->fill();
  ++impl_->current;
  if (!impl_->done()) impl_->send_all();
}

template <class Real> void Extension<Real>::poll() { impl_->poll(); }

template <class Real> void Extension<Real>::finish() {
  while (!impl_->done())
    advance();
}

template <class Real> void Extension<Real>::open(std::span<const Period<Real>> fields) {
  impl_->fields.assign(fields.begin(), fields.end());
  impl_->carrier->open();
}

template <class Real> void Extension<Real>::pack(std::size_t block, Index plane) {
  impl_->carrier->pack(block, plane, impl_->fields);
}

template <class Real> bool Extension<Real>::finish_messages() {
  const bool left = impl_->carrier->fills_planes();
  while (!impl_->done() && !(left && impl_->current + 1 == impl_->plan->stages().size()))
    advance();
  if (!left || impl_->done()) return false;
  impl_->receive();
  ++impl_->current;
  return true;
}

template <class Real> void Extension<Real>::fill(std::size_t block, Index first, Index end) {
  const Clock::time_point begin = Clock::now();
  impl_->carrier->fill_planes(block, first, end, impl_->fields);
  impl_->spent(ExtensionPhase::pack, begin, Clock::now());
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
