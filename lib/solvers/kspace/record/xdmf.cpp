#include "solvers/kspace/record/xdmf.h"

#include <cstdlib>

#include "io/xdmf_text.h"
#include "solvers/kspace/files/input_file.h"

namespace hybridfft::kspace {

namespace {

/// Return the quantity and the number of the cuboid in a dataset's name: "p_max/2" is p_max at the
/// second cuboid.
std::string quantity_of(const std::string &dataset) { return dataset.substr(0, dataset.find('/')); }
std::size_t cuboid_of(const std::string &dataset) {
  return std::stoul(dataset.substr(dataset.find('/') + 1));
}

class Document : private io::XdmfText {
public:
  Document(const XdmfScene &scene, const std::string &output) : XdmfText(output), scene_(scene) {}

  std::string text();

private:
  bool in_cuboid(const OutputArray &array, std::size_t number, bool series) const {
    return array.content == (series ? OutputArray::Content::series : OutputArray::Content::box) &&
           cuboid_of(array.name) == number;
  }
  void begin_grid(const std::string &name, const io::Shape &shape, const Cuboid &place);
  void field(const OutputArray &array);
  void row(const OutputArray &array, std::int64_t index);
  void time(std::int64_t step) { XdmfText::time(static_cast<double>(step) * scene_.dt); }
  template <class Belongs>
  void fields(const std::string &grid, const Cuboid &place, const Belongs &belongs);
  void cuboid_series(std::size_t number);

  const XdmfScene &scene_;
};

/// Begins the XML element of a grid. XDMF orders axes slowest first, but positions as x, y, z.
void Document::begin_grid(const std::string &name, const io::Shape &shape, const Cuboid &place) {
  open("Grid Name=\"" + name + "\" GridType=\"Uniform\"");
  const GridPositions &all = scene_.positions;
  const bool uniform = all[0].empty() && all[1].empty() && all[2].empty();
  line("<Topology TopologyType=\"" + std::string(uniform ? "3DCoRectMesh" : "3DRectMesh") +
       "\" Dimensions=\"" + io::xdmf_list(shape) + "\"/>");
  open(std::string("Geometry GeometryType=\"") + (uniform ? "ORIGIN_DXDYDZ" : "VXVYVZ") + "\"");
  std::array<double, 3> origin{};
  std::array<double, 3> spacing{};
  for (std::size_t a = 0; a < 3; ++a) {
    origin[2 - a] = static_cast<double>(place.first[a]) * scene_.spacing[a];
    spacing[2 - a] = scene_.spacing[a];
    if (uniform) continue;
    std::vector<double> along(shape[2 - a]);
    for (std::size_t i = 0; i < along.size(); ++i)
      along[i] = all[a].empty() ? origin[2 - a] + static_cast<double>(i) * scene_.spacing[a]
                                : all[a][static_cast<std::size_t>(place.first[a]) + i];
    numbers(along);
  }
  if (uniform) {
    numbers(origin);
    numbers(spacing);
  }
  close("Geometry");
}

void Document::field(const OutputArray &array) {
  open("Attribute Name=\"" + quantity_of(array.name) +
       "\" AttributeType=\"Scalar\" Center=\"Node\"");
  values(array.name, array.shape, array.value_bytes);
  close("Attribute");
}

/// Describes one time step of a series as a part of its dataset.
void Document::row(const OutputArray &array, std::int64_t index) {
  const io::Shape shape(array.shape.begin() + 1, array.shape.end());
  open("Attribute Name=\"" + quantity_of(array.name) +
       "\" AttributeType=\"Scalar\" Center=\"Node\"");
  open("DataItem ItemType=\"HyperSlab\" Dimensions=\"" + io::xdmf_list(shape) + "\"");
  line("<DataItem Dimensions=\"3 4\" Format=\"XML\">" + std::to_string(index) +
       " 0 0 0  1 1 1 1  1 " + io::xdmf_list(shape) + "</DataItem>");
  values(array.name, array.shape, array.value_bytes);
  close("DataItem");
  close("Attribute");
}

/// Describes a grid with the arrays selected by `belongs`, after the last time step; nothing if
/// there are none.
template <class Belongs>
void Document::fields(const std::string &grid, const Cuboid &place, const Belongs &belongs) {
  bool begun = false;
  for (const OutputArray &array : scene_.arrays) {
    if (!belongs(array)) continue;
    if (!begun) {
      begin_grid(grid, array.shape, place);
      time(scene_.steps_done - 1);
    }
    begun = true;
    field(array);
  }
  if (begun) close("Grid");
}

void Document::cuboid_series(std::size_t number) {
  std::vector<const OutputArray *> all;
  for (const OutputArray &array : scene_.arrays)
    if (in_cuboid(array, number, true)) all.push_back(&array);
  if (all.empty() || scene_.steps_done <= scene_.first_step) return;
  const std::string name = "cuboid " + std::to_string(number) + " over time";
  const io::Shape shape(all[0]->shape.begin() + 1, all[0]->shape.end());
  open("Grid Name=\"" + name + "\" GridType=\"Collection\" CollectionType=\"Temporal\"");
  for (std::int64_t step = scene_.first_step; step < scene_.steps_done; ++step) {
    begin_grid(name, shape, scene_.cuboids[number - 1]);
    time(step);
    for (const OutputArray *array : all)
      row(*array, step - scene_.first_step);
    close("Grid");
  }
  close("Grid");
}

std::string Document::text() {
  begin();
  fields("grid", {},
         [](const OutputArray &array) { return array.content == OutputArray::Content::field; });
  for (std::size_t number = 1; number <= scene_.cuboids.size(); ++number) {
    fields("cuboid " + std::to_string(number), scene_.cuboids[number - 1],
           [&](const OutputArray &array) { return in_cuboid(array, number, false); });
    cuboid_series(number);
  }
  return end();
}

/// Returns the decimal number that the user wrote, such as 0.0009, instead of its nearest number of
/// single precision.
double as_written(double value) { return std::strtod(to_string(value).c_str(), nullptr); }

} // namespace

XdmfScene::XdmfScene(const Parameters &parameters, std::int64_t series_start, std::int64_t done,
                     std::vector<OutputArray> created)
    : dt(as_written(parameters.dt)), first_step(series_start), steps_done(done),
      arrays(std::move(created)) {
  for (std::size_t a = 0; a < 3; ++a)
    spacing[a] =
        as_written(parameters.spacing[static_cast<int>(a) < parameters.dimensions() ? a : 0]);
}

GridPositions grid_positions(const InputFile &file, const Parameters &parameters) {
  GridPositions positions;
  for (int axis = 0; axis < parameters.dimensions() && parameters.nonuniform_grid; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto n = static_cast<std::size_t>(parameters.n[a]);
    const std::string x = axis_name(axis);
    const std::string name = "d" + x + "ud" + x + "n";
    const std::vector<double> at = file.list<double>(name, n, Values::positive);
    const std::vector<double> between = file.list<double>(name + "_sg" + x, n, Values::positive);
    const double sixth = as_written(parameters.spacing[a]) / 6;
    positions[a].assign(1, 0.0);
    for (std::size_t i = 0; i + 1 < n; ++i)
      positions[a].push_back(positions[a].back() + sixth * (1 / static_cast<double>(at[i]) +
                                                            4 / static_cast<double>(between[i]) +
                                                            1 / static_cast<double>(at[i + 1])));
  }
  return positions;
}

std::string xdmf(const XdmfScene &scene, const std::string &output) {
  return Document(scene, output).text();
}

void write_xdmf(const XdmfScene &scene, const std::string &output) {
  io::write_xdmf(xdmf(scene, output), output);
}

} // namespace hybridfft::kspace
