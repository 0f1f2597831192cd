#!/usr/bin/env python3
"""Draws which rank has which points: layouts.png beside this script, for docs/layouts.md. Boxes are those of
Layout::grid: blocks of ceil(n/parts) points, ranks row-major over the process grid. Needs matplotlib:
apt-get install python3-matplotlib."""

import itertools
import pathlib

from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from style import COLOURS, plt, save

HERE = pathlib.Path(__file__).resolve().parent
POINTS = (8, 8, 8)
# Steps of the transform between two pictures: the process grids before, in between and after.
ROWS = [("Slabs: 4 ranks transform planes, then lines.",
         [((4, 1, 1), "n1 and n2 are whole"), ((1, 4, 1), "n0 is whole: transposed output")]),
        ("Pencils: 2 x 2 ranks transform one axis at a time.",
         [((2, 2, 1), "n2 is whole"), ((2, 1, 2), "n1 is whole"), ((1, 2, 2), "n0 is whole")]),
        ("Bricks: 2 x 2 x 2 ranks. A transform passes through pencils.",
         [((2, 2, 2), "no axis is whole")])]


def block(points, parts, part):
    """First and last point of a block."""
    size = -(-points // parts)
    return min(part * size, points), min((part + 1) * size, points)


def boxes(parts):
    """The box of each rank: three ranges."""
    return [[block(n, p, i) for n, p, i in zip(POINTS, parts, at)]
            for at in itertools.product(*(range(p) for p in parts))]


def faces(box):
    """Of a box in a picture with n0 to the back, n1 downwards and n2 to the right."""
    (a0, b0), (a1, b1), (a2, b2) = box
    corner = {(i, j, k): ((a2, b2)[k], (a0, b0)[i], POINTS[1] - (a1, b1)[j])
              for i, j, k in itertools.product((0, 1), repeat=3)}
    for axis in range(3):
        others = [d for d in range(3) if d != axis]
        for side in (0, 1):
            ring = []
            for first, second in ((0, 0), (0, 1), (1, 1), (1, 0)):
                at = [0, 0, 0]
                at[axis], at[others[0]], at[others[1]] = side, first, second
                ring.append(corner[tuple(at)])
            yield ring


def draw(axis, parts, text):
    for rank, box in enumerate(boxes(parts)):
        shrunk = [(a + 0.12, b - 0.12) for a, b in box]
        axis.add_collection3d(Poly3DCollection(list(faces(shrunk)), facecolor=COLOURS[rank % len(COLOURS)],
                                               edgecolor="black", linewidth=0.6, alpha=0.55))
        (a0, b0), (a1, b1), (a2, b2) = box
        axis.text((a2 + b2) / 2, (a0 + b0) / 2, POINTS[1] - (a1 + b1) / 2, str(rank), ha="center",
                  va="center", fontsize=8, weight="bold", zorder=10,
                  bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "linewidth": 0})
    axis.set(xlim=(0, 8), ylim=(0, 8), zlim=(0, 8), xticks=[], yticks=[], zticks=[])
    axis.set_xlabel("n2", labelpad=-12)
    axis.set_ylabel("n0", labelpad=-12)
    axis.set_zlabel("n1", labelpad=-12)
    axis.set_title(text, fontsize=9)
    axis.view_init(elev=22, azim=-62)
    axis.set_box_aspect((1, 1, 1))


def main():
    figure = plt.figure(figsize=(8, 9.2))
    for row, (name, pictures) in enumerate(ROWS):
        for column, (parts, text) in enumerate(pictures):
            axis = figure.add_subplot(3, 3, 3 * row + column + 1, projection="3d")
            axis.set_position([0.01 + 0.33 * column, 0.675 - 0.33 * row, 0.32, 0.25])
            draw(axis, parts, text)
        figure.text(0.02, 0.97 - 0.33 * row, name, fontsize=11, weight="bold")
    save(figure, HERE / "layouts.png")


if __name__ == "__main__":
    main()
