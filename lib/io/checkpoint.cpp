#include "io/checkpoint.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <span>
#include <system_error>

#include "hybridfft/error.hpp"
#include "io/handle.h"
#include "io/xdmf_text.h"

namespace hybridfft::io {

bool CheckpointOptions::must_stop(std::int64_t done, std::chrono::steady_clock::time_point begin,
                                  MPI_Comm comm) const {
  if (!enabled() || done == 0) return false;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const bool mine = (steps > 0 && done >= steps) || (interval > 0 && elapsed.count() > interval) ||
                    (stop_requested && stop_requested());
  int stop = mine ? 1 : 0;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return stop != 0;
}

bool exists_at_root(const std::string &path, MPI_Comm comm) {
  return asked_at_root(comm, [&] {
    std::error_code none;
    return std::filesystem::exists(path, none);
  });
}

void require_same_simulation(const CheckpointNumbers &file, const SimulationIdentity &identity) {
  const std::string same = ", as in the input and the options: it belongs to another simulation";
  for (const auto &[name, value] : identity.integers)
    if (const std::int64_t found = file.integer(name); found != value)
      file.refuse(name, std::to_string(found), std::to_string(value) + same);
  for (const auto &[name, value] : identity.reals)
    if (const double found = file.real(name); found != value)
      file.refuse(name, file.text(found), file.text(value) + same);
}

std::string simulation_checksum(const SimulationIdentity &identity, std::int64_t fingerprint) {
  ContentChecksum checksum;
  checksum.add(ContentChecksum::hash(checkpoint_fingerprint), fingerprint, 0);
  for (const auto &[name, value] : identity.integers)
    checksum.add(ContentChecksum::hash(name), value, 0);
  for (const auto &[name, value] : identity.reals)
    checksum.add(ContentChecksum::hash(name), value, 0);
  return std::to_string(ContentChecksum::in_file(checksum.sum()));
}

void require_own(const File &output, const std::string &checkpoint, const std::string &expected,
                 const std::function<void(const std::string &message)> &refuse) {
  const std::string found = output.has_attribute("/", simulation_attribute)
                                ? output.attribute("/", simulation_attribute)
                                : std::string("none");
  if (found != expected)
    refuse(output.path() + ": attribute " + simulation_attribute + ": found " + printable(found) +
           ", expected " + expected + ": it is not the output of the checkpoint " + checkpoint +
           ", or an earlier version wrote them; remove the checkpoint to begin anew");
}

std::int64_t require_step(const CheckpointNumbers &file, std::int64_t steps) {
  const std::int64_t step = file.integer(checkpoint_step);
  if (step < 1 || step >= steps)
    file.refuse(checkpoint_step, std::to_string(step),
                "1 to " + std::to_string(steps - 1) +
                    ", less than the time steps of the simulation");
  return step;
}

void require_fingerprint(const CheckpointNumbers &file, std::int64_t fingerprint,
                         const std::string &of) {
  const std::int64_t written = file.integer(checkpoint_fingerprint);
  if (written != fingerprint)
    file.refuse(checkpoint_fingerprint, std::to_string(written),
                std::to_string(fingerprint) + ", that of " + of +
                    ": it belongs to another simulation");
}

void require_checksum(const CheckpointNumbers &file, std::int64_t found) {
  const std::int64_t expected = file.integer(checkpoint_checksum);
  if (found != expected)
    file.refuse(checkpoint_checksum, std::to_string(expected),
                std::to_string(found) + ", that of the values: the file is damaged");
}

std::optional<CheckpointFile> CheckpointFile::find(const std::string &path,
                                                   const CheckpointFormat &format,
                                                   const SimulationIdentity &identity,
                                                   std::size_t bytes, MPI_Comm comm) {
  if (!exists_at_root(path, comm)) return std::nullopt;
  CheckpointFile c(File::open(path, comm));
  if (!c.file_.exists(format.name))
    throw Error(HFFT_ERROR_ARGUMENT, path + ": dataset " + format.name + " is missing, expected " +
                                         std::to_string(format.version));
  if (const std::int64_t found = c.integer(format.name); found != format.version)
    c.refuse(format.name, std::to_string(found), std::to_string(format.version));
  require_same_simulation(c.numbers(), identity);
  if (const std::size_t found = c.file_.info(format.field).bytes; found != bytes)
    c.refuse(format.field, std::to_string(8 * found) + "-bit values",
             std::to_string(8 * bytes) + "-bit ones: it was written with another --precision");
  return c;
}

void CheckpointFile::refuse(const std::string &dataset, const std::string &found,
                            const std::string &expected) const {
  throw Error(HFFT_ERROR_ARGUMENT, file_.path() + ": dataset " + dataset + ": found " + found +
                                       ", expected " + expected);
}

CheckpointNumbers CheckpointFile::numbers() const {
  return {[this](const std::string &name) { return integer(name); },
          [this](const std::string &name) { return real(name); },
          [](double value) { return number_text(value); },
          [this](const std::string &name, const std::string &found, const std::string &expected) {
            refuse(name, found, expected);
          }};
}

void CheckpointFile::require_own(const File &output, const SimulationIdentity &identity) const {
  io::require_own(output, file_.path(),
                  simulation_checksum(identity, integer(checkpoint_fingerprint)),
                  [](const std::string &message) { throw Error(HFFT_ERROR_ARGUMENT, message); });
}

void mark_output(File &output, const SimulationIdentity &identity, std::int64_t fingerprint) {
  output.set_attribute("/", simulation_attribute, simulation_checksum(identity, fingerprint));
}

void begin_checkpoint(File &file, const CheckpointFormat &format,
                      const SimulationIdentity &identity, const std::string &created_by,
                      std::int64_t step, std::int64_t fingerprint) {
  file.set_attribute("/", "created_by", created_by);
  file.set_attribute("/", "file_type", "checkpoint");
  write_number(file, format.name, format.version);
  for (const auto &[name, value] : identity.integers)
    write_number(file, name, value);
  for (const auto &[name, value] : identity.reals)
    write_number(file, name, value);
  write_number(file, checkpoint_step, step);
  write_number(file, checkpoint_fingerprint, fingerprint);
}

std::string describe_overflow(const std::string &dataset, double found, const std::string &place) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", found);
  return "dataset " + dataset + ": found " + text.data() + " at " + place +
         ", expected finite numbers: it, or a square of it, has overflowed";
}

std::string failure_of(const std::function<void()> &step) {
  try {
    step();
  } catch (const IoError &e) {
    return e.what();
  }
  return "";
}

void keep_output(File &output, const std::string &failure) {
  const std::string again = failure_of([&] { output.commit(); });
  throw IoError(failure + "; " +
                (again.empty() ? output.path() + " has what was written before" : again));
}

ContentChecksum begin_checkpoint_checksum(std::int64_t step, std::int64_t fingerprint, int rank) {
  ContentChecksum checksum;
  const std::array values{step, fingerprint};
  if (rank == 0) checksum.add_list(checkpoint_step, 0, std::span<const std::int64_t>(values));
  return checksum;
}

} // namespace hybridfft::io
