#include "kspace/checks.h"

#include <filesystem>
#include <utility>

#include "io/temporary.h"
#include "io/xdmf_text.h"
#include "kspace/files/read_parameters.h"
#include "kspace/files/required_arrays.h"
#include "kspace/files/scales.h"
#include "kspace/medium/stability.h"
#include "kspace/record/xdmf.h"

namespace hybridfft::kspace {

std::string checked_output(const std::string &input, const std::string &output,
                           const SimulationOptions &options, const grid::Communicator &comm) {
  const std::string &checkpoint = options.checkpoint.file;
  comm.agree([&] {
    if (io::same_file(input, output))
      throw InputError(output + ": the output file is the input file, expected another name");
    if (options.xdmf) {
      const std::string xdmf = io::xdmf_path(output);
      for (const auto &[file, what] : {std::pair(input, "input"), {checkpoint, "checkpoint"}})
        if (!file.empty() && io::same_file(xdmf, file))
          throw InputError(xdmf + ": the description of the output, for --xdmf, is the " + what +
                           " file, expected another name of the output");
      if (comm.rank() == 0) io::require_writable(xdmf);
    }
    if (checkpoint.empty()) return;
    if (io::same_file(checkpoint, output) || io::same_file(checkpoint, input))
      throw InputError(checkpoint + ": the checkpoint file is the " +
                       (io::same_file(checkpoint, output) ? "output" : "input") +
                       " file, expected another name");
    if (comm.rank() == 0) io::require_writable(checkpoint);
  });
  return output;
}

void require_output(const std::string &output, const std::string &checkpoint,
                    const grid::Communicator &comm) {
  comm.agree([&] {
    if (comm.rank() == 0 && !std::filesystem::exists(output))
      throw InputError(output +
                       ": there is no such file, expected the output that belongs to the "
                       "checkpoint " +
                       checkpoint);
  });
}

template <class Real>
Parameters checked_parameters(const InputFile<Real> &in, const SimulationOptions &options) {
  Parameters p = read_parameters(in);
  if (options.steps > 0) p.steps = options.steps;
  const std::int64_t start = options.recording.start;
  if (start < 1 || start > p.steps)
    throw InputError("The beginning of data sampling is out of the simulation time span: recording "
                     "starts at time step " +
                     std::to_string(start) + ", expected 1 to " + std::to_string(p.steps) +
                     " (the number of time steps)");
  if (options.recording.u_non_staggered_raw && in.minor_version() == 0)
    throw Unsupported(in.path() + ": --u_non_staggered_raw is not supported with input files of "
                                  "version 1.0, expected attribute minor_version '1' or '2'");
  if (options.recording.intensity.heat && (p.axisymmetric || p.nonuniform_grid))
    throw Unsupported(in.path() +
                      ": --Q_term is for uniform grids in two and three dimensions, and "
                      "dataset " +
                      (p.axisymmetric ? "axisymmetric_flag" : "nonuniform_grid_flag") + " is 1");
  require_arrays(in, p);
  if (in.is_scalar("c0")) require_motion(in, p, in.positive("c0"));
  return p;
}

template Parameters checked_parameters(const InputFile<float> &in,
                                       const SimulationOptions &options);
template Parameters checked_parameters(const InputFile<double> &in,
                                       const SimulationOptions &options);

} // namespace hybridfft::kspace
