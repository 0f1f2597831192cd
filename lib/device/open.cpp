// Opens the kind of device named by HFFT_GPU: CUDA, or the emulated device for tests without a GPU.
#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "device/emulated.h"
#include "device/runtime.h"
#if HFFT_CUDA
#include "device/cuda/open_cuda.h"
#endif

namespace hybridfft::device {

namespace {

/// Parses an integer from 1 to `most`; returns 0 for any other text.
std::uint64_t number_of(std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  const char *end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && last == end && number <= most ? number : 0;
}

/// Sets an option from "name=number".
/// \return false if the option or its number is invalid
bool set(EmulatedOptions &options, std::string_view option) {
  const std::size_t name_length = std::min(option.find('='), option.size());
  const std::string_view name = option.substr(0, name_length);
  const std::string_view value = option.substr(std::min(name_length + 1, option.size()));
  const bool any = name == "delays" || name == "exclusive";
  const std::uint64_t most = any                 ? UINT64_MAX
                             : name == "devices" ? INT_MAX
                                                 : std::uint64_t{1} << 24;
  const std::uint64_t number = number_of(value, most);
  if (name == "memory")
    options.bytes = static_cast<std::size_t>(number) << 20;
  else if (name == "devices")
    options.devices = static_cast<int>(number);
  else if (name == "delays")
    options.delays = number;
  else if (name == "exclusive")
    options.exclusive = number;
  else
    return false;
  return number > 0;
}

constexpr std::string_view emulated = "emulated";

} // namespace

EmulatedOptions emulated_options(const std::string &value) {
  EmulatedOptions options;
  std::string_view rest = value;
  bool known = rest.starts_with(emulated);
  rest.remove_prefix(std::min(emulated.size(), rest.size()));
  for (char separator = ':'; known && !rest.empty(); separator = ',') {
    const std::size_t end = std::min(rest.find(',', 1), rest.size());
    known = rest.front() == separator && set(options, rest.substr(1, end - 1));
    rest.remove_prefix(end);
  }
  if (!known)
    throw Error(HFFT_ERROR_ENVIRONMENT,
                "the environment variable HFFT_GPU is '" + value +
                    "', expected cuda, emulated, or emulated:memory=MiB,devices=N,delays=SEED,"
                    "exclusive=KEY with any of the four, numbers from 1");
  return options;
}

namespace {

/// Returns the value of HFFT_GPU; "cuda" if it is not set.
std::string wanted_kind() {
  const char *variable = std::getenv("HFFT_GPU");
  return variable != nullptr && *variable != '\0' ? variable : "cuda";
}

} // namespace

int Runtime::count() {
  const std::string wanted = wanted_kind();
  if (wanted != "cuda") return emulated_options(wanted).devices;
#if HFFT_CUDA
  return count_cuda();
#else
  return 0;
#endif
}

std::unique_ptr<Runtime> Runtime::open(int rank_on_node) {
  const std::string wanted = wanted_kind();
  if (wanted != "cuda") return make_emulated(emulated_options(wanted), rank_on_node);
#if HFFT_CUDA
  return open_cuda(rank_on_node);
#else
  throw Error(
      HFFT_ERROR_UNSUPPORTED,
      "this build has no GPU support: configure it with -DHFFT_CUDA=ON, which needs the CUDA "
      "toolkit, or set HFFT_GPU=emulated to try the same code without a GPU");
#endif
}

} // namespace hybridfft::device
