#include "plan/setting.h"

namespace hybridfft::plan {

void SettingNumbers::join(Agreement &agreement, int threads, double time_limit) {
  machine_.join(agreement, threads, time_limit);
  const Overrides mine = Overrides::read();
  if (mine.algorithm != nullptr) algorithm_ = mine.algorithm - exchange::algorithms().data();
  all_threads_ = mine.all_threads ? 1 : 0;
  agreement.first(algorithm_);
  agreement.first(all_threads_);
}

Setting SettingNumbers::setting(exchange::Communicator &comm) const {
  const exchange::Algorithm *algorithm =
      algorithm_ < 0 ? nullptr : &exchange::algorithms()[static_cast<std::size_t>(algorithm_)];
  return {machine_.machine(comm), {algorithm, all_threads_ != 0}};
}

Setting common_setting(exchange::Communicator &comm, int threads, double time_limit) {
  Agreement agreement(comm.get());
  SettingNumbers numbers;
  agreement.reach([&] { numbers.join(agreement, threads, time_limit); });
  return numbers.setting(comm);
}

} // namespace hybridfft::plan
