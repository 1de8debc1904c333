//! Options as text to data: those of clBuildProgram and clCompileProgram (API specification §5.8.6) to
//! [`Options`], those of clLinkProgram (§5.8.7) to [`LinkerOptions`].

use super::{CxxVersion, LangVersion, MacroOption, MathOptions, Options};

/// An option that cannot be taken: what clBuildProgram returns `CL_INVALID_BUILD_OPTIONS`, clCompileProgram
/// `CL_INVALID_COMPILER_OPTIONS` and clLinkProgram `CL_INVALID_LINKER_OPTIONS` for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No such option.
    #[error("unknown build option '{0}'{hint}", hint = similar(.0))]
    Unknown(String),
    /// The option ends where its argument should be.
    #[error("build option '{0}' needs an argument")]
    MissingArgument(String),
    /// `-cl-std=` with a language that is none, or not this front end's.
    #[error(
        "unsupported language version '{0}' in -cl-std= (known: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CL3.1, CLC++1.0, CLC++2021)"
    )]
    LanguageVersion(String),
    /// C++ for OpenCL where nothing compiles it.
    #[error("-cl-std={0}: {1}")]
    Cxx(&'static str, &'static str),
    /// `-x` with a language that is none of Pumice's.
    #[error("unsupported language '{0}' in -x: sources are OpenCL C (-x cl)")]
    Language(String),
    /// `-x spir` or `-spir-std=`, the options of `cl_khr_spir` (§5.8.7.3).
    #[error("'{0}': SPIR (cl_khr_spir) is not supported; SPIR-V is, by clCreateProgramWithIL")]
    Spir(String),
    /// `-enable-link-options` without `-create-library`.
    #[error("-enable-link-options needs -create-library")]
    EnableLinkOptions,
    /// A quotation mark without its partner.
    #[error("unterminated quotation in the build options")]
    UnterminatedQuote,
    /// `-D` or `-U` with something that is no macro name.
    #[error("'{0}' is not a macro name")]
    MacroName(String),
}

/// The build options of the specification, for "did you mean".
const KNOWN: [&str; 18] = [
    "-Werror",
    "-cl-denorms-are-zero",
    "-cl-fast-relaxed-math",
    "-cl-finite-math-only",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-kernel-arg-info",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-no-subgroup-ifp",
    "-cl-opt-disable",
    "-cl-single-precision-constant",
    "-cl-std=CL1.2",
    "-cl-std=CL2.0",
    "-cl-std=CL3.0",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
    "-cl-unsafe-math-optimizations",
    "-fdiagnostics-parseable-fixits",
];

/// `; did you mean '…'?` for an option one slip away from one that there is.
fn similar(option: &str) -> String {
    let near = KNOWN.iter().filter_map(|known| Some((crate::diag::edit_distance(option, known)?, *known)));
    near.min().map_or(String::new(), |(_, known)| format!("; did you mean '{known}'?"))
}

impl Options {
    /// Adds the options of a build option string, as clBuildProgram takes it. Arguments with spaces are in single or double quotes; a backslash takes the meaning from a quote, a space or a backslash.
    ///
    /// # Errors
    /// The first option that is unknown or malformed; the options before it have been taken.
    pub fn parse_build_options(&mut self, text: &str) -> Result<(), OptionError> {
        let words = split(text)?;
        let mut rest: &[String] = &words;
        while let Some(word) = rest.first() {
            let used = self.take_build_option(word, rest.get(1).map(String::as_str))?;
            if used == 0 {
                return Err(OptionError::Unknown(word.clone()));
            }
            rest = rest.get(used..).unwrap_or(&[]);
        }
        Ok(())
    }

    /// Takes one word of a command line if it is a build option, with the next one if that is its argument.
    /// Gives how many words were taken: 0, 1 or 2.
    ///
    /// # Errors
    /// A build option that is malformed.
    pub fn take_build_option(&mut self, word: &str, next: Option<&str>) -> Result<usize, OptionError> {
        if let Some(version) = word.strip_prefix("-cl-std=") {
            (self.std, self.cxx) = version_of(version)?;
            return Ok(1);
        }
        // A vendor's option whose argument is a word of its own, as NVIDIA's `-cl-nv-opt-level 3`.
        if matches!(word, "-cl-nv-opt-level" | "-cl-nv-maxrregcount") {
            return Ok(if next.is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())) { 2 } else { 1 });
        }
        if self.take_flag(word) {
            return Ok(1);
        }
        if word.starts_with("-spir-std") {
            return Err(OptionError::Spir(word.to_owned()));
        }
        let Some((letter @ ("-D" | "-U" | "-I" | "-x"), attached)) = word.split_at_checked(2) else {
            return Ok(0);
        };
        let (argument, used) = match (attached, next) {
            ("", Some(next)) => (next, 2),
            ("", None) => return Err(OptionError::MissingArgument(letter.to_owned())),
            (attached, _) => (attached, 1),
        };
        match letter {
            "-x" => check_language(argument)?,
            "-D" => self.macros.push(definition(argument)?),
            "-U" if is_name(argument) => self.macros.push(MacroOption::Undefine(argument.to_owned())),
            "-U" => return Err(OptionError::MacroName(argument.to_owned())),
            _ => self.include_dirs.push(argument.into()),
        }
        Ok(used)
    }

    /// The options without arguments.
    fn take_flag(&mut self, word: &str) -> bool {
        let flag = match word {
            "-cl-single-precision-constant" => &mut self.math.single_precision_constant,
            "-cl-fp32-correctly-rounded-divide-sqrt" => &mut self.math.correctly_rounded_divide_sqrt,
            "-cl-mad-enable" => &mut self.math.mad_enable,
            "-cl-opt-disable" => &mut self.opt_disable,
            "-cl-kernel-arg-info" => &mut self.kernel_arg_info,
            "-w" => &mut self.no_warnings,
            "-Werror" => &mut self.warnings_are_errors,
            "-g" => &mut self.debug_info,
            // Clang's: what it asks for changes what is printed only.
            "-fdiagnostics-parseable-fixits" => &mut self.parseable_fixits,
            "--infer-address-spaces" => &mut self.infer_address_spaces,
            // Promises of the program, or of an old version: there is nothing that Pumice would do.
            "-cl-uniform-work-group-size" | "-cl-no-subgroup-ifp" | "-cl-strict-aliasing" => return true,
            _ => return self.math.take_linker_option(word) || is_ignored(word),
        };
        *flag = true;
        true
    }
}

impl MathOptions {
    /// Takes one of the options that may change a program when it is linked (§5.8.7.2).
    fn take_linker_option(&mut self, word: &str) -> bool {
        let flag = match word {
            "-cl-denorms-are-zero" => &mut self.denorms_are_zero,
            "-cl-no-signed-zeros" => &mut self.no_signed_zeros,
            "-cl-unsafe-math-optimizations" => &mut self.unsafe_math,
            "-cl-finite-math-only" => &mut self.finite_math_only,
            "-cl-fast-relaxed-math" => &mut self.fast_relaxed_math,
            _ => return false,
        };
        *flag = true;
        true
    }
}

/// The options of clLinkProgram (§5.8.7).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkerOptions {
    /// `-create-library`
    pub create_library: bool,
    /// `-enable-link-options`: the math options of a later link may change this library.
    pub enable_link_options: bool,
    /// The math options, which the linker may apply.
    pub math: MathOptions,
}

impl LinkerOptions {
    /// Reads the option string of clLinkProgram. Options of the compiler that say nothing about linking are
    /// taken and ignored: programs give one string to both.
    ///
    /// # Errors
    /// The first option that is unknown or malformed, or `-enable-link-options` without a library.
    pub fn parse(text: &str) -> Result<LinkerOptions, OptionError> {
        let mut options = LinkerOptions::default();
        let words = split(text)?;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-x" => {
                    let missing = || OptionError::MissingArgument("-x".to_owned());
                    check_language(words.next().ok_or_else(missing)?)?;
                }
                word if word.starts_with("-spir-std") => return Err(OptionError::Spir(word.to_owned())),
                "-create-library" => options.create_library = true,
                "-enable-link-options" => options.enable_link_options = true,
                word if options.math.take_linker_option(word) => {}
                word if Options::default().take_flag(word) => {}
                word => match word.strip_prefix("-cl-std=") {
                    Some(version) => drop(version_of(version)?),
                    None => return Err(OptionError::Unknown(word.to_owned())),
                },
            }
        }
        match options.enable_link_options && !options.create_library {
            true => Err(OptionError::EnableLinkOptions),
            false => Ok(options),
        }
    }
}

/// Options of other vendors' compilers that programs pass whoever the vendor is: what they ask for changes no
/// result, and Pumice does not do it.
fn is_ignored(word: &str) -> bool {
    const PREFIXES: [&str; 12] = [
        "-cl-nv-",
        "-cl-intel-",
        "-cl-amd-",
        "-cl-arm-",
        "-cl-qcom-",
        "-cl-ext-",
        "-fbin-",
        "-fno-bin-",
        "-save-temps",
        "-W",
        "-qcom-",
        "-ze-",
    ];
    const WORDS: [&str; 11] =
        ["-O", "-O0", "-O1", "-O2", "-O3", "-O4", "-O5", "-Os", "-ffast-math", "-cl-fast-math", "-legacy"];
    PREFIXES.iter().any(|p| word.starts_with(p)) || WORDS.contains(&word)
}

/// The language that `-x` names.
fn check_language(name: &str) -> Result<(), OptionError> {
    match name {
        "cl" => Ok(()),
        "spir" => Err(OptionError::Spir("-x spir".to_owned())),
        _ => Err(OptionError::Language(name.to_owned())),
    }
}

/// The OpenCL C that `-cl-std=` names, or that the C++ for OpenCL which it names goes with.
fn version_of(text: &str) -> Result<(LangVersion, Option<CxxVersion>), OptionError> {
    let cxx = |version: CxxVersion| Ok((version.c(), Some(version)));
    let c = match text {
        "CLC++" | "CLC++1.0" => return cxx(CxxVersion::V1_0),
        "CLC++2021" => return cxx(CxxVersion::V2021),
        "CL1.0" => LangVersion::Cl1_0,
        "CL1.1" => LangVersion::Cl1_1,
        "CL1.2" => LangVersion::Cl1_2,
        "CL2.0" => LangVersion::Cl2_0,
        "CL3.0" => LangVersion::Cl3_0,
        "CL3.1" => LangVersion::Cl3_1,
        _ => return Err(OptionError::LanguageVersion(text.to_owned())),
    };
    Ok((c, None))
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// `NAME`, `NAME=value`, `NAME(a,b)=value`.
fn definition(text: &str) -> Result<MacroOption, OptionError> {
    let (head, value) = text.split_once('=').unwrap_or((text, "1"));
    // As in a line of #define, with its warning, the name ends where it can: UFO writes the device's name, with a comma in it.
    let name = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(head);
    if !is_name(name) {
        return Err(OptionError::MacroName(head.to_owned()));
    }
    Ok(MacroOption::Define { head: head.to_owned(), value: value.to_owned() })
}

/// The words of an option string.
fn split(text: &str) -> Result<Vec<String>, OptionError> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => {
                let escaped = chars.next_if(|n| matches!(n, '"' | '\'' | '\\' | ' '));
                word.get_or_insert_default().push(escaped.unwrap_or('\\'));
            }
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            // A string handed over with its terminating zero ends there.
            ('\0', _) => break,
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(OptionError::UnterminatedQuote);
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, OptionError> {
        let mut options = Options::default();
        options.parse_build_options(text).map(|()| options)
    }

    #[test]
    fn all_forms() {
        let options = parse(
            " -D A -DB=2 -D \"C=x y\" -D'F(x)=x+1' -U A -I dir -I\"a b\" -Ic\\ d -cl-std=CL3.0 -cl-mad-enable -w -g -D E= ",
        )
        .unwrap();
        let define = |head: &str, value: &str| MacroOption::Define { head: head.into(), value: value.into() };
        assert_eq!(
            options.macros,
            [
                define("A", "1"),
                define("B", "2"),
                define("C", "x y"),
                define("F(x)", "x+1"),
                MacroOption::Undefine("A".into()),
                define("E", "")
            ]
        );
        assert_eq!(options.include_dirs, ["dir", "a b", "c d"].map(std::path::PathBuf::from));
        assert_eq!(options.std, LangVersion::Cl3_0);
        assert!(options.math.mad_enable && options.no_warnings && options.debug_info);
    }

    #[test]
    fn every_option_of_the_specification() {
        // API §5.8.6.1 to §5.8.6.9, in its order.
        let compiler = [
            "-D A",
            "-D A=1",
            "-I dir",
            "-cl-single-precision-constant",
            "-cl-denorms-are-zero",
            "-cl-fp32-correctly-rounded-divide-sqrt",
            "-cl-opt-disable",
            "-cl-strict-aliasing",
            "-cl-uniform-work-group-size",
            "-cl-no-subgroup-ifp",
            "-cl-mad-enable",
            "-cl-no-signed-zeros",
            "-cl-unsafe-math-optimizations",
            "-cl-finite-math-only",
            "-cl-fast-relaxed-math",
            "-w",
            "-Werror",
            "-cl-std=CL1.0",
            "-cl-std=CL1.1",
            "-cl-std=CL1.2",
            "-cl-std=CL2.0",
            "-cl-std=CL3.0",
            "-cl-std=CL3.1",
            "-cl-kernel-arg-info",
            "-g",
        ];
        for option in compiler {
            parse(option).unwrap();
        }
        parse(&compiler.join(" ")).unwrap();
        // §5.8.7.1 and §5.8.7.2.
        let linker = [
            "-create-library",
            "-create-library -enable-link-options",
            "-cl-denorms-are-zero",
            "-cl-no-signed-zeros",
            "-cl-unsafe-math-optimizations",
            "-cl-finite-math-only",
            "-cl-fast-relaxed-math",
            "-cl-no-subgroup-ifp",
        ];
        for option in linker {
            LinkerOptions::parse(option).unwrap();
        }
    }

    #[test]
    fn errors() {
        for (text, message) in [
            ("-cl-foo", "unknown build option '-cl-foo'"),
            (
                "-cl-fast-relaxed-mth",
                "unknown build option '-cl-fast-relaxed-mth'; did you mean '-cl-fast-relaxed-math'?",
            ),
            ("x.cl", "unknown build option 'x.cl'"),
            ("-D", "build option '-D' needs an argument"),
            ("-D 1x=2", "'1x' is not a macro name"),
            ("-D ,x", "',x' is not a macro name"),
            ("-x", "build option '-x' needs an argument"),
            ("-x clc++", "unsupported language 'clc++' in -x: sources are OpenCL C (-x cl)"),
            (
                "-x spir -spir-std=1.2",
                "'-x spir': SPIR (cl_khr_spir) is not supported; SPIR-V is, by clCreateProgramWithIL",
            ),
            (
                "-spir-std=1.2",
                "'-spir-std=1.2': SPIR (cl_khr_spir) is not supported; SPIR-V is, by clCreateProgramWithIL",
            ),
            ("-I \"a", "unterminated quotation in the build options"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
        parse("-x cl -cl-std=CL1.2").expect("taken");
        LinkerOptions::parse("-x cl").expect("taken");
        assert!(matches!(LinkerOptions::parse("-x spir"), Err(OptionError::Spir(_))));
        let cxx = |text: &str| parse(text).map(|options| (options.std, options.cxx));
        assert_eq!(cxx("-cl-std=CLC++"), Ok((LangVersion::Cl2_0, Some(CxxVersion::V1_0))));
        assert_eq!(cxx("-cl-std=CLC++2021"), Ok((LangVersion::Cl3_0, Some(CxxVersion::V2021))));
        assert_eq!(cxx("-cl-std=CLC++2021 -cl-std=CL1.2"), Ok((LangVersion::Cl1_2, None)));
        assert!(matches!(parse("-cl-std=CLC++17"), Err(OptionError::LanguageVersion(_))));
    }

    #[test]
    fn vendors_options_are_ignored() {
        parse("-cl-nv-verbose -cl-nv-maxrregcount=32 -cl-nv-opt-level 3 -O3 -fno-bin-llvmir -Wall -D A")
            .unwrap();
        assert!(parse("-foo").is_err());
        assert!(parse("-cl-nv-opt-level 3 x").is_err());
    }

    #[test]
    fn linker_options() {
        let options =
            LinkerOptions::parse(" -create-library  -enable-link-options -cl-fast-relaxed-math").unwrap();
        assert!(options.create_library && options.enable_link_options && options.math.fast_relaxed_math);
        assert_eq!(LinkerOptions::parse("").unwrap(), LinkerOptions::default());
        LinkerOptions::parse("-cl-std=CL1.2 -cl-mad-enable -g").unwrap();
        for text in ["-enable-link-options", "-D A", "-invalid", "x"] {
            assert!(LinkerOptions::parse(text).is_err(), "{text}");
        }
    }
}
