/// The text printed by a program for --version.
#pragma once

#include <string>

namespace hybridfft::tools {

/// Returns a line with name and version, and lines about the library's build: commit, compiler,
/// MPI, FFTW, licences.
std::string version_text(const std::string &program);

} // namespace hybridfft::tools
