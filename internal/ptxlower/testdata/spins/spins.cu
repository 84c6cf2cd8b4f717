#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define NI __attribute__((noinline))
typedef unsigned u32; typedef unsigned long long u64;
#define T __nvvm_read_ptx_sreg_tid_x()
#define B __nvvm_read_ptx_sreg_ctaid_x()
#define N __nvvm_read_ptx_sreg_ntid_x()
static __device__ NI u32 cas(volatile int*p,int a,int b){return __nvvm_atom_cas_gen_i((int*)p,a,b);}
static __device__ NI void xchg0(volatile int*p){__nvvm_membar_gl();__nvvm_atom_xchg_gen_i((int*)p,0);}
static __device__ NI void lock(volatile int*p){while(cas(p,0,1)!=0);__nvvm_membar_gl();}
static __device__ NI void unlock(volatile int*p){xchg0(p);}
typedef void(*fn)(volatile int*);
__device__ fn ops[2]={lock,unlock};
static __device__ NI void ticket(volatile int*p){ // p[0] next p[1] serving
 int t=__nvvm_atom_add_gen_i((int*)p,1);
 while(p[1]!=t); __nvvm_membar_gl();}
static __device__ NI void leave(volatile int*p){__nvvm_membar_gl();p[1]=p[1]+1;}
struct Box{volatile int lk;int pad;volatile int v;};
static __device__ NI int work(struct Box*b,int k){int s=0;for(int i=0;i<k;i++){lock(&b->lk);b->v=b->v+1;s+=b->v>0;unlock(&b->lk);}return s;}
__global__ void k0(int*o,int*w){int i=B*N+T; struct Box*b=(struct Box*)w; int s=work(b,2); o[i]=s; }
__global__ void k1(int*o,int*w){int i=B*N+T; volatile int*p=w; ops[0](p); p[2]=p[2]+i; ops[1](p); o[i]=i; }
__global__ void k2(int*o,int*w){int i=B*N+T; volatile int*p=w; ticket(p); p[2]=p[2]*3+1; leave(p); o[i]=7; }
// chained scan
static __device__ NI int waitfor(volatile int*f,volatile int*v){while(*f==0);__nvvm_membar_gl();return *v;}
static __device__ NI void publish(volatile int*f,volatile int*v,int x){*v=x;__nvvm_membar_gl();*f=1;}
__global__ void k3(int*o,int*w){int i=B*N+T; volatile int*f=w; volatile int*v=w+1024; int x=i%5+1; int pre=0; if(i>0)pre=waitfor(f+i-1,v+i-1); publish(f+i,v+i,pre+x); o[i]=pre; }
// decoupled look-back by lane 0 of blocks
__shared__ volatile int sh[128];
static __device__ NI int lookback(volatile int*st,int b){int sum=0;for(int j=b-1;j>=0;j--){int s;while((s=st[j])==0);__nvvm_membar_gl(); if((s&3)==2){sum+=s>>2;break;} sum+=s>>2;}return sum;}
__global__ void k4(int*o,int*w){int t=T,b=B; volatile int*st=w; __shared__ volatile int pre; int x=(b*N+t)%7; sh[t]=x; __syncthreads();
 for(int d=1;d<(int)N;d*=2){int y=t>=d?sh[t-d]:0;__syncthreads();sh[t]+=y;__syncthreads();}
 if(t==0){int tot=sh[N-1]; if(b==0){pre=0;__nvvm_membar_gl();st[0]=tot*4+2;}else{st[b]=tot*4+1;__nvvm_membar_gl();pre=lookback(st,b);__nvvm_membar_gl();st[b]=(pre+tot)*4+2;}}
 __syncthreads(); o[b*N+t]=pre+sh[t]; }
// producer consumer within a warp with pointers
typedef int(*pc)(volatile int*,int);
static __device__ NI int prod(volatile int*q,int t){for(int i=0;i<4;i++){while(q[0]!=0);q[1]=t*10+i;__nvvm_membar_cta();q[0]=1;}return 0;}
static __device__ NI int cons(volatile int*q,int t){int s=0;for(int i=0;i<4;i++){while(q[0]!=1);__nvvm_membar_cta();s+=q[1];q[0]=0;}return s;}
__device__ pc pcs[2]={prod,cons};
__global__ void k5(int*o,int*w){int i=B*N+T; volatile int*q=w+(i/2)*2; o[i]=pcs[i&1](q,i); }
// early return + lock + barrier
__global__ void k6(int*o,int*w){int i=B*N+T; int t=T; __shared__ volatile int c; if(t==0)c=0; __syncthreads(); if(t>=100){o[i]=-1;return;} lock(w); c=c+1; unlock(w); __syncthreads(); o[i]=c; }
// own shared in function, barrier in a noinline function
static __device__ NI int count(volatile int*lk){__shared__ volatile int n; if(T==0)n=0; __syncthreads(); lock(lk); n=n+2; unlock(lk); __syncthreads(); int r=n; __syncthreads(); return r;}
__global__ void k7(int*o,int*w){int i=B*N+T; int a=count(w); int b=count(w); o[i]=a*1000+b; }
// barrier of threads by atomics
static __device__ NI void gbar(volatile int*p,int n){__nvvm_membar_gl(); int t=__nvvm_atom_add_gen_i((int*)p,1); int want=(t/n+1)*n; while(p[0]<want); __nvvm_membar_gl();}
__global__ void k8(int*o,int*w){int i=T; int n=N; volatile int*v=w+64; v[i]=i; gbar(w,n); int s=v[(i+1)%n]; gbar(w,n); v[i]=s; gbar(w,n); o[B*N+i]=B==0?v[(i+5)%n]:0; }
