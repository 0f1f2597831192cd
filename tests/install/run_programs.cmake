# cmake -DPREFIX=dir -P run_programs.cmake
# Each installed program must start, and thus find the library, at its present location.
set(ENV{LD_LIBRARY_PATH} "")
# A program must print its version without matplotlib.
set(without ${PREFIX}.without)
file(WRITE ${without}/matplotlib.py "raise ImportError('no matplotlib here')\n")
set(ENV{PYTHONPATH} ${without})
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
file(GLOB programs ${PREFIX}/bin/hybridfft-* ${PREFIX}/bin/kspaceFirstOrder-*)
if(NOT programs)
  message(FATAL_ERROR "no programs in ${PREFIX}/bin")
endif()
foreach(program IN LISTS programs)
  execute_process(COMMAND ${program} --help
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0 OR NOT output MATCHES "Usage:")
    message(FATAL_ERROR "${program} --help ended with status ${status}\n${output}")
  endif()
  # A distributed program prints its origin and licences; the launcher lets its program print them.
  execute_process(COMMAND ${program} --version RESULT_VARIABLE status OUTPUT_VARIABLE output)
  get_filename_component(name ${program} NAME)
  string(REGEX REPLACE "kspaceFirstOrder-.*" "hybridfft-kspace" name "${name}")
  if(NOT status EQUAL 0 OR NOT output MATCHES
     "^${name} ${VERSION}\n.*commit: [0-9a-z]+(-changed)?\n.*BSD 3-Clause.*FFTW.*GPL")
    message(FATAL_ERROR "${program} --version ended with status ${status}\n${output}")
  endif()
  string(REGEX MATCH "commit: [^\n]+" commit "${output}")
  if(DEFINED first_commit AND NOT commit STREQUAL first_commit)
    message(FATAL_ERROR "${program} --version tells ${commit}, other programs ${first_commit}")
  endif()
  set(first_commit ${commit})
endforeach()
foreach(text LICENSE NOTICE)
  if(NOT EXISTS ${PREFIX}/share/doc/hybridfft/${text})
    message(FATAL_ERROR "${PREFIX}/share/doc/hybridfft has no ${text}")
  endif()
endforeach()

# Each program has a manual page with its options, and bash completion.
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME)
  file(READ ${PREFIX}/share/man/man1/${name}.1 page)
  string(REPLACE "\\-" "-" page "${page}")
  foreach(part "NAME\n${name} - [A-Za-z]" "SYNOPSIS\n.B [a-z]" "OPTIONS\n(.*\n)?.TP\n.B -" "--version")
    if(NOT page MATCHES "${part}")
      message(FATAL_ERROR "the manual page of ${name} has no '${part}':\n${page}")
    endif()
  endforeach()
  execute_process(COMMAND bash -c "source '${PREFIX}/share/bash-completion/completions/${name}' && complete -p ${name}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "there is no completion of ${name} in ${PREFIX}/share/bash-completion/completions\n${output}")
  endif()
endforeach()
execute_process(COMMAND bash -c "source '${PREFIX}/share/bash-completion/completions/hybridfft-kspace'
    COMP_WORDS=('${PREFIX}/bin/hybridfft-kspace' --ba) COMP_CWORD=1
    _hybridfft \"\${COMP_WORDS[0]}\" && echo \"\${COMPREPLY[*]}\"
    COMP_WORDS[1]=in && _hybridfft \"\${COMP_WORDS[0]}\" && echo \"files:\${COMPREPLY[*]}\""
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0 OR NOT output STREQUAL "--basis\nfiles:\n")
  message(FATAL_ERROR "'--ba' is completed to '${output}', expected --basis\n${status}")
endif()
execute_process(COMMAND ${PREFIX}/bin/hybridfft-info --license RESULT_VARIABLE status OUTPUT_VARIABLE output)
if(NOT status EQUAL 0 OR NOT output MATCHES "BSD 3-Clause.*FFTW.*GPL.*You run programs.*: nothing.*binaries")
  message(FATAL_ERROR "hybridfft-info --license ended with status ${status}\n${output}")
endif()

execute_process(COMMAND ${PREFIX}/bin/hybridfft-view -i none.h5 -d p -o ${without}/p.png
                RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 1 OR NOT output MATCHES "^hybridfft-view: error: .*: install h5py and matplotlib")
  message(FATAL_ERROR "hybridfft-view without matplotlib ended with status ${status}\n${output}")
endif()

# Programs of the component bench, if it is built: one that draws reports its dependencies, and one finds the
# peer beside the programs.
if(NOT EXISTS ${PREFIX}/bin/hybridfft-study)
  return()
endif()
execute_process(COMMAND ${PREFIX}/bin/hybridfft-plot none.jsonl --directory ${without}
                RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 1 OR NOT output MATCHES "^hybridfft-plot: no matplotlib here: install matplotlib")
  message(FATAL_ERROR "hybridfft-plot without matplotlib ended with status ${status}\n${output}")
endif()
execute_process(COMMAND python3 -c "import runpy, types
Programs = runpy.run_path('${PREFIX}/bin/hybridfft-study')['Programs']
print(Programs(types.SimpleNamespace(programs=None)).path('mpi4py_fft_peer.py'))"
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0 OR NOT output STREQUAL "${PREFIX}/share/hybridfft/mpi4py_fft_peer.py\n")
  message(FATAL_ERROR "hybridfft-study finds '${output}', expected mpi4py_fft_peer.py in ${PREFIX}/share/hybridfft")
endif()
