# cmake -DBUILD=dir -DCONFIG=config -DPKG_CONFIG=pkg-config -DSCRATCH=dir -P system_prefix.cmake
# Installs the component dev to /usr below SCRATCH. Fails if pkg-config prints an rpath, or a folder searched by
# compiler and linker anyway.
file(REMOVE_RECURSE ${SCRATCH})
set(ENV{DESTDIR} ${SCRATCH})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix /usr --component dev
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files ${SCRATCH}/usr/*.pc)
list(LENGTH files count)
if(count LESS 2)
  message(FATAL_ERROR "found ${count} .pc files in ${SCRATCH}/usr, expected hybridfft.pc and hybridfft-grid.pc")
endif()
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  get_filename_component(directory ${file} DIRECTORY)
  set(ENV{PKG_CONFIG_LIBDIR} ${directory})
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${name} OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  if(flags MATCHES "-rpath|-[IL]" OR NOT flags MATCHES "-lhybridfft")
    message(FATAL_ERROR "${name} in /usr: found '${flags}', expected libraries alone")
  endif()
endforeach()
