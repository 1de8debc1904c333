//! OpenGL's numbers, and its functions by pointers: no program is linked with OpenGL for them.
//!
//! Names and numbers are those of the OpenGL registry. A function holds for the contexts of the library that it was asked of, and only while one
//! of them is current to the calling thread.

use std::ffi::{CStr, c_char, c_void};

/// GLenum.
pub(crate) type Enum = u32;
/// GLuint: the name of an object.
pub(crate) type Name = u32;
/// GLsync.
pub(crate) type Sync = *mut c_void;

/// The numbers of glcorearb.h and glext.h.
#[allow(missing_docs)]
pub(crate) mod names {
    use super::Enum;

    pub(crate) const NO_ERROR: Enum = 0;
    pub(crate) const OUT_OF_MEMORY: Enum = 0x0505;
    pub(crate) const VERSION: Enum = 0x1F02;
    pub(crate) const RENDERER: Enum = 0x1F01;
    pub(crate) const EXTENSIONS: Enum = 0x1F03;
    pub(crate) const NUM_EXTENSIONS: Enum = 0x821D;
    pub(crate) const TRUE: u8 = 1;

    pub(crate) const BYTE: Enum = 0x1400;
    pub(crate) const UNSIGNED_BYTE: Enum = 0x1401;
    pub(crate) const SHORT: Enum = 0x1402;
    pub(crate) const UNSIGNED_SHORT: Enum = 0x1403;
    pub(crate) const INT: Enum = 0x1404;
    pub(crate) const UNSIGNED_INT: Enum = 0x1405;
    pub(crate) const FLOAT: Enum = 0x1406;
    pub(crate) const HALF_FLOAT: Enum = 0x140B;

    pub(crate) const DEPTH_COMPONENT: Enum = 0x1902;
    pub(crate) const RED: Enum = 0x1903;
    pub(crate) const RGBA: Enum = 0x1908;
    pub(crate) const RG: Enum = 0x8227;
    pub(crate) const RG_INTEGER: Enum = 0x8228;
    pub(crate) const RED_INTEGER: Enum = 0x8D94;
    pub(crate) const RGBA_INTEGER: Enum = 0x8D99;

    pub(crate) const TEXTURE_1D: Enum = 0x0DE0;
    pub(crate) const TEXTURE_2D: Enum = 0x0DE1;
    pub(crate) const TEXTURE_3D: Enum = 0x806F;
    pub(crate) const TEXTURE_RECTANGLE: Enum = 0x84F5;
    pub(crate) const TEXTURE_CUBE_MAP: Enum = 0x8513;
    pub(crate) const TEXTURE_CUBE_MAP_POSITIVE_X: Enum = 0x8515;
    pub(crate) const TEXTURE_CUBE_MAP_NEGATIVE_Z: Enum = 0x851A;
    pub(crate) const TEXTURE_1D_ARRAY: Enum = 0x8C18;
    pub(crate) const TEXTURE_2D_ARRAY: Enum = 0x8C1A;
    pub(crate) const TEXTURE_BUFFER: Enum = 0x8C2A;
    pub(crate) const TEXTURE_2D_MULTISAMPLE: Enum = 0x9100;
    pub(crate) const TEXTURE_2D_MULTISAMPLE_ARRAY: Enum = 0x9102;
    pub(crate) const TEXTURE_SAMPLES: Enum = 0x9106;
    pub(crate) const R32F: Enum = 0x822E;

    pub(crate) const TEXTURE_WIDTH: Enum = 0x1000;
    pub(crate) const TEXTURE_HEIGHT: Enum = 0x1001;
    pub(crate) const TEXTURE_INTERNAL_FORMAT: Enum = 0x1003;
    pub(crate) const TEXTURE_BORDER: Enum = 0x1005;
    pub(crate) const TEXTURE_DEPTH: Enum = 0x8071;
    pub(crate) const TEXTURE_RED_SIZE: Enum = 0x805C;
    pub(crate) const TEXTURE_DEPTH_SIZE: Enum = 0x884A;
    pub(crate) const TEXTURE_BASE_LEVEL: Enum = 0x813C;
    pub(crate) const TEXTURE_MAX_LEVEL: Enum = 0x813D;
    pub(crate) const TEXTURE_BUFFER_DATA_STORE_BINDING: Enum = 0x8C2D;
    pub(crate) const TEXTURE_BUFFER_OFFSET: Enum = 0x919D;
    pub(crate) const TEXTURE_MIN_FILTER: Enum = 0x2801;
    pub(crate) const TEXTURE_MAG_FILTER: Enum = 0x2800;
    pub(crate) const NEAREST: Enum = 0x2600;

    pub(crate) const ARRAY_BUFFER: Enum = 0x8892;
    pub(crate) const COPY_READ_BUFFER: Enum = 0x8F36;
    pub(crate) const COPY_WRITE_BUFFER: Enum = 0x8F37;
    pub(crate) const PIXEL_PACK_BUFFER: Enum = 0x88EB;
    pub(crate) const PIXEL_UNPACK_BUFFER: Enum = 0x88EC;
    pub(crate) const BUFFER_SIZE: Enum = 0x8764;
    pub(crate) const PACK_ALIGNMENT: Enum = 0x0D05;
    pub(crate) const UNPACK_ALIGNMENT: Enum = 0x0CF5;

    pub(crate) const FRAMEBUFFER: Enum = 0x8D40;
    pub(crate) const READ_FRAMEBUFFER: Enum = 0x8CA8;
    pub(crate) const DRAW_FRAMEBUFFER: Enum = 0x8CA9;
    pub(crate) const COLOR_ATTACHMENT0: Enum = 0x8CE0;
    pub(crate) const DEPTH_ATTACHMENT: Enum = 0x8D00;
    pub(crate) const COLOR_BUFFER_BIT: Enum = 0x4000;
    pub(crate) const DEPTH_BUFFER_BIT: Enum = 0x0100;
    pub(crate) const NONE: Enum = 0;
    pub(crate) const CLAMP_READ_COLOR: Enum = 0x891C;

    pub(crate) const RENDERBUFFER: Enum = 0x8D41;
    pub(crate) const RENDERBUFFER_WIDTH: Enum = 0x8D42;
    pub(crate) const RENDERBUFFER_HEIGHT: Enum = 0x8D43;
    pub(crate) const RENDERBUFFER_INTERNAL_FORMAT: Enum = 0x8D44;
    pub(crate) const RENDERBUFFER_SAMPLES: Enum = 0x8CAB;
    pub(crate) const RENDERBUFFER_RED_SIZE: Enum = 0x8D50;
    pub(crate) const RENDERBUFFER_DEPTH_SIZE: Enum = 0x8D54;

    pub(crate) const VERTEX_SHADER: Enum = 0x8B31;
    pub(crate) const FRAGMENT_SHADER: Enum = 0x8B30;
    pub(crate) const LINK_STATUS: Enum = 0x8B82;
    pub(crate) const TRIANGLES: Enum = 0x0004;
    pub(crate) const DITHER: Enum = 0x0BD0;
    pub(crate) const FRAMEBUFFER_SRGB: Enum = 0x8DB9;

    pub(crate) const SYNC_GPU_COMMANDS_COMPLETE: Enum = 0x9117;
    pub(crate) const TIMEOUT_EXPIRED: Enum = 0x911B;
    pub(crate) const WAIT_FAILED: Enum = 0x911D;
    pub(crate) const TIMEOUT_IGNORED: u64 = u64::MAX;

    pub(crate) const NUM_DEVICE_UUIDS_EXT: Enum = 0x9596;
    pub(crate) const DEVICE_UUID_EXT: Enum = 0x9597;
    pub(crate) const DRIVER_UUID_EXT: Enum = 0x9598;
    pub(crate) const DEDICATED_MEMORY_OBJECT_EXT: Enum = 0x9581;
    pub(crate) const HANDLE_TYPE_OPAQUE_FD_EXT: Enum = 0x9586;
}

/// Declares a table of functions: a field for each, its name, its type.
macro_rules! table {
    ($(#[$doc:meta])* $table:ident { $($field:ident $name:literal ($($argument:ty),*) $(-> $result:ty)?;)* }) => {
        $(#[$doc])*
        pub(crate) struct $table {
            $(pub(crate) $field: unsafe extern "system" fn($($argument),*) $(-> $result)?,)*
        }

        impl $table {
            /// Finds them all.
            ///
            /// # Safety
            /// `find` gives functions of OpenGL by their names.
            ///
            /// # Errors
            /// The name of one that is missing.
            pub(crate) unsafe fn load(find: impl Fn(&CStr) -> *const c_void) -> Result<Self, &'static CStr> {
                $(
                    let address = find($name);
                    if address.is_null() {
                        return Err($name);
                    }
                    // SAFETY: by the caller's promise it is the function of this name, which has this type; not NULL.
                    let $field = unsafe {
                        std::mem::transmute::<
                            *const c_void,
                            unsafe extern "system" fn($($argument),*) $(-> $result)?,
                        >(address)
                    };
                )*
                Ok($table { $($field),* })
            }
        }
    };
}
pub(crate) use table;

table! {
    /// The functions of OpenGL 3.2, as far as they are used.
    Functions {
        get_error c"glGetError" () -> Enum;
        get_string c"glGetString" (Enum) -> *const u8;
        get_stringi c"glGetStringi" (Enum, u32) -> *const u8;
        get_integer c"glGetIntegerv" (Enum, *mut i32);
        finish c"glFinish" ();
        flush c"glFlush" ();
        pixel_store c"glPixelStorei" (Enum, i32);

        is_buffer c"glIsBuffer" (Name) -> u8;
        gen_buffers c"glGenBuffers" (i32, *mut Name);
        delete_buffers c"glDeleteBuffers" (i32, *const Name);
        bind_buffer c"glBindBuffer" (Enum, Name);
        get_buffer_parameter c"glGetBufferParameteri64v" (Enum, Enum, *mut i64);
        copy_buffer c"glCopyBufferSubData" (Enum, Enum, isize, isize, isize);
        get_buffer_data c"glGetBufferSubData" (Enum, isize, isize, *mut c_void);
        set_buffer_data c"glBufferSubData" (Enum, isize, isize, *const c_void);

        is_texture c"glIsTexture" (Name) -> u8;
        gen_textures c"glGenTextures" (i32, *mut Name);
        delete_textures c"glDeleteTextures" (i32, *const Name);
        bind_texture c"glBindTexture" (Enum, Name);
        get_texture_parameter c"glGetTexParameteriv" (Enum, Enum, *mut i32);
        set_texture_parameter c"glTexParameteri" (Enum, Enum, i32);
        get_level_parameter c"glGetTexLevelParameteriv" (Enum, i32, Enum, *mut i32);
        get_texture_image c"glGetTexImage" (Enum, i32, Enum, Enum, *mut c_void);
        texture_image_2d c"glTexImage2D" (Enum, i32, i32, i32, i32, i32, Enum, Enum, *const c_void);
        write_1d c"glTexSubImage1D" (Enum, i32, i32, i32, Enum, Enum, *const c_void);
        write_2d c"glTexSubImage2D" (Enum, i32, i32, i32, i32, i32, Enum, Enum, *const c_void);
        write_3d c"glTexSubImage3D" (Enum, i32, i32, i32, i32, i32, i32, i32, Enum, Enum, *const c_void);

        is_renderbuffer c"glIsRenderbuffer" (Name) -> u8;
        bind_renderbuffer c"glBindRenderbuffer" (Enum, Name);
        get_renderbuffer_parameter c"glGetRenderbufferParameteriv" (Enum, Enum, *mut i32);
        gen_framebuffers c"glGenFramebuffers" (i32, *mut Name);
        delete_framebuffers c"glDeleteFramebuffers" (i32, *const Name);
        bind_framebuffer c"glBindFramebuffer" (Enum, Name);
        attach_renderbuffer c"glFramebufferRenderbuffer" (Enum, Enum, Enum, Name);
        attach_texture_2d c"glFramebufferTexture2D" (Enum, Enum, Enum, Name, i32);
        read_buffer c"glReadBuffer" (Enum);
        draw_buffers c"glDrawBuffers" (i32, *const Enum);
        read_pixels c"glReadPixels" (i32, i32, i32, i32, Enum, Enum, *mut c_void);
        clamp_color c"glClampColor" (Enum, Enum);
        blit c"glBlitFramebuffer" (i32, i32, i32, i32, i32, i32, i32, i32, Enum, Enum);

        viewport c"glViewport" (i32, i32, i32, i32);
        enable c"glEnable" (Enum);
        disable c"glDisable" (Enum);
        draw_arrays c"glDrawArrays" (Enum, i32, i32);
        gen_vertex_arrays c"glGenVertexArrays" (i32, *mut Name);
        bind_vertex_array c"glBindVertexArray" (Name);
        delete_vertex_arrays c"glDeleteVertexArrays" (i32, *const Name);
        create_shader c"glCreateShader" (Enum) -> Name;
        shader_source c"glShaderSource" (Name, i32, *const *const c_char, *const i32);
        compile_shader c"glCompileShader" (Name);
        delete_shader c"glDeleteShader" (Name);
        create_program c"glCreateProgram" () -> Name;
        attach_shader c"glAttachShader" (Name, Name);
        link_program c"glLinkProgram" (Name);
        get_program c"glGetProgramiv" (Name, Enum, *mut i32);
        use_program c"glUseProgram" (Name);
        delete_program c"glDeleteProgram" (Name);
        uniform_location c"glGetUniformLocation" (Name, *const c_char) -> i32;
        set_uniform c"glUniform1i" (i32, i32);

        fence c"glFenceSync" (Enum, u32) -> Sync;
        is_sync c"glIsSync" (Sync) -> u8;
        delete_sync c"glDeleteSync" (Sync);
        wait_sync c"glWaitSync" (Sync, u32, u64);
        client_wait_sync c"glClientWaitSync" (Sync, u32, u64) -> Enum;
    }
}

table! {
    /// The functions of GL_EXT_memory_object and GL_EXT_memory_object_fd.
    MemoryFunctions {
        create c"glCreateMemoryObjectsEXT" (i32, *mut Name);
        delete c"glDeleteMemoryObjectsEXT" (i32, *const Name);
        set_parameter c"glMemoryObjectParameterivEXT" (Name, Enum, *const i32);
        import_fd c"glImportMemoryFdEXT" (Name, u64, Enum, i32);
        buffer_storage c"glBufferStorageMemEXT" (Enum, isize, Name, u64);
        get_bytes c"glGetUnsignedBytevEXT" (Enum, *mut u8);
        get_bytes_at c"glGetUnsignedBytei_vEXT" (Enum, u32, *mut u8);
    }
}

table! {
    /// The function of GL_OES_EGL_image.
    ImageFunctions {
        image_target c"glEGLImageTargetTexture2DOES" (Enum, *mut c_void);
    }
}
