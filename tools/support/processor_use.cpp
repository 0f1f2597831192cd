// Gathers threads, binding and cores of all ranks on rank 0, and classifies each host by its most
// severe problem.
#include "support/processor_use.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "base/machine_parameters.h"
#include "support/gather_texts.h"
#include "support/machine_info.h"

namespace hybridfft::tools {

namespace {

std::string counted(int n, const char *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// The ranks on one host and its processors.
class Host {
public:
  void add(const RankPlace &r) {
    ++ranks_;
    threads_ += r.threads;
    max_threads_ = std::max(max_threads_, r.threads);
    known_ = known_ && !r.cpus.empty() && !r.processors.empty();
    crowded_ = crowded_ || r.threads > static_cast<int>(r.cpus.size());
    bound_.insert(r.cpus.begin(), r.cpus.end());
    for (const Processor &p : r.processors)
      core_of_[p.cpu] = p.core;
    if (r.limit > 0) limit_ = static_cast<int>(std::ceil(r.limit));
  }

  int ranks() const { return ranks_; }
  int threads() const { return threads_; }
  int max_threads() const { return max_threads_; }
  bool known() const { return known_; }
  bool limited() const { return limit_ > 0 && limit_ < static_cast<int>(core_of_.size()); }

  /// Maximum number of threads running at once on the host.
  int capacity() const { return limited() ? limit_ : static_cast<int>(core_of_.size()); }
  /// bound_cores() counts the cores that have a processor available to a rank of this host.
  /// all_cores() counts all cores of this host available to the job. Neither exceeds capacity().
  int bound_cores() const { return std::min(cores(true), capacity()); }
  int all_cores() const { return std::min(cores(false), capacity()); }
  int used() const { return std::min(threads_, bound_cores()); }
  int idle() const { return all_cores() - used(); }

  bool too_many() const { return known_ && threads_ > capacity(); }
  bool crowded() const {
    return known_ && (crowded_ || threads_ > static_cast<int>(bound_.size()));
  }
  bool held_back() const { return known_ && idle() > 0 && bound_cores() < all_cores(); }

private:
  int cores(bool of_ranks) const {
    std::set<int> found;
    for (const auto &[cpu, core] : core_of_)
      if (!of_ranks || bound_.count(cpu) > 0) found.insert(core);
    return static_cast<int>(found.size());
  }

  int ranks_ = 0;
  int threads_ = 0;
  int max_threads_ = 0;
  int limit_ = 0;
  bool known_ = true;
  bool crowded_ = false;
  std::set<int> bound_;
  std::map<int, int> core_of_;
};

/// Problems of a host, in the order of severity. describe() explains them.
enum class Trouble { none, idle, held_back, crowded, too_many };

Trouble trouble_of(const Host &host) {
  if (host.too_many()) return Trouble::too_many;
  if (host.crowded()) return Trouble::crowded;
  if (host.held_back()) return Trouble::held_back;
  return host.known() && host.idle() > 0 ? Trouble::idle : Trouble::none;
}

std::string unbind(const Start &start) {
  return start.launched ? "mpirun --bind-to none" : "start it without taskset and OMP_PLACES";
}

/// Returns the option to use `places` processors of a host: a number of threads or of ranks.
std::string fill(const Host &host, int places) {
  const int threads = places / host.ranks();
  return threads > 0 && threads != host.max_threads()
             ? counted(threads, "thread") +
                   " per rank (OMP_NUM_THREADS=" + std::to_string(threads) + ")"
             : "mpirun -np " + std::to_string(std::max(places / host.max_threads(), 1)) +
                   " on each host";
}

/// Describes the problem and the option to solve it.
std::string describe(const Host &host, Trouble trouble, const Start &start) {
  const std::string idle = counted(host.idle(), "core") + (host.idle() == 1 ? " idles" : " idle");
  switch (trouble) {
  case Trouble::too_many:
    return counted(host.threads(), "thread") + " wait for each other on " +
           counted(host.capacity(), "processor") +
           (host.limited() ? ", which is the limit of the container" : "") +
           "; start fewer: " + fill(host, host.capacity());
  case Trouble::crowded:
    return "threads share the processors that their ranks are bound to" +
           (host.idle() > 0 ? ", " + idle : std::string()) + "; free them: " + unbind(start);
  case Trouble::held_back:
    return idle + " as the ranks are bound to others; free them: " + unbind(start);
  case Trouble::idle:
    return idle + "; more threads or ranks use " + (host.idle() == 1 ? "it" : "them") + ": " +
           fill(host, host.all_cores());
  case Trouble::none:
    break;
  }
  return "";
}

/// Encodes a RankPlace as text, to send it to other ranks.
std::string packed(const RankPlace &r) {
  std::ostringstream text;
  text << r.host << '\n' << r.threads << ' ' << r.limit << ' ' << r.cpus.size();
  for (const int cpu : r.cpus)
    text << ' ' << cpu;
  for (const Processor &p : r.processors)
    text << ' ' << p.cpu << ' ' << p.core;
  return text.str();
}

RankPlace unpacked(const std::string &packed) {
  RankPlace r;
  std::istringstream text(packed);
  std::size_t count = 0;
  std::getline(text, r.host);
  text >> r.threads >> r.limit >> count;
  for (int cpu = 0; r.cpus.size() < count && text >> cpu;)
    r.cpus.push_back(cpu);
  for (Processor p; text >> p.cpu >> p.core;)
    r.processors.push_back(p);
  return r;
}

bool started_by_launcher() {
  return std::any_of(launcher_variables.begin(), launcher_variables.end(),
                     [](const char *name) { return std::getenv(name) != nullptr; });
}

} // namespace

ProcessorUse judge_processor_use(std::span<const RankPlace> ranks, const Start &start) {
  std::map<std::string, Host> hosts;
  for (const RankPlace &r : ranks)
    hosts[r.host].add(r);
  int used = 0;
  int all = 0;
  bool known = true;
  bool alike = true;
  const std::pair<const std::string, Host> *worst = nullptr;
  for (const auto &host : hosts) {
    used += host.second.used();
    all += host.second.all_cores();
    known = known && host.second.known();
    if (worst == nullptr || trouble_of(host.second) > trouble_of(worst->second)) worst = &host;
  }
  for (const RankPlace &r : ranks)
    alike = alike && r.threads == ranks.front().threads;

  ProcessorUse use;
  use.text = counted(static_cast<int>(ranks.size()), "rank") +
             (alike ? " x " + counted(ranks.front().threads, "thread")
                    : std::string(" of different numbers of threads"));
  if (known)
    use.text += " on " + std::to_string(used) + " of " + counted(all, "core") +
                (hosts.size() > 1 ? " of " + counted(static_cast<int>(hosts.size()), "host") : "");
  const Trouble trouble = trouble_of(worst->second);
  if (trouble == Trouble::none) return use;
  use.text += (hosts.size() > 1 ? "; on " + worst->first + " " : "; ") +
              describe(worst->second, trouble, start);
  use.wrong =
      trouble > Trouble::held_back || (trouble == Trouble::held_back && !start.threads_chosen);
  return use;
}

ProcessorUse processor_use(MPI_Comm comm, int threads, bool threads_chosen) {
  const RankPlace mine{host_name(), threads, allowed_cpus(threads), job_processors(),
                       container_limit()};
  std::vector<RankPlace> ranks;
  for (const std::string &text : gather_texts(packed(mine), comm))
    ranks.push_back(unpacked(text));
  if (ranks.empty()) return {};
  return judge_processor_use(ranks, {threads_chosen, started_by_launcher()});
}

void warn_of_processor_use(const char *program, MPI_Comm comm, int threads, bool threads_chosen) {
  const ProcessorUse use = processor_use(comm, threads, threads_chosen);
  if (use.wrong) std::fprintf(stderr, "%s: warning: %s\n", program, use.text.c_str());
}

bool threads_chosen_by_environment() {
  const char *value = std::getenv("OMP_NUM_THREADS");
  return value != nullptr && *value != '\0';
}

} // namespace hybridfft::tools
