// Parses the options of hybridfft-bench, and makes problem strings of sizes.
#include "scaling/options.h"

#include <omp.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "support/cli_options.h"
#include "support/effort_option.h"
#include "support/version_text.h"

namespace hybridfft::bench {

namespace {

const std::map<std::string, Kind> kinds{{"c2c", Kind::c2c}, {"r2c", Kind::r2c}, {"c2r", Kind::c2r}};
const std::map<std::string, Direction> directions{{"forward", Direction::forward},
                                                  {"backward", Direction::backward}};
const std::map<std::string, bool> precisions{{"single", true}, {"double", false}};

/// Divides the words of --size into one list of extents per problem. A word such as 64x64x64 or
/// 64,64,64 is a problem; consecutive words of one number each are a problem, too.
std::vector<std::vector<std::string>> sizes_of(const std::vector<std::string> &words) {
  std::vector<std::vector<std::string>> sizes;
  bool open = false;
  for (const std::string &word : words) {
    const bool alone = word.find_first_of("x,") == std::string::npos;
    if (!(alone && open)) sizes.emplace_back();
    sizes.back().push_back(word);
    open = alone;
  }
  return sizes;
}

Problem sized_problem(const BenchOptions &o, const std::vector<std::string> &size) {
  Problem p;
  try {
    const tools::ListOf extents{.least = 2, .most = 8, .min_value = 1, .example = "256x256x256"};
    for (const std::int64_t n : tools::parse_list<std::int64_t>(size, extents))
      p.extents.push_back(n);
  } catch (const std::invalid_argument &e) {
    throw std::invalid_argument(std::string("--size: ") + e.what());
  }
  const Direction natural = o.kind == Kind::c2r ? Direction::backward : Direction::forward;
  p.kind = o.kind;
  p.direction = o.direction.value_or(natural);
  if (o.kind != Kind::c2c && p.direction != natural)
    throw std::invalid_argument("--direction: r2c goes forward, c2r backward");
  p.single = o.single;
  p.in_place = o.in_place;
  (p.direction == Direction::forward ? p.transposed_out : p.transposed_in) = o.transposed;
  return p;
}

} // namespace

void add_options(CLI::App &app, BenchOptions &o) {
  app.set_version_flag("--version", tools::version_text("hybridfft-bench"));
  app.add_option(
      "problems", o.problems,
      "Problem strings as hybridfft-verify takes them: sof]256x256x256 is single\n"
      "precision, out of place, forward, with transposed output. of64x64x64(redft10) has\n"
      "DCTs along all axes, ofr64x64x64(dft,dft,redft10) along the last one");
  app.add_option("--size", o.sizes, "A problem in words: extents such as 256x256x256, and");
  tools::add_choice(app, "--kind", o.kind, kinds, "  of the transform")->default_str("c2c");
  tools::add_choice(app, "--precision", o.single, precisions, "  of the values")
      ->default_str("single");
  tools::add_choice(app, "--direction", o.direction, directions,
                    "  default forward, for c2r backward");
  app.add_flag("--transposed", o.transposed, "  leave the spectrum transposed: less traffic");
  app.add_flag("--in-place", o.in_place, "  in place");
  app.add_option("--threads", o.threads,
                 "OpenMP threads per rank for problems without @; default OMP_NUM_THREADS")
      ->check(tools::between(1, 4096));
  tools::add_effort(app, o.contest.effort);
  app.add_option("--repetitions", o.contest.repetitions, "Rounds that count")
      ->capture_default_str()
      ->check(tools::between(1, 1000000));
  app.add_option("--warmups", o.contest.warmups, "Rounds before them")
      ->capture_default_str()
      ->check(tools::between(0, 1000000));
  std::string peers = "Separated by commas, beside this library; default: all that can.";
  for (const PeerType &type : peer_types())
    peers += std::string("\n") + type.name + ": " + type.about;
  app.add_option("--peers", o.peers, peers)->delimiter(',');
  app.add_flag("--overlap", o.contest.overlap,
               "Also tell how much of pipelined exchanges hides behind the passes");
  app.add_flag("--energy", o.contest.energy,
               "Also measure joules of an execution, of all processors and memories of the nodes");
  app.add_flag("--pairs", o.contest.pairs, "Time each transform together with its inverse");
  app.add_option("--json", o.json, "Also write the results to this JSON file");
  app.add_option("--csv", o.csv, "Also write the results to this CSV file");
  app.add_flag("--plans", o.plans, "Print the plans that were chosen");
  app.footer("Exit status: 1 when a peer fails or has another result than this library, which\n"
             "is told and not timed, or anything else fails.");
}

std::vector<Problem> problems_of(const BenchOptions &o) {
  if (o.problems.empty() && o.sizes.empty())
    throw std::invalid_argument("nothing to measure: give problem strings or --size");
  const int threads = o.threads != 0 ? o.threads : omp_get_max_threads();
  std::vector<Problem> list;
  for (const std::string &text : o.problems) {
    list.push_back(verifier::parse(text, 2, true));
    if (text.find('@') == std::string::npos) list.back().threads = threads;
  }
  for (const std::vector<std::string> &size : sizes_of(o.sizes)) {
    list.push_back(sized_problem(o, size));
    list.back().threads = threads;
  }
  for (const Problem &p : list)
    if (!verifier::supported(p))
      throw std::invalid_argument("problem '" + to_string(p) +
                                  "': real data of two dimensions cannot be transposed");
  return list;
}

std::vector<PeerType> peers_of(const BenchOptions &o) {
  const auto types = peer_types();
  std::vector<PeerType> list{types.front()};
  std::string names;
  for (const PeerType &type : types)
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  for (const std::string &name : o.peers) {
    const auto named = [&name](const PeerType &type) { return name == type.name; };
    const auto found = std::find_if(types.begin(), types.end(), named);
    if (found == types.end())
      throw std::invalid_argument("--peers: found '" + name + "', expected some of " + names);
    if (std::none_of(list.begin(), list.end(), named)) list.push_back(*found);
  }
  if (o.peers.empty()) list.assign(types.begin(), types.end());
  return list;
}

} // namespace hybridfft::bench
