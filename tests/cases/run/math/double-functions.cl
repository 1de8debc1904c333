// Functions on double within OpenCL C §7.4's limits (and half an ulp of the expected values' rounding); §7.5.1's edges.
// options: -cl-std=CL3.0
// run: --kernel one --global 8 --arg bad=int[34] --print bad:34
// prints: bad: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: --kernel two --global 8 --arg bad=int[8] --print bad:8
// prints: bad: 0 0 0 0 0 0 0 0
// run: --kernel rest --global 1 --arg bad=int[1] --print bad
// prints: bad: 0
// no-diagnostics

double ulps(double got, double want) {
    if (isnan(want) || isnan(got)) return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (got == want) return 0;
    if (isinf(want) || isinf(got)) return INFINITY;
    int e = max((int)(as_ulong(want) >> 52 & 0x7ff), 1);
    // In parts: the unit may be below the normal numbers.
    return e > 60 ? fabs(got - want) / as_double((ulong)(e - 52) << 52)
                  : (double)abs_diff(as_long(got), as_long(want));
}

void check(global int *bad, int f, double got, double want, double limit) {
    if (ulps(got, want) > limit) atomic_inc(&bad[f]);
}

constant double x_exp[] = {1.0, -1.0, 0.5, -700.25, 709.5, -745.0, 1e-10, 3.75};
constant double w_exp[] = {2.718281828459045, 0.36787944117144233, 1.6487212707001282, 7.678723813110872e-305, 1.3549863193146328e+308, 5e-324, 1.0000000001, 42.52108200006278};
constant double x_exp2[] = {0.5, -1074.0, 1023.5, -0.1, 10.25, 1e-09, -1022.7, 33.3};
constant double w_exp2[] = {1.4142135623730951, 5e-324, 1.2711610061536464e+308, 0.9330329915368074, 1217.7480857627863, 1.000000000693147, 1.3696936250904357e-308, 10575449983.939022};
constant double x_exp10[] = {0.5, 308.2, -300.3, 2.0, -0.25, 1e-08, 15.1, -323.0};
constant double w_exp10[] = {3.1622776601683795, 1.584893192461072e+308, 5.0118723362725915e-301, 100.0, 0.5623413251903491, 1.0000000230258512, 1258925411794166.2, 1e-323};
constant double x_expm1[] = {1e-10, 0.3, -0.4, 5.0, -50.0, 700.0, -0.001, 0.36};
constant double w_expm1[] = {1.00000000005e-10, 0.3498588075760031, -0.32967995396436073, 147.4131591025766, -1.0, 1.0142320547350045e+304, -0.0009995001666250085, 0.43332941456034024};
constant double x_log[] = {2.0, 0.7, 1.1, 1e+300, 5e-324, 1e-10, 0.99999, 3.5};
constant double w_log[] = {0.6931471805599453, -0.35667494393873245, 0.09531017980432493, 690.7755278982137, -744.4400719213812, -23.025850929940457, -1.0000050000287824e-05, 1.252762968495368};
constant double x_log2[] = {3.0, 0.7, 1.1, 1e+300, 5e-324, 1.0000001, 0.6, 7.0};
constant double w_log2[] = {1.584962500721156, -0.5145731728297583, 0.13750352374993502, 996.5784284662087, -1074.0, 1.4426949695965583e-07, -0.7369655941662062, 2.807354922057604};
constant double x_log10[] = {3.0, 0.7, 1.1, 1e+300, 5e-324, 1.0000001, 0.6, 1000.0};
constant double w_log10[] = {0.47712125471966244, -0.1549019599857432, 0.04139268515822508, 300.0, -323.3062153431158, 4.3429446044209946e-08, -0.2218487496163564, 3.0};
constant double x_log1p[] = {1e-10, 0.3, -0.5, 10000000000.0, -0.999, 3.0, -1e-05, 0.45};
constant double w_log1p[] = {9.999999999500001e-11, 0.26236426446749106, -0.6931471805599453, 23.025850930040455, -6.907755278982136, 1.3862943611198906, -1.0000050000333337e-05, 0.37156355643248307};
constant double x_sin[] = {1.0, -2.0, 3.0, 100.0, 1000000.0, 1e+22, 1e+300, 1e-05};
constant double w_sin[] = {0.8414709848078965, -0.9092974268256817, 0.1411200080598672, -0.5063656411097588, -0.34999350217129294, -0.8522008497671888, -0.8178819121159085, 9.999999999833334e-06};
constant double x_cos[] = {1.0, -2.0, 3.0, 100.0, 1000000.0, 1e+22, 1e+300, 1.5707963267948966};
constant double w_cos[] = {0.5403023058681398, -0.4161468365471424, -0.9899924966004454, 0.8623188722876839, 0.9367521275331447, 0.523214785395139, -0.5753861119575491, 6.123233995736766e-17};
constant double x_tan[] = {1.0, -2.0, 3.0, 100.0, 1000000.0, 1e+22, 1e+300, 1.5707963267948966};
constant double w_tan[] = {1.5574077246549023, 2.185039863261519, -0.1425465430742778, -0.5872139151569291, -0.373624453987599, -1.6287782256068988, 1.4214488238747245, 1.633123935319537e+16};
constant double x_sinpi[] = {0.25, 1.3, -2.7, 100.1, 1000000.375, 0.5, 1e-10, 7.9};
constant double w_sinpi[] = {0.7071067811865476, -0.8090169943749475, -0.8090169943749471, 0.30901699437493046, 0.9238795325112867, 1.0, 3.1415926535897934e-10, -0.30901699437494634};
constant double x_cospi[] = {0.25, 1.3, -2.7, 100.1, 1000000.375, 0.51, 1e-10, 7.9};
constant double w_cospi[] = {0.7071067811865476, -0.587785252292473, -0.5877852522924736, 0.9510565162951591, 0.3826834323650898, -0.03141075907812832, 1.0, 0.9510565162951539};
constant double x_tanpi[] = {0.25, 1.3, -2.7, 100.1, 1000000.375, 0.51, 1e-10, 7.9};
constant double w_tanpi[] = {1.0, 1.376381920471174, 1.376381920471172, 0.3249196962328866, 2.414213562373095, -31.82051595377393, 3.1415926535897934e-10, -0.3249196962329051};
constant double x_asin[] = {0.1, -0.5, 0.6, 1.0, -1.0, 0.999999, 1e-08, 0.3};
constant double w_asin[] = {0.1001674211615598, -0.5235987755982989, 0.6435011087932844, 1.5707963267948966, -1.5707963267948966, 1.5693821131146521, 1e-08, 0.3046926540153975};
constant double x_acos[] = {0.1, -0.5, 0.6, 1.0, -1.0, 0.999999, 1e-08, 0.3};
constant double w_acos[] = {1.4706289056333368, 2.0943951023931957, 0.9272952180016123, 0.0, 3.141592653589793, 0.0014142136802445852, 1.5707963167948966, 1.2661036727794992};
constant double x_atan[] = {0.1, -0.5, 0.7, 1.0, -3.0, 5.0, 1e-08, 1e+300};
constant double w_atan[] = {0.09966865249116204, -0.4636476090008061, 0.6107259643892086, 0.7853981633974483, -1.2490457723982544, 1.373400766945016, 1e-08, 1.5707963267948966};
constant double x_asinpi[] = {0.1, -0.5, 0.6, 1.0, -1.0, 0.999999, 1e-08, 0.3};
constant double w_asinpi[] = {0.03188428042925993, -0.16666666666666666, 0.20483276469913345, 0.5, -0.5, 0.49954984180440176, 3.183098861837907e-09, 0.09698668402067828};
constant double x_acospi[] = {0.1, -0.5, 0.6, 1.0, -1.0, 0.999999, 1e-08, 0.3};
constant double w_acospi[] = {0.46811571957074005, 0.6666666666666666, 0.2951672353008666, 0.0, 1.0, 0.0004501581955982136, 0.49999999681690116, 0.4030133159793217};
constant double x_atanpi[] = {0.1, -0.5, 0.7, 1.0, -3.0, 5.0, 1e-08, 1e+300};
constant double w_atanpi[] = {0.031725517430553574, -0.14758361765043326, 0.19440011221421477, 0.25, -0.39758361765043326, 0.4371670418109988, 3.1830988618379066e-09, 0.5};
constant double x_sinh[] = {0.1, -0.5, 1.7, 20.0, -300.0, 710.0, 1e-08, 5.0};
constant double w_sinh[] = {0.10016675001984403, -0.5210953054937474, 2.6456319338372323, 242582597.70489514, -9.712131976206279e+129, 1.1169973830808555e+308, 1e-08, 74.20321057778875};
constant double x_cosh[] = {0.1, -0.5, 1.7, 20.0, -300.0, 710.0, 1e-08, 5.0};
constant double w_cosh[] = {1.0050041680558035, 1.1276259652063807, 2.828315457889967, 242582597.70489514, 9.712131976206279e+129, 1.1169973830808555e+308, 1.0, 74.20994852478785};
constant double x_tanh[] = {0.1, -0.5, 1.7, 19.0, -30.0, 0.001, 1e-08, 5.0};
constant double w_tanh[] = {0.09966799462495582, -0.46211715726000974, 0.935409070603099, 0.9999999999999999, -1.0, 0.0009999996666668, 1e-08, 0.9999092042625951};
constant double x_asinh[] = {0.1, -0.5, 1.7, 20.0, -10000000000.0, 1e+300, 1e-08, 5.0};
constant double w_asinh[] = {0.09983407889920756, -0.48121182505960347, 1.300820426840647, 3.6895038689889055, -23.7189981105004, 691.4686750787737, 1e-08, 2.3124383412727525};
constant double x_acosh[] = {1.1, 1.0, 1.7, 20.0, 10000000000.0, 1e+300, 1.0001, 5.0};
constant double w_acosh[] = {0.4435682543851154, 0.0, 1.123230982587296, 3.6882538673612966, 23.7189981105004, 691.4686750787737, 0.014142017775251545, 2.2924316695611777};
constant double x_atanh[] = {0.1, -0.5, 0.9, 0.99999, -0.3, 1e-08, 0.7, -0.999};
constant double w_atanh[] = {0.10033534773107558, -0.5493061443340549, 1.4722194895832204, 6.1030338227611125, -0.3095196042031117, 1e-08, 0.8673005276940531, -3.8002011672501994};
constant double x_erf[] = {0.1, -0.5, 0.9, 1.1, -2.0, 3.0, 1e-08, 5.0};
constant double w_erf[] = {0.1124629160182849, -0.5204998778130465, 0.7969082124228322, 0.8802050695740817, -0.9953222650189527, 0.9999779095030014, 1.1283791670955126e-08, 0.9999999999984626};
constant double x_erfc[] = {0.1, -0.5, 0.9, 1.1, -2.0, 3.0, 10.0, 26.0};
constant double w_erfc[] = {0.887537083981715, 1.5204998778130465, 0.20309178757716786, 0.11979493042591827, 1.9953222650189528, 2.209049699858544e-05, 2.088487583762545e-45, 5.663192408856143e-296};
constant double x_tgamma[] = {0.5, 1.5, 5.0, 20.5, -3.5, 100.25, 170.5, -0.1};
constant double w_tgamma[] = {1.772453850905516, 0.886226925452758, 24.0, 5.406242982335075e+17, 0.2700882058522691, 2.94846628183877e+156, 5.56209241456e+305, -10.686287021193193};
constant double x_lgamma[] = {0.5, 3.5, 5.0, 20.5, -3.5, 100.25, 10000000000.0, 0.1};
constant double w_lgamma[] = {0.5723649429247001, 1.2009736023470743, 3.1780538303479458, 40.8315009745308, -1.309006684993042, 360.28455963776423, 220258509288.81058, 2.252712651734206};
constant double x_cbrt[] = {2.0, -3.0, 1e+300, 5e-324, 0.1, 27.0, 1000.0, -1e-20};
constant double w_cbrt[] = {1.2599210498948732, -1.4422495703074083, 1e+100, 1.7031839360032603e-108, 0.4641588833612779, 3.0, 10.0, -2.1544346900318838e-07};
constant double x_sqrt[] = {2.0, 3.0, 1e+300, 5e-324, 0.1, 27.0, 1000.0, 1e-20};
constant double w_sqrt[] = {1.4142135623730951, 1.7320508075688772, 1e+150, 2.2227587494850775e-162, 0.31622776601683794, 5.196152422706632, 31.622776601683793, 1e-10};
constant double x_rsqrt[] = {2.0, 3.0, 1e+300, 1e-300, 0.1, 27.0, 1000.0, 1e-20};
constant double w_rsqrt[] = {0.7071067811865476, 0.5773502691896257, 1e-150, 1e+150, 3.162277660168379, 0.19245008972987526, 0.03162277660168379, 10000000000.0};
constant double x_logb[] = {3.0, 0.7, 1.1, 1e+300, 5e-324, 1.5, 0.6, 1000.0};
constant double w_logb[] = {1.0, -1.0, 0.0, 996.0, -1074.0, 0.0, -1.0, 9.0};
constant double x_pow[] = {2.0, 1.0000001, 10.0, 0.3, -3.0, -1.5, 1e+300, 1.7};
constant double y_pow[] = {0.5, 1000000000.0, -300.0, 5.5, 7.0, -4.0, 0.1, 1000.0};
constant double w_pow[] = {1.4142135623730951, 2.6881038582144647e+43, 1e-300, 0.0013309658147375534, -2187.0, 0.19753086419753085, 1.0000000000000038e+30, 2.8113918290273277e+230};
constant double x_powr[] = {2.0, 1.0000001, 10.0, 0.3, 3.0, 1.5, 1e+300, 1.7};
constant double y_powr[] = {0.5, 1000000000.0, -300.0, 5.5, 7.0, -4.0, 0.1, 1000.0};
constant double w_powr[] = {1.4142135623730951, 2.6881038582144647e+43, 1e-300, 0.0013309658147375534, 2187.0, 0.19753086419753085, 1.0000000000000038e+30, 2.8113918290273277e+230};
constant double x_atan2[] = {1.0, -1.0, 1.0, -1.0, 1e-300, 3.0, 1e+300, 5.0};
constant double y_atan2[] = {2.0, 2.0, -2.0, -2.0, 1.0, 0.1, 1e-05, -1e-10};
constant double w_atan2[] = {0.4636476090008061, -0.4636476090008061, 2.677945044588987, -2.677945044588987, 1e-300, 1.5374753309166493, 1.5707963267948966, 1.5707963268148966};
constant double x_atan2pi[] = {1.0, -1.0, 1.0, -1.0, 1e-300, 3.0, 1e+300, 5.0};
constant double y_atan2pi[] = {2.0, 2.0, -2.0, -2.0, 1.0, 0.1, 1e-05, -1e-10};
constant double w_atan2pi[] = {0.14758361765043326, -0.14758361765043326, 0.8524163823495667, -0.8524163823495667, 3.183098861837907e-301, 0.4893935975944646, 0.5, 0.5000000000063662};
constant double x_hypot[] = {3.0, 1e+300, 1e-300, 1.0, -7.0, 1e+200, 0.1, 5.0};
constant double y_hypot[] = {4.0, 1e+300, 2e-300, 1e-05, 24.0, 1.0, 0.2, 0.0};
constant double w_hypot[] = {5.0, 1.4142135623730952e+300, 2.2360679774997897e-300, 1.00000000005, 25.0, 1e+200, 0.223606797749979, 5.0};
constant double x_fmod[] = {5.0, -5.5, 1e+300, 1e-300, 3.0, 10.0, 1e+20, 6.0};
constant double y_fmod[] = {3.0, 3.0, 7.0, 5e-324, 10.0, 0.1, 3.7, -4.0};
constant double w_fmod[] = {2.0, -2.5, 1.0, 0.0, 3.0, 0.09999999999999945, 1.7355691885124882, 2.0};
constant double x_remainder[] = {5.0, -5.5, 1e+300, 2.5, 3.0, 10.0, 1e+20, 6.0};
constant double y_remainder[] = {3.0, 3.0, 7.0, 1.0, 10.0, 0.1, 3.7, -4.0};
constant double w_remainder[] = {-1.0, 0.5, 1.0, 0.5, 3.0, -5.551115123125783e-16, 1.7355691885124882, -2.0};
constant double x_nextafter[] = {1.0, 1.0, -1.0, 5e-324, 1e+300, 2.0, -5e-324, 0.1};
constant double y_nextafter[] = {2.0, 0.0, 0.0, -1.0, 1e+301, 2.0, 1.0, -0.1};
constant double w_nextafter[] = {1.0000000000000002, 0.9999999999999999, -0.9999999999999999, 0.0, 1.0000000000000002e+300, 2.0, 0.0, 0.09999999999999999};

kernel void one(global int *bad) {
    int i = get_global_id(0);
    check(bad, 0, exp(x_exp[i]), w_exp[i], 3.5);
    check(bad, 1, exp2(x_exp2[i]), w_exp2[i], 3.5);
    check(bad, 2, exp10(x_exp10[i]), w_exp10[i], 3.5);
    check(bad, 3, expm1(x_expm1[i]), w_expm1[i], 3.5);
    check(bad, 4, log(x_log[i]), w_log[i], 3.5);
    check(bad, 5, log2(x_log2[i]), w_log2[i], 3.5);
    check(bad, 6, log10(x_log10[i]), w_log10[i], 3.5);
    check(bad, 7, log1p(x_log1p[i]), w_log1p[i], 2.5);
    check(bad, 8, sin(x_sin[i]), w_sin[i], 4.5);
    check(bad, 9, cos(x_cos[i]), w_cos[i], 4.5);
    check(bad, 10, tan(x_tan[i]), w_tan[i], 5.5);
    check(bad, 11, sinpi(x_sinpi[i]), w_sinpi[i], 4.5);
    check(bad, 12, cospi(x_cospi[i]), w_cospi[i], 4.5);
    check(bad, 13, tanpi(x_tanpi[i]), w_tanpi[i], 6.5);
    check(bad, 14, asin(x_asin[i]), w_asin[i], 4.5);
    check(bad, 15, acos(x_acos[i]), w_acos[i], 4.5);
    check(bad, 16, atan(x_atan[i]), w_atan[i], 5.5);
    check(bad, 17, asinpi(x_asinpi[i]), w_asinpi[i], 5.5);
    check(bad, 18, acospi(x_acospi[i]), w_acospi[i], 5.5);
    check(bad, 19, atanpi(x_atanpi[i]), w_atanpi[i], 5.5);
    check(bad, 20, sinh(x_sinh[i]), w_sinh[i], 4.5);
    check(bad, 21, cosh(x_cosh[i]), w_cosh[i], 4.5);
    check(bad, 22, tanh(x_tanh[i]), w_tanh[i], 5.5);
    check(bad, 23, asinh(x_asinh[i]), w_asinh[i], 4.5);
    check(bad, 24, acosh(x_acosh[i]), w_acosh[i], 4.5);
    check(bad, 25, atanh(x_atanh[i]), w_atanh[i], 5.5);
    check(bad, 26, erf(x_erf[i]), w_erf[i], 16.5);
    check(bad, 27, erfc(x_erfc[i]), w_erfc[i], 16.5);
    check(bad, 28, tgamma(x_tgamma[i]), w_tgamma[i], 16.5);
    check(bad, 29, lgamma(x_lgamma[i]), w_lgamma[i], 16.5);
    check(bad, 30, cbrt(x_cbrt[i]), w_cbrt[i], 2.5);
    check(bad, 31, sqrt(x_sqrt[i]), w_sqrt[i], 1.5);
    check(bad, 32, rsqrt(x_rsqrt[i]), w_rsqrt[i], 2.5);
    check(bad, 33, logb(x_logb[i]), w_logb[i], 0);
}

kernel void two(global int *bad) {
    int i = get_global_id(0);
    check(bad, 0, pow(x_pow[i], y_pow[i]), w_pow[i], 16.5);
    check(bad, 1, powr(x_powr[i], y_powr[i]), w_powr[i], 16.5);
    check(bad, 2, atan2(x_atan2[i], y_atan2[i]), w_atan2[i], 6.5);
    check(bad, 3, atan2pi(x_atan2pi[i], y_atan2pi[i]), w_atan2pi[i], 6.5);
    check(bad, 4, hypot(x_hypot[i], y_hypot[i]), w_hypot[i], 4.5);
    check(bad, 5, fmod(x_fmod[i], y_fmod[i]), w_fmod[i], 0);
    check(bad, 6, remainder(x_remainder[i], y_remainder[i]), w_remainder[i], 0);
    check(bad, 7, nextafter(x_nextafter[i], y_nextafter[i]), w_nextafter[i], 0);
}

// Edges, functions with a second result, vectors.
kernel void rest(global int *bad) {
    int wrong = 0;
    wrong += exp(-INFINITY) != 0 || exp((double)INFINITY) != INFINITY || !isnan(exp(as_double(-1L)));
    wrong += log(0.0) != -INFINITY || !isnan(log(-1.0)) || pow(0.0, -3.0) != INFINITY || pow(-8.0, 3.0) != -512.0;
    wrong += !isnan(sin((double)INFINITY)) || 1.0 / sin(-0.0) != -INFINITY || atan((double)INFINITY) != M_PI_2;
    wrong += tgamma(6.0) != 120.0 || !isnan(tgamma(-2.0)) || ilogb(0.75) != -1 || ldexp(0.75, 3) != 6.0;
    wrong += pown(-2.0, -3) != -0.125 || fabs(rootn(-27.0, 3) + 3.0) > 1e-15 || !isnan(fmod(1.0, 0.0));
    int n, q;
    double c, w, s = sincos(0.5, &c), m = frexp(-10.0, &n), r = remquo(7.0, 2.0, &q), f = modf(-2.75, &w);
    wrong += fabs(s - 0.479425538604203) > 1e-15 || fabs(c - 0.8775825618903728) > 1e-15;
    wrong += m != -0.625 || n != 4 || r != -1.0 || (q & 7) != 4 || f != -0.75 || w != -2.0;
    double l = lgamma_r(-0.5, &n);
    wrong += fabs(l - 1.2655121234846454) > 1e-14 || n != -1;
    double3 v = exp((double3)(0, 1, 2)) * log((double3)(1, 2, 3));
    wrong += v.x != 0 || fabs(v.y - 1.88416938536372) > 1e-14 || fabs(v.z - 8.117707831943257) > 1e-12;
    half store[4];
    // Halfway cases that a rounding through float would break.
    vstore_half(1.0004882812500002, 0, store);
    vstore_half_rte(1.00048828125, 1, store);
    vstore_half_rtz(1.9999999, 2, store);
    vstore_half_rtp(1e-30, 3, store);
    wrong += vload_half(0, store) != 1.0009765625f || vload_half(1, store) != 1.0f;
    wrong += vload_half(2, store) != 1.9990234375f || vload_half(3, store) != 5.9604644775390625e-8f;
    bad[0] = wrong;
}
