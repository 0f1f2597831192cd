#include "solvers/kspace/checkpoint.h"

#include <functional>
#include <utility>
#include <vector>

#include "io/checkpoint.h"
#include "solvers/kspace/output_header.h"

namespace hybridfft::kspace {

namespace {

/// Returns the scalars of a simulation. They must equal those in its checkpoint.
io::SimulationIdentity identity_of(const Parameters &p, const Recording &recording) {
  const auto [integers, reals] = scalars_of(p);
  io::SimulationIdentity all;
  for (const auto &[name, value, in_output] : integers)
    all.integers.emplace_back(name, value);
  for (const auto &[name, value, in_output] : reals)
    all.reals.emplace_back(name, value);
  // The averaging interval of the intensity depends on the total number of time steps.
  if (recording.intensity.any()) all.integers.emplace_back("Nt", p.steps);
  return all;
}

/// A recording option that must not change when a simulation continues: its dataset in the
/// checkpoint, its name on the command line, and its value.
struct SavedOption {
  std::string dataset, option;
  std::int64_t value;
  bool is_flag;

  std::string text(std::int64_t v) const {
    return is_flag ? v != 0 ? "given" : "not given" : std::to_string(v);
  }
};

std::vector<SavedOption> saved_options(Recording r, int compression) {
  std::vector<SavedOption> all;
  for (const RecordOption &o : record_options(r))
    all.push_back({o.name + "_flag", "--" + o.name, *o.wanted ? 1 : 0, true});
  all.push_back({"recording_start", "-s", r.start, false});
  all.push_back({"compression_level", "-c", compression, false});
  return all;
}

/// Version of a checkpoint's content. Increment it with every change. Files of version 1 have no
/// version number.
constexpr const char *format_name = "checkpoint_format";
constexpr std::int64_t format = 2;

/// Throws InputError for a checkpoint of another version.
void require_format(const InputFile &file, const grid::Communicator &comm) {
  const bool has_format = io::File::open(file.path(), comm.handle()).exists(format_name);
  const std::string found = has_format ? std::to_string(file.integer(format_name)) : "missing";
  if (found == std::to_string(format)) return;
  throw InputError(file.path() +
                   ": the checkpoint was written by another version of "
                   "hybridfft-kspace: dataset " +
                   format_name + " is " + found + ", expected " + std::to_string(format) +
                   "; go on with that version, or remove the file to begin "
                   "anew");
}

/// Throws InputError if the recording options differ from the checkpoint's, because completed steps
/// cannot be recorded again.
void require_same_records(const InputFile &file, const Recording &recording, int compression) {
  std::string differences;
  for (const SavedOption &o : saved_options(recording, compression)) {
    const auto found = static_cast<std::int64_t>(file.integer(o.dataset));
    if (found != o.value)
      differences += (differences.empty() ? "" : "; ") + o.option + " was " + o.text(found) +
                     " and is " + o.text(o.value) + " now";
  }
  if (differences.empty()) return;
  throw InputError(file.path() + ": the simulation began with other options of recording: " +
                   differences + ", expected the same to go on");
}

/// Calls f(name, field) for every field of the state.
template <class Real, class F>
void for_each_field(const State<Real> &state, const LocalGrid &local, const F &f) {
  f("p", state.pressure);
  for (int axis = 0; axis < local.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::string x = axis_name(axis);
    f("rho" + x, state.density[a]);
    f("u" + x + "_sg" + x, state.velocity[a]);
  }
}

io::CheckpointNumbers numbers_of(const InputFile &file) {
  return {[&](const std::string &name) { return static_cast<std::int64_t>(file.integer(name)); },
          [&](const std::string &name) { return file.real(name); },
          [](double value) { return to_string(value); },
          [&](const std::string &name, const std::string &found, const std::string &expected) {
            file.reject(name, found, expected);
          }};
}

} // namespace

template <class Real>
std::optional<Checkpoint<Real>> Checkpoint<Real>::find(const std::string &path,
                                                       const Parameters &parameters,
                                                       const Recording &recording, int compression,
                                                       const grid::Communicator &comm) {
  if (!io::exists_at_root(path, comm.handle())) return std::nullopt;
  Checkpoint<Real> c(path, comm);
  require_format(c.file_, comm);
  if (c.file_.value_bytes("p") != sizeof(Real))
    c.file_.reject("p", "of " + std::to_string(8 * c.file_.value_bytes("p")) + "-bit values",
                   std::to_string(8 * sizeof(Real)) +
                       "-bit ones: it was written with another --precision");
  require_same_records(c.file_, recording, compression);
  io::require_same_simulation(numbers_of(c.file_), identity_of(parameters, recording));
  c.step_ = io::require_step(numbers_of(c.file_), parameters.steps);
  return c;
}

namespace {

/// Begins a checksum with the step and the fingerprint of the input.
Checksum begin_checksum(std::int64_t step, std::int64_t fingerprint,
                        const grid::Communicator &comm) {
  Checksum checksum;
  static_cast<io::ContentChecksum &>(checksum) =
      io::begin_checkpoint_checksum(step, fingerprint, comm.rank());
  return checksum;
}

} // namespace

template <class Real>
void Checkpoint<Real>::restore(std::int64_t fingerprint, State<Real> &state,
                               Recorder<Real> &recorder, const LocalGrid &local,
                               const grid::Communicator &comm) const {
  io::require_fingerprint(numbers_of(file_), fingerprint,
                          "medium, sources and sensor in the input");
  Checksum checksum = begin_checksum(step_, fingerprint, comm);
  for_each_field(state, local, [&](const std::string &name, const Field<Real> &field) {
    file_.field(name, local, Values::any, field, &checksum);
  });
  recorder.restore(file_, checksum);
  io::require_checksum(numbers_of(file_), checksum.total(comm));
}

template <class Real>
void Checkpoint<Real>::mark(OutputFile &output, const CheckpointIdentity &simulation) {
  const auto &[parameters, recording, fingerprint] = simulation;
  output.attribute(io::simulation_attribute,
                   io::simulation_checksum(identity_of(parameters, recording), fingerprint));
}

template <class Real>
void Checkpoint<Real>::require_own(const OutputFile &output, const Parameters &parameters,
                                   const Recording &recording) const {
  const auto fingerprint = static_cast<std::int64_t>(file_.integer(io::checkpoint_fingerprint));
  io::require_own(output.file(), file_.path(),
                  io::simulation_checksum(identity_of(parameters, recording), fingerprint),
                  [](const std::string &message) { throw InputError(message); });
}

template <class Real>
void Checkpoint<Real>::write(OutputFile &file, int compression, std::int64_t step,
                             const CheckpointIdentity &simulation, const State<Real> &state,
                             Recorder<Real> &recorder, const LocalGrid &local,
                             const grid::Communicator &comm) {
  const auto &[parameters, recording, fingerprint] = simulation;
  for (const auto &[name, value] : std::vector<std::pair<const char *, std::string>>{
           {"created_by", "hybridfft-kspace"},
           {"file_description", parameters.description},
           {"file_type", "checkpoint"},
           {"major_version", "1"},
           {"minor_version", "2"}})
    file.attribute(name, value);
  file.integer(format_name, static_cast<std::uint64_t>(format));
  const io::SimulationIdentity identity = identity_of(parameters, recording);
  for (const auto &[name, value] : identity.integers)
    file.integer(name, static_cast<std::uint64_t>(value));
  for (const SavedOption &o : saved_options(recording, compression))
    file.integer(o.dataset, static_cast<std::uint64_t>(o.value));
  for (const auto &[name, value] : identity.reals)
    file.real(name, value);
  file.integer(io::checkpoint_step, static_cast<std::uint64_t>(step));
  file.integer(io::checkpoint_fingerprint, static_cast<std::uint64_t>(fingerprint));
  Checksum checksum = begin_checksum(step, fingerprint, comm);
  for_each_field(state, local, [&](const std::string &name, const Field<Real> &field) {
    file.field(name, local, field, &checksum);
  });
  recorder.save(file, checksum);
  file.integer(io::checkpoint_checksum, static_cast<std::uint64_t>(checksum.total(comm)));
}

template class Checkpoint<float>;
template class Checkpoint<double>;

} // namespace hybridfft::kspace
