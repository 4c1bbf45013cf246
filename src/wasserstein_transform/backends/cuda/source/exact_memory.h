// What a team keeps of its problem in shared memory.
#include "exact_team.h"

struct Mask {  // the arcs on the way from a node to the root of the tree
    Bits words[WORDS];
};

struct Problem {
    int na, nb;                // sources and sinks
    int ka, kb;                // those with mass left when common mass stays in place; they come first
    int stride;                // of the costs: odd, so that neither rows nor columns meet in one bank
    double top, reach;         // the largest cost, and the size of the costs of interest
    double *cost;              // a row for each source
    double *u, *v;             // potentials
    double *supply, *demand;   // masses
    double *rest_a, *rest_b;   // without what stays in place
    Mask *tree;                // of the sources, then of the sinks
    double *left;              // what a source has still to give: lies where the tree will be
    int *chosen;               // the best source for each sink, found by the last look
    unsigned *marks;           // bits of those with mass left
};

__device__ __forceinline__ void lay_out(Problem &problem, Team &team, char *memory) {
    double *at = (double *)memory;
    problem.u = at, problem.v = at + SIDE;
    problem.supply = at + 2 * SIDE, problem.demand = at + 3 * SIDE;
    problem.rest_a = at + 4 * SIDE, problem.rest_b = at + 5 * SIDE;
    problem.tree = (Mask *)(at + 6 * SIDE);
    problem.left = at + 6 * SIDE;
    problem.chosen = (int *)(problem.tree + 2 * SIDE);
    problem.marks = (unsigned *)(problem.chosen + SIDE);
    team.board = problem.marks + 16, team.turn = 0;
    problem.cost = (double *)(team.board + 16);
}

__device__ __forceinline__ bool has(const Mask &mask, int bit) {  // in registers: words have no addresses there
    Bits word = 0;
    for (int w = 0; w < WORDS; w++) word |= mask.words[w] & -(Bits)(w == bit / 64);
    return word >> (bit % 64) & 1;
}

__device__ __forceinline__ bool has_stored(const Mask *mask, int bit) { return mask->words[bit / 64] >> (bit % 64) & 1; }

__device__ __forceinline__ int depth_of(const Mask &mask) {
    int depth = 0;
    for (int w = 0; w < WORDS; w++) depth += __popcll(mask.words[w]);
    return depth;
}

__device__ __forceinline__ void flip(Mask &mask, int bit) {
    for (int w = 0; w < WORDS; w++) mask.words[w] ^= (Bits)(w == bit / 64) << (bit % 64);
}
