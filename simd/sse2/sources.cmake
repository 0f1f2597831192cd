hfft_set_sources(sse2/transpose.cpp -msse2)
hfft_set_sources(sse2/set.cpp)
