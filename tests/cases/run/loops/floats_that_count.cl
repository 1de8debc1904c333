// no-diagnostics
// run: --kernel k --global 8 --local 8 --arg out=uint[24] --arg zero=uint[3]:values=0,1,4294967293 --arg f=float:0 --print out
// prints: out: 20 1436981606 29 3191160299 27 796702004 22 559638567 28 2235462562 23 67844187 23 265714477 30 3994739444 10 23676357 7 1691005630 8 2104315139 10 1071519811
// Mesa (22.3, 25.0) computes the rounds by a division and takes sums for products: 21 rounds, not 20, of the first.
kernel void k(global uint *out, global const uint *zero, float f) {
    uint z = *zero;
    {
        uint a = z + 3u, c = z;
        float i = 0.0f;
        while (i <= 2.0f) { a = a * 31u + as_uint(i); c++; i = i + 0.1f; }
        out[0] = c, out[1] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 0.0f;
        while (i < 2.8f) { a = a * 31u + as_uint(i); c++; i = i + 0.1f; }
        out[2] = c, out[3] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 1.0f;
        while (i < 3.6f) { a = a * 31u + as_uint(i); c++; i = i + 0.1f; }
        out[4] = c, out[5] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 0.0f;
        while (i <= 6.6f) { a = a * 31u + as_uint(i); c++; i = i + 0.3f; }
        out[6] = c, out[7] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 0.5f;
        while (i < 3.2f) { a = a * 31u + as_uint(i); c++; i = i + 0.1f; }
        out[8] = c, out[9] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 0.0f;
        while (i > as_float(0xc1380500u)) { a = a * 31u + as_uint(i); c++; i = i + as_float(0xbf05d517u); }
        out[10] = c, out[11] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 0.5f;
        do { a = a * 31u + as_uint(i); c++; i = i + as_float(0xbc23d70au); } while (i > as_float(0x3e8f5c29u));
        out[12] = c, out[13] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = as_float(0x402be9fau);
        do { a = a * 31u + as_uint(i); c++; i = i + 0.2f; } while (i <= as_float(0x4107c74bu));
        out[14] = c, out[15] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 0.0f;
        while (i < 1.0f) { a = a * 31u + as_uint(i); c++; i = i + 0.1f; }
        out[16] = c, out[17] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 0.0f;
        while (i + 0.1f <= 0.8f) { a = a * 31u + as_uint(i); c++; i = i + 0.1f; }
        out[18] = c, out[19] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 1.0f;
        while (i != 3.0f) { a = a * 31u + as_uint(i); c++; i = i + 0.25f; }
        out[20] = c, out[21] = a + as_uint(i);
    }
    {
        uint a = z + 3u, c = z;
        float i = 0.0f;
        while (i < 10.0f) { a = a * 31u + as_uint(i); c++; i = i + 1.0f; }
        out[22] = c, out[23] = a + as_uint(i);
    }
}
