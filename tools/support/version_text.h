/// The text of a program for --version.
#pragma once

#include <string>

namespace hybridfft::tools {

/// Name and version in the first line, then the library's build: commit, compiler, MPI, FFTW,
/// licences.
std::string version_text(const std::string &program);

} // namespace hybridfft::tools
