/// hybridfft-bench: measures this library and others alternately on the same problems.

#include <omp.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/mpi.h"
#include "scaling/entrant.h"
#include "scaling/fftw_peers.h"
#include "scaling/options.h"
#include "scaling/report.h"
#include "support/mpi_main.h"
#include "support/processor_use.h"

namespace hybridfft::bench {
namespace {

/// A file of rank 0. It is opened before the work, so a bad name is reported at once. An older file
/// remains until the new one is complete. Devices and pipes are written directly.
class OutputFile {
public:
  OutputFile(const std::string &name, MPI_Comm comm) : name_(name), comm_(comm) {
    if (name_.empty()) return;
    mpi::all_or_none(comm_, [this] {
      if (mpi::rank(comm_) != 0) return;
      const auto status = std::filesystem::status(name_);
      if (std::filesystem::is_character_file(status) || std::filesystem::is_fifo(status)) {
        pipe_.open(name_);
        if (!pipe_) throw std::runtime_error("cannot open '" + name_ + "'");
      } else {
        explain("cannot open", [this] { file_.emplace(name_); });
      }
    });
  }
  void write(const std::string &text) {
    if (name_.empty()) return;
    mpi::all_or_none(comm_, [&] {
      if (mpi::rank(comm_) != 0) return;
      if (!file_) {
        pipe_ << text << std::flush;
        if (!pipe_) throw std::runtime_error("cannot write '" + name_ + "'");
        return;
      }
      explain("cannot write", [&] {
        file_->append(text);
        file_->commit();
      });
    });
  }

private:
  template <class F> void explain(const char *what, const F &f) const {
    try {
      f();
    } catch (const FileError &e) {
      throw std::runtime_error(std::string(what) + " '" + name_ + "': " + e.what());
    }
  }

  std::string name_;
  MPI_Comm comm_;
  std::optional<AtomicFile> file_;
  std::ofstream pipe_;
};

/// Returns the peers that can compute the problem. Prints why the others cannot.
std::vector<PeerType> able(const std::vector<PeerType> &types, const Problem &problem, bool pairs,
                           int ranks, bool speaks) {
  std::vector<PeerType> list;
  for (const PeerType &type : types) {
    std::string reason = type.refuses(problem, ranks);
    if (reason.empty() && pairs) reason = type.refuses(inverse_of(problem), ranks);
    if (reason.empty())
      list.push_back(type);
    else if (speaks)
      std::printf("%s: without %s: %s\n", to_string(problem).c_str(), type.name, reason.c_str());
  }
  return list;
}

int measure(const BenchOptions &options, MPI_Comm comm) {
  const std::vector<Problem> problems = problems_of(options);
  const std::vector<PeerType> types = peers_of(options);
  tools::warn_of_processor_use("hybridfft-bench", comm,
                               options.threads > 0 ? options.threads : omp_get_max_threads(),
                               options.threads > 0 || tools::threads_chosen_by_environment());
  OutputFile json(options.json, comm);
  OutputFile csv(options.csv, comm);
  initialize_fftw();
  const bool speaks = mpi::rank(comm) == 0;
  std::vector<ContestResult> results;
  bool all_count = true;
  for (const Problem &problem : problems) {
    const auto entrants = able(types, problem, options.contest.pairs, mpi::size(comm), speaks);
    results.push_back(run_contest(problem, entrants, comm, options.contest));
    all_count = all_count && results.back().failures.empty();
    if (!speaks) continue;
    std::fputs(as_text(results.back()).c_str(), stdout);
    if (options.plans) std::fputs(plans_of(results.back()).c_str(), stdout);
    std::fflush(stdout);
  }
  if (speaks) std::fputs(explanation_of_columns().c_str(), stdout);
  json.write(as_json(results));
  csv.write(as_csv(results));
  return all_count ? 0 : 1;
}

} // namespace
} // namespace hybridfft::bench

int main(int argc, char **argv) {
  CLI::App app(
      "Measures distributed transforms of this library and of others, in turns: first that "
      "all agree on the result, then how long they take.",
      "hybridfft-bench");
  hybridfft::bench::BenchOptions options;
  hybridfft::bench::add_options(app, options);
  return hybridfft::tools::run(
      argc, argv, app, [&](MPI_Comm comm) { return hybridfft::bench::measure(options, comm); });
}
