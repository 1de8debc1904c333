// clFFT's 1-D and 2-D transforms, forward and back, in place and out of place, against the definition.
#include "check.h"
#include <clFFT.h>

#define PI 3.14159265358979323846

// The discrete Fourier transform along one direction of `count` lines, by its definition, in double precision.
static void transform_lines(double *data, size_t length, size_t step, size_t count, size_t line_step, int sign) {
    double *line = malloc(2 * length * sizeof *line);
    for (size_t l = 0; l < count; l++) {
        double *start = data + 2 * l * line_step;
        for (size_t k = 0; k < length; k++) {
            double re = 0, im = 0;
            for (size_t n = 0; n < length; n++) {
                double angle = sign * 2 * PI * (double)(k * n % length) / (double)length;
                double xr = start[2 * n * step], xi = start[2 * n * step + 1];
                re += xr * cos(angle) - xi * sin(angle);
                im += xr * sin(angle) + xi * cos(angle);
            }
            line[2 * k] = re;
            line[2 * k + 1] = im;
        }
        for (size_t k = 0; k < length; k++) {
            start[2 * k * step] = line[2 * k];
            start[2 * k * step + 1] = line[2 * k + 1];
        }
    }
    free(line);
}

// One plan over nx × ny complex numbers (ny = 1: one dimension), `batch` of them; returns what disagrees.
static int complex_transform(Setup s, size_t nx, size_t ny, size_t batch, clfftDirection direction, int in_place) {
    size_t one = nx * ny, all = one * batch;
    float *data = malloc(2 * all * sizeof *data);
    double *want = malloc(2 * all * sizeof *want);
    fill_random(data, 2 * all);
    for (size_t i = 0; i < 2 * all; i++)
        want[i] = data[i];
    int sign = direction == CLFFT_FORWARD ? -1 : 1;
    for (size_t b = 0; b < batch; b++) {
        transform_lines(want + 2 * b * one, nx, 1, ny, nx, sign);
        transform_lines(want + 2 * b * one, ny, nx, nx, 1, sign);
    }
    if (direction == CLFFT_BACKWARD) // clFFT divides the way back by the number of points
        for (size_t i = 0; i < 2 * all; i++)
            want[i] /= (double)one;

    clfftPlanHandle plan;
    size_t lengths[2] = {nx, ny};
    CHECK(clfftCreateDefaultPlan(&plan, s.context, ny > 1 ? CLFFT_2D : CLFFT_1D, lengths));
    CHECK(clfftSetPlanPrecision(plan, CLFFT_SINGLE));
    CHECK(clfftSetLayout(plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED));
    CHECK(clfftSetResultLocation(plan, in_place ? CLFFT_INPLACE : CLFFT_OUTOFPLACE));
    CHECK(clfftSetPlanBatchSize(plan, batch));
    CHECK(clfftSetPlanDistance(plan, one, one));
    CHECK(clfftBakePlan(plan, 1, &s.queue, NULL, NULL));

    cl_mem in = buffer_of(s, data, 2 * all * sizeof *data);
    cl_mem out = in_place ? NULL : buffer_of(s, data, 2 * all * sizeof *data);
    CHECK(clfftEnqueueTransform(plan, direction, 1, &s.queue, 0, NULL, NULL, &in, in_place ? NULL : &out, NULL));
    read_back(s, in_place ? in : out, data, 2 * all * sizeof *data);

    char what[96];
    snprintf(what, sizeof what, "FFT %zux%zu, %zu of them, %s%s", nx, ny, batch,
             direction == CLFFT_FORWARD ? "forward" : "back", in_place ? ", in place" : "");
    int bad = compare(what, data, want, 2 * all, direction == CLFFT_FORWARD ? 3e-6 * sqrt((double)one) + 1e-5 : 1e-6);
    clReleaseMemObject(in);
    if (out)
        clReleaseMemObject(out);
    CHECK(clfftDestroyPlan(&plan));
    free(data), free(want);
    return bad;
}

int main(void) {
    Setup s = setup();
    clfftSetupData data;
    CHECK(clfftInitSetupData(&data));
    CHECK(clfftSetup(&data));
    int bad = 0;
    bad += complex_transform(s, 16, 1, 1, CLFFT_FORWARD, 1);
    bad += complex_transform(s, 1024, 1, 3, CLFFT_FORWARD, 0);
    bad += complex_transform(s, 1024, 1, 3, CLFFT_BACKWARD, 1);
    // Radices other than two: 2² · 3 · 5 · 7.
    bad += complex_transform(s, 420, 1, 2, CLFFT_FORWARD, 0);
    // Too long for one kernel: split, with transpositions between.
    bad += complex_transform(s, 8192, 1, 1, CLFFT_FORWARD, 0);
    bad += complex_transform(s, 64, 32, 1, CLFFT_FORWARD, 1);
    bad += complex_transform(s, 64, 32, 2, CLFFT_BACKWARD, 0);
    bad += complex_transform(s, 60, 128, 1, CLFFT_FORWARD, 0);
    CHECK(clfftTeardown());
    teardown(s);
    return bad != 0;
}
