# Finds CUDA for the solver's --device gpu. find_package(CUDAToolkit) searches CUDAToolkit_ROOT, PATH and
# /usr/local/cuda. A test compilation with nvcc precedes enable_language(CUDA), because the latter would end with an
# error if the toolkit does not work. With HFFT_CUDA=AUTO such a toolkit is ignored.

# hfft_try_nvcc(RESULT nvcc): sets RESULT to "" if nvcc compiles C++20 for all CMAKE_CUDA_ARCHITECTURES, else to its
# error message. A success is cached for the same nvcc, host compiler and architectures.
function(hfft_try_nvcc result nvcc)
  set(question "${nvcc} ${CMAKE_CUDA_HOST_COMPILER} ${CMAKE_CUDA_ARCHITECTURES}")
  set(${result} "" PARENT_SCOPE)
  if(question STREQUAL HFFT_NVCC_TRIED)
    return()
  endif()
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/hfft_nvcc)
  file(WRITE ${probe}.cu "#include <concepts>\n__global__ void probe(int *x) { *x = 1; }\n")
  set(options -std=c++20)
  if(CMAKE_CUDA_HOST_COMPILER)
    list(APPEND options -ccbin ${CMAKE_CUDA_HOST_COMPILER})
  endif()
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    if(architecture MATCHES "^([0-9]+[a-z]?)(-|$)") # a number; skips "native" and "all"
      list(APPEND options --generate-code=arch=compute_${CMAKE_MATCH_1},code=compute_${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES options)
  execute_process(COMMAND ${nvcc} ${options} -c ${probe}.cu -o ${probe}.o
                  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(status EQUAL 0)
    set(HFFT_NVCC_TRIED "${question}" CACHE INTERNAL "The nvcc that works")
  else()
    string(STRIP "${said}" said)
    set(${result} "${nvcc} does not compile C++20 for '${CMAKE_CUDA_ARCHITECTURES}': ${said} (${status})"
        PARENT_SCOPE)
  endif()
endfunction()

# hfft_check_cuda(RESULT nvcc): sets RESULT to the reason why the toolkit cannot be used; "" if it can.
function(hfft_check_cuda result nvcc)
  if(NOT CUDAToolkit_FOUND OR NOT nvcc)
    set(problem "no CUDA toolkit was found (nvcc; -DCUDAToolkit_ROOT=... says where it is)")
  elseif(CUDAToolkit_VERSION VERSION_LESS 12)
    set(problem "the CUDA toolkit that was found is ${CUDAToolkit_VERSION}, expected 12.0 or later")
  elseif(NOT TARGET CUDA::cudart_static)
    set(problem "${CUDAToolkit_LIBRARY_DIR} has no libcudart_static.a")
  elseif(NOT HFFT_CUFFT_INCLUDE_DIR)
    set(problem "${CUDAToolkit_INCLUDE_DIRS} has no cufft.h")
  else()
    hfft_try_nvcc(problem ${nvcc})
  endif()
  set(${result} "${problem}" PARENT_SCOPE)
endfunction()

# Sets HFFT_CUDA to ON or OFF, and prints the reason. If it is ON, enables the language CUDA, and sets
# HFFT_NCCL_INCLUDE_DIR to the folder of nccl.h if it is found. It is a macro, because CMake enables languages only in
# the scope of a file.
macro(hfft_find_cuda)
  if(HFFT_CUDA STREQUAL "AUTO" AND NOT HFFT_TOOLS AND NOT HFFT_TESTS)
    set(HFFT_CUDA OFF)
    message(STATUS "HFFT_CUDA: OFF, only the solver needs it")
  endif()
  if(HFFT_CUDA)
    set(CMAKE_CUDA_ARCHITECTURES "80-real;90-real;80-virtual" CACHE STRING
        "GPUs to compile for; a virtual one is for all that are newer")
    find_package(CUDAToolkit QUIET)
    find_path(HFFT_CUFFT_INCLUDE_DIR cufft.h PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
    find_path(HFFT_NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    mark_as_advanced(HFFT_CUFFT_INCLUDE_DIR HFFT_NCCL_INCLUDE_DIR)
    if(NOT CMAKE_CUDA_COMPILER)
      set(CMAKE_CUDA_COMPILER "$ENV{CUDACXX}")
    endif()
    if(NOT CMAKE_CUDA_COMPILER)
      set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
    endif()
    hfft_check_cuda(HFFT_CUDA_PROBLEM "${CMAKE_CUDA_COMPILER}")
    if(NOT HFFT_CUDA_PROBLEM)
      enable_language(CUDA)
      foreach(kind STANDARD EXTENSION) # CMake before 3.26 does not know nvcc's C++20
        if(NOT CMAKE_CUDA20_${kind}_COMPILE_OPTION)
          set(CMAKE_CUDA20_${kind}_COMPILE_OPTION -std=c++20)
        endif()
      endforeach()
      set(CMAKE_CUDA_STANDARD 20)
      set(CMAKE_CUDA_RUNTIME_LIBRARY None) # targets that call the runtime link it explicitly
      set(HFFT_CUDA ON)
      set(HFFT_CUDA_NCCL "no NCCL")
      if(HFFT_NCCL_INCLUDE_DIR)
        set(HFFT_CUDA_NCCL "NCCL")
      endif()
      message(STATUS "HFFT_CUDA: ON, CUDA ${CUDAToolkit_VERSION} was found in "
                     "${CUDAToolkit_BIN_DIR}, ${HFFT_CUDA_NCCL}; for ${CMAKE_CUDA_ARCHITECTURES}")
    elseif(HFFT_CUDA STREQUAL "AUTO")
      set(HFFT_CUDA OFF)
      message(STATUS "HFFT_CUDA: OFF, ${HFFT_CUDA_PROBLEM}")
    else()
      message(FATAL_ERROR "HFFT_CUDA is ON, but ${HFFT_CUDA_PROBLEM}. Configure with "
                          "-DHFFT_CUDA=OFF or AUTO for a solver without --device gpu.")
    endif()
  endif()
endmacro()

# hfft_cuda_kernels(TARGET [DEFINITIONS definition...] SOURCES file...): compiles .cu files with HFFT_CUDA_KERNEL
# lines, and adds their objects to the target. The target itself needs no CUDA options. The .cu files can include the
# headers of lib/ and include/, but not those of other libraries. Does nothing without HFFT_CUDA.
function(hfft_cuda_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEFINITIONS;SOURCES")
  if(NOT HFFT_CUDA OR NOT arg_SOURCES)
    return()
  endif()
  string(JOIN _ kernels ${target}_kernels ${arg_DEFINITIONS})
  add_library(${kernels} OBJECT ${arg_SOURCES})
  set_target_properties(${kernels} PROPERTIES CUDA_VISIBILITY_PRESET hidden)
  target_compile_definitions(${kernels} PRIVATE HFFT_CUDA=1 ${arg_DEFINITIONS})
  target_include_directories(${kernels} PRIVATE
    ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  # Makes calls of host-only functions from __host__ __device__ functions errors; by default they are warnings.
  target_compile_options(${kernels} PRIVATE "${HFFT_DEFAULT_FLAGS}" --expt-relaxed-constexpr -lineinfo
    "SHELL:-Werror cross-execution-space-call" "SHELL:-Xcompiler -Wall,-Wextra"
    $<$<BOOL:${HFFT_WERROR}>:SHELL:-Werror all-warnings>
    $<$<BOOL:${HFFT_WERROR}>:SHELL:-Xcompiler -Werror>)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${kernels}>)
endfunction()
