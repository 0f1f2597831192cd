// Writes the datasets of the phantom plane by plane: each rank computes the values of its own
// planes of z.
#include "support/phantom/file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <vector>

#include "base/mpi.h"
#include "hybridfft/layout.hpp"
#include "io/hdf5.h"

namespace hybridfft::tools::phantom {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{32} << 20;

using PlaneField = std::function<double(const Index &)>;
using PlanePoints = std::function<std::vector<std::uint64_t>(std::int64_t z)>;

struct IndexList {
  std::uint64_t count = 0;
  std::uint64_t first = 0; ///< smallest position in the list, if count > 0
};

class Writer {
public:
  Writer(const Scene &scene, const std::string &path, MPI_Comm comm)
      : scene_(scene), comm_(comm), file_(io::File::create(path, comm)),
        slabs_(scene.extents[2], mpi::size(comm)), rank_(mpi::rank(comm)) {}

  io::File &file() { return file_; }

  void integer(const std::string &name, std::uint64_t value) {
    file_.write_all<std::uint64_t>(name, {1, 1, 1}, {value});
    describe(name, "long");
  }

  void real(const std::string &name, double value) {
    file_.write_all<float>(name, {1, 1, 1}, {static_cast<float>(value)});
    describe(name, "float");
  }

  void series(const std::string &name, const std::vector<float> &values) {
    file_.write_all<float>(name, {1, values.size(), 1}, values);
    describe(name, "float");
  }

  /// Writes one value per grid point, [Nz][Ny][Nx]. Each rank computes and writes its own planes.
  void field(const std::string &name, const PlaneField &value);

  /// Writes one-based indices of points, [1][1][count]. points(z) lists the points of plane z.
  IndexList index_list(const std::string &name, const PlanePoints &points);

private:
  void describe(const std::string &name, const char *data_type) {
    file_.set_attribute(name, "data_type", data_type);
    file_.set_attribute(name, "domain_type", "real");
  }

  std::int64_t planes_per_chunk() const {
    const auto plane = static_cast<std::size_t>(scene_.extents[0] * scene_.extents[1]) * 8;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(chunk_bytes / plane));
  }

  /// Calls step(first, end) for this rank's planes, a few at a time. All ranks call it equally
  /// often, because it contains collective calls; a rank without planes gets empty ranges.
  void for_chunks(const std::function<void(std::int64_t, std::int64_t)> &step) const {
    const std::int64_t start = slabs_.start(rank_);
    const std::int64_t end = start + slabs_.count(rank_);
    for (std::int64_t done = 0; done < slabs_.block(); done += planes_per_chunk())
      step(std::min(start + done, end), std::min(start + done + planes_per_chunk(), end));
  }

  const Scene &scene_;
  MPI_Comm comm_;
  io::File file_;
  BlockDistribution slabs_;
  int rank_;
};

void Writer::field(const std::string &name, const PlaneField &value) {
  const auto nx = static_cast<std::size_t>(scene_.extents[0]);
  const auto ny = static_cast<std::size_t>(scene_.extents[1]);
  const auto nz = static_cast<std::size_t>(scene_.extents[2]);
  file_.create_dataset<float>(name, {nz, ny, nx});
  std::vector<float> planes;
  for_chunks([&](std::int64_t first, std::int64_t end) {
    const auto count = static_cast<std::size_t>(end - first);
    planes.resize(count * ny * nx);
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t z = first; z < end; ++z)
      for (std::int64_t y = 0; y < scene_.extents[1]; ++y) {
        float *row = planes.data() +
                     (static_cast<std::size_t>(z - first) * ny + static_cast<std::size_t>(y)) * nx;
        for (std::int64_t x = 0; x < scene_.extents[0]; ++x)
          row[x] = static_cast<float>(value({x, y, z}));
      }
    file_.write<float>(name, {{static_cast<std::size_t>(first), 0, 0}, {count, ny, nx}},
                       planes.data());
  });
  describe(name, "float");
}

IndexList Writer::index_list(const std::string &name, const PlanePoints &points) {
  std::uint64_t mine = 0;
  IndexList list;
  std::uint64_t first = INT64_MAX; // MPICH 4.0 compares MPI_UINT64_T as a signed type
  for_chunks([&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t z = begin; z < end; ++z) {
      const std::vector<std::uint64_t> plane = points(z);
      if (!plane.empty()) first = std::min(first, plane.front());
      mine += plane.size();
    }
  });
  mpi::check(MPI_Allreduce(&first, &list.first, 1, MPI_UINT64_T, MPI_MIN, comm_), "MPI_Allreduce");
  mpi::check(MPI_Allreduce(&mine, &list.count, 1, MPI_UINT64_T, MPI_SUM, comm_), "MPI_Allreduce");
  if (list.count == 0) return list;

  std::uint64_t offset = 0;
  mpi::check(MPI_Exscan(&mine, &offset, 1, MPI_UINT64_T, MPI_SUM, comm_), "MPI_Exscan");
  if (rank_ == 0) offset = 0;
  file_.create_dataset<std::uint64_t>(name, {1, 1, list.count});
  std::vector<std::uint64_t> chunk;
  for_chunks([&](std::int64_t begin, std::int64_t end) {
    chunk.clear();
    for (std::int64_t z = begin; z < end; ++z)
      for (const std::uint64_t point : points(z))
        chunk.push_back(point + 1);
    // An empty box must have its offset inside the dataset.
    const std::uint64_t at = chunk.empty() ? 0 : offset;
    file_.write<std::uint64_t>(name, {{0, 0, at}, {1, 1, chunk.size()}}, chunk.data());
    offset += chunk.size();
  });
  describe(name, "long");
  return list;
}

std::string date_now(MPI_Comm comm) {
  char text[32] = {};
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%d-%b-%Y-%H-%M-%S", &parts);
  mpi::check(MPI_Bcast(text, sizeof text, MPI_CHAR, 0, comm), "MPI_Bcast");
  return text;
}

void write_header(Writer &w, bool labels, MPI_Comm comm) {
  const std::pair<const char *, std::string> attributes[] = {
      {"created_by", "hybridfft-phantom"},
      {"creation_date", date_now(comm)},
      {"file_description",
       labels ? "medium of labels" : "focused bowl, layered medium with a spherical inclusion"},
      {"file_type", "input"},
      {"major_version", "1"},
      {"minor_version", "2"}};
  for (const auto &[name, value] : attributes)
    w.file().set_attribute("/", name, value);
}

void write_grid(Writer &w, const Scene &s) {
  const char *const axes[] = {"x", "y", "z"};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::string axis = axes[a];
    w.integer(std::string("N") + axis, static_cast<std::uint64_t>(s.extents[a]));
    w.integer("pml_" + axis + "_size", static_cast<std::uint64_t>(s.pml_size(a)));
    // k-Wave writes N and pml_size for all three axes, but the following two values only for axes
    // with more than one point.
    if (static_cast<int>(a) >= s.dimensions()) continue;
    w.real("d" + axis, s.spacing);
    w.real("pml_" + axis + "_alpha", s.pml_alpha);
  }
  w.integer("Nt", static_cast<std::uint64_t>(s.steps));
  w.real("dt", s.dt);
  w.real("c_ref", s.speeds.highest);
}

void write_flags(Writer &w, const Scene &s) {
  for (const char *flag :
       {"axisymmetric_flag", "nonuniform_grid_flag", "elastic_flag", "transducer_source_flag",
        "ux_source_flag", "uy_source_flag", "uz_source_flag", "sxx_source_flag", "syy_source_flag",
        "szz_source_flag", "sxy_source_flag", "sxz_source_flag", "syz_source_flag",
        "sensor_mask_type"})
    w.integer(flag, 0);
  const bool coefficients = s.labels && s.labels->coefficients;
  w.integer("nonlinear_flag", coefficients || s.nonlinearity > 0. ? 1 : 0);
  w.integer("absorbing_flag", coefficients || s.absorption > 0. ? 1 : 0);
  w.integer("p0_source_flag", s.source.kind == SourceKind::p0 ? 1 : 0);
  w.integer("p_source_flag", s.source.signal.size());
}

void write_medium(Writer &w, const Scene &s, MPI_Comm comm) {
  if (s.labels) {
    if (s.labels->coefficients) w.real("alpha_power", s.absorption_power);
    write_labelled_medium(w.file(), *s.labels, s.spacing, comm);
    return;
  }
  if (s.nonlinearity > 0.) w.real("BonA", s.nonlinearity);
  if (s.absorption > 0.) {
    w.real("alpha_coeff", s.absorption);
    w.real("alpha_power", s.absorption_power);
  }
  const std::vector<const char *> all{"rho0_sgx", "rho0_sgy", "rho0_sgz"};
  const std::vector<const char *> staggered(all.begin(), all.begin() + s.dimensions());
  if (s.homogeneous) {
    const Material &water = s.medium.at({0, 0, 0});
    w.real("c0", water.speed);
    w.real("rho0", water.density);
    for (const char *name : staggered)
      w.real(name, water.density);
    return;
  }
  w.field("c0", [&](const Index &p) { return s.medium.at(p).speed; });
  w.field("rho0", [&](const Index &p) { return s.medium.at(p).density; });
  for (int a = 0; a < s.dimensions(); ++a) {
    const auto axis = static_cast<std::size_t>(a);
    const std::int64_t extent = s.extents[axis];
    w.field(staggered[axis],
            [&, a, extent](const Index &p) { return s.medium.staggered_density(p, a, extent); });
  }
}

std::uint64_t write_bowl(Writer &w, const Scene &s, MPI_Comm comm) {
  const IndexList list = w.index_list("p_source_index", [&](std::int64_t z) {
    return bowl_points(s.source.bowl, s.extents, s.spacing, z);
  });
  if (list.count == 0)
    throw std::invalid_argument("--aperture: found a bowl with no grid point within half a cell, "
                                "expected a larger aperture or a smaller --spacing");
  const auto nx = static_cast<std::uint64_t>(s.extents[0]);
  const auto ny = static_cast<std::uint64_t>(s.extents[1]);
  const Index first{static_cast<std::int64_t>(list.first % nx),
                    static_cast<std::int64_t>(list.first / nx % ny),
                    static_cast<std::int64_t>(list.first / nx / ny)};
  const double c = (s.labels ? s.labels->at(first, comm).material : s.medium.at(first)).speed;
  const double dimensions = s.dimensions();
  const double scale =
      s.source.dirichlet ? 1. / (dimensions * c * c) : 2. * s.dt / (dimensions * c * s.spacing);
  std::vector<float> signal(s.source.signal.size());
  std::transform(s.source.signal.begin(), s.source.signal.end(), signal.begin(),
                 [scale](double p) { return static_cast<float>(scale * p); });
  w.integer("p_source_mode", s.source.dirichlet ? 0 : 1);
  w.integer("p_source_many", 0);
  w.series("p_source_input", signal);
  return list.count;
}

std::uint64_t write_ball(Writer &w, const Scene &s) {
  const Point &centre = s.source.bowl.focus;
  w.field("p0_source_input", [&](const Index &p) {
    const double h = s.spacing;
    const double distance = std::hypot(static_cast<double>(p[0]) * h - centre[0],
                                       static_cast<double>(p[1]) * h - centre[1],
                                       static_cast<double>(p[2]) * h - centre[2]);
    return ball_pressure(distance, s.source.ball_radius, s.source.pressure);
  });
  return 0;
}

} // namespace

Written write_file(const Scene &scene, const std::string &path, MPI_Comm comm) {
  Writer writer(scene, path, comm);
  write_header(writer, scene.labels.has_value(), comm);
  write_grid(writer, scene);
  write_flags(writer, scene);
  Written written;
  written.source_points = scene.source.kind == SourceKind::bowl ? write_bowl(writer, scene, comm)
                                                                : write_ball(writer, scene);
  written.sensor_points =
      writer.index_list("sensor_mask_index", [&](std::int64_t z) { return scene.sensor_points(z); })
          .count;
  write_medium(writer, scene, comm);
  writer.file().commit();
  return written;
}

} // namespace hybridfft::tools::phantom
