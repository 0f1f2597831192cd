# Compiled without vectorisation, as a true baseline of transposes.
hfft_set_sources(scalar/transpose.cpp -fno-tree-vectorize -fno-tree-slp-vectorize)
hfft_set_sources(scalar/wire.cpp)
hfft_set_sources(scalar/set.cpp)
