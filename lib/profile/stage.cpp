#include "profile/stage.h"

#include <algorithm>
#include <cmath>

namespace hybridfft::profile {

namespace {

const char *name_of(StageKind kind) {
  switch (kind) {
  case StageKind::whole:
    return "whole";
  case StageKind::planes:
    return "planes";
  case StageKind::columns:
    return "columns";
  case StageKind::copy:
    return "copy";
  case StageKind::work:
    return "work";
  case StageKind::exchange:
    return "exchange";
  }
  return "";
}

} // namespace

double transform_flops(double points, double batch) {
  return points > 1 ? 5 * points * std::log2(points) * batch : 0;
}

void add_stage(std::vector<Stage> &stages, StageKind kind, double bytes, double flops) {
  const auto same = [kind](const Stage &other) { return other.kind == kind; };
  Stage s{name_of(kind), kind, static_cast<int>(std::count_if(stages.begin(), stages.end(), same)),
          bytes, flops};
  if (s.ordinal > 0) s.name += " " + std::to_string(s.ordinal + 1);
  stages.push_back(std::move(s));
}

std::string describe_lines(const Stage &stage) {
  std::string text;
  for (const Lines &l : stage.lines)
    text += std::to_string(l.count) + " lines of " + std::to_string(l.points) + ", ";
  return text;
}

} // namespace hybridfft::profile
