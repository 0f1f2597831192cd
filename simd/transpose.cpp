#include "simd/transpose.h"

#include <stdexcept>
#include <string>

#include "simd/kernels.h"

namespace hybridfft::simd {
namespace {

const TransposeKernels &kernels(Isa isa, std::size_t element) {
  switch (element) {
  case 4:
    return isa->transposes[0];
  case 8:
    return isa->transposes[1];
  case 16:
    return isa->transposes[2];
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

} // namespace

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

void transpose_tiles(Isa isa, std::size_t element, std::size_t rows, std::size_t cols,
                     const void *in, std::size_t ld_in, void *out, std::size_t ld_out,
                     std::size_t first, std::size_t last, void *scratch) {
  kernels(isa, element)
      .strip_tiles(matrices(element, rows, cols, in, ld_in, out, ld_out), first, last,
                   static_cast<std::byte *>(scratch));
}

void copy_runs(Isa isa, Store store, std::size_t element, std::size_t runs, std::size_t length,
               const void *in, std::size_t in_step, void *out, std::size_t out_step) {
  kernels(isa, element)
      .copy_runs(matrices(element, runs, length, in, in_step, out, out_step), store);
}

void fence(Isa isa) { kernels(isa, 8).fence(); }

} // namespace hybridfft::simd
