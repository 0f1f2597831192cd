hfft_set_sources(avx/transpose.cpp -mavx)
hfft_set_sources(avx/set.cpp)
