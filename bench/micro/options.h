/// Options of the micro benchmarks, in addition to Google Benchmark's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hybridfft::bench {

/// The arguments of main. Reading an option removes it.
class MicroArguments {
public:
  MicroArguments(int argc, char **argv) : left_(argv, argv + argc) {}

  /// Returns the value of --name=value, or `otherwise` if it is not given.
  std::string text(const std::string &name, const std::string &otherwise);
  /// Returns a positive number. Throws std::invalid_argument that names option and value.
  std::size_t number(const std::string &name, std::size_t otherwise);
  /// Returns three positive extents, "256x256x256" or "256,256,256". Throws as number().
  std::vector<std::ptrdiff_t> extents(const std::string &name, const std::string &otherwise);

  /// Passes the remaining arguments to Google Benchmark.
  /// \throws std::invalid_argument for an unknown option
  void initialize_benchmarks();

private:
  std::vector<char *> left_;
};

/// Returns the index of `value` in `names`. Throws std::invalid_argument with option, value and
/// names.
std::size_t choice(const std::string &option, const std::string &value,
                   const std::vector<std::string> &names);

} // namespace hybridfft::bench
