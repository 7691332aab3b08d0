// src/deform/skin_kernels.c: see skin_kernels.h; docs/bounds.md for why these are bounds.
#include "deform/skin_kernels.h"

#include "deform/skin_program.h"

#include <math.h>
#include <string.h>

// ---- Evaluation ------------------------------------------------------------------------------------------------

/// Sums over the influences of eight vertices: of w q, of w times the dual part or the matrix (by rows), and of w times
/// the matrix of the affine stage (by columns).
typedef struct Blended
{
	f8 q[4];
	f8 dual[4];
	f8 matrix[12];
	f8 stage[12];
} Blended;

/// Which sums there are; constant at every call.
typedef struct How
{
	bool isSpherical;
	bool hasStage;
} How;

SG_INLINE f8 Cross(const f8 a[3], const f8 b[3], int i)
{
	int j = (i + 1) % 3, k = (i + 2) % 3;
	return f8_Sub(f8_Mul(a[j], b[k]), f8_Mul(a[k], b[j]));
}

// What the affine stage adds to a position: the blended matrix, by columns, applied to it.
SG_INLINE void ApplyStage(const Blended* sums, f8 p[3])
{
	f8 placed[3];
	for (int i = 0; i < 3; ++i)
	{
		f8 sum = f8_Add(f8_Mul(sums->stage[i], p[0]), f8_Mul(sums->stage[3 + i], p[1]));
		sum = f8_Add(f8_Add(sum, f8_Mul(sums->stage[6 + i], p[2])), sums->stage[9 + i]);
		placed[i] = f8_Add(p[i], sum);
	}
	memcpy(p, placed, sizeof(placed));
}

// Where the sum of quaternions is too short to say anything, the pivot's takes its place. Values are q, then the dual
// part.
static SG_NOINLINE void TakePivots(const sgSkinView* view, const uint32_t* sets, uint32_t lanes, f8 sums[8])
{
	float values[8][SG_LANES] SG_ALIGN(32);
	for (int k = 0; k < 8; ++k)
	{
		f8_Store(values[k], sums[k]);
	}
	for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		const sgSkinSet* set = view->skin.sets + sets[lane];
		const sgSkinJoint* joint = view->joints + view->skin.members[set->firstMember + set->pivot];
		for (int k = 0; k < 4; ++k)
		{
			values[k][lane] = joint->q[k];
			values[4 + k][lane] = joint->dual[k];
		}
	}
	for (int k = 0; k < 8; ++k)
	{
		sums[k] = f8_Load(values[k]);
	}
}

SG_INLINE f8 Length2(const f8 q[4])
{
	f8 sum = f8_Add(f8_Mul(q[0], q[0]), f8_Mul(q[1], q[1]));
	return f8_Add(f8_Add(sum, f8_Mul(q[2], q[2])), f8_Mul(q[3], q[3]));
}

// v + 2 (b x (b x v + w v + d) + w d - e b) / |q|^2 for a dual quaternion q = (b, w), (d, e).
SG_INLINE void ApplyDual(const Blended* sums, f8 scale, f8 p[3])
{
	const f8 *b = sums->q, *d = sums->dual;
	f8 inner[3], moved[3];
	for (int i = 0; i < 3; ++i)
	{
		inner[i] = f8_Add(f8_Add(Cross(b, p, i), f8_Mul(b[3], p[i])), d[i]);
	}
	for (int i = 0; i < 3; ++i)
	{
		f8 sum = f8_Add(Cross(b, inner, i), f8_Mul(b[3], d[i]));
		moved[i] = f8_Add(p[i], f8_Mul(scale, f8_Sub(sum, f8_Mul(d[3], b[i]))));
	}
	memcpy(p, moved, sizeof(moved));
}

// x + 2 b x (b x x + w x) / |q|^2 for x = p - center, and the blended matrix applied to the center.
SG_INLINE void ApplySpherical(const Blended* sums, f8 scale, const f8 center[3], f8 p[3])
{
	const f8* b = sums->q;
	f8 x[3], inner[3];
	for (int i = 0; i < 3; ++i)
	{
		x[i] = f8_Sub(p[i], center[i]);
	}
	for (int i = 0; i < 3; ++i)
	{
		inner[i] = f8_Add(Cross(b, x, i), f8_Mul(b[3], x[i]));
	}
	for (int i = 0; i < 3; ++i)
	{
		const f8* row = sums->matrix + 4 * i;
		f8 turned = f8_Add(x[i], f8_Mul(scale, Cross(b, inner, i)));
		f8 sum = f8_Add(f8_Mul(row[0], center[0]), f8_Mul(row[1], center[1]));
		p[i] = f8_Add(turned, f8_Add(f8_Add(sum, f8_Mul(row[2], center[2])), row[3]));
	}
}

SG_INLINE void LoadCenters(const sgSkinView* view, const uint32_t* sets, f8 center[3])
{
	f4 low[4], high[4];
	for (int i = 0; i < 4; ++i)
	{
		low[i] = f4_Load(view->centers + 4 * (size_t)sets[i]);
		high[i] = f4_Load(view->centers + 4 * (size_t)sets[4 + i]);
	}
	f4_Transpose(low);
	f4_Transpose(high);
	for (int i = 0; i < 3; ++i)
	{
		center[i] = f8_FromHalves(low[i], high[i]);
	}
}

// From sums and rest positions to where vertices are. `sets` are the joint sets of the lanes.
SG_INLINE void Finish(const sgSkinView* view, Blended* sums, const uint32_t* sets, f8 p[3], How how)
{
	if (how.hasStage)
	{
		ApplyStage(sums, p);
	}
	f8 length2 = Length2(sums->q);
	uint32_t isShort = m8_Bits(f8_Less(length2, f8_Set(SG_LEAST_LENGTH2)));
	if (isShort != 0)
	{
		f8 values[8];
		for (int k = 0; k < 4; ++k)
		{
			values[k] = sums->q[k];
			values[4 + k] = sums->dual[k];
		}
		TakePivots(view, sets, isShort, values);
		for (int k = 0; k < 4; ++k)
		{
			sums->q[k] = values[k];
			sums->dual[k] = values[4 + k];
		}
		length2 = Length2(sums->q);
	}
	f8 scale = f8_Div(f8_Set(2.0f), length2);
	if (how.isSpherical)
	{
		f8 center[3];
		LoadCenters(view, sets, center);
		ApplySpherical(sums, scale, center, p);
	}
	else
	{
		ApplyDual(sums, scale, p);
	}
}

SG_INLINE void StartSums(Blended* sums)
{
	f8 zero = f8_Set(0.0f);
	for (int k = 0; k < 4; ++k)
	{
		sums->q[k] = sums->dual[k] = zero;
	}
	for (int k = 0; k < 12; ++k)
	{
		sums->matrix[k] = sums->stage[k] = zero;
	}
}

SG_INLINE f8 AddScaled(f8 sum, f8 weight, float value)
{
	return f8_Add(sum, f8_Mul(weight, f8_Set(value)));
}

// Lanes are vertices. Joints that do not move a vertex add zeros, which changes no bit.
SG_INLINE void EvaluateBlock(const sgSkinView* view, uint32_t number, float* out, How how)
{
	const sgBlendBlock* block = view->skin.blend.blocks + number;
	const sgLaneFloats* values = view->skin.blend.blockValues + block->values;
	const uint16_t* transforms = view->skin.blend.blockTransforms + block->transforms;
	Blended sums;
	StartSums(&sums);
	for (uint32_t j = 0; j < block->transformCount; ++j)
	{
		f8 weight = LoadLanes(values + 3 + j);
		const sgSkinJoint* joint = view->joints + transforms[j];
		for (int k = 0; k < 4; ++k)
		{
			sums.q[k] = AddScaled(sums.q[k], weight, joint->q[k]);
			sums.dual[k] = how.isSpherical ? sums.dual[k] : AddScaled(sums.dual[k], weight, joint->dual[k]);
		}
		for (int k = 0; how.isSpherical && k < 12; ++k)
		{
			sums.matrix[k] = AddScaled(sums.matrix[k], weight, joint->matrix[k / 4][k % 4]);
		}
		const float* stage = view->stage + 16 * (size_t)transforms[j];
		for (int k = 0; how.hasStage && joint->isStaged != 0 && k < 12; ++k)
		{
			sums.stage[k] = AddScaled(sums.stage[k], weight, stage[4 * (k / 3) + k % 3]);
		}
	}
	f8 p[3] = { LoadLanes(values), LoadLanes(values + 1), LoadLanes(values + 2) };
	Finish(view, &sums, view->skin.blockSets + SG_LANES * (size_t)number, p, how);
	f8_StorePoints(out, p[0], p[1], p[2]);
}

SG_INLINE void EvaluateAll(const sgSkinView* view, uint32_t firstBlock, uint32_t count, float* out, How how)
{
	for (uint32_t done = 0; done < count; done += SG_LANES, ++firstBlock)
	{
		uint32_t left = count - done;
		float last[3 * SG_LANES + 1];
		EvaluateBlock(view, firstBlock, left < SG_LANES ? last : out + 3 * (size_t)done, how);
		if (left < SG_LANES)
		{
			memcpy(out + 3 * (size_t)done, last, 3 * (size_t)left * sizeof(float));
		}
	}
}

static SG_NOINLINE void EvaluateStaged(const sgSkinView* view, uint32_t firstBlock, uint32_t count, float* out)
{
	if (view->isSpherical)
	{
		EvaluateAll(view, firstBlock, count, out, (How){ true, true });
	}
	else
	{
		EvaluateAll(view, firstBlock, count, out, (How){ false, true });
	}
}

static void EvaluateBlocks(const sgSkinView* view, uint32_t firstBlock, uint32_t count, float* out)
{
	if (view->pose->hasStage != 0)
	{
		EvaluateStaged(view, firstBlock, count, out);
	}
	else if (view->isSpherical)
	{
		EvaluateAll(view, firstBlock, count, out, (How){ true, false });
	}
	else
	{
		EvaluateAll(view, firstBlock, count, out, (How){ false, false });
	}
}

/// The sums of one vertex at a time, for eight.
typedef struct Gathered
{
	float q[4][SG_LANES], dual[4][SG_LANES], matrix[12][SG_LANES], stage[12][SG_LANES], position[3][SG_LANES];
} SG_ALIGN(32) Gathered;

static void GatherVertex(const sgSkinView* view, uint32_t vertex, uint32_t lane, Gathered* out)
{
	const sgBlend* blend = &view->skin.blend;
	const sgSkinSet* set = view->skin.sets + view->skin.setOf[vertex];
	uint32_t first = blend->starts[vertex];
	for (uint32_t i = first; i < blend->starts[vertex + 1]; ++i)
	{
		float weight = blend->weights[i];
		float turned = view->pose->isAligned ? weight : weight * view->signs[set->firstMember + i - first];
		const sgSkinJoint* joint = view->joints + blend->transforms[i];
		for (int k = 0; k < 4; ++k)
		{
			out->q[k][lane] += turned * joint->q[k];
			out->dual[k][lane] += turned * joint->dual[k];
		}
		const float* stage = view->stage + 16 * (size_t)blend->transforms[i];
		for (int k = 0; k < 12; ++k)
		{
			out->matrix[k][lane] += weight * joint->matrix[k / 4][k % 4];
			out->stage[k][lane] += weight * stage[4 * (k / 3) + k % 3];
		}
	}
	for (size_t k = 0; k < 3; ++k)
	{
		out->position[k][lane] = view->restPositions[3 * (size_t)vertex + k];
	}
}

static void EvaluateEight(const sgSkinView* view, const uint32_t* vertices, uint32_t count, float* out)
{
	Gathered gathered;
	Blended sums;
	uint32_t sets[SG_LANES];
	memset(&gathered, 0, sizeof(gathered));
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		uint32_t vertex = vertices[lane < count ? lane : 0];
		sets[lane] = view->skin.setOf[vertex];
		GatherVertex(view, vertex, lane, &gathered);
	}
	for (int k = 0; k < 12; ++k)
	{
		sums.q[k % 4] = f8_Load(gathered.q[k % 4]);
		sums.dual[k % 4] = f8_Load(gathered.dual[k % 4]);
		sums.matrix[k] = f8_Load(gathered.matrix[k]);
		sums.stage[k] = f8_Load(gathered.stage[k]);
	}
	f8 p[3] = { f8_Load(gathered.position[0]), f8_Load(gathered.position[1]), f8_Load(gathered.position[2]) };
	How how = { view->isSpherical, view->pose->hasStage != 0 };
	Finish(view, &sums, sets, p, how);
	f8_StorePoints(out, p[0], p[1], p[2]);
}

static void Evaluate(const sgSkinView* view, const uint32_t* vertices, uint32_t count, float* out)
{
	for (uint32_t done = 0; done < count; done += SG_LANES)
	{
		uint32_t left = count - done, these = left < SG_LANES ? left : SG_LANES;
		float eight[3 * SG_LANES + 1];
		EvaluateEight(view, vertices + done, these, eight);
		memcpy(out + 3 * (size_t)done, eight, 3 * (size_t)these * sizeof(float));
	}
}

// ---- Poses -----------------------------------------------------------------------------------------------------

// The largest of four expressions is four times the square of one component; what goes with it gives the others.
static void MakeQuaternions(const double m[3][3][SG_LANES], double q[4][SG_LANES])
{
	for (int i = 0; i < SG_LANES; ++i)
	{
		double xx = m[0][0][i], yy = m[1][1][i], zz = m[2][2][i];
		double w4 = 1.0 + xx + yy + zz, x4 = 1.0 + xx - yy - zz, y4 = 1.0 - xx + yy - zz, z4 = 1.0 - xx - yy + zz;
		double xy = m[0][1][i] + m[1][0][i], xz = m[0][2][i] + m[2][0][i], yz = m[1][2][i] + m[2][1][i];
		double wx = m[2][1][i] - m[1][2][i], wy = m[0][2][i] - m[2][0][i], wz = m[1][0][i] - m[0][1][i];
		double x = wx, y = wy, z = wz, w = w4, most = w4;
		bool isX = x4 > most;
		most = isX ? x4 : most;
		x = isX ? x4 : x;
		y = isX ? xy : y;
		z = isX ? xz : z;
		w = isX ? wx : w;
		bool isY = y4 > most;
		most = isY ? y4 : most;
		x = isY ? xy : x;
		y = isY ? y4 : y;
		z = isY ? yz : z;
		w = isY ? wy : w;
		bool isZ = z4 > most;
		most = isZ ? z4 : most;
		x = isZ ? xz : x;
		y = isZ ? yz : y;
		z = isZ ? z4 : z;
		w = isZ ? wz : w;
		double length = sqrt(x * x + y * y + z * z + w * w);
		q[0][i] = x / length;
		q[1][i] = y / length;
		q[2][i] = z / length;
		q[3][i] = w / length;
	}
}

/// A 3 x 3 matrix of each of eight joints.
typedef double Lanes3[3][3][SG_LANES];

/// How far m^T m is from the identity: the greatest entry. NaN stays.
static void FindSkew(const double m[3][3][SG_LANES], double skew[SG_LANES])
{
	for (int i = 0; i < SG_LANES; ++i)
	{
		double most = 0.0;
		for (int a = 0; a < 3; ++a)
		{
			for (int b = a; b < 3; ++b)
			{
				double dot = m[0][a][i] * m[0][b][i] + m[1][a][i] * m[1][b][i] + m[2][a][i] * m[2][b][i];
				double distance = dot - (a == b ? 1.0 : 0.0);
				distance = distance < 0.0 ? -distance : distance;
				most = distance <= most ? most : distance;
			}
		}
		skew[i] = most;
	}
}

// m -> m (3 - m^T m) / 2, which squares how far m is from a rotation.
static void Orthonormalise(double m[3][3][SG_LANES])
{
	for (int i = 0; i < SG_LANES; ++i)
	{
		double square[3][3];
		for (int a = 0; a < 3; ++a)
		{
			for (int b = a; b < 3; ++b)
			{
				double dot = m[0][a][i] * m[0][b][i] + m[1][a][i] * m[1][b][i] + m[2][a][i] * m[2][b][i];
				square[a][b] = square[b][a] = (a == b ? 1.5 : 0.0) - 0.5 * dot;
			}
		}
		for (int row = 0; row < 3; ++row)
		{
			double x = m[row][0][i], y = m[row][1][i], z = m[row][2][i];
			for (int k = 0; k < 3; ++k)
			{
				m[row][k][i] = x * square[0][k] + y * square[1][k] + z * square[2][k];
			}
		}
	}
}

static void FindDeterminants(const double m[3][3][SG_LANES], double out[SG_LANES])
{
	for (int i = 0; i < SG_LANES; ++i)
	{
		out[i] = m[0][0][i] * (m[1][1][i] * m[2][2][i] - m[1][2][i] * m[2][1][i]) -
		         m[0][1][i] * (m[1][0][i] * m[2][2][i] - m[1][2][i] * m[2][0][i]) +
		         m[0][2][i] * (m[1][0][i] * m[2][1][i] - m[1][1][i] * m[2][0][i]);
	}
}

// One step of Newton's iteration for the rotation of a polar decomposition, m -> (s m + m^-T / s) / 2, with a scale s
// that balances the norms of the two.
static void Balance(double m[3][3][SG_LANES], bool isScaled)
{
	double determinant[SG_LANES];
	FindDeterminants((const double(*)[3][SG_LANES])m, determinant);
	for (int i = 0; i < SG_LANES; ++i)
	{
		double cofactor[3][3], norm2 = 0.0, other2 = 0.0;
		for (int a = 0; a < 3; ++a)
		{
			int a1 = (a + 1) % 3, a2 = (a + 2) % 3;
			for (int b = 0; b < 3; ++b)
			{
				int b1 = (b + 1) % 3, b2 = (b + 2) % 3;
				cofactor[a][b] = (m[a1][b1][i] * m[a2][b2][i] - m[a1][b2][i] * m[a2][b1][i]) / determinant[i];
				other2 += cofactor[a][b] * cofactor[a][b];
				norm2 += m[a][b][i] * m[a][b][i];
			}
		}
		double scale = isScaled ? sqrt(sqrt(other2 / norm2)) : 1.0, back = 1.0 / scale;
		for (int a = 0; a < 3; ++a)
		{
			for (int b = 0; b < 3; ++b)
			{
				m[a][b][i] = 0.5 * (scale * m[a][b][i] + back * cofactor[a][b]);
			}
		}
	}
}

/// Steps of Newton's iteration at most: from singular values a million apart it takes a dozen.
#define BALANCE_STEPS 16
/// Matrices nearer to a rotation than this are taken for one.
#define RIGID_SKEW 0x1p-13

// The rotations of eight polar decompositions. Lanes that need no more steps take part in those of others, which
// changes nothing but last bits, and depends on the matrices alone. Returns lanes that scale or shear; `isGood`: lanes
// that neither mirror nor flatten.
static uint32_t FindRotations(Lanes3 m, uint32_t* isGood)
{
	double skew[SG_LANES], determinant[SG_LANES];
	uint32_t general = 0;
	FindSkew((const double(*)[3][SG_LANES])m, skew);
	FindDeterminants((const double(*)[3][SG_LANES])m, determinant);
	*isGood = 0;
	for (int i = 0; i < SG_LANES; ++i)
	{
		general |= (uint32_t) !(skew[i] <= RIGID_SKEW) << i;
		*isGood |= (uint32_t)(determinant[i] > 0.0) << i;
	}
	bool isNear = general == 0;
	for (int step = 0; step < BALANCE_STEPS && !isNear; ++step)
	{
		Balance(m, step < 8);
		FindSkew((const double(*)[3][SG_LANES])m, skew);
		isNear = true;
		for (int i = 0; i < SG_LANES; ++i)
		{
			isNear = isNear && !(skew[i] > RIGID_SKEW); // NaN is not worth waiting for
		}
	}
	Orthonormalise(m);
	Orthonormalise(m);
	FindSkew((const double(*)[3][SG_LANES])m, skew);
	for (int i = 0; i < SG_LANES; ++i)
	{
		*isGood &= ~((uint32_t) !(skew[i] <= 1e-9) << i);
	}
	return general;
}

/// gcc 12 takes (double)(float)x for x where it vectorises (frame.h), so what was rounded is read again from memory.
static inline void KeepRounded(const void* stored)
{
	__asm__ volatile("" : : "r"(stored) : "memory");
}

/// Rotations and translations of eight joints as they are used: quaternions rounded to float32, the rest from those.
typedef struct JointLanes
{
	float q[4][SG_LANES], dual[4][SG_LANES], rotation[9][SG_LANES], translation[3][SG_LANES];
	double moments[16][SG_LANES];
} JointLanes;

// The rigid motion that turns by q and carries the joint's rest position to where its matrix does.
static void FillJoints(
    const double q[4][SG_LANES], const float given[12][SG_LANES], const float center[3][SG_LANES], JointLanes* out)
{
	for (int k = 0; k < 4 * SG_LANES; ++k)
	{
		out->q[k / SG_LANES][k % SG_LANES] = (float)q[k / SG_LANES][k % SG_LANES];
	}
	KeepRounded(out);
	for (int i = 0; i < SG_LANES; ++i)
	{
		double x = (double)out->q[0][i], y = (double)out->q[1][i], z = (double)out->q[2][i], w = (double)out->q[3][i];
		double s = 2.0 / (x * x + y * y + z * z + w * w);
		const double r[9] = { 1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), s * (x * y + w * z),
			1.0 - s * (x * x + z * z), s * (y * z - w * x), s * (x * z - w * y), s * (y * z + w * x),
			1.0 - s * (x * x + y * y) };
		for (int k = 0; k < 9; ++k)
		{
			out->rotation[k][i] = (float)r[k];
			out->moments[k][i] = r[k];
		}
		for (int a = 0; a < 3; ++a)
		{
			double t = (double)given[4 * a + 3][i];
			t += ((double)given[4 * a][i] - r[3 * a]) * (double)center[0][i];
			t += ((double)given[4 * a + 1][i] - r[3 * a + 1]) * (double)center[1][i];
			t += ((double)given[4 * a + 2][i] - r[3 * a + 2]) * (double)center[2][i];
			out->translation[a][i] = (float)t;
		}
	}
	KeepRounded(out);
	for (int i = 0; i < SG_LANES; ++i)
	{
		double x = (double)out->q[0][i], y = (double)out->q[1][i], z = (double)out->q[2][i], w = (double)out->q[3][i];
		double t0 = (double)out->translation[0][i], t1 = (double)out->translation[1][i];
		double t2 = (double)out->translation[2][i];
		out->dual[0][i] = (float)(0.5 * (w * t0 + t1 * z - t2 * y));
		out->dual[1][i] = (float)(0.5 * (w * t1 + t2 * x - t0 * z));
		out->dual[2][i] = (float)(0.5 * (w * t2 + t0 * y - t1 * x));
		out->dual[3][i] = (float)(-0.5 * (t0 * x + t1 * y + t2 * z));
		out->moments[9][i] = t0;
		out->moments[10][i] = t1;
		out->moments[11][i] = t2;
		for (int k = 0; k < 3; ++k)
		{
			out->moments[12 + k][i] =
			    out->moments[k][i] * t0 + out->moments[3 + k][i] * t1 + out->moments[6 + k][i] * t2;
		}
		out->moments[15][i] = t0 * t0 + t1 * t1 + t2 * t2;
	}
}

// What remains of a matrix once its rotation is taken out, P = Q^T A, about the joint, less the identity: x goes to
// x + (P - 1) (x - center). By columns.
static void FillStage(const float given[12][SG_LANES], const double q[3][3][SG_LANES], const float center[3][SG_LANES],
    int i, float columns[16])
{
	double p[3][3];
	for (int a = 0; a < 3; ++a)
	{
		for (int b = 0; b < 3; ++b)
		{
			p[a][b] = q[0][a][i] * (double)given[b][i] + q[1][a][i] * (double)given[4 + b][i] +
			          q[2][a][i] * (double)given[8 + b][i];
		}
	}
	for (int a = 0; a < 3; ++a)
	{
		double t = 0.0;
		for (int b = 0; b < 3; ++b)
		{
			double entry = 0.5 * (p[a][b] + p[b][a]) - (a == b ? 1.0 : 0.0);
			t -= entry * (double)center[b][i];
			columns[4 * b + a] = (float)entry;
		}
		columns[12 + a] = (float)t;
	}
	columns[3] = columns[7] = columns[11] = columns[15] = 0.0f;
}

static sgJointsTaken TakeJoints(
    const sgSkinView* view, const float* const matrices[SG_LANES], uint32_t first, uint32_t count)
{
	float given[12][SG_LANES], center[3][SG_LANES];
	double q[4][SG_LANES];
	Lanes3 m;
	JointLanes lanes;
	sgJointsTaken taken = { .isFinite = 0 };
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		bool isFinite = true;
		for (uint32_t k = 0; k < 12; ++k)
		{
			given[k][i] = matrices[i][k];
			isFinite = isFinite && fabsf(matrices[i][k]) <= SNUG_MAX_COORDINATE;
		}
		taken.isFinite |= (uint32_t)isFinite << i;
		for (uint32_t k = 0; k < 9; ++k)
		{
			m[k / 3][k % 3][i] = isFinite ? (double)given[4 * (k / 3) + k % 3][i] : 0.0;
		}
		const float* position = view->skin.jointPositions + 3 * (size_t)(i < count ? first + i : first);
		for (uint32_t k = 0; k < 3; ++k)
		{
			center[k][i] = position[k];
		}
	}
	taken.isGeneral = FindRotations(m, &taken.isTurn);
	MakeQuaternions((const double(*)[3][SG_LANES])m, q);
	FillJoints((const double(*)[SG_LANES])q, (const float(*)[SG_LANES])given, (const float(*)[SG_LANES])center, &lanes);
	for (uint32_t i = 0; i < count; ++i)
	{
		sgSkinJoint* joint = view->joints + first + i;
		for (int k = 0; k < 4; ++k)
		{
			joint->q[k] = lanes.q[k][i];
			joint->dual[k] = lanes.dual[k][i];
		}
		for (int k = 0; view->isSpherical && k < 16; ++k)
		{
			view->moments[first + i].values[k] = lanes.moments[k][i];
		}
		joint->padding[0] = joint->padding[1] = 0.0f;
		for (int k = 0; k < 9; ++k)
		{
			joint->matrix[k / 3][k % 3] = lanes.rotation[k][i];
		}
		for (int k = 0; k < 3; ++k)
		{
			joint->matrix[k][3] = lanes.translation[k][i];
		}
		joint->isStaged = (taken.isGeneral >> i & 1) != 0 ? 1 : 0;
		float* stage = view->stage + 16 * (size_t)(first + i);
		if (joint->isStaged != 0)
		{
			FillStage((const float(*)[SG_LANES])given, (const double(*)[3][SG_LANES])m,
			    (const float(*)[SG_LANES])center, (int)i, stage);
		}
		else
		{
			memset(stage, 0, 16 * sizeof(float));
		}
	}
	return taken;
}

/// Rotation centres are drawn towards the mean of the joints' rest positions, so that they exist where rotations are
/// equal or share an axis, and stay near where they nearly do.
static const double centerDamping = 1e-2;

/// Of eight joint sets: sums of moments, how many joints, the mean of their rest positions.
typedef struct SetLanes
{
	double sums[16][SG_LANES], count[SG_LANES], origin[3][SG_LANES];
	double center[3][SG_LANES], spread[SG_LANES];
} SetLanes;

// The point r that the joints of a set carry to places as near to each other as can be: least squares of C_i r = C_j r
// over all pairs, damped. With R and t the means of rotations and translations, r = r0 + d, y_i = C_i r0 and y their
// mean, sums over pairs come down to
//     a = sum D^T D = n^2 (1 - R^T R),    b = sum D^T e = -n (n r0 + sum R_i^T t_i - n R^T y),
//     sum |e|^2 = n (n |r0|^2 + 2 r0 . sum R_i^T t_i + sum |t_i|^2 - n |y|^2),
// and what is left over pairs, sum |C_i r - C_j r|^2 = sum |e|^2 - 2 d . b + d . a d, is n times the sum of squared
// distances from the mean, of which one has at most (n - 1) / n: so no two are farther apart than 2 sqrt((n - 1) sum) /
// n.
static void SolveCenters(SetLanes* lanes)
{
	for (int i = 0; i < SG_LANES; ++i)
	{
		double n = lanes->count[i], inverse = 1.0 / n, r[9], u[3], y[3], b[3], a[6];
		const double r0[3] = { lanes->origin[0][i], lanes->origin[1][i], lanes->origin[2][i] };
		for (int k = 0; k < 9; ++k)
		{
			r[k] = lanes->sums[k][i] * inverse;
		}
		double r02 = 0.0, r0u = 0.0, y2 = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			u[k] = lanes->sums[12 + k][i];
			y[k] = r[3 * k] * r0[0] + r[3 * k + 1] * r0[1] + r[3 * k + 2] * r0[2] + lanes->sums[9 + k][i] * inverse;
			r02 += r0[k] * r0[k];
			r0u += r0[k] * u[k];
			y2 += y[k] * y[k];
		}
		for (int k = 0; k < 3; ++k)
		{
			b[k] = -n * (n * r0[k] + u[k] - n * (r[k] * y[0] + r[3 + k] * y[1] + r[6 + k] * y[2]));
		}
		int entry = 0;
		for (int k = 0; k < 3; ++k)
		{
			for (int l = k; l < 3; ++l)
			{
				double sum = r[k] * r[l] + r[3 + k] * r[3 + l] + r[6 + k] * r[6 + l];
				a[entry++] = n * n * ((k == l ? 1.0 : 0.0) - sum);
			}
		}
		// L D L^T of a + damping, which has no eigenvalue below the damping.
		double d0 = a[0] + centerDamping, l10 = a[1] / d0, l20 = a[2] / d0;
		double d1 = a[3] + centerDamping - l10 * a[1], l21 = (a[4] - l20 * a[1]) / d1;
		double d2 = a[5] + centerDamping - l20 * a[2] - l21 * l21 * d1;
		double z1 = b[1] - l10 * b[0], z2 = b[2] - l20 * b[0] - l21 * z1;
		double x2 = z2 / d2, x1 = z1 / d1 - l21 * x2, x0 = b[0] / d0 - l10 * x1 - l20 * x2;
		double left = n * (n * r02 + 2.0 * r0u + lanes->sums[15][i] - n * y2);
		left -= 2.0 * (x0 * b[0] + x1 * b[1] + x2 * b[2]);
		left += x0 * (a[0] * x0 + 2.0 * (a[1] * x1 + a[2] * x2)) + x1 * (a[3] * x1 + 2.0 * a[4] * x2) + a[5] * x2 * x2;
		lanes->center[0][i] = r0[0] + x0;
		lanes->center[1][i] = r0[1] + x1;
		lanes->center[2][i] = r0[2] + x2;
		lanes->spread[i] = 2.0 * sqrt((n - 1.0) * (left > 0.0 ? left : 0.0)) * inverse;
	}
}

// Sets of one joint need no centre, but have one: any will do. What rounding does to the spread is a matter of the
// pose's reach, which is known later: skin_pose.c adds it.
static void FindCenters(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	for (uint32_t first = 0; first < skin->header->setCount; first += SG_LANES)
	{
		SetLanes lanes;
		for (uint32_t i = 0; i < SG_LANES; ++i)
		{
			const sgSkinSet* set = skin->sets + (first + i < skin->header->setCount ? first + i : first);
			const uint16_t* members = skin->members + set->firstMember;
			double sums[16] = { 0.0 };
			for (uint32_t m = 0; m < set->memberCount; ++m)
			{
				const double* values = view->moments[members[m]].values;
				for (int k = 0; k < 16; ++k)
				{
					sums[k] += values[k];
				}
			}
			for (int k = 0; k < 16; ++k)
			{
				lanes.sums[k][i] = sums[k];
			}
			lanes.count[i] = (double)set->memberCount;
			for (int k = 0; k < 3; ++k)
			{
				lanes.origin[k][i] = (double)set->origin[k];
			}
		}
		SolveCenters(&lanes);
		for (uint32_t i = 0; i < SG_LANES && first + i < skin->header->setCount; ++i)
		{
			float* center = view->centers + 4 * (size_t)(first + i);
			for (int k = 0; k < 3; ++k)
			{
				center[k] = (float)lanes.center[k][i];
			}
			center[3] = (float)lanes.spread[i];
		}
	}
}

// M v = cosine (C_i v + C_j v) / 2 + (C_i v - C_j v) x e / 2, with q_i conj(q_j) = (cosine, e).
static void MakePairs(const sgSkinView* view)
{
	const sgSkinPair* pairs = view->skin.pairs;
	for (uint32_t p = 0; p < view->skin.header->pairCount; ++p)
	{
		const sgSkinJoint *a = view->joints + pairs[p].first, *b = view->joints + pairs[p].second;
		sgSkinPairPose* out = view->pairs + p;
		out->off[0] = out->off[1] = out->off[2] = 0.0f;
		if (a == b)
		{
			memcpy(out->matrix, a->matrix, sizeof(out->matrix));
			out->cosine = 1.0f;
			continue;
		}
		const float *i = a->q, *j = b->q;
		float cosine = i[0] * j[0] + i[1] * j[1] + i[2] * j[2] + i[3] * j[3];
		float e[3] = {
			0.5f * (j[3] * i[0] - i[3] * j[0] - (i[1] * j[2] - i[2] * j[1])),
			0.5f * (j[3] * i[1] - i[3] * j[1] - (i[2] * j[0] - i[0] * j[2])),
			0.5f * (j[3] * i[2] - i[3] * j[2] - (i[0] * j[1] - i[1] * j[0])),
		};
		float half = 0.5f * cosine, result[3][4], x[4], y[4], z[4];
		for (int k = 0; k < 4; ++k)
		{
			x[k] = a->matrix[0][k] - b->matrix[0][k];
			y[k] = a->matrix[1][k] - b->matrix[1][k];
			z[k] = a->matrix[2][k] - b->matrix[2][k];
		}
		for (int k = 0; k < 4; ++k)
		{
			result[0][k] = half * (a->matrix[0][k] + b->matrix[0][k]) + (y[k] * e[2] - z[k] * e[1]);
			result[1][k] = half * (a->matrix[1][k] + b->matrix[1][k]) + (z[k] * e[0] - x[k] * e[2]);
			result[2][k] = half * (a->matrix[2][k] + b->matrix[2][k]) + (x[k] * e[1] - y[k] * e[0]);
		}
		memcpy(out->matrix, result, sizeof(result));
		out->cosine = cosine < 1.0f ? cosine : 1.0f;
	}
}

// ---- Bounds ----------------------------------------------------------------------------------------------------

static SG_NOINLINE Interval LocalRow(const sgBlendCommon* common, const Entries* entries, const PairRows* rows,
    const Denominator* denominator, const Displacement* displacement)
{
	return PairProgramRow(common, entries, rows, denominator, displacement);
}

// How far the affine stage carries vertices: a convex combination of how far each of a vertex' joints would, so the box
// around what all of a node's joints do to what they move.
static SG_NOINLINE void AddStage(const sgSkinView* view, const Entries* entries, Displacement* displacement)
{
	f8 zero = f8_Set(0.0f), most = f8_Set(4.0f * SNUG_MAX_COORDINATE), lower[3], upper[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		lower[axis] = most;
		upper[axis] = f8_Sub(zero, most);
	}
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		sgSkinPair pair = view->skin.pairs[entries->transforms[j]];
		if (pair.first != pair.second)
		{
			continue;
		}
		const sgLocalEntry* entry = Entries_Get(entries, j);
		const float* columns = view->stage + 16 * (size_t)pair.first;
		m8 isAbsent = f8_LessEqual(f8_Add(LoadLanes(&entry->range.low), LoadLanes(&entry->range.spread)), zero);
		for (int axis = 0; axis < 3; ++axis)
		{
			f8 middle = f8_Set(columns[12 + axis]), extent = zero;
			for (int k = 0; k < 3; ++k)
			{
				f8 at = f8_Set(columns[4 * k + axis]);
				middle = f8_MulAddLoose(at, LoadLanes(entry->center + k), middle);
				extent = f8_MulAddLoose(f8_Abs(at), LoadLanes(entry->half + k), extent);
			}
			lower[axis] = f8_Select(isAbsent, lower[axis], f8_Min(lower[axis], f8_Sub(middle, extent)));
			upper[axis] = f8_Select(isAbsent, upper[axis], f8_Max(upper[axis], f8_Add(middle, extent)));
		}
	}
	displacement->isThere = true;
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 half = f8_Set(0.5f);
		displacement->middle[axis] = f8_Mul(half, f8_Add(lower[axis], upper[axis]));
		displacement->half[axis] = f8_Mul(half, f8_Sub(upper[axis], lower[axis]));
	}
}

// NaN, which only overflow can make, becomes the limit: Min and Max return their second operand then.
static void StoreInterval(Interval interval, uint32_t mask, float* lower, float* upper)
{
	f8 limit = f8_Set(6.0f * SNUG_MAX_COORDINATE);
	float lanes[2][SG_LANES] SG_ALIGN(32);
	f8_Store(lanes[0], f8_Max(interval.lower, f8_Sub(f8_Set(0.0f), limit)));
	f8_Store(lanes[1], f8_Min(interval.upper, limit));
	for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		lower[lane] = lanes[0][lane];
		upper[lane] = lanes[1][lane];
	}
}

static uint32_t Bound(const sgSkinView* view, const sgBlendFamily* family, uint32_t mask, sgBoundsOut out)
{
	const sgBlendHeader* header = view->skin.blend.header;
	const sgLaneFloats* values = view->skin.blend.values + family->values;
	const sgBlendCommon* common = (const sgBlendCommon*)(const void*)values;
	Entries entries = {
		.values = values + sgBlendFamily_HeadValues(family),
		.stride = sgBlendKind_EntryValues((sgBlendKind)family->kind),
		.transforms = view->skin.blend.entryTransforms + family->firstEntry,
		.count = family->entryCount,
	};
	Displacement displacement = { .isThere = false };
	if (view->pose->hasStage != 0)
	{
		AddStage(view, &entries, &displacement);
	}
	Denominator denominator = MakeDenominator(&entries, view->pairs, common, view->pose, header->maxInfluences);
	uint32_t good = mask & m8_Bits(f8_Less(f8_Set(2.0f * SG_LEAST_LENGTH2), denominator.least));
	if (good == 0)
	{
		return mask;
	}
	const size_t floats = sizeof(sgSkinPairPose) / sizeof(float);
	for (int axis = 0; axis < 3; ++axis)
	{
		PairRows rows = { view->pairs->matrix[axis], floats, view->pairs->off + axis, floats, view->pairs };
		Interval interval = LocalRow(common, &entries, &rows, &denominator, &displacement);
		StoreInterval(interval, good, out.boxes->lower[axis], out.boxes->upper[axis]);
	}
	snugVolume volume = (snugVolume)header->volume;
	uint32_t slabs = sgVolume_IsDop(volume) ? sgVolume_ExtraSlabs(volume) : 0;
	for (uint32_t i = 0; i < slabs; ++i)
	{
		size_t stride = slabs * sizeof(sgSkinSlab) / sizeof(float);
		PairRows rows = { view->slabs[i].row, stride, &view->slabs[i].off, stride, view->pairs };
		Denominator along = denominator;
		along.error = f8_Mul(along.error, f8_Set(2.0f)); // of a sum of three coordinates, errors as of a vector
		along.reach = f8_Mul(along.reach, f8_Set(2.0f));
		Interval interval = LocalRow(common, &entries, &rows, &along, &displacement);
		StoreInterval(interval, good, out.extra[i].lower, out.extra[i].upper);
	}
	return mask & ~good;
}

const sgSkinKernels SG_FOR_ISA(sgSkinKernels) = {
	.evaluate = Evaluate,
	.evaluateBlocks = EvaluateBlocks,
	.bound = Bound,
	.takeJoints = TakeJoints,
	.findCenters = FindCenters,
	.makePairs = MakePairs,
};
