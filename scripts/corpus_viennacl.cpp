// Makes every OpenCL program that ViennaCL's headers generate; libpumice.so writes them down (PUMICE_DUMP_SOURCES).
// scripts/corpus compiles it against Debian's libviennacl-dev.
#define VIENNACL_WITH_OPENCL
#include "viennacl/compressed_matrix.hpp"
#include "viennacl/coordinate_matrix.hpp"
#include "viennacl/matrix.hpp"
#include "viennacl/ocl/backend.hpp"
#include "viennacl/vector.hpp"
#include "viennacl/linalg/opencl/kernels/amg.hpp"
#include "viennacl/linalg/opencl/kernels/bisect.hpp"
#include "viennacl/linalg/opencl/kernels/compressed_compressed_matrix.hpp"
#include "viennacl/linalg/opencl/kernels/compressed_matrix.hpp"
#include "viennacl/linalg/opencl/kernels/coordinate_matrix.hpp"
#include "viennacl/linalg/opencl/kernels/ell_matrix.hpp"
#include "viennacl/linalg/opencl/kernels/fft.hpp"
#include "viennacl/linalg/opencl/kernels/hyb_matrix.hpp"
#include "viennacl/linalg/opencl/kernels/ilu.hpp"
#include "viennacl/linalg/opencl/kernels/iterative.hpp"
#include "viennacl/linalg/opencl/kernels/matrix.hpp"
#include "viennacl/linalg/opencl/kernels/matrix_element.hpp"
#include "viennacl/linalg/opencl/kernels/matrix_solve.hpp"
#include "viennacl/linalg/opencl/kernels/nmf.hpp"
#include "viennacl/linalg/opencl/kernels/scalar.hpp"
#include "viennacl/linalg/opencl/kernels/scan.hpp"
#include "viennacl/linalg/opencl/kernels/sliced_ell_matrix.hpp"
#include "viennacl/linalg/opencl/kernels/spai.hpp"
#include "viennacl/linalg/opencl/kernels/svd.hpp"
#include "viennacl/linalg/opencl/kernels/vector.hpp"
#include "viennacl/linalg/opencl/kernels/vector_element.hpp"

#include <cstdio>
#include <exception>

namespace k = viennacl::linalg::opencl::kernels;
using viennacl::column_major;
using viennacl::row_major;

static int failed = 0;

// Lets the other programs be made when one cannot be.
template <typename P> void make(const char *name) {
    try {
        P::init(viennacl::ocl::current_context());
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s: %s\n", name, e.what());
        failed++;
    }
}

#define MAKE(...) make<__VA_ARGS__>(#__VA_ARGS__)

template <typename T> void dense() {
    MAKE(k::vector<T>);
    MAKE(k::vector_multi_inner_prod<T>);
    MAKE(k::vector_element<T>);
    MAKE(k::scalar<T>);
    MAKE(k::matrix<T, row_major>);
    MAKE(k::matrix<T, column_major>);
    MAKE(k::matrix_element<T, row_major>);
    MAKE(k::matrix_element<T, column_major>);
}

template <typename T> void floating() {
    dense<T>();
    MAKE(k::scan<T>);
    MAKE(k::matrix_legacy<T, row_major>);
    MAKE(k::matrix_legacy<T, column_major>);
    MAKE(k::matrix_solve<T, row_major, row_major>);
    MAKE(k::matrix_solve<T, row_major, column_major>);
    MAKE(k::matrix_solve<T, column_major, row_major>);
    MAKE(k::matrix_solve<T, column_major, column_major>);
    MAKE(k::amg<T>);
    MAKE(k::bisect_kernel<T>);
    MAKE(k::compressed_compressed_matrix<T>);
    MAKE(k::compressed_matrix<T>);
    MAKE(k::compressed_matrix_solve<T>);
    MAKE(k::coordinate_matrix<T>);
    MAKE(k::ell_matrix<T>);
    MAKE(k::fft<T>);
    MAKE(k::hyb_matrix<T>);
    MAKE(k::ilu<T>);
    MAKE(k::iterative<T>);
    MAKE(k::nmf<T>);
    MAKE(k::sliced_ell_matrix<T, unsigned int>);
    MAKE(k::spai<T>);
    MAKE(k::svd<T, row_major>);
    MAKE(k::svd<T, column_major>);
}

int main() {
    floating<float>();
    floating<double>();
    dense<int>();
    dense<unsigned int>();
    dense<long>();
    dense<unsigned long>();
    dense<char>();
    dense<short>();
    std::printf("%d failed\n", failed);
    return 0;
}
