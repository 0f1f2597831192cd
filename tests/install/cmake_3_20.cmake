# Read after project(): removes variables not set by CMake 3.20.
unset(PROJECT_IS_TOP_LEVEL)
unset(HybridFFT_IS_TOP_LEVEL)
