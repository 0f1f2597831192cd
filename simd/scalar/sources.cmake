# Not vectorised, so that transposes are the baseline that they claim to be.
hfft_set_sources(scalar/transpose.cpp -fno-tree-vectorize -fno-tree-slp-vectorize)
hfft_set_sources(scalar/wire.cpp)
hfft_set_sources(scalar/set.cpp)
