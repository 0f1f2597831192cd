hfft_set_sources(avx2/transpose.cpp -mavx2)
hfft_set_sources(avx2/fft.cpp -mavx2 -mfma ${sanitized_kernels})
hfft_set_sources(avx2/wire.cpp -mavx2 -O3)
hfft_set_sources(avx2/set.cpp)
