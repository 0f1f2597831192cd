#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/error.h"
#include "simd/kernels.h"

namespace hybridfft::simd {
namespace {

constexpr std::array all = {Isa::scalar, Isa::sse2, Isa::avx, Isa::avx2, Isa::avx512};

const Kernels *kernels(Isa isa) {
  switch (isa) {
#ifdef HFFT_SIMD_X86
  case Isa::sse2:
    return sse2_kernels;
  case Isa::avx:
    return avx_kernels;
  case Isa::avx2:
    return avx2_kernels;
  case Isa::avx512:
    return avx512_kernels;
#endif
  default:
    return scalar_kernels;
  }
}

const Kernels &kernels(Isa isa, std::size_t element) {
  switch (element) {
  case 4:
    return kernels(isa)[0];
  case 8:
    return kernels(isa)[1];
  case 16:
    return kernels(isa)[2];
  default:
    throw std::invalid_argument("transpose of elements of " + std::to_string(element) +
                                " bytes; expected 4, 8 or 16");
  }
}

Matrices matrices(std::size_t element, std::size_t rows, std::size_t cols, const void *in,
                  std::size_t ld_in, void *out, std::size_t ld_out) {
  return {rows,
          cols,
          static_cast<const std::byte *>(in),
          ld_in * element,
          static_cast<std::byte *>(out),
          ld_out * element};
}

std::size_t parts(std::size_t n, std::size_t each) { return (n + each - 1) / each; }

std::string names_of_supported() {
  std::string names;
  for (Isa isa : all)
    if (supported(isa)) names += (names.empty() ? "" : ", ") + std::string(name(isa));
  return names;
}

} // namespace

const char *name(Isa isa) {
  switch (isa) {
  case Isa::sse2:
    return "sse2";
  case Isa::avx:
    return "avx";
  case Isa::avx2:
    return "avx2";
  case Isa::avx512:
    return "avx512";
  default:
    return "scalar";
  }
}

bool supported(Isa isa) {
  switch (isa) {
#ifdef HFFT_SIMD_X86
  // These also ask whether the operating system saves the wide registers.
  case Isa::sse2:
    return __builtin_cpu_supports("sse2");
  case Isa::avx:
    return __builtin_cpu_supports("avx");
  case Isa::avx2:
    return __builtin_cpu_supports("avx2");
  case Isa::avx512:
    return __builtin_cpu_supports("avx512f");
#endif
  case Isa::scalar:
    return true;
  default:
    return false;
  }
}

Isa select(const char *requested) {
  if (requested == nullptr || *requested == '\0')
    return *std::find_if(all.rbegin(), all.rend(), supported);
  for (Isa isa : all)
    if (std::string_view(requested) == name(isa)) {
      if (supported(isa)) return isa;
      throw Failure(HFFT_ERROR_ENVIRONMENT, "HFFT_SIMD=" + std::string(requested) +
                                                " is not supported by this machine; expected " +
                                                "one of " + names_of_supported());
    }
  throw Failure(HFFT_ERROR_ENVIRONMENT, "HFFT_SIMD=" + std::string(requested) +
                                            " is no instruction set; expected one of " +
                                            names_of_supported());
}

Isa active() {
  static const Isa isa = select(std::getenv("HFFT_SIMD"));
  return isa;
}

void transpose(Isa isa, std::size_t element, std::size_t rows, std::size_t cols, const void *in,
               std::size_t ld_in, void *out, std::size_t ld_out) {
  kernels(isa, element).transpose(matrices(element, rows, cols, in, ld_in, out, ld_out));
}

std::size_t tile_count(std::size_t element, std::size_t rows, std::size_t cols) {
  return parts(rows, strip_tile.write_run / element) * parts(cols, strip_tile.read_run / element);
}

std::size_t tile_scratch(std::size_t element) {
  constexpr std::size_t buffers = 2;
  return buffers * (strip_tile.read_run / element) * strip_tile.buffer_step();
}

void transpose_tiles(Isa isa, Store store, std::size_t element, std::size_t rows, std::size_t cols,
                     const void *in, std::size_t ld_in, void *out, std::size_t ld_out,
                     std::size_t first, std::size_t last, void *scratch) {
  kernels(isa, element)
      .strip_tiles(matrices(element, rows, cols, in, ld_in, out, ld_out), store, first, last,
                   static_cast<std::byte *>(scratch));
}

std::size_t tile_pair_count(std::size_t element, std::size_t n) {
  const std::size_t tiles = parts(n, mirror_tile.read_run / element);
  return tiles * (tiles + 1) / 2;
}

std::size_t tile_pair_scratch(std::size_t element) {
  constexpr std::size_t buffers = 3;
  return buffers * (mirror_tile.read_run / element) * mirror_tile.buffer_step();
}

void transpose_tile_pairs(Isa isa, Store store, std::size_t element, std::size_t n, void *a,
                          std::size_t ld, std::size_t first, std::size_t last, void *scratch) {
  kernels(isa, element)
      .mirror_tiles(matrices(element, n, n, a, ld, a, ld), store, first, last,
                    static_cast<std::byte *>(scratch));
}

} // namespace hybridfft::simd
