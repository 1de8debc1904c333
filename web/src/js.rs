//! The functions that JavaScript calls. Structures pass as JSON, bytes as arrays. `web/npm/index.js` is their only caller.

use crate::launch::{self, Reflection, Request};
use crate::program::{self, Model, Settings};
use bundle::launch::{Addresses, data};
use lower::printf;
use wasm_bindgen::prelude::wasm_bindgen;

/// A compiled source.
#[wasm_bindgen]
pub struct Program(program::Compiled);

fn json<T: serde::Serialize>(value: &T) -> Result<String, String> {
    serde_json::to_string(value).map_err(|e| e.to_string())
}

fn reflections<'a>(kernels: impl Iterator<Item = &'a program::ProgramKernel>) -> Result<String, String> {
    json(&kernels.map(|kernel| Reflection::new(kernel.info())).collect::<Vec<_>>())
}

/// Compiles a source. `settings` is [`Settings`] as JSON.
///
/// # Errors
/// Build options or settings that are none.
#[wasm_bindgen]
pub fn compile(source: &str, settings: &str) -> Result<Program, String> {
    let settings: Settings = serde_json::from_str(settings).map_err(|e| e.to_string())?;
    program::compile(source, &settings).map(Program)
}

#[wasm_bindgen]
impl Program {
    fn program(&self) -> Result<&program::Program, String> {
        self.0.program.as_ref().ok_or_else(|| "the source has errors".to_owned())
    }

    /// The messages, as JSON.
    ///
    /// # Errors
    /// None that is known.
    pub fn messages(&self) -> Result<String, String> {
        json(&self.0.messages)
    }

    /// The bytes of the OpenCL SPIR-V; none if the source has errors.
    #[must_use]
    pub fn spirv(&self) -> Vec<u8> {
        self.program().map_or_else(|_| Vec::new(), |p| spirv_io::words_to_bytes(p.spirv()))
    }

    /// The OpenCL SPIR-V as a listing.
    ///
    /// # Errors
    /// The source has errors.
    pub fn listing(&self) -> Result<String, String> {
        self.program()?.listing()
    }

    /// The reflection of all kernels, as JSON.
    ///
    /// # Errors
    /// None that is known.
    pub fn kernels(&self) -> Result<String, String> {
        reflections(self.0.program.iter().flat_map(program::Program::kernels))
    }

    /// The reflection of the program's initialisers, as JSON.
    ///
    /// # Errors
    /// None that is known.
    pub fn initializers(&self) -> Result<String, String> {
        reflections(self.0.program.iter().flat_map(program::Program::initializers))
    }

    /// The reflection of a kernel in the packed model, with all buffers in one window or each in one, as JSON.
    ///
    /// # Errors
    /// There is no such kernel, or none in this model.
    pub fn packed(&self, kernel: &str, whole: bool) -> Result<String, String> {
        let program = self.program()?;
        let model = if whole { Model::Whole } else { Model::Packed };
        let variant = program.variant(program.kernel(kernel)?, None, model)?;
        json(&Reflection::new(variant.lowered.kernels.first().ok_or("no kernel")?))
    }

    /// The WGSL of a kernel with default constants.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn wgsl(&self, kernel: &str) -> Result<String, String> {
        Ok(self.program()?.kernel(kernel)?.wgsl().to_owned())
    }

    /// The WGSL of a kernel for a pipeline's key.
    ///
    /// # Errors
    /// See [`launch::text`].
    pub fn text(&self, kernel: &str, key: &str) -> Result<String, String> {
        let program = self.program()?;
        launch::text(program, program.kernel(kernel)?, key)
    }

    /// The data of a launch: [`Request`] and [`launch::Prepared`] as JSON.
    ///
    /// # Errors
    /// See [`launch::prepare`].
    pub fn prepare(&self, kernel: &str, request: &str) -> Result<String, String> {
        let program = self.program()?;
        let request: Request = serde_json::from_str(request).map_err(|e| e.to_string())?;
        json(&launch::prepare(program, program.kernel(kernel)?, &request)?)
    }

    /// The first bytes of the program's constants, or of its variables, for their packed addresses.
    ///
    /// # Errors
    /// Addresses that are needed are 0.
    pub fn data(&self, variables: bool, constants: u32, globals: u32) -> Result<Vec<u8>, String> {
        let Some(kernel) = self.program()?.kernels().first() else { return Ok(Vec::new()) };
        let addresses =
            Addresses { constants: constants.into(), globals: globals.into(), ..Addresses::default() };
        let [first, second] = data(kernel.plain(), &addresses).map_err(|e| e.to_string())?;
        Ok(if variables { second } else { first })
    }

    /// The header of a printf buffer of a size in bytes, before a launch.
    ///
    /// # Errors
    /// There is no such kernel.
    #[wasm_bindgen(js_name = printfHeader)]
    pub fn printf_header(&self, kernel: &str, bytes: u32) -> Result<Vec<u8>, String> {
        let info = self.program()?.kernel(kernel)?.info();
        Ok(info.printf.header_bytes(bytes.into()).to_vec())
    }

    /// The text in a printf buffer after a launch.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn printed(&self, kernel: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let info = self.program()?.kernel(kernel)?.info();
        Ok(printf::decode(bytes, &info.printf).text)
    }
}
