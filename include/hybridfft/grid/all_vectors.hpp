/// \file grid/all_vectors.hpp
/// Vectorises functions for several instruction sets.
#ifndef HYBRIDFFT_GRID_ALL_VECTORS_HPP
#define HYBRIDFFT_GRID_ALL_VECTORS_HPP

#include <cstdlib> // __GLIBC__

/// Marks a function's definition. It is compiled for several instruction sets, and the loader
/// chooses one. Builds with sanitizers have one version, since the loader chooses before they are
/// ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define HFFT_ALL_VECTORS __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define HFFT_ALL_VECTORS
#endif

#endif
