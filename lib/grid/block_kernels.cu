// Instantiates the CUDA kernels of block_kernels.h and row_copies.h.

#include <cstdint>

#include "grid/block_kernels.h"
#include "grid/row_copies.h"
#include "hybridfft/grid/cuda_kernel.hpp"

namespace hybridfft::grid::kernels {
template <template <class> class Kernel, class T> using OnGhosts = OnList<Kernel<T>, GhostOp>;
template <template <class> class Kernel, class T> using OnFluxes = OnList<Kernel<T>, FluxOp>;
template <template <class> class Kernel, class T> using OnBlocks = OnList<Kernel<T>, CarryOp>;
} // namespace hybridfft::grid::kernels

#define HFFT_LIST_KERNEL(List, Name)                                                               \
  HFFT_CUDA_KERNEL(hybridfft::grid::kernels::List<hybridfft::grid::kernels::Name, float>)          \
  HFFT_CUDA_KERNEL(hybridfft::grid::kernels::List<hybridfft::grid::kernels::Name, double>)
#define HFFT_VALUE_KERNEL(Name)                                                                    \
  HFFT_CUDA_KERNEL(hybridfft::grid::kernels::Name<float>)                                          \
  HFFT_CUDA_KERNEL(hybridfft::grid::kernels::Name<double>)

HFFT_LIST_KERNEL(OnGhosts, CopyGhosts)
HFFT_LIST_KERNEL(OnGhosts, MeanGhosts)
HFFT_LIST_KERNEL(OnGhosts, CoarseGhosts)
HFFT_LIST_KERNEL(OnGhosts, EndGhosts)
HFFT_LIST_KERNEL(OnFluxes, MeanFluxes)
HFFT_LIST_KERNEL(OnBlocks, RefineCells)
HFFT_LIST_KERNEL(OnBlocks, CoarsenCells)
HFFT_LIST_KERNEL(OnBlocks, RefineNodes)
HFFT_LIST_KERNEL(OnBlocks, CoarsenNodes)
HFFT_VALUE_KERNEL(CopyNodes)
HFFT_VALUE_KERNEL(MeanNodes)
HFFT_VALUE_KERNEL(Pack)
HFFT_VALUE_KERNEL(Unpack)
HFFT_VALUE_KERNEL(CopySlot)

HFFT_CUDA_KERNEL(hybridfft::grid::CopyList<unsigned char>)
HFFT_CUDA_KERNEL(hybridfft::grid::CopyList<std::uint32_t>)
HFFT_CUDA_KERNEL(hybridfft::grid::CopyList<std::uint64_t>)
