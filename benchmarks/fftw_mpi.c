/* Time pairs of 3-D real transforms of FFTW-MPI; built and run by transforms.py.
 *
 *     fftw_mpi POINTS TIMES THREADS IN_PLACE
 *
 * sin x cos y sin z on POINTS^3 points, forward and back without normalisation, the modes left transposed,
 * as FFTW's manual advises. Prints one line of JSON (rank 0): seconds of each pair on the slowest rank, and the
 * largest error after all of them, the last two divided by the number of points; exits 1 if that is no
 * rounding.
 */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM_UP = 2 };

static double kernel(ptrdiff_t n, ptrdiff_t z, ptrdiff_t y, ptrdiff_t x) {
    const double h = 2.0 * acos(-1.0) / (double)n;
    return sin(h * (double)x) * cos(h * (double)y) * sin(h * (double)z);
}

static void fill(double* u, ptrdiff_t n, ptrdiff_t z0, ptrdiff_t planes, ptrdiff_t pitch) {
    for (ptrdiff_t z = 0; z < planes; ++z)
        for (ptrdiff_t y = 0; y < n; ++y)
            for (ptrdiff_t x = 0; x < n; ++x) u[(z * n + y) * pitch + x] = kernel(n, z0 + z, y, x);
}

/* Of u / n^3, over all ranks. */
static double largest_error(const double* u, ptrdiff_t n, ptrdiff_t z0, ptrdiff_t planes, ptrdiff_t pitch) {
    const double scale = 1.0 / ((double)n * (double)n * (double)n);
    double largest = 0.0;
    for (ptrdiff_t z = 0; z < planes; ++z)
        for (ptrdiff_t y = 0; y < n; ++y)
            for (ptrdiff_t x = 0; x < n; ++x)
                largest = fmax(largest, fabs(u[(z * n + y) * pitch + x] * scale - kernel(n, z0 + z, y, x)));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

static double timed_pair(fftw_plan forward, fftw_plan back) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    fftw_execute(forward);
    fftw_execute(back);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

int main(int argc, char** argv) {
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 5) return fprintf(stderr, "usage: fftw_mpi POINTS TIMES THREADS IN_PLACE\n"), 2;
    const ptrdiff_t n = atol(argv[1]);
    const int times = atoi(argv[2]), in_place = atoi(argv[4]);
    fftw_init_threads();
    fftw_mpi_init();
    fftw_plan_with_nthreads(atoi(argv[3]));

    ptrdiff_t planes, z0, rows, y0;
    const ptrdiff_t size =
        fftw_mpi_local_size_3d_transposed(n, n, n / 2 + 1, MPI_COMM_WORLD, &planes, &z0, &rows, &y0);
    const ptrdiff_t pitch = 2 * (n / 2 + 1); /* FFTW-MPI pads real rows out of place, too */
    double* const u = fftw_alloc_real((size_t)(2 * size));
    fftw_complex* const modes = in_place ? (fftw_complex*)u : fftw_alloc_complex((size_t)size);
    const fftw_plan forward = fftw_mpi_plan_dft_r2c_3d(n, n, n, u, modes, MPI_COMM_WORLD,
                                                       FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
    const fftw_plan back = fftw_mpi_plan_dft_c2r_3d(n, n, n, modes, u, MPI_COMM_WORLD,
                                                    FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN);
    if (rank == 0) printf("{\"seconds\": [");
    for (int i = -WARM_UP; i < times; ++i) {
        fill(u, n, z0, planes, pitch); /* without normalisation the field would grow beyond all numbers */
        const double seconds = timed_pair(forward, back);
        if (rank == 0 && i >= 0) printf("%s%.9g", i ? ", " : "", seconds);
    }
    const double error = largest_error(u, n, z0, planes, pitch);
    if (rank == 0) printf("], \"error\": %.3g}\n", error);
    MPI_Finalize();
    return !(error < 1e-12);
}
