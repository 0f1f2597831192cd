# Makes a newer CMake behave like CMake 3.20: removes a variable of later versions. CMake reads this file after
# project().
unset(PROJECT_IS_TOP_LEVEL)
unset(HybridFFT_IS_TOP_LEVEL)
