// The sum of the singular values of a bidiagonal matrix by shifted qd (Fernando and Parlett), a thread for each: the
// method of the CPU, step by step.
#define NEGLIGIBLE 1e-32  // square of the rounding error for a largest value of 1
#define SPARK 1e-300      // keeps divisors positive, and distinguishes an entry 0 from the mark of a split

struct Squares {  // squared entries of diagonal and superdiagonal
    double q[M], e[M];
};

// Whether e before entry k can be neglected: a value √(shift + λ) then changes by at most (e + √(qe)) / 2σ.
__device__ __forceinline__ bool stands_apart(const Squares &at, int k, double shift) {
    return (at.q[k] + at.e[k - 1]) * at.e[k - 1] <= NEGLIGIBLE * shift;
}

// √(λ + shift) + √(μ + shift) where λ + μ = a + b + c and λμ = ac.
__device__ __forceinline__ double sum_of_two(double a, double b, double c, double shift) {
    double trace = a + b + c;
    return sqrt(trace + 2 * shift + 2 * sqrt(a * c + shift * (trace + shift)));
}

// An estimate of the smallest squared value, probably from below.
__device__ __forceinline__ double guess(const Squares &at, int last, double least) {
    double end = at.q[last], before = at.q[last - 1], beside = at.e[last - 1];
    double gap = before + beside - end - sqrt(before * at.e[last - 2]), tau = 0.25 * min(least, end);
    return gap > 0 ? max(tau, min(end - end * beside / gap, least)) : tau;
}

// A pass that subtracts `tau` from all squared values; it ends at a negative pivot. Returns its end.
__device__ inline int pass(const Squares &at, int first, int last, double tau, Squares &next, double &pivot, double &least) {
    pivot = at.q[first] - tau, least = 1e300;
    int k = first;
    for (; k < last && pivot >= 0; k++) {
        least = min(least, pivot);
        next.q[k] = pivot + at.e[k];
        double ratio = at.q[k + 1] / next.q[k];
        next.e[k] = at.e[k] * ratio + SPARK;
        pivot = pivot * ratio - tau;
    }
    next.q[k] = pivot;
    return k;
}

// The squared entries of the matrix, relative to the largest.
__device__ __forceinline__ double load_squares(const double *entries, Index stride, Squares &out) {
    double size = 0;
    for (int k = 0; k < M; k++) size = max(size, max(entries[k * stride], entries[(M + k) * stride]));
    for (int k = 0; k < M && size > 0; k++) {
        double q = entries[k * stride] / size, e = entries[(M + k) * stride] / size;
        out.q[k] = q * q, out.e[k] = e * e + SPARK;
    }
    return size;
}

// Sum of the values; −1 on failure. Blocks between negligible e are processed from the last; the shift of the part
// before a block is stored, negated, in the entry that splits them.
__device__ inline double sum_of_values(const double *entries, Index stride) {
    Squares at, next;
    double size = load_squares(entries, stride, at), total = 0, shift = 0, least = 0, others = 0, pivot;
    if (size == 0) return 0;
    int passes = 30 * M + 100, last = M - 1;  // it takes 2 to 4 for each value
    while (last >= 0) {
        int first = last;
        while (first > 0 && at.e[first - 1] > NEGLIGIBLE) first--;
        if (first > 0 && at.e[first - 1] > 0) at.e[first - 1] = -shift;
        int n_done = 1;
        if (first == last || stands_apart(at, last, shift)) {
            total += sqrt(at.q[last] + shift);
        } else if (first == last - 1 || stands_apart(at, last - 1, shift)) {
            total += sum_of_two(at.q[last - 1], at.e[last - 1], at.q[last], shift);
            n_done = 2;
        } else {
            double tau = guess(at, last, least);
            for (int attempt = 0; attempt < 4; attempt++) {
                if (--passes < 0) return -1;
                int end = pass(at, first, last, tau, next, pivot, others);
                if (pivot >= 0) break;
                // the shift was too large: if only the last pivot is negative, by about the size of that pivot
                bool late = end == last && tau + pivot > 0;
                tau = attempt == 2 ? 0 : late ? (tau + pivot) * (1 - 4e-16) : 0.25 * tau;
            }
            for (int k = first; k < last; k++) at.q[k] = next.q[k], at.e[k] = next.e[k];
            at.q[last] = next.q[last];
            shift += tau, least = min(others, pivot);
            continue;
        }
        last -= n_done, least = others;
        if (last < first) {
            least = others = 0;
            if (last >= 0) shift = -at.e[last];
        }
    }
    return size * total;
}
