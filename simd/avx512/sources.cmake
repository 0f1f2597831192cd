# GCC's own header has variables that are uninitialised on purpose, and GCC warns of them (GCC bug 105593).
set(avx512_options -mavx512f
    $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
hfft_set_sources(avx512/transpose.cpp ${avx512_options})
hfft_set_sources(avx512/fft.cpp ${avx512_options} ${sanitized_kernels})
hfft_set_sources(avx512/set.cpp)
