/// hybridfft-verify: runs transforms on random data and checks their results. Problem strings
/// describe the transforms; otherwise they are random, too.

#include <cstdio>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "support/cli_options.h"
#include "support/effort_option.h"
#include "support/mpi_main.h"
#include "support/processor_use.h"
#include "support/version_text.h"
#include "verifier/random_problem.h"
#include "verifier/verify.h"
#include "verifier/verify_layouts.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::verifier;

struct Arguments {
  std::vector<std::string> problems;
  std::uint64_t random = 0;
  std::uint64_t random_layouts = 0;
  std::uint64_t seed = 1;
  std::ptrdiff_t max_size = 4000;
  int threads = 1;
  Effort effort = Effort::estimate;
  bool verbose = false;
};

void add_options(CLI::App &app, Arguments &a) {
  app.set_version_flag("--version", hybridfft::tools::version_text("hybridfft-verify"));
  app.add_option("problems", a.problems,
                 "Problem strings: [io][fb][cr][ds][[]][=] letters, extents, *vHOWMANY,\n"
                 "/BLOCK_IN,BLOCK_OUT, @THREADS. i/o in or out of place, f/b forward or backward,\n"
                 "c/r complex or real (r2c forward, c2r backward), d/s double or single,\n"
                 "[ and ] transposed input and output, = deterministic. Examples: of]12x7x5  "
                 "sibr[10x5x9*v3/4,0@2\n"
                 "With layouts: :AXES:LAYOUT>LAYOUT, axes from slow to fast memory, /PARTS\n"
                 "+PADDING, s separate fields, %SEED random blocks, #SEED random boxes.\n"
                 "Example on 6 ranks: ofr12x7x5:0.2:0/2.1/3.2+1>1/2.2/3.0");
  app.add_option("--random", a.random, "Verify this many random problems, too")
      ->check(tools::at_least(std::int64_t{0}));
  app.add_option("--random-layouts", a.random_layouts,
                 "Verify this many random problems between random layouts, too")
      ->check(tools::at_least(std::int64_t{0}));
  app.add_option("--seed", a.seed, "Of the random problems and of the data")->capture_default_str();
  app.add_option("--max-size", a.max_size, "Largest number of values of a random problem")
      ->capture_default_str()
      ->check(tools::between(std::ptrdiff_t{1}, std::ptrdiff_t{1} << 29U));
  app.add_option("--threads", a.threads,
                 "OpenMP threads per rank for problems without @; the most for random ones")
      ->capture_default_str()
      ->check(tools::between(1, 4096));
  tools::add_effort(app, a.effort);
  app.add_flag("--verbose", a.verbose, "Print every check of every problem");
  app.footer("Exit status: 0 when all problems passed, 1 otherwise.");
}

class Session {
public:
  Session(const Arguments &arguments, MPI_Comm comm) : a_(arguments), comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
  }

  template <class AnyProblem> void run(const AnyProblem &problem) {
    const std::string text = to_string(problem);
    if (rank_ == 0) std::printf("%-36s ", text.c_str());
    std::fflush(stdout);
    const Report report = verify(problem, comm_, {a_.effort, a_.seed});
    ++(report.passed() ? passed_ : failed_);
    if (rank_ != 0) return;
    const Check &worst = report.worst();
    std::printf("%-10s error %.2e tolerance %.2e %s\n", worst.name.c_str(), worst.error,
                worst.tolerance, report.passed() ? "OK" : "FAILED");
    if (a_.verbose)
      for (const Check &c : report.checks)
        std::printf("  %-12s error %.2e tolerance %.2e\n", c.name.c_str(), c.error, c.tolerance);
    if (!report.passed())
      std::printf("%s  replay on %d ranks: hybridfft-verify --seed %llu --effort %s '%s'\n",
                  report.failures().c_str(), ranks_, static_cast<unsigned long long>(a_.seed),
                  tools::name_of(a_.effort).c_str(), text.c_str());
    std::fflush(stdout);
  }

  int finish() const {
    if (rank_ == 0) std::printf("%ld passed, %ld failed\n", passed_, failed_);
    return failed_ == 0 ? 0 : 1;
  }
  int ranks() const { return ranks_; }

private:
  Arguments a_;
  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  long passed_ = 0;
  long failed_ = 0;
};

int verify_all(const Arguments &a, MPI_Comm comm) {
  tools::warn_of_processor_use("hybridfft-verify", comm, a.threads, true);
  if (a.problems.empty() && a.random == 0 && a.random_layouts == 0)
    throw std::invalid_argument("nothing to verify: give problem strings, --random N or "
                                "--random-layouts N");
  std::vector<std::variant<Problem, LayoutProblem>> problems;
  for (const std::string &text : a.problems) {
    const bool given = text.find('@') != std::string::npos;
    if (names_layouts(text)) {
      LayoutProblem p = parse_layout_problem(text);
      if (!given) p.base.threads = a.threads;
      problems.emplace_back(p);
    } else {
      Problem p = parse(text);
      if (!given) p.threads = a.threads;
      problems.emplace_back(p);
    }
  }
  Session session(a, comm);
  for (const auto &any : problems)
    std::visit([&](const auto &p) { session.run(p); }, any);
  const Sweep sweep{a.seed, a.max_size, a.threads, session.ranks()};
  for (std::uint64_t i = 0; i < a.random; ++i)
    session.run(random_problem(sweep, i));
  const LayoutSweep layouts{a.seed, a.max_size, a.threads, session.ranks()};
  for (std::uint64_t i = 0; i < a.random_layouts; ++i)
    session.run(random_layout_problem(layouts, i));
  return session.finish();
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Verifies distributed transforms against the definition of the DFT.",
               "hybridfft-verify");
  Arguments arguments;
  add_options(app, arguments);
  return hybridfft::tools::run(argc, argv, app,
                               [&](MPI_Comm comm) { return verify_all(arguments, comm); });
}
