#include <charconv>
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

[[noreturn]] void refuse(std::string_view found) {
  throw Error(HFFT_ERROR_ENVIRONMENT,
              "the environment variable HFFT_GPU has '" + std::string(found) +
                  "', expected cuda, emulated, or emulated:memory=MiB,devices=N,delays=SEED, each "
                  "of the three at most once and from 1");
}

/// The whole of the text, from 1 to `most`.
std::uint64_t number_of(std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most)
    refuse(text);
  return number;
}

} // namespace

EmulatedOptions emulated_options(const std::string &text) {
  EmulatedOptions options;
  if (text.empty()) return options;
  std::string_view rest = text;
  if (rest.front() != ':') refuse(text);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(part.size());
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    if (key == "memory")
      options.bytes = static_cast<std::size_t>(number_of(value, std::uint64_t{1} << 24)) << 20;
    else if (key == "devices")
      options.devices = static_cast<int>(number_of(value, 1 << 20));
    else if (key == "delays")
      options.delays = number_of(value, UINT64_MAX);
    else
      refuse(text);
  }
  return options;
}

std::unique_ptr<Runtime> Runtime::open(int rank_on_node) {
  const char *variable = std::getenv("HFFT_GPU");
  const std::string wanted = variable != nullptr && *variable != '\0' ? variable : "cuda";
  const std::string emulated = "emulated";
  if (wanted.starts_with(emulated))
    return make_emulated(emulated_options(wanted.substr(emulated.size())), rank_on_node);
  if (wanted != "cuda") refuse(wanted);
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
