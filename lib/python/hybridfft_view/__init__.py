"""Pictures and animations of datasets in HDF5 files, with matplotlib: the program hybridfft-view.

The package needs h5py, numpy and matplotlib, but neither MPI nor the package ``hybridfft``. ``files`` reads what
k-Wave's files say of grid and time, ``planes`` the values of a picture or a curve, ``marks`` the lines in a
picture, and ``figure`` draws. ``program`` has the options and the output file.
"""
