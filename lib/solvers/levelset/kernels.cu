// Instantiates the CUDA kernels of the level-set solver. The host's threads call the same point
// functions.
#include "hybridfft/grid/cuda_kernel.hpp"
#include "hybridfft/levelset/kernels.hpp"

namespace hybridfft::levelset {

template <class Real> using Fields = kernels::FieldVelocity<Real>;
template <class Real> using Table = kernels::TableVelocity<Real>;

} // namespace hybridfft::levelset

#define HFFT_ON_TILES(...) HFFT_CUDA_KERNEL(hybridfft::levelset::detail::TileWalk<__VA_ARGS__>)
#define HFFT_COUNTS(...) HFFT_CUDA_KERNEL(hybridfft::levelset::detail::RowWalk<__VA_ARGS__>)

#define HFFT_LEVELSET_ORDER(Real, order)                                                           \
  HFFT_ON_TILES(Carry<Real, hybridfft::levelset::Fields<Real>, order>)                             \
  HFFT_ON_TILES(Carry<Real, hybridfft::levelset::Table<Real>, order>)                              \
  HFFT_ON_TILES(Grow<Real, Field<Real>, order>)                                                    \
  HFFT_ON_TILES(Reinitialise<Real, order>)

#define HFFT_LEVELSET_KERNELS(Real)                                                                \
  HFFT_LEVELSET_ORDER(Real, 1)                                                                     \
  HFFT_LEVELSET_ORDER(Real, 5)                                                                     \
  HFFT_ON_TILES(Bend<Real>)                                                                        \
  HFFT_ON_TILES(Advance<Real>)                                                                     \
  HFFT_ON_TILES(SmoothSign<Real>)                                                                  \
  HFFT_ON_TILES(Settle<Real>)                                                                      \
  HFFT_ON_TILES(Copy<Real>)                                                                        \
  HFFT_ON_TILES(MarkTube<Real>)                                                                    \
  HFFT_ON_TILES(Extend<Real>)                                                                      \
  HFFT_CUDA_KERNEL(Cut<Real>)                                                                      \
  HFFT_CUDA_KERNEL(Copy<Real>)                                                                     \
  HFFT_CUDA_KERNEL(MarkTube<Real>)                                                                 \
  HFFT_CUDA_KERNEL(Extrapolate<Real>)                                                              \
  HFFT_COUNTS(CountTubes<Real>)                                                                    \
  HFFT_COUNTS(Measure<Real>)                                                                       \
  HFFT_COUNTS(Fastest<Real, hybridfft::levelset::Fields<Real>, Field<Real>>)                       \
  HFFT_COUNTS(Fastest<Real, hybridfft::levelset::Table<Real>, Field<Real>>)

using namespace hybridfft::levelset::kernels;
HFFT_LEVELSET_KERNELS(float)
HFFT_LEVELSET_KERNELS(double)
HFFT_ON_TILES(MarkWide)
