// CLBlast's SAXPY and SGEMM (all four transpositions, direct and indirect kernels) against sums in double precision.
#include "check.h"
#include <clblast_c.h>

static int saxpy(Setup s, size_t n, float alpha) {
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    double *want = malloc(n * sizeof *want);
    fill_random(x, n);
    fill_random(y, n);
    for (size_t i = 0; i < n; i++)
        want[i] = (double)alpha * x[i] + y[i];
    cl_mem dx = buffer_of(s, x, n * sizeof *x), dy = buffer_of(s, y, n * sizeof *y);
    CHECK(CLBlastSaxpy(n, alpha, dx, 0, 1, dy, 0, 1, &s.queue, NULL));
    read_back(s, dy, y, n * sizeof *y);
    char what[64];
    snprintf(what, sizeof what, "SAXPY n=%zu", n);
    int bad = compare(what, y, want, n, 1e-5);
    clReleaseMemObject(dx);
    clReleaseMemObject(dy);
    free(x), free(y), free(want);
    return bad;
}

static int sgemm(Setup s, size_t m, size_t n, size_t k, int ta, int tb) {
    float *a = malloc(m * k * sizeof *a), *b = malloc(k * n * sizeof *b), *c = malloc(m * n * sizeof *c);
    double *want = malloc(m * n * sizeof *want);
    fill_random(a, m * k);
    fill_random(b, k * n);
    fill_random(c, m * n);
    float alpha = 0.75f, beta = -0.5f;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += (double)a[ta ? l * m + i : i * k + l] * b[tb ? j * k + l : l * n + j];
            want[i * n + j] = alpha * sum + beta * c[i * n + j];
        }
    cl_mem da = buffer_of(s, a, m * k * sizeof *a), db = buffer_of(s, b, k * n * sizeof *b);
    cl_mem dc = buffer_of(s, c, m * n * sizeof *c);
    CHECK(CLBlastSgemm(CLBlastLayoutRowMajor, ta ? CLBlastTransposeYes : CLBlastTransposeNo,
                       tb ? CLBlastTransposeYes : CLBlastTransposeNo, m, n, k, alpha, da, 0, ta ? m : k, db, 0,
                       tb ? k : n, beta, dc, 0, n, &s.queue, NULL));
    read_back(s, dc, c, m * n * sizeof *c);
    char what[96];
    snprintf(what, sizeof what, "SGEMM %zux%zux%zu%s%s", m, n, k, ta ? " A'" : "", tb ? " B'" : "");
    int bad = compare(what, c, want, m * n, 1e-4);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
    free(a), free(b), free(c), free(want);
    return bad;
}

int main(void) {
    Setup s = setup();
    int bad = 0;
    // The fast kernel takes multiples of its tile alone.
    bad += saxpy(s, 4096, 1.5f);
    bad += saxpy(s, 1000003, -0.25f);
    for (int transposed = 0; transposed < 4; transposed++) {
        bad += sgemm(s, 64, 48, 80, transposed & 1, transposed >> 1);
        bad += sgemm(s, 7, 65, 33, transposed & 1, transposed >> 1);
    }
    // Above CLBlast's threshold: padding kernels and the indirect kernel with its tiles in local memory.
    bad += sgemm(s, 1024, 96, 300, 0, 0);
    CHECK(CLBlastClearCache());
    teardown(s);
    return bad != 0;
}
