/// \file grid/all_vectors.hpp
/// Compiles a function for several instruction sets: AVX-512, AVX2 and the baseline. Use it for
/// loops that gain from wide vectors in libraries built for any processor.
#ifndef HYBRIDFFT_GRID_ALL_VECTORS_HPP
#define HYBRIDFFT_GRID_ALL_VECTORS_HPP

#include <cstdlib> // defines __GLIBC__

/// Attribute of a function's definition. The compiler builds one clone for each instruction set,
/// and the dynamic loader selects a clone for the processor. Sanitizer builds have a single
/// version, because the loader would call the selecting function before the sanitizers are
/// initialised.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define HFFT_ALL_VECTORS __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define HFFT_ALL_VECTORS
#endif

#endif
