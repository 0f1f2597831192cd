#include "io/checkpoint.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <span>
#include <system_error>

#include "io/collective.h"

namespace hybridfft::io {

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
