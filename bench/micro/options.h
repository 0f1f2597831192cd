/// Options of the micro benchmarks, in addition to Google Benchmark's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hybridfft::bench {

/// The arguments of main; reading an option removes it.
class MicroArguments {
public:
  MicroArguments(int argc, char **argv) : left_(argv, argv + argc) {}

  /// The value of --name=value, or `otherwise`.
  std::string text(const std::string &name, const std::string &otherwise);
  /// A positive number. Throws std::invalid_argument naming the option and the value.
  std::size_t number(const std::string &name, std::size_t otherwise);
  /// Three positive extents, "256x256x256" or "256,256,256". Throws like number().
  std::vector<std::ptrdiff_t> extents(const std::string &name, const std::string &otherwise);

  /// Passes the remaining arguments to Google Benchmark.
  /// \throws std::invalid_argument if it does not know one
  void initialize_benchmarks();

private:
  std::vector<char *> left_;
};

/// The index of `value` among `names`. Throws std::invalid_argument naming the option, the value
/// and the names.
std::size_t choice(const std::string &option, const std::string &value,
                   const std::vector<std::string> &names);

} // namespace hybridfft::bench
