// Pairs and tiles by their numbers.

// The pair i < j of a number, in SciPy's order: (0, 1), (0, 2), …
__device__ __forceinline__ void pair_of_number(Index number, Index n, Index &i, Index &j) {
    double width = 2.0 * n - 1;
    i = (Index)((width - sqrt(max(width * width - 8.0 * number, 0.0))) / 2);
    i = min(max(i, (Index)0), n - 2);
    while (i > 0 && i * (2 * n - i - 1) / 2 > number) i--;
    while ((i + 1) * (2 * n - i - 2) / 2 <= number) i++;
    j = number - i * (2 * n - i - 1) / 2 + i + 1;
}

// The tile row ≤ col of a number: (0, 0), (0, 1), (1, 1), (0, 2), …
__device__ __forceinline__ void tile_of_number(Index number, Index &row, Index &col) {
    col = (Index)((sqrt(8.0 * number + 1) - 1) / 2);
    while (col * (col + 1) / 2 > number) col--;
    while ((col + 1) * (col + 2) / 2 <= number) col++;
    row = number - col * (col + 1) / 2;
}
