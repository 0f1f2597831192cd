/// \file grid/all_vectors.hpp
/// Functions that the compiler vectorises for each of several instruction sets.
#ifndef HYBRIDFFT_GRID_ALL_VECTORS_HPP
#define HYBRIDFFT_GRID_ALL_VECTORS_HPP

#include <cstdlib> // __GLIBC__

/// Marks a function's definition, which is then compiled for several instruction sets, and the
/// loader chooses. Sanitizers are not ready yet when it does.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define HFFT_ALL_VECTORS __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define HFFT_ALL_VECTORS
#endif

#endif
