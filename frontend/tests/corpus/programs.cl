constant uint K[64] = {0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5};
#define ROTR(x,n) rotate((x), (uint)(32-(n)))
void sha256(uint *state, const uint *block) {
  uint w[64];
  #pragma unroll
  for (int i = 0; i < 16; i++) w[i] = block[i];
  for (int i = 16; i < 64; i++) {
    uint s0 = ROTR(w[i-15],7)^ROTR(w[i-15],18)^(w[i-15]>>3), s1 = ROTR(w[i-2],17)^ROTR(w[i-2],19)^(w[i-2]>>10);
    w[i] = w[i-16]+s0+w[i-7]+s1;
  }
  uint a=state[0],b=state[1],c=state[2],d=state[3],e=state[4],f=state[5],g=state[6],h=state[7];
  for (int i=0;i<64;i++){
    uint S1=ROTR(e,6)^ROTR(e,11)^ROTR(e,25), ch=(e&f)^(~e&g), t1=h+S1+ch+K[i]+w[i];
    uint S0=ROTR(a,2)^ROTR(a,13)^ROTR(a,22), maj=(a&b)^(a&c)^(b&c), t2=S0+maj;
    h=g;g=f;f=e;e=d+t1;d=c;c=b;b=a;a=t1+t2;
  }
  state[0]+=a;state[1]+=b;
}
kernel void hash(global const uchar *in, global uint *out, uint len) {
  uint st[8] = {0x6a09e667,0xbb67ae85,0x3c6ef372,0xa54ff53a,0x510e527f,0x9b05688c,0x1f83d9ab,0x5be0cd19};
  uint blk[16]; size_t id=get_global_id(0);
  for (uint i=0;i<16;i++){ blk[i]=0; for(uint j=0;j<4;j++){ uint p=i*4+j; uchar v = p<len? in[id*len+p] : p==len?0x80:0; blk[i]=(blk[i]<<8)|v; } }
  blk[15]=len*8; sha256(st, blk);
  for(int i=0;i<8;i++) out[id*8+i]=st[i];
}
__kernel void transpose(__global float *restrict out, const __global float *restrict in, int w, int h) {
  __local float tile[16][17];
  int x=get_group_id(0)*16+get_local_id(0), y=get_group_id(1)*16+get_local_id(1);
  if (x<w && y<h) tile[get_local_id(1)][get_local_id(0)] = in[y*w+x];
  barrier(CLK_LOCAL_MEM_FENCE);
  int tx=get_group_id(1)*16+get_local_id(0), ty=get_group_id(0)*16+get_local_id(1);
  if (tx<h && ty<w) out[ty*h+tx] = tile[get_local_id(0)][get_local_id(1)];
}
kernel void hist(global const uchar *d, global uint *h, uint n) {
  local uint bins[256];
  for (uint i=get_local_id(0);i<256;i+=get_local_size(0)) bins[i]=0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i=get_global_id(0); i<n; i+=get_global_size(0)) atomic_inc(&bins[d[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i=get_local_id(0);i<256;i+=get_local_size(0)) if (bins[i]) atomic_add(h+i, bins[i]);
}
kernel void mandel(global uchar4 *o, float2 c, float s, int w) {
  int x=get_global_id(0), y=get_global_id(1); float2 z=0, p=c+s*(float2)(x,y); int n=0;
  while (dot(z,z)<4.0f && n<256) { z=(float2)(z.x*z.x-z.y*z.y, 2*z.x*z.y)+p; n++; }
  o[y*w+x]=convert_uchar4_sat((float4)(n,n*2,n*3,255));
}
