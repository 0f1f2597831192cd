// Instantiates the CUDA kernels of the functions in kernels.h. Host threads call the same
// functions.
#include "solvers/euler/kernels.h"

#include "hybridfft/grid/cuda_kernel.hpp"

#define HFFT_EULER_FLUX(T, D, A)                                                                   \
  HFFT_CUDA_BLOCKS_KERNEL(hybridfft::euler::kernels::Flux<T, D, A, true>)                          \
  HFFT_CUDA_BLOCKS_KERNEL(hybridfft::euler::kernels::Flux<T, D, A, false>)
#define HFFT_EULER_REDUCTION(Value, Function, Combine)                                             \
  HFFT_CUDA_KERNEL(hybridfft::grid::detail::ReduceBlocks<Value, Function, Combine>)
#define HFFT_EULER_KERNELS(T, D, SpeedAt, JumpAt, TotalAt)                                         \
  HFFT_EULER_FLUX(T, D, 1)                                                                         \
  HFFT_EULER_FLUX(T, D, 2)                                                                         \
  HFFT_CUDA_BLOCKS_KERNEL(hybridfft::euler::kernels::Stage<T, D>)                                  \
  HFFT_EULER_REDUCTION(hybridfft::euler::kernels::Speed, SpeedAt,                                  \
                       hybridfft::euler::kernels::Worst)                                           \
  HFFT_EULER_REDUCTION(double, JumpAt, hybridfft::euler::kernels::MaxOfTwo)                        \
  HFFT_EULER_REDUCTION(hybridfft::euler::kernels::Totals, TotalAt, hybridfft::euler::kernels::Plus)

namespace hybridfft::euler::kernels {
template <class T> using Speed2 = SpeedOf<T, 2>;
template <class T> using Speed3 = SpeedOf<T, 3>;
template <class T> using Jump2 = Jump<T, 2>;
template <class T> using Jump3 = Jump<T, 3>;
template <class T> using Total2 = TotalOf<T, 2>;
template <class T> using Total3 = TotalOf<T, 3>;
} // namespace hybridfft::euler::kernels

#define HFFT_EULER_TYPE(T)                                                                         \
  HFFT_EULER_KERNELS(T, 2, hybridfft::euler::kernels::Speed2<T>,                                   \
                     hybridfft::euler::kernels::Jump2<T>, hybridfft::euler::kernels::Total2<T>)    \
  HFFT_EULER_KERNELS(T, 3, hybridfft::euler::kernels::Speed3<T>,                                   \
                     hybridfft::euler::kernels::Jump3<T>, hybridfft::euler::kernels::Total3<T>)    \
  HFFT_EULER_FLUX(T, 3, 0)

HFFT_EULER_TYPE(float)
HFFT_EULER_TYPE(double)
