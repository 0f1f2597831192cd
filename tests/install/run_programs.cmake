# cmake -DPREFIX=dir -P run_programs.cmake
# Each installed program has to start, so to find the library, from where it lies now.
set(ENV{LD_LIBRARY_PATH} "")
file(GLOB programs ${PREFIX}/bin/hybridfft-* ${PREFIX}/bin/kspaceFirstOrder-OMP)
if(NOT programs)
  message(FATAL_ERROR "no programs in ${PREFIX}/bin")
endif()
foreach(program IN LISTS programs)
  execute_process(COMMAND ${program} --help
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0 OR NOT output MATCHES "Usage:")
    message(FATAL_ERROR "${program} --help ended with status ${status}\n${output}")
  endif()
  if(program MATCHES "/kspaceFirstOrder-OMP$")
    continue()
  endif()
  # What is passed on tells where it is from and under which licences.
  execute_process(COMMAND ${program} --version RESULT_VARIABLE status OUTPUT_VARIABLE output)
  get_filename_component(name ${program} NAME)
  if(NOT status EQUAL 0 OR NOT output MATCHES
     "^${name} ${VERSION}\n.*commit: [0-9a-z]+(-changed)?\n.*BSD 3-Clause.*FFTW.*GPL")
    message(FATAL_ERROR "${program} --version ended with status ${status}\n${output}")
  endif()
endforeach()
foreach(text LICENSE NOTICE)
  if(NOT EXISTS ${PREFIX}/share/doc/hybridfft/${text})
    message(FATAL_ERROR "${PREFIX}/share/doc/hybridfft has no ${text}")
  endif()
endforeach()
