# cmake -DSCRIPT=file -DVERSION=x.y.z [-DTELLS=program] -DOUTPUT=file -P tell_version.cmake
# Copies a script to OUTPUT, and replaces "NAME of the sources" in it by the text of its --version. The text is the
# output of TELLS --version, with the name of the script; TELLS is a program of the same build. Without TELLS, or with a
# warning if TELLS cannot run, the text is only name and version.
cmake_minimum_required(VERSION 3.20)
get_filename_component(name ${SCRIPT} NAME_WE)
set(text "${name} ${VERSION}")
if(TELLS)
  execute_process(COMMAND ${TELLS} --version RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE error
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(WARNING "${TELLS} --version ended with status ${status}: ${name} will tell its version alone\n${error}")
  elseif(NOT said MATCHES "^[^ \n]+ ${VERSION}\n")
    message(FATAL_ERROR "${TELLS} --version says '${said}', expected version ${VERSION}\n${error}")
  else()
    string(REGEX REPLACE "^[^ ]+" "${name}" text "${said}")
  endif()
endif()
file(READ ${SCRIPT} program)
string(FIND "${program}" "${name} of the sources" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${SCRIPT} has no '${name} of the sources'")
endif()
string(REPLACE "${name} of the sources" "${text}" program "${program}")
file(WRITE ${OUTPUT} "${program}")
file(CHMOD ${OUTPUT} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
     WORLD_EXECUTE)
