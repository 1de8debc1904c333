//! `pumice ir`: passes of the lowering, alone, on text.

use crate::cli::IrArgs;
use crate::error::CliError;
use crate::{compile, output, target};
use lower::LowerOptions;

/// Runs the command.
///
/// # Errors
/// Text that is no IR, unknown passes, and what the passes refuse.
pub fn command(args: &IrArgs) -> Result<(), CliError> {
    let bytes = compile::read_input(&args.file)?;
    let contents = |message: String| CliError::Contents { path: args.file.clone(), message };
    let text = String::from_utf8(bytes).map_err(|_| contents("not UTF-8 text".to_owned()))?;
    let mut module = lower::ir::text::parse(&text).map_err(contents)?;
    let target = target::choose(&args.target, &args.driver)?;
    let options = LowerOptions { binding: args.binding.choice(), ..LowerOptions::default() };
    for name in &args.passes {
        if !lower::pipeline::run_pass(name, &mut module, &target, &options)? {
            let names: Vec<&str> = lower::pipeline::PASSES.iter().map(|p| p.name).collect();
            return Err(CliError::Usage(format!("no pass '{name}'; there are {}", names.join(", "))));
        }
    }
    output::write(module.to_string().as_bytes())
}
