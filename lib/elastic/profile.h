/// Times of the parts of time steps.
#pragma once

namespace hybridfft::elastic {

/// Seconds of this rank.
struct Profile {
  double velocity = 0; ///< sweeps of velocities, including the sponge
  double stress = 0;   ///< sweeps of stresses and memory variables, including the sponge
  double surface = 0;  ///< columns above the free surface; included in the sweeps unless timed
  double sources = 0;
  double pack = 0;   ///< writing and sending messages
  double wait = 0;   ///< waiting for messages of neighbours
  double copies = 0; ///< reading messages, and copies within the rank
};

} // namespace hybridfft::elastic
