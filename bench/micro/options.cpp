// Reads options --name=value and removes them from the arguments, so that Google Benchmark sees
// only its own.
#include "micro/options.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace hybridfft::bench {

namespace {

[[noreturn]] void refuse(const std::string &name, const std::string &value,
                         const std::string &expected) {
  throw std::invalid_argument("--" + name + "=" + value + ": expected " + expected);
}

} // namespace

std::string MicroArguments::text(const std::string &name, const std::string &otherwise) {
  const std::string prefix = "--" + name + "=";
  const auto found = std::find_if(left_.begin(), left_.end(), [&](const char *argument) {
    return std::string(argument).rfind(prefix, 0) == 0;
  });
  if (found == left_.end()) return otherwise;
  std::string value = std::string(*found).substr(prefix.size());
  left_.erase(found);
  return value;
}

std::size_t MicroArguments::number(const std::string &name, std::size_t otherwise) {
  const std::string value = text(name, std::to_string(otherwise));
  std::size_t n = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (status != std::errc{} || end != value.data() + value.size() || n == 0)
    refuse(name, value, "a positive number");
  return n;
}

std::vector<std::ptrdiff_t> MicroArguments::extents(const std::string &name,
                                                    const std::string &otherwise) {
  const std::string value = text(name, otherwise);
  std::vector<std::ptrdiff_t> n;
  const char *at = value.data();
  const char *const end = value.data() + value.size();
  for (;;) {
    std::ptrdiff_t extent = 0;
    const auto [next, status] = std::from_chars(at, end, extent);
    if (status != std::errc{} || extent < 1) break;
    n.push_back(extent);
    at = next;
    if (at == end || (*at != 'x' && *at != ',')) break;
    ++at;
  }
  if (at != end || n.size() != 3) refuse(name, value, "three extents such as 256x256x256");
  return n;
}

void MicroArguments::initialize_benchmarks() {
  int count = static_cast<int>(left_.size());
  left_.push_back(nullptr);
  benchmark::Initialize(&count, left_.data());
  if (count > 1) throw std::invalid_argument("unknown argument '" + std::string(left_[1]) + "'");
}

std::size_t choice(const std::string &option, const std::string &value,
                   const std::vector<std::string> &names) {
  const auto found = std::find(names.begin(), names.end(), value);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  refuse(option, value, "one of " + list);
}

} // namespace hybridfft::bench
