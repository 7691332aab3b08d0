// src/geometry/margins.h: what bounds add for rounding, number by number.
//
// docs/bounds/ derives each of them. They are here, by name, so that tools/mutate-bounds can compile with less
// (-DSG_MARGIN_…=…) and look which test fails: a margin that nothing needs is a proof that nobody checked. Numbers of
// roundings count units of 2^-24 of the reach, the largest quantity on the way; n is how many transforms, influences
// or fields are summed.
#ifndef SG_MARGINS_H
#define SG_MARGINS_H

// ---- Every model -----------------------------------------------------------------------------------------------

/// For products of roundings, in units of 2^-24 squared: 2 %.
#ifndef SG_MARGIN_SQUARES
#define SG_MARGIN_SQUARES 1.02
#endif

// ---- Linear skins (deform/bounds/linear_bounds_fit.c, deform/skin/linear.c) ---------------------------------------

/// Evaluation of a vertex: per influence, and besides.
#ifndef SG_MARGIN_INFLUENCE
#define SG_MARGIN_INFLUENCE 2.0
#endif
#ifndef SG_MARGIN_EVALUATION
#define SG_MARGIN_EVALUATION 8.0
#endif
/// Bounds from ranges of weights: per transform, and besides.
#ifndef SG_MARGIN_RANGE_TERM
#define SG_MARGIN_RANGE_TERM 2.0
#endif
#ifndef SG_MARGIN_RANGES
#define SG_MARGIN_RANGES 14.0
#endif
/// Bounds to first order: the reference map, its sums of means, of gradients, and residuals.
#ifndef SG_MARGIN_REFERENCE
#define SG_MARGIN_REFERENCE 26.0
#endif
#ifndef SG_MARGIN_MEANS
#define SG_MARGIN_MEANS(n) ((n) + 3.0)
#endif
#ifndef SG_MARGIN_GRADIENTS
#define SG_MARGIN_GRADIENTS(n) ((n) + 30.0)
#endif
#ifndef SG_MARGIN_RESIDUALS
#define SG_MARGIN_RESIDUALS(n) ((n) + 14.0)
#endif
/// Residuals of fits are measured in double: of themselves, and at least.
#ifndef SG_MARGIN_FIT
#define SG_MARGIN_FIT 1e-12
#endif
#ifndef SG_MARGIN_LEAST_FIT
#define SG_MARGIN_LEAST_FIT 1e-15
#endif
/// The reach itself: a sum in float32, and what products below the normal range lose.
#ifndef SG_MARGIN_REACH
#define SG_MARGIN_REACH 0x1p-20
#endif
#ifndef SG_MARGIN_UNDERFLOW
#define SG_MARGIN_UNDERFLOW 0x1p-120
#endif
/// How far a body moved between two poses, besides what both evaluations lose.
#ifndef SG_MARGIN_MOTION
#define SG_MARGIN_MOTION 12.0
#endif

/// Bounds along turned axes: entries of turned matrices, three products of rounded factors each.
#ifndef SG_MARGIN_TURNED_ENTRIES
#define SG_MARGIN_TURNED_ENTRIES 5.0
#endif

// ---- Displacement fields (deform/fields) --------------------------------------------------------------

/// Evaluation of a vertex that n fields move.
#ifndef SG_MARGIN_FIELDS
#define SG_MARGIN_FIELDS(n) ((n) + 1.0)
#endif
/// Each bound of a node that n fields move.
#ifndef SG_MARGIN_INTERVAL
#define SG_MARGIN_INTERVAL(n) ((n) + 3.0)
#endif
#ifndef SG_MARGIN_FIRST_ORDER
#define SG_MARGIN_FIRST_ORDER(n) ((n) + 30.0)
#endif
// In front of a skin, n fields: sums n + 1, the box of a fit 6, middle, half and widening 4.
#ifndef SG_MARGIN_MORPH
#define SG_MARGIN_MORPH(n) ((n) + 16.0)
#endif
/// Rows of a fit along turned axes: those of the map, of its centre and of residuals.
#ifndef SG_MARGIN_TURNED_FITS
#define SG_MARGIN_TURNED_FITS 16.0
#endif
/// Residuals of fits, measured in double.
#ifndef SG_MARGIN_FIELD_FIT
#define SG_MARGIN_FIELD_FIT 0x1p-49
#endif
/// Growth with motion: both positions are off.
#ifndef SG_MARGIN_GROWTH
#define SG_MARGIN_GROWTH 2.0
#endif

// ---- Skins that turn (deform/skin/turning*) ------------------------------------------------------------------------

/// Evaluation of a vertex and the matrices of pairs, for n influences.
#ifndef SG_MARGIN_TURNS
#define SG_MARGIN_TURNS(n) (8.0 * (n) + 96.0)
#endif

/// What rotation centres do to the translations of pairs, times the sine and 1 - cosine of the pair.
#ifndef SG_MARGIN_CENTERS
#define SG_MARGIN_CENTERS 64.0
#endif
/// Sums over n entries, of themselves: for denominators and shares.
#ifndef SG_MARGIN_COSINES
#define SG_MARGIN_COSINES(n) ((n) <= 192 ? 0x1p-15f : 0x1p-7f)
#endif
/// A share of weights times 1 - cosine, from 1.
#ifndef SG_MARGIN_SHARE
#define SG_MARGIN_SHARE 0x1p-20f
#endif
/// The distance of a box from a rotation centre, of itself.
#ifndef SG_MARGIN_ARM
#define SG_MARGIN_ARM 0x1p-20
#endif
// From pose to pose: entries of matrices and quaternions, 8 each at most.
#ifndef SG_MARGIN_TURNED_MOTION
#define SG_MARGIN_TURNED_MOTION 16.0
#endif

// ---- Volumes (body/bounds.c, geometry/prism.c) -----------------------------------------------------------------

/// The radius of a ball around a box: a square root in double.
#ifndef SG_MARGIN_BALL
#define SG_MARGIN_BALL 0x1p-40
#endif
/// Coordinates of a prism are measured in double.
#ifndef SG_MARGIN_PRISM
#define SG_MARGIN_PRISM 1e-6
#endif

// ---- Placement (geometry/frame.c, geometry/box_kernels.c) ------------------------------------------------------

/// A placed position: one rounding, and far less in double.
#ifndef SG_MARGIN_PLACE
#define SG_MARGIN_PLACE 1.001
#endif
/// From the error along each of three axes to that of a distance.
#ifndef SG_MARGIN_DISTANCE
#define SG_MARGIN_DISTANCE (1.7321 * 1.001)
#endif
/// Boxes moved from one body's space to another's.
#ifndef SG_MARGIN_MOVED
#define SG_MARGIN_MOVED 24.0
#endif
/// What boxes that are moved are off by where they are larger than the body, of their half extents.
#ifndef SG_MARGIN_LOOSE
#define SG_MARGIN_LOOSE 0x1p-18
#endif
/// Boxes that grow, of their sides.
#ifndef SG_MARGIN_GROWN
#define SG_MARGIN_GROWN 0x1p-23
#endif
/// The least number there is, for results below the normal range.
#ifndef SG_MARGIN_SUBNORMAL
#define SG_MARGIN_SUBNORMAL 0x1p-149
#endif
/// Boxes along the world's axes that are moved to their places in float32.
#ifndef SG_MARGIN_PLACED_TURNED
#define SG_MARGIN_PLACED_TURNED 4.0
#endif
/// A box around placed positions.
#ifndef SG_MARGIN_PLACED_BOX
#define SG_MARGIN_PLACED_BOX 1.001
#endif

// ---- Culling (body/bounds.c) ---------------------------------------------------------------------------------------

/// A plane's value: in errors of placement, and of the terms in double.
#ifndef SG_MARGIN_CULLED
#define SG_MARGIN_CULLED 2.0
#endif
#ifndef SG_MARGIN_PLANE
#define SG_MARGIN_PLANE 0x1p-45
#endif

// ---- Rays (query/probe.c, tree/probe_kernels.c) ----------------------------------------------------------------

/// The start of a segment in body space: one rounding, and far less in double.
#ifndef SG_MARGIN_PROBE
#define SG_MARGIN_PROBE 1.01
#endif
/// Where it enters and leaves a box, of the way there: four roundings and the slack's own.
#ifndef SG_MARGIN_CLIPPED
#define SG_MARGIN_CLIPPED 0x1p-21f
#endif
/// On which side of an edge it passes, in units of 2^-24 of the square of the distance from the line's point; and in
/// units of that distance times the error of the point.
#ifndef SG_MARGIN_PASSED
#define SG_MARGIN_PASSED 56.0
#endif
#ifndef SG_MARGIN_PASSED_POINT
#define SG_MARGIN_PASSED_POINT 13.0
#endif

// ---- Spheres, capsules, planes (query/shapes.c, query/probe.c) ---------------------------------------------------

/// What a radius by which boxes grow has to be larger by, in parts of itself: differences less than twice as large are
/// off by 2^-23 of it.
#ifndef SG_MARGIN_SHAPE_BOX
#define SG_MARGIN_SHAPE_BOX 0x1p-22
#endif
/// A plane in body space, of how far placing moves vertices, and of the sums in double.
#ifndef SG_MARGIN_SHAPE_PLACED
#define SG_MARGIN_SHAPE_PLACED 1.001
#endif
#ifndef SG_MARGIN_SHAPE_SUMS
#define SG_MARGIN_SHAPE_SUMS 0x1p-45
#endif

// ---- Distances (query/near.c, tree/probe_kernels.c) ------------------------------------------------------------

/// Squared distances of boxes in float32, and of bodies whose rotations are rounded.
#ifndef SG_MARGIN_GAP
#define SG_MARGIN_GAP 0x1p-20f
#endif
/// How far apart triangles are along a direction in float32, in units of 2^-24 of the terms.
#ifndef SG_MARGIN_FAR
#define SG_MARGIN_FAR 12.0
#endif
/// What distances of triangles may be off by, of the extent of everything.
#ifndef SG_MARGIN_NEAREST
#define SG_MARGIN_NEAREST 0x1p-40
#endif

// ---- Certificates (deform/fields) ----------------------------------------------------------------------------------

/// What the constants of all fields together allow, and of it what rounding does to vertices.
#ifndef SG_MARGIN_CERTIFIED
#define SG_MARGIN_CERTIFIED 1.0
#endif
#ifndef SG_MARGIN_CERTIFIED_ERROR
#define SG_MARGIN_CERTIFIED_ERROR 1.0
#endif
/// A linear map and its least singular value in double, of their terms.
#ifndef SG_MARGIN_CERTIFICATE
#define SG_MARGIN_CERTIFICATE 0x1p-30
#endif
/// Constants in double, of their terms; squares of sines; and distances of triangles, of the extent of both.
#ifndef SG_MARGIN_QUOTIENT
#define SG_MARGIN_QUOTIENT 0x1p-36
#endif
#ifndef SG_MARGIN_ANGLE
#define SG_MARGIN_ANGLE 0x1p-36
#endif
#ifndef SG_MARGIN_CERTIFIED_GAP
#define SG_MARGIN_CERTIFIED_GAP 0x1p-37
#endif

// ---- Sweeps (geometry/moving.c, geometry/moving_kernels.c) --------------------------------------------------------

/// The way between two moving features, in units of 2^-53 of the largest coordinate of their differences.
#ifndef SG_MARGIN_CELL
#define SG_MARGIN_CELL 32.0
#endif
/// Where values change sign, of the way there, and of the time.
#ifndef SG_MARGIN_CUT
#define SG_MARGIN_CUT 0x1p-49
#endif
/// When moving boxes in float32 begin and cease to overlap, of the time.
#ifndef SG_MARGIN_ENTERED
#define SG_MARGIN_ENTERED 0x1p-20f
#endif

// ---- Triangles (tree/leaf_kernels.c) ---------------------------------------------------------------------------

/// A determinant of differences in float32, in units of 2^-24 of the volume of the box around the corners.
#ifndef SG_MARGIN_DETERMINANT
#define SG_MARGIN_DETERMINANT 48.0f
#endif

#endif
