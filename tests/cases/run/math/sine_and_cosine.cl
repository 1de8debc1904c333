// Sines and cosines of one argument share its reduction where they stand in one block: of a variable that is another value later, of
// lanes, and of one whose sine alone another block has (OpenCL C §7.4).
// run: --kernel k --global 6 --arg float[6]:values=0.5,-2.0,5000.0,1.25,1.0000000200408773e+20,0.0078125 --arg bad=int[6] --print bad
// prints: bad: 0 0 0 0 0 0
// no-diagnostics
constant float4 expected[6] = {
    (float4)(0.47942555f, 0.87758255f, 0.997494996f, 0.070737198f),
    (float4)(-0.909297407f, -0.416146845f, -0.841470957f, 0.540302277f),
    (float4)(-0.987966418f, 0.154668406f, -0.403651565f, 0.91491276f),
    (float4)(0.948984623f, 0.315322369f, 0.778073192f, -0.628173649f),
    (float4)(0.656576693f, 0.754259288f, 0.656576693f, 0.754259288f),
    (float4)(0.00781242037f, 0.999969482f, 0.845666349f, 0.53371191f),
};
int far_from(float got, float want) {
    return abs(as_int(got) - as_int(want)) > 4;
}
kernel void k(global const float *angles, global int *bad) {
    int n = get_global_id(0);
    float4 want = expected[n];
    float x = angles[n];
    float sine = sin(x);
    x += 1.0f;
    float next_cosine = cos(x), next_sine = sin(x);
    x = angles[n];
    float cosine = cos(x);
    float2 pair = (float2)(x, x + 1.0f);
    float2 sines = sin(pair), cosines = cos(pair.yx);
    int wrong = far_from(sine, want.x) | far_from(cosine, want.y) << 1 | far_from(next_sine, want.z) << 2 |
                far_from(next_cosine, want.w) << 3;
    wrong |= far_from(sines.x, want.x) << 4 | far_from(sines.y, want.z) << 5 | far_from(cosines.x, want.w) << 6 |
             far_from(cosines.y, want.y) << 7;
    if (n & 1)
        wrong |= far_from(sin(x), want.x) << 8;
    else
        wrong |= far_from(cos(x), want.y) << 9;
    bad[n] = wrong;
}
