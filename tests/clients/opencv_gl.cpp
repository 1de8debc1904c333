// OpenCV shares textures of OpenGL with OpenCL (cv::ogl): one goes to a UMat, a kernel inverts it, and another texture gets the result. Run by
// scripts/clients, on an X server without a screen.

#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/core/opengl.hpp>
#include <opencv2/highgui.hpp>

int main() {
    const int rows = 48, columns = 64;
    cv::namedWindow("window", cv::WINDOW_OPENGL);
    cv::setOpenGlContext("window");
    cv::ocl::Context &context = cv::ogl::ocl::initializeContextFromGL();
    if (context.empty()) {
        std::puts("OpenCV made no context that shares with OpenGL");
        return 1;
    }
    std::printf("%s\n", context.device(0).name().c_str());
    int wrong = 0;
    for (int round = 0; round < 3; round++) {
        cv::Mat image(rows, columns, CV_8UC4), taken, back;
        cv::randu(image, 0, 256);
        cv::ogl::Texture2D from(rows, columns, cv::ogl::Texture2D::RGBA, true), to(rows, columns, cv::ogl::Texture2D::RGBA, true);
        from.copyFrom(image, true);
        cv::UMat here, inverse;
        cv::ogl::convertFromGLTexture2D(from, here);
        cv::bitwise_not(here, inverse);
        cv::ogl::convertToGLTexture2D(inverse, to);
        to.copyTo(back, CV_8U);
        here.copyTo(taken);
        // Mats have blue first, textures red.
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < columns; x++)
                for (int k = 0; k < 4; k++) {
                    const int own = k < 3 ? 2 - k : k;
                    const uchar before = image.ptr<uchar>(y)[x * 4 + k];
                    wrong += taken.ptr<uchar>(y)[x * 4 + own] != before || back.ptr<uchar>(y)[x * 4 + k] != 255 - before;
                }
    }
    std::printf("wrong bytes: %d\n", wrong);
    return wrong != 0;
}
