// lab/scenes/character_joints.h: joints by name. Those of the left side; their mirror images come behind all of them.
#ifndef SCENES_CHARACTER_JOINTS_H
#define SCENES_CHARACTER_JOINTS_H

enum
{
	man_hips,
	man_spine,
	man_waist,
	man_chest,
	man_neck,
	man_head,
	man_jaw,
	man_collar,
	man_upperArm,
	man_forearm,
	man_hand,
	man_fingers,
	man_thumb,
	man_thigh,
	man_shin,
	man_foot,
	man_toes
};

enum
{
	creature_pelvis,
	creature_spine1,
	creature_spine2,
	creature_spine3,
	creature_chest,
	creature_neck1,
	creature_neck2,
	creature_neck3,
	creature_neck4,
	creature_head,
	creature_jaw,
	creature_tail1,
	creature_tail2,
	creature_tail3,
	creature_tail4,
	creature_tail5,
	creature_tail6,
	creature_tail7,
	creature_tail8,
	creature_tail9,
	creature_upperArm,
	creature_forearm,
	creature_hand,
	creature_fingerA1,
	creature_fingerA2,
	creature_fingerB1,
	creature_fingerB2,
	creature_fingerC1,
	creature_fingerC2,
	creature_thigh,
	creature_shin,
	creature_foot,
	creature_toeA1,
	creature_toeA2,
	creature_toeB1,
	creature_toeB2,
	creature_toeC1,
	creature_toeC2
};

#endif
