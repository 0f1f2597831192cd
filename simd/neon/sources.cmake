# Every AArch64 has these instructions: they need no options.
hfft_set_sources(neon/transpose.cpp)
hfft_set_sources(neon/fft.cpp ${sanitized_kernels})
hfft_set_sources(neon/wire.cpp -O3)
hfft_set_sources(neon/set.cpp)
