// test/support/rational_area.h: an exact oracle for areas: triangles clipped by closed surfaces in rational arithmetic.
#pragma once

// The area vector of what a triangle has in common with a tetrahedron, times the sign of the tetrahedron's orientation,
// added to `area`. Summed over the tetrahedra that a point forms with the triangles of a closed surface, it is that of
// the part of the triangle that is inside.
void AddRationalArea(const float triangle[3][3], const float tetrahedron[4][3], double area[3]);
