; Input of MPB: bands of a face-centred cubic crystal of dielectric spheres, on a grid of unequal extents.
(set! num-bands 4)
(set! resolution 12)
(set! geometry-lattice
      (make lattice
        (basis-size (sqrt 0.5) (sqrt 0.5) (sqrt 0.5))
        (basis1 0 1 1)
        (basis2 1 0 1)
        (basis3 1 1 0)))
(set! default-material (make dielectric (epsilon 1)))
(set! geometry
      (list (make sphere (center 0 0 0) (radius 0.3) (material (make dielectric (epsilon 9))))))
(set! grid-size (vector3 12 10 8))
(set! k-points (list (vector3 0 0.5 0.5) (vector3 0 0.25 0.25) (vector3 0.375 0.375 0.75)))
; MPB starts from random fields. Only converged bands agree to the last printed digit.
(set! tolerance 1e-13)
(run)
