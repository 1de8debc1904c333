// `.approx` functions, of which the device decides the error: near to the functions of OpenCL C, and right at their ends.
// options: -cl-std=CL3.0
// no-diagnostics
// run: --kernel k --global 64 --arg uint[1]:const=0 --arg float[12] --print wrong --print ends
// prints: wrong: 0
// prints: ends: inf -inf inf -inf 0 inf 0 1 inf 0 inf 4
#define APPROX(d, name, x) asm(name ".f32 %0, %1;" : "=f"(d) : "f"(x))
uint off(float d, float right, float most) { return !(fabs(d - right) <= most); }
kernel void k(global uint *wrong, global float *ends) {
    float x = 0.37f + 0.11f * get_global_id(0), d;
    uint bad = 0;
    APPROX(d, "rcp.approx", x); bad += off(d, 1 / x, 0x1p-20f / x);
    APPROX(d, "rcp.approx.ftz", x); bad += off(d, 1 / x, 0x1p-20f / x);
    APPROX(d, "sqrt.approx", x); bad += off(d, sqrt(x), 0x1p-20f * sqrt(x));
    APPROX(d, "rsqrt.approx", x); bad += off(d, rsqrt(x), 0x1p-20f * rsqrt(x));
    APPROX(d, "ex2.approx", x); bad += off(d, exp2(x), 0x1p-19f * exp2(x));
    APPROX(d, "ex2.approx.ftz", -x); bad += off(d, exp2(-x), 0x1p-19f * exp2(-x));
    APPROX(d, "lg2.approx", x); bad += off(d, log2(x), 0x1p-19f);
    APPROX(d, "lg2.approx.ftz", x); bad += off(d, log2(x), 0x1p-19f);
    APPROX(d, "sin.approx", x - 3); bad += off(d, sin(x - 3), 0x1p-10f);
    APPROX(d, "cos.approx.ftz", x - 3); bad += off(d, cos(x - 3), 0x1p-10f);
    APPROX(d, "tanh.approx", x - 3); bad += off(d, tanh(x - 3), 0x1p-10f);
    asm("div.approx.f32 %0, %1, %2;" : "=f"(d) : "f"(3.0f), "f"(x)); bad += off(d, 3 / x, 0x1p-18f / x);
    asm("div.full.f32 %0, %1, %2;" : "=f"(d) : "f"(3.0f), "f"(x)); bad += off(d, 3 / x, 0x1p-18f / x);
    double e = x, r;
    asm("rsqrt.approx.f64 %0, %1;" : "=d"(r) : "d"(e)); bad += !(fabs(r - rsqrt(e)) < 1e-6);
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(e)); bad += !(fabs(r - 1 / e) < 1e-5);
    if (bad)
        atomic_add(wrong, bad);
    if (get_global_id(0))
        return;
    APPROX(ends[0], "rcp.approx", 0.0f);
    APPROX(ends[1], "rcp.approx", -0.0f);
    APPROX(ends[2], "rsqrt.approx", 0.0f);
    APPROX(ends[3], "lg2.approx", 0.0f);
    APPROX(ends[4], "ex2.approx", -INFINITY);
    APPROX(ends[5], "ex2.approx", INFINITY);
    APPROX(ends[6], "rcp.approx", INFINITY);
    APPROX(ends[7], "ex2.approx", 0.0f);
    APPROX(ends[8], "sqrt.approx", INFINITY);
    APPROX(ends[9], "sin.approx", 0.0f);
    APPROX(ends[10], "rsqrt.approx.ftz", 0.0f);
    APPROX(ends[11], "ex2.approx", 2.0f);
}
