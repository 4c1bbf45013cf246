// The problem of a team in shared memory.
#include "exact_team.h"

struct Mask {  // the arcs on the path from a node to the root of the tree
    Bits words[WORDS];
};

struct Problem {
    int na, nb;                // sources and sinks
    int ka, kb;                // those with mass left after cancelling common mass; they come first
    int stride;                // stride of the costs: odd, to avoid bank conflicts
    double top, reach;         // the largest cost, and the scale of the relevant costs
    double *cost;              // a row for each source
    double *u, *v;             // potentials
    double *supply, *demand;   // masses
    double *rest_a, *rest_b;   // masses after cancelling
    Mask *tree;                // masks of the sources, then of the sinks
    double *left;              // mass left at a source; shares memory with the tree
    int *chosen;               // the best source for each sink in the last pricing pass
    unsigned *marks;           // bits of points with mass left
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

__device__ __forceinline__ bool has(const Mask &mask, int bit) {  // words in registers have no addresses
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
