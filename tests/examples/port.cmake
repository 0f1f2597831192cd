# cmake -DPAGE=porting.md -DFROM=fftw.c -DTO=hybridfft.c -P port.cmake
# Ports the program FROM by the sed command of docs/porting.md (PAGE), and writes it to TO.
file(STRINGS ${PAGE} commands REGEX "^sed -E ")
list(LENGTH commands count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "${PAGE} shows ${count} commands that begin with 'sed -E', expected 1")
endif()
list(GET commands 0 command)
string(REPLACE " program.c >ported.c" "" command "${command}")
execute_process(COMMAND sh -c "${command}" INPUT_FILE ${FROM} OUTPUT_FILE ${TO}
                RESULT_VARIABLE status ERROR_VARIABLE error)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the command of ${PAGE} ended with status ${status}\n${error}")
endif()
