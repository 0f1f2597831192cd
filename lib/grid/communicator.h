/// The communicator of the installed interface.
#pragma once

#include "hybridfft/grid/communicator.hpp"
