#include "kspace/checkpoint.h"

#include <array>
#include <filesystem>
#include <functional>
#include <vector>

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

namespace {

/// Integers and reals that must be the same when a simulation goes on.
struct Identity {
  std::string name;
  std::int64_t value;
};

std::vector<Identity> integers_of(const Parameters &p, const Recording &recording) {
  std::vector<Identity> all{{"Nx", p.n[0]},
                            {"Ny", p.n[1]},
                            {"Nz", p.n[2]},
                            {"axisymmetric_flag", p.axisymmetric ? 1 : 0},
                            {"nonuniform_grid_flag", p.nonuniform_grid ? 1 : 0},
                            {"nonlinear_flag", p.nonlinear ? 1 : 0},
                            {"absorbing_flag", static_cast<std::int64_t>(p.absorption)},
                            {"p0_source_flag", p.initial_pressure ? 1 : 0},
                            {"p_source_flag", p.p_source_steps},
                            {"transducer_source_flag", p.transducer_steps},
                            {"p_source_mode", static_cast<std::int64_t>(p.p_source_mode)},
                            {"u_source_mode", static_cast<std::int64_t>(p.u_source_mode)},
                            {"p_source_many", p.p_source_many ? 1 : 0},
                            {"u_source_many", p.u_source_many ? 1 : 0},
                            {"sensor_mask_type", static_cast<std::int64_t>(p.sensor_mask)}};
  for (int axis = 0; axis < p.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::string x = axis_name(axis);
    all.push_back({"u" + x + "_source_flag", p.u_source_steps[a]});
    all.push_back({"pml_" + x + "_size", p.pml_size[a]});
  }
  // Averages depend on how many samples there will be.
  if (recording.intensity.any()) all.push_back({"Nt", p.steps});
  return all;
}

std::vector<std::pair<std::string, double>> reals_of(const Parameters &p) {
  std::vector<std::pair<std::string, double>> all{
      {"dt", p.dt}, {"c_ref", p.c_ref}, {"alpha_power", p.alpha_power}};
  for (int axis = 0; axis < p.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::string x = axis_name(axis);
    all.emplace_back("d" + x, p.spacing[a]);
    all.emplace_back("pml_" + x + "_alpha", p.pml_alpha[a]);
  }
  return all;
}

/// Options that decide on the records and their shapes: a dataset of the checkpoint and the option
/// of the program.
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

/// Version of a checkpoint's content, to be raised whenever that changes. The first had none.
constexpr const char *format_name = "checkpoint_format";
constexpr std::int64_t format = 2;

/// Throws InputError for a checkpoint of another version, which holds other things.
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

/// Rows and sums of steps that are over cannot be made up for.
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

/// f(name, field) for every field of the state.
void for_each_field(const State &state, const LocalGrid &local,
                    const std::function<void(const std::string &, const Field &)> &f) {
  f("p", state.pressure);
  for (int axis = 0; axis < local.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::string x = axis_name(axis);
    f("rho" + x, state.density[a]);
    f("u" + x + "_sg" + x, state.velocity[a]);
  }
}

bool exists(const std::string &path, const grid::Communicator &comm) {
  std::error_code none;
  const bool here = comm.rank() == 0 && std::filesystem::exists(path, none);
  return comm.max(std::int64_t{here ? 1 : 0}) == 1;
}

} // namespace

std::optional<Checkpoint> Checkpoint::find(const std::string &path, const Parameters &parameters,
                                           const Recording &recording, int compression,
                                           const grid::Communicator &comm) {
  if (!exists(path, comm)) return std::nullopt;
  Checkpoint c(path, comm);
  require_format(c.file_, comm);
  if (c.file_.value_bytes("p") != sizeof(Real))
    c.file_.reject("p", "of " + std::to_string(8 * c.file_.value_bytes("p")) + "-bit values",
                   std::to_string(8 * sizeof(Real)) +
                       "-bit ones: it was written with another --precision");
  require_same_records(c.file_, recording, compression);
  const std::string same = ", as in the input and the options: it belongs to another simulation";
  for (const Identity &identity : integers_of(parameters, recording)) {
    const auto found = static_cast<std::int64_t>(c.file_.integer(identity.name));
    if (found != identity.value)
      c.file_.reject(identity.name, std::to_string(found), std::to_string(identity.value) + same);
  }
  for (const auto &[name, value] : reals_of(parameters)) {
    const double found = c.file_.real(name);
    if (found != value) c.file_.reject(name, to_string(found), to_string(value) + same);
  }
  c.step_ = static_cast<std::int64_t>(c.file_.integer("t_index"));
  if (c.step_ < 1 || c.step_ >= parameters.steps)
    c.file_.reject("t_index", std::to_string(c.step_),
                   "1 to " + std::to_string(parameters.steps - 1) +
                       ", less than the time steps of the simulation");
  return c;
}

namespace {

constexpr const char *fingerprint_name = "input_checksum";

/// A checksum with what is not compared with anything else.
Checksum begin_checksum(std::int64_t step, std::int64_t fingerprint,
                        const grid::Communicator &comm) {
  Checksum checksum;
  const std::array values{step, fingerprint};
  if (comm.rank() == 0) checksum.add_list("t_index", 0, std::span<const std::int64_t>(values));
  return checksum;
}

} // namespace

void Checkpoint::restore(std::int64_t fingerprint, State &state, Recorder &recorder,
                         const LocalGrid &local, const grid::Communicator &comm) const {
  const auto written = static_cast<std::int64_t>(file_.integer(fingerprint_name));
  if (written != fingerprint)
    file_.reject(fingerprint_name, std::to_string(written),
                 std::to_string(fingerprint) +
                     ", that of medium, sources and sensor in the input: it belongs to another "
                     "simulation");
  Checksum checksum = begin_checksum(step_, fingerprint, comm);
  for_each_field(state, local, [&](const std::string &name, const Field &field) {
    file_.field(name, local, InputFile::Values::finite, field, &checksum);
  });
  recorder.restore(file_, checksum);
  const auto expected = static_cast<std::int64_t>(file_.integer("checksum"));
  const std::int64_t found = checksum.total(comm);
  if (found != expected)
    file_.reject("checksum", std::to_string(expected),
                 std::to_string(found) + ", that of the values: the file is damaged");
}

OutputFile Checkpoint::write(const std::string &path, int compression, std::int64_t step,
                             const Simulation &simulation, const State &state, Recorder &recorder,
                             const LocalGrid &local, const grid::Communicator &comm) {
  const auto &[parameters, recording, fingerprint] = simulation;
  OutputFile file(path, comm, compression);
  for (const auto &[name, value] : std::vector<std::pair<const char *, std::string>>{
           {"created_by", "hybridfft-kspace"},
           {"file_description", parameters.description},
           {"file_type", "checkpoint"},
           {"major_version", "1"},
           {"minor_version", "2"}})
    file.attribute(name, value);
  file.integer(format_name, static_cast<std::uint64_t>(format));
  for (const Identity &identity : integers_of(parameters, recording))
    file.integer(identity.name, static_cast<std::uint64_t>(identity.value));
  for (const SavedOption &o : saved_options(recording, compression))
    file.integer(o.dataset, static_cast<std::uint64_t>(o.value));
  for (const auto &[name, value] : reals_of(parameters))
    file.real(name, value);
  file.integer("t_index", static_cast<std::uint64_t>(step));
  file.integer(fingerprint_name, static_cast<std::uint64_t>(fingerprint));
  Checksum checksum = begin_checksum(step, fingerprint, comm);
  for_each_field(state, local, [&](const std::string &name, const Field &field) {
    file.field(name, local, field, &checksum);
  });
  recorder.save(file, checksum);
  file.integer("checksum", static_cast<std::uint64_t>(checksum.total(comm)));
  return file;
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
