# Every AArch64 processor has these instructions, so they need no compile options.
hfft_set_sources(neon/transpose.cpp)
hfft_set_sources(neon/fft.cpp ${sanitized_kernels})
hfft_set_sources(neon/wire.cpp -O3)
hfft_set_sources(neon/set.cpp)
