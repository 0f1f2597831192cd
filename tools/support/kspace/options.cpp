// The table of all options of hybridfft-kspace, parsed by getopt_long like k-Wave's own program,
// and the checks of options that exclude each other.
#include "support/kspace/options.h"

#include <getopt.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <thread>
#include <vector>

#include "base/binding.h"
#include "support/option_values.h"

namespace hybridfft::tools {

namespace {

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

/// An option: its names, its help text, and its effect.
struct Option {
  char letter;         ///< 0: none
  const char *name;    ///< without dashes; nullptr: none
  const char *operand; ///< nullptr: none
  const char *help;
  std::function<void(const char *)> set;
};

std::string spelling(const Option &o) {
  std::string text = o.letter != 0 ? std::string("-") + o.letter : "";
  if (o.name != nullptr) text += (text.empty() ? "--" : ", --") + std::string(o.name);
  return text;
}

/// Parses an integer from `least` to `most`. Otherwise throws an error with `wrong`, k-Wave's
/// message.
std::int64_t integer(const Option &o, const char *text, std::int64_t least, std::int64_t most,
                     const char *wrong) {
  std::int64_t value = 0;
  const char *end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, value);
  if (result.ec == std::errc() && result.ptr == end && value >= least && value <= most)
    return value;
  throw UsageError(std::string(wrong) + " " + spelling(o) + " is '" + text +
                   "', expected an integer " +
                   (most == any ? "of at least " + std::to_string(least)
                                : std::to_string(least) + " to " + std::to_string(most)) +
                   ".");
}

/// Returns "" for a name with a leading dash: k-Wave treats it as missing, as it does an empty
/// name.
std::string file_name(const char *text) { return *text == '-' ? "" : text; }

/// A word accepted by an option, and its meaning.
template <class T> struct Named {
  const char *name;
  T value;
};
template <class T>
T choice(const std::string &what, const std::string &option, const std::string &text,
         std::initializer_list<Named<T>> all) {
  std::vector<std::string> names;
  for (const Named<T> &one : all) {
    if (text == one.name) return one.value;
    names.emplace_back(one.name);
  }
  throw UsageError("Invalid " + what + ". " + option + " is '" + text + "', expected " +
                   alternatives(names) + ".");
}

/// Parses a number between 0 and 1. Otherwise throws an error about `what`.
double share(const std::string &what, const std::string &option, const std::string &text) {
  double value = 0;
  const char *end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && last == end && value > 0 && value < 1) return value;
  throw UsageError("Invalid " + what + ". " + option + " is '" + text +
                   "', expected a number above 0 and below 1.");
}

/// getopt_long's code of the first long option; other long options have consecutive codes.
constexpr int first_code = 1000;

class Parser {
public:
  explicit Parser(KspaceOptions &o)
      : o_(o), records_(kspace::record_options(o.simulation.recording)) {
    declare_files();
    declare_basis();
    declare_device();
    declare_checkpoint();
    for (const kspace::RecordOption &r : records_)
      flag(r.letter, r.name.c_str(), r.help.c_str(), *r.wanted);
    number('s', nullptr, "step", "first recorded time step, from 1", o.simulation.recording.start,
           1, any, "Invalid sampling start time step.");
    flag(0, "copy_sensor_mask", "also write the sensor mask to the output",
         o.simulation.copy_sensor_mask);
    flag('h', "help", "print this help and stop", o.help);
    flag(0, "version", "print the version and stop", o.version);
  }

  void parse(int argc, char **argv);
  std::string usage() const;

private:
  void flag(char letter, const char *name, const char *help, bool &value) {
    options_.push_back({letter, name, nullptr, help, [&value](const char *) { value = true; }});
  }
  template <class T>
  void number(char letter, const char *name, const char *operand, const char *help, T &value,
              std::int64_t least, std::int64_t most, const char *wrong) {
    options_.push_back({letter, name, operand, help, {}});
    const std::size_t me = options_.size() - 1;
    options_.back().set = [this, me, &value, least, most, wrong](const char *text) {
      const std::int64_t limit = std::min<std::int64_t>(most, std::numeric_limits<T>::max());
      value = static_cast<T>(
          integer(options_[me], text, least, most == any && sizeof(T) == 8 ? any : limit, wrong));
    };
  }
  [[noreturn]] void refuse(int code, const std::string &argument) const;
  void declare_files();
  void declare_basis();
  void declare_device();
  void refuse_options_of_gpus() const;
  void refuse_options_of_other_bases() const;
  void refuse_options_of_steady_states() const;
  void declare_checkpoint();

  KspaceOptions &o_;
  std::vector<Option> options_;
  std::vector<kspace::RecordOption> records_; ///< owner of the texts of the recording options
  std::string transport_, accuracy_;          ///< as written by the user
};

void Parser::declare_files() {
  const auto file = [&](char letter, const char *help, std::string &value) {
    options_.push_back(
        {letter, nullptr, "file", help, [&value](const char *text) { value = file_name(text); }});
  };
  file('i', "input file (HDF5; versions 1.0, 1.1, 1.2)", o_.input);
  file('o', "output file, created or replaced when the simulation is complete", o_.output);
  number('t', nullptr, "threads",
         "OpenMP threads of each MPI rank; default: OMP_NUM_THREADS, else a machine's processors "
         "divided by its ranks",
         o_.threads, 1, max_threads(), "Invalid number of CPU threads.");
  options_.push_back(
      {0, "precision", "which", "single or double: of the fields and of the output (single)",
       [this](const char *text) {
         o_.simulation.precision = choice<kspace::Precision>(
             "precision", "--precision", text,
             {{"single", kspace::Precision::single}, {"double", kspace::Precision::double_}});
       }});
  number('r', nullptr, "percent", "report progress so often (5)", o_.progress_interval, 1, 100,
         "Invalid progress print interval.");
  number('c', nullptr, "level", "deflate level 0 to 9 of the output (0)", o_.simulation.compression,
         0, 9, "Invalid compression level.");
  flag(0, "xdmf", "describe fields and cuboids of the output in XDMF beside it, for ParaView",
       o_.simulation.xdmf);
  options_.push_back(
      {0, "writer", "how",
       "thread: a thread of each rank writes what is recorded at the sensor while the "
       "rank computes; none: all write together and wait (none)",
       [this](const char *text) {
         o_.simulation.writer = choice<kspace::Writer>(
             "writer", "--writer", text,
             {{"thread", kspace::Writer::thread}, {"none", kspace::Writer::together}});
       }});
  number(0, "benchmark", "steps", "run so many time steps instead of those of the file",
         o_.simulation.steps, 1, any, "Invalid number of time step for benchmark.");
  kspace::SteadyOptions &steady = o_.simulation.steady;
  options_.push_back(
      {0, "steady", "share",
       "stop when the largest pressures of a period at the sensor change by less "
       "than this share; p_max and others are those of the last period",
       [&steady](const char *text) { steady.change = share("change", "--steady", text); }});
  number(0, "period", "steps", "time steps of a period, for --steady", steady.period, 1, any,
         "Invalid period.");
  flag(0, "allow-unstable", "go on where the absorption makes the scheme unstable",
       o_.simulation.allow_unstable);
  number(0, "diverged_status", "status",
         "exit status of a simulation that has diverged (2; kspaceFirstOrder-OMP and -CUDA: 0)",
         o_.diverged_status, 0, 125, "Invalid exit status.");
  flag(0, "profile",
       "print where the time of a step goes, and what exchanges with neighbours cost; a GPU's "
       "kernels are waited for one by one",
       o_.profile);
  number(0, "verbose", "level", "0 basic, 1 advanced, 2 full (0)", o_.verbosity, 0, 2,
         "Invalid verbose level.");
}

void Parser::declare_basis() {
  kspace::BasisOptions &b = o_.simulation.basis;
  const auto text = [&](const char *name, const char *operand, const char *help,
                        std::string &value) {
    options_.push_back({0, name, operand, help, [&value, name](const char *given) {
                          if (*given == '\0')
                            throw UsageError(std::string("--") + name +
                                             " is '', expected a value, or not the option.");
                          value = given;
                        }});
  };
  options_.push_back({0, "basis", "which",
                      "of derivatives: global; local to blocks, which exchange their faces with "
                      "neighbours instead of transposing all; or auto, the faster one (global)",
                      [&b](const char *given) {
                        using Kind = kspace::BasisOptions::Selection;
                        b.kind = choice<Kind>("basis", "--basis", given,
                                              {{"global", Kind::global},
                                               {"local", Kind::local},
                                               {"auto", Kind::automatic}});
                      }});
  text("grid", "blocks",
       "blocks along x, y and z, 2x2x1, or their sizes, 40+56x1x1 (as many as ranks)", b.grid);
  text("overlap", "basis",
       "erf:H, ls:H, opt:H or mom:K/W, one or one for each axis, mom:6/32,ls:12,ls:8 (by size)",
       b.overlap);
  text("transverse", "basis",
       "the same for velocities across their own axis (narrower; as --overlap if that is given)",
       b.transverse);
  text("local_size", "points",
       "periods of the blocks along x, y and z, 96x64x64 or 72+88x64x64, or auto for fast ones "
       "(block and overlap)",
       b.local_size);
  options_.push_back({0, "coarse_level", "on|off",
                      "a coarse grid for the far field of power-law absorption (on, unless "
                      "--overlap is given)",
                      [&b](const char *given) {
                        b.coarse_level = choice<bool>("coarse level", "--coarse_level", given,
                                                      {{"on", true}, {"off", false}});
                      }});
  options_.push_back({0, "accuracy", "error",
                      "largest error that --basis auto may accept, over the largest value (1e-4)",
                      [this, &b](const char *given) {
                        b.accuracy = share("accuracy", "--accuracy", given);
                        accuracy_ = given;
                      }});
}

void Parser::declare_device() {
  kspace::DeviceOptions &d = o_.simulation.device;
  options_.push_back({0, "device", "which",
                      "what computes: cpu, gpu, one for each rank, or gpu+cpu, which gives ranks "
                      "beyond the number "
                      "of GPUs processors (cpu)",
                      [&d](const char *given) {
                        d.gpu = choice<bool>("device", "--device", given,
                                             {{"cpu", false}, {"gpu", true}, {"gpu+cpu", true}});
                        d.processors = std::string_view(given) == "gpu+cpu";
                      }});
  options_.push_back({0, "transport", "how",
                      "between GPUs of ranks: staged through the host, cuda_aware by an MPI that "
                      "can, nccl, or auto, whichever works (auto)",
                      [this, &d](const char *given) {
                        using grid::Transport;
                        d.transport = choice<Transport>("transport", "--transport", given,
                                                        {{"auto", Transport::automatic},
                                                         {"staged", Transport::staged},
                                                         {"cuda_aware", Transport::cuda_aware},
                                                         {"nccl", Transport::nccl}});
                        transport_ = given;
                      }});
}

/// Throws if --transport, an option for GPUs, is set for a simulation on processors.
void Parser::refuse_options_of_gpus() const {
  if (!transport_.empty() && !o_.simulation.device.gpu)
    throw UsageError("--transport is '" + transport_ +
                     "', and --device is cpu, expected --device gpu.");
}

/// Throws if an option of local bases is set without effect: with the global basis, or with --basis
/// auto, where the program chooses the blocks.
void Parser::refuse_options_of_other_bases() const {
  using Kind = kspace::BasisOptions::Selection;
  const kspace::BasisOptions &b = o_.simulation.basis;
  const bool chosen = b.kind == Kind::automatic && !o_.simulation.device.gpu;
  const auto refuse = [](const char *name, const std::string &value, const std::string &basis) {
    if (!value.empty())
      throw UsageError(std::string(name) + " is '" + value + "', and --basis is " + basis + ".");
  };
  if (b.kind != Kind::automatic)
    refuse("--accuracy", accuracy_,
           std::string(b.kind == Kind::local ? "local" : "global") + ", expected --basis auto");
  const std::string found =
      chosen ? "auto, which chooses it, expected --basis local" : "global, expected --basis local";
  if (chosen || b.kind == Kind::global)
    for (const auto &[name, value] :
         {std::pair("--grid", &b.grid), std::pair("--overlap", &b.overlap),
          std::pair("--transverse", &b.transverse), std::pair("--local_size", &b.local_size)})
      refuse(name, *value, found);
  if (b.kind == Kind::global && b.coarse_level.has_value())
    refuse("--coarse_level", *b.coarse_level ? "on" : "off", found);
}

/// Throws if --steady is set without a period, or with options for which all time steps are needed.
void Parser::refuse_options_of_steady_states() const {
  const kspace::SteadyOptions &s = o_.simulation.steady;
  if (s.change > 0 && !s.enabled())
    throw UsageError("--period is missing, expected the time steps of a period with --steady.");
  if (s.enabled() && s.change <= 0)
    throw UsageError("--steady is missing, expected the largest change with --period.");
  if (!s.enabled()) return;
  const char *other = o_.simulation.checkpoint.enabled()          ? "--checkpoint_file"
                      : o_.simulation.recording.intensity.average ? "--I_avg"
                      : o_.simulation.recording.intensity.heat    ? "--Q_term"
                                                                  : nullptr;
  if (other != nullptr)
    throw UsageError(std::string(other) + " is given, expected no such option with --steady, " +
                     "which leaves the number of time steps open.");
}

void Parser::declare_checkpoint() {
  kspace::CheckpointOptions &c = o_.simulation.checkpoint;
  options_.push_back({0, "checkpoint_file", "file",
                      "stop when one of the next two, SIGTERM or SIGUSR1 asks for it, leaving this "
                      "file; go on from it if it is there",
                      [&c](const char *text) { c.file = file_name(text); }});
  number(0, "checkpoint_interval", "seconds", "stop after so long", o_.checkpoint_interval, 1, any,
         "Invalid checkpoint interval.");
  number(0, "checkpoint_timesteps", "steps", "stop after so many time steps", c.steps, 1, any,
         "Invalid number of time steps of a checkpoint.");
}

/// Throws the error found by getopt_long. optopt is the letter of a short option or the code of a
/// long one; `argument` is the argument with the long option.
void Parser::refuse(int code, const std::string &argument) const {
  const std::string wrong = "Unknown command line parameter or missing argument: ";
  const auto known = std::find_if(options_.begin(), options_.end(), [&](const Option &o) {
    return optopt >= first_code ? &o - options_.data() == optopt - first_code
                                : optopt != 0 && o.letter == optopt;
  });
  if (known != options_.end() && code == ':')
    throw UsageError(wrong + spelling(*known) + " misses its operand '" + known->operand + "'.");
  if (known != options_.end())
    throw UsageError(wrong + argument + ", but " + spelling(*known) + " has no operand.");
  if (optopt != 0) throw UsageError(wrong + "-" + static_cast<char>(optopt) + ".");

  const std::string start = argument.substr(0, argument.find('='));
  std::string candidates;
  for (const Option &o : options_)
    if (const std::string name = o.name != nullptr ? std::string("--") + o.name : "";
        name.starts_with(start))
      candidates += (candidates.empty() ? "" : ", ") + name;
  if (candidates.empty()) throw UsageError(wrong + argument + ".");
  throw UsageError("Ambiguous command line parameter: " + start + " can be " + candidates + ".");
}

void Parser::parse(int argc, char **argv) {
  std::string letters = ":"; // with a leading colon getopt_long distinguishes a missing operand
                             // from an unknown option
  std::vector<option> names;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const Option &o = options_[i];
    if (o.letter != 0) letters += std::string(1, o.letter) + (o.operand != nullptr ? ":" : "");
    if (o.name != nullptr)
      names.push_back({o.name, o.operand != nullptr ? required_argument : no_argument, nullptr,
                       first_code + static_cast<int>(i)});
  }
  names.push_back({nullptr, 0, nullptr, 0});
  opterr = 0;
  optind = 0;
  for (int code = 0;
       (code = getopt_long(argc, argv, letters.c_str(), names.data(), nullptr)) != -1;) {
    if (code == '?' || code == ':') refuse(code, argv[std::clamp(optind - 1, 0, argc - 1)]);
    const auto found = std::find_if(options_.begin(), options_.end(), [&](const Option &o) {
      return code >= first_code ? &o - options_.data() == code - first_code : o.letter == code;
    });
    found->set(optarg);
  }
  if (o_.help || o_.version) return;
  refuse_options_of_gpus();
  refuse_options_of_other_bases();
  refuse_options_of_steady_states();
}

std::string Parser::usage() const {
  std::string text =
      "Usage: hybridfft-kspace -i input -o output [options]: k-space pseudospectral acoustic "
      "simulation\nof a k-Wave input file over MPI and OpenMP\n\n";
  for (const Option &o : options_) {
    std::string line =
        "  " + spelling(o) + (o.operand != nullptr ? std::string(" ") + o.operand : "");
    line.resize(std::max<std::size_t>(line.size() + 2, 32), ' ');
    text += line + o.help + "\n";
  }
  text +=
      "\nExit status: 0 when the simulation, or its part up to a checkpoint, is done; that of\n"
      "--diverged_status when it is done but has diverged (fields are not finite; the output is\n"
      "complete); 1 for any error.\n";
  return text;
}

} // namespace

KspaceOptions parse_kspace_options(int argc, char **argv) {
  KspaceOptions o;
  Parser(o).parse(argc, argv);
  if (o.help || o.version) return o;
  std::vector<std::string>
      free; // file options without a value; getopt_long moves words without option to the end
  if (o.input.empty()) free.emplace_back("-i");
  if (o.output.empty()) free.emplace_back("-o");
  const std::string guess = did_you_mean({argv + optind, argv + argc}, free);
  if (o.input.empty()) throw UsageError("Input file was not specified (-i)." + guess);
  if (o.output.empty()) throw UsageError("Output file was not specified (-o)." + guess);
  o.simulation.device.timed = o.profile && o.simulation.device.gpu;
  kspace::CheckpointOptions &c = o.simulation.checkpoint;
  c.interval = static_cast<double>(o.checkpoint_interval);
  const bool when = o.checkpoint_interval > 0 || c.steps > 0;
  if (c.enabled() && !when)
    throw UsageError("No checkpoint interval or time steps were specified (--checkpoint_interval, "
                     "--checkpoint_timesteps).");
  if (when && !c.enabled())
    throw UsageError("Checkpoint file was not specified (--checkpoint_file).");
  if (o.simulation.writer == kspace::Writer::thread && o.simulation.compression > 0)
    throw UsageError("--writer thread cannot compress: -c is " +
                     std::to_string(o.simulation.compression) + ", expected 0.");
  kspace::Recording &r = o.simulation.recording;
  if (!r.any()) r.p["raw"] = true;
  return o;
}

std::string kspace_usage() {
  KspaceOptions o;
  return Parser(o).usage();
}

} // namespace hybridfft::tools
