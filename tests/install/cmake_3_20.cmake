# Read after project(): what CMake 3.20 has not set there.
unset(PROJECT_IS_TOP_LEVEL)
unset(HybridFFT_IS_TOP_LEVEL)
