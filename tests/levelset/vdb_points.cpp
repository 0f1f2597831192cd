// levelset_vdb_points FILE NX NY NZ VALUES: prints the properties of an OpenVDB level set. Writes
// its values at the points of a grid to VALUES, as float32 with x fastest. OpenVDB itself reads the
// file, so program_check.py can check the writer.
#include <openvdb/openvdb.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  openvdb::initialize();
  openvdb::io::File file(argv[1]);
  file.open();
  const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("phi"));
  const openvdb::Vec3d first = grid->transform().indexToWorld(openvdb::Vec3d(0, 0, 0));
  std::printf("%d %.17g %.17g %.17g %.17g %.17g %lld %llu\n",
              grid->getGridClass() == openvdb::GRID_LEVEL_SET ? 1 : 0, grid->voxelSize()[0],
              first[0], first[1], first[2], grid->metaValue<double>("time"),
              static_cast<long long>(grid->metaValue<openvdb::Int64>("step")),
              static_cast<unsigned long long>(grid->activeVoxelCount()));
  std::vector<float> values;
  const auto access = grid->getConstAccessor();
  for (int z = 0; z < std::atoi(argv[4]); ++z)
    for (int y = 0; y < std::atoi(argv[3]); ++y)
      for (int x = 0; x < std::atoi(argv[2]); ++x)
        values.push_back(access.getValue(openvdb::Coord(x, y, z)));
  std::ofstream(argv[5], std::ios::binary)
      .write(reinterpret_cast<const char *>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  return 0;
}
