//! `fuzz compare` with an OpenCL driver in Pumice's place: random programs against the interpreter, so that one of the two is
//! known to be wrong where they differ on Pumice, too.

use std::process::ExitCode;

use pumice_bench::opencl::{Arg, Library, Place, Result, Session};
use pumice_fuzz::compare::command;
use pumice_fuzz::compare::{Answer, Case, CaseArg, Runner};
use pumice_fuzz::run::STACK;

struct OpenCl {
    session: Session,
}

impl OpenCl {
    fn launch(&self, case: &Case, options: &str) -> Result<Vec<Vec<u8>>> {
        let mut buffers = Vec::new();
        for bytes in &case.buffers {
            let buffer = self.session.buffer(bytes.len(), Place::Device)?;
            buffer.write(0, bytes)?;
            buffers.push(buffer);
        }
        for launch in &case.launches {
            let kernel = self.session.kernel(&case.source, &launch.kernel, options)?;
            let mut args = Vec::new();
            for arg in &launch.args {
                args.push(match arg {
                    CaseArg::Buffer(n, _) => Arg::Buffer(buffers.get(*n).ok_or("no such buffer")?),
                    CaseArg::Null => Arg::Null,
                    CaseArg::Value(bytes) => Arg::Value(bytes),
                    CaseArg::Local(bytes) => Arg::Local(*bytes as usize),
                });
            }
            kernel.set(&args)?;
            let [global, local] = [case.global, case.local].map(|size| size.map(|n| n as usize));
            let used = case.dimensions();
            kernel.launch(&global[..used], Some(&local[..used]))?;
        }
        self.session.finish()?;
        let mut results = Vec::new();
        for (buffer, bytes) in buffers.iter().zip(&case.buffers) {
            let mut result = vec![0; bytes.len()];
            buffer.read(0, &mut result)?;
            results.push(result);
        }
        Ok(results)
    }
}

impl Runner for OpenCl {
    fn run(&mut self, case: &Case, stage: &mut dyn FnMut(&str)) -> Vec<(String, Answer)> {
        stage("the driver");
        let part = |arg: &CaseArg| matches!(arg, CaseArg::Buffer(_, offset) if *offset != 0);
        let answer = if case.launches.iter().any(|l| l.args.iter().any(part)) {
            Answer::Refused("parts of buffers are not passed here".to_owned())
        } else {
            // Not every driver has OpenCL C 2.0; what the programs use of it is optional in 3.0.
            match self.launch(case, &case.options.replace("CL2.0", "CL3.0")) {
                Ok(buffers) => Answer::Buffers(buffers),
                Err(message) => Answer::Fault(message),
            }
        };
        vec![(self.session.label().to_owned(), answer)]
    }
}

fn work() -> Result<bool> {
    let usage = || {
        format!("Usage: opencl-compare --opencl DRIVER.so [OPTIONS of fuzz compare]\n\n{}", command::help())
    };
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut args = command::parse(words.iter().cloned(), &["--opencl"]).map_err(|_| usage())?;
    let path = args.others.iter().find(|o| o.0 == "--opencl").map(|o| o.1.clone()).ok_or_else(usage)?;
    // C compilers may take it for undefined, and some do (C99 6.5 p7).
    args.settings.features.without("punning");
    command::run(args, &words, |_| {
        let library = Library::load("opencl", &path)?;
        let session = library.open(None)?;
        let device = session.device.clone();
        Ok((Box::new(OpenCl { session }), device))
    })
}

fn main() -> ExitCode {
    let command = || match work() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(command);
    thread.ok().and_then(|t| t.join().ok()).unwrap_or(ExitCode::FAILURE)
}
