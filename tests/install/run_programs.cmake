# cmake -DPREFIX=dir -P run_programs.cmake
# Tests the programs of a moved installation: they start, print versions and licences, and have manual pages and
# completion in shells.
cmake_minimum_required(VERSION 3.20)
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
  # Each program must print its origin and licences. The launcher kspaceFirstOrder-OMP passes --version to
  # hybridfft-kspace.
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

# Each program must have a manual page with its options, examples, exit statuses and, if it reads any,
# environment variables. Completion in bash and zsh must know the options and their values.
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME)
  file(READ ${PREFIX}/share/man/man1/${name}.1 page)
  string(REPLACE "\\-" "-" page "${page}")
  foreach(part "NAME\n${name} - [A-Za-z]" "SYNOPSIS\n.B [a-z]" "OPTIONS\n(.*\n)?.TP\n.B -" "--version"
                "\n.SH EXIT STATUS\n(.TP\n.B )?0" "\n.SH EXAMPLES\n.TP\n.B [^\n]*${name}[ \n]")
    if(NOT page MATCHES "${part}")
      message(FATAL_ERROR "the manual page of ${name} has no '${part}':\n${page}")
    endif()
  endforeach()
  if(NOT name MATCHES "^hybridfft-(view|plot|cluster)$" AND NOT page MATCHES
     "\n.SH ENVIRONMENT\n.TP\n.B (OMP_NUM_THREADS|HFFT_RANKS|HFFT_MACHINE)\n[a-z]")
    message(FATAL_ERROR "the manual page of ${name} has no variables:\n${page}")
  endif()
  # Options in examples must exist. Options of a subcommand are in its own help.
  string(FIND "${page}" "\n.SH EXAMPLES\n" end)
  string(SUBSTRING "${page}" 0 ${end} described)
  string(SUBSTRING "${page}" ${end} -1 examples)
  string(REGEX MATCHALL "\n.B [^\n]*" examples "${examples}")
  foreach(example IN LISTS examples)
    string(REGEX REPLACE "^.*${name}" "" example "${example}")
    string(REGEX MATCHALL " --?[a-z][a-z_-]*" options "${example}")
    foreach(option IN LISTS options)
      string(STRIP "${option}" option)
      if(NOT name STREQUAL "hybridfft-study" AND NOT described MATCHES "[\n ,]${option}[\n ,=]")
        message(FATAL_ERROR "an example of the manual page of ${name} has ${option}, which is no option")
      endif()
    endforeach()
  endforeach()
  execute_process(COMMAND bash -c "source '${PREFIX}/share/bash-completion/completions/${name}' && complete -p ${name}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "there is no completion of ${name} in ${PREFIX}/share/bash-completion/completions\n${output}")
  endif()
endforeach()
# completes(SHELL expected program word...): completes the last word. The results must be `expected`, or file names if
# `expected` is "files".
find_program(zsh zsh)
function(completes shell expected program)
  list(JOIN ARGN "' '" words)
  math(EXPR place "${ARGC} - 3") # CMake drops a list of one empty word
  set(command "words=('${PREFIX}/bin/${program}' '${words}')")
  if(shell STREQUAL "bash")
    string(APPEND command "; COMP_WORDS=(\"\${words[@]}\") COMP_CWORD=${place}
      source '${PREFIX}/share/bash-completion/completions/${program}'; _hybridfft \"\${words[0]}\"
      echo \"\${COMPREPLY[*]:-files}\"")
    execute_process(COMMAND bash -c "${command}" OUTPUT_VARIABLE output ERROR_VARIABLE output)
  else()
    math(EXPR current "${place} + 1")
    string(PREPEND command "compadd() { shift; print -r -- \"$@\" }; _files() { print files }; CURRENT=${current}; ")
    execute_process(COMMAND ${zsh} -f -c "${command}; source '${PREFIX}/share/zsh/site-functions/_hybridfft'"
                    OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(ARGN MATCHES "-[a-z]*$") # the output has all options: zsh itself selects the matching names later
      string(REGEX REPLACE "^.*(${expected}).*$" "\\1\n" output "${output}")
    endif()
  endif()
  if(NOT output STREQUAL "${expected}\n")
    message(FATAL_ERROR "${shell} completes ${program} '${words}' to '${output}', expected '${expected}'")
  endif()
endfunction()
set(shells bash)
if(zsh)
  list(APPEND shells zsh)
endif()
foreach(shell IN LISTS shells)
  completes(${shell} "--basis" hybridfft-kspace --ba)
  completes(${shell} "global local auto" hybridfft-kspace --basis "")
  completes(${shell} "backward forward" hybridfft-transform --direction "")
  completes(${shell} "x y z" hybridfft-view --axis "")
  completes(${shell} "files" hybridfft-transform -i "")
  completes(${shell} "files" hybridfft-kspace "")
  if(EXISTS ${PREFIX}/bin/hybridfft-study)
    completes(${shell} "run machine jobs" hybridfft-study "")
    completes(${shell} "--scheduler" hybridfft-study jobs --sch)
  endif()
endforeach()
# Each value that completion offers for an option of k-Wave must be in the help.
execute_process(COMMAND ${PREFIX}/bin/hybridfft-kspace --help OUTPUT_VARIABLE help)
foreach(option precision writer verbose basis coarse_level device transport)
  execute_process(COMMAND bash -c "source '${PREFIX}/share/bash-completion/completions/hybridfft-kspace'
      _hybridfft_candidates hybridfft-kspace --${option} '' 2 </dev/null" OUTPUT_VARIABLE values)
  string(REGEX MATCH "\n  --${option} [^\n]*" line "${help}")
  string(REGEX MATCHALL "[^\n]+" values "${values}")
  list(LENGTH values count)
  foreach(value IN LISTS values)
    string(FIND "${line}" "${value}" position)
    if(position EQUAL -1)
      message(FATAL_ERROR "--${option} is completed to ${value}, but the help says:${line}")
    endif()
  endforeach()
  if(count LESS 2)
    message(FATAL_ERROR "--${option} is completed to '${values}', expected two values or more")
  endif()
endforeach()
execute_process(COMMAND ${PREFIX}/bin/hybridfft-info --license RESULT_VARIABLE status OUTPUT_VARIABLE output)
if(NOT status EQUAL 0 OR NOT output MATCHES "BSD 3-Clause.*FFTW.*GPL.*You run programs.*: nothing.*binaries")
  message(FATAL_ERROR "hybridfft-info --license ended with status ${status}\n${output}")
endif()

execute_process(COMMAND ${PREFIX}/bin/hybridfft-view -i none.h5 -d p -o ${without}/p.png
                RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 1 OR NOT output MATCHES "^hybridfft-view: error: .*: install h5py and matplotlib")
  message(FATAL_ERROR "hybridfft-view without matplotlib ended with status ${status}\n${output}")
endif()

# Runs the programs of the component bench if it is built. Without its packages the drawing program must name
# them, and hybridfft-study must find the script for mpi4py-fft.
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
