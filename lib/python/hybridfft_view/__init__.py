"""Pictures and animations of datasets in HDF5 files, with matplotlib: the program hybridfft-view.

The package needs h5py, numpy and matplotlib, but neither MPI nor the package ``hybridfft``. The module ``files`` reads
the grid and the time steps of k-Wave's files, ``planes`` reads the values of a picture or a curve, ``marks`` finds
lines such as the borders of materials, ``scale`` maps values to colours, and ``figure`` draws. ``program`` parses the
options and writes the output file.
"""
