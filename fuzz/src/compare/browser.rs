//! A browser as a runner: `web/test/programs.mjs` runs each case in Chromium by pumice-web.
//!
//! A case goes to it as a line of JSON, and a line with the answer comes back. `scripts/web` builds the page.

use super::{Answer, Case, CaseArg, Runner};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The name of this way.
const WAY: &str = "WebGPU";

/// A browser that runs cases.
pub struct Browser {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Browser {
    /// Starts node, which starts Chromium. `root` is the repository.
    ///
    /// # Errors
    /// A message for the user: there is no page, no node or no Chromium.
    pub fn open(root: &Path) -> Result<Browser, String> {
        let site = root.join("target/web/site");
        if !site.join("run.html").exists() {
            return Err("there is no target/web/site: scripts/web builds it".to_owned());
        }
        let mut child = Command::new("node")
            .arg(root.join("web/test/programs.mjs"))
            .arg(site)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("node: {e}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("node without pipes".to_owned());
        };
        let mut browser = Browser { child, input: Some(input), output: BufReader::new(output) };
        match browser.line()?.trim() {
            "ready" => Ok(browser),
            other => Err(format!("the browser does not start: {other}")),
        }
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err(format!("node ended: {:?}", self.child.try_wait())),
            Ok(_) => Ok(line),
            Err(e) => Err(e.to_string()),
        }
    }

    fn ask(&mut self, case: &Case) -> Result<Answer, String> {
        let input = self.input.as_mut().ok_or("node has ended")?;
        writeln!(input, "{}", text(case)).map_err(|e| e.to_string())?;
        let answer: Value = serde_json::from_str(&self.line()?).map_err(|e| e.to_string())?;
        if let Some(why) = answer["refused"].as_str() {
            return Ok(Answer::Refused(why.to_owned()));
        }
        if let Some(buffers) = answer["buffers"].as_array() {
            return Ok(Answer::Buffers(
                buffers.iter().map(|b| bytes(b.as_str().unwrap_or_default())).collect(),
            ));
        }
        Err(answer["fault"].as_str().unwrap_or("no answer").to_owned())
    }
}

impl Runner for Browser {
    fn run(&mut self, case: &Case, stage: &mut dyn FnMut(&str)) -> Vec<(String, Answer)> {
        stage(WAY);
        vec![(WAY.to_owned(), self.ask(case).unwrap_or_else(Answer::Fault))]
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // node closes the browser at the end of its input.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// A case as JSON.
fn text(case: &Case) -> Value {
    let arg = |arg: &CaseArg| match arg {
        CaseArg::Buffer(n, offset) => json!({ "kind": "buffer", "buffer": n, "offset": offset }),
        CaseArg::Null => json!({ "kind": "null" }),
        CaseArg::Value(bytes) => json!({ "kind": "value", "bytes": hex(bytes) }),
        CaseArg::Local(bytes) => json!({ "kind": "local", "bytes": bytes }),
    };
    let launches = case.launches.iter().map(|launch| {
        let args: Vec<Value> = launch.args.iter().map(arg).collect();
        json!({ "kernel": launch.kernel, "args": args })
    });
    let dimensions = case.dimensions();
    json!({
        "source": case.source,
        "options": case.options,
        "launches": launches.collect::<Vec<_>>(),
        "buffers": case.buffers.iter().map(|b| hex(b)).collect::<Vec<_>>(),
        "global": case.global[..dimensions],
        "local": case.local[..dimensions],
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    hex.as_bytes().chunks_exact(2).filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::{bytes, hex, text};
    use crate::compare::{Case, CaseArg, CaseLaunch};

    #[test]
    fn cases_are_lines() {
        let case = Case {
            source: "kernel void k(global int *p) {\n}".to_owned(),
            options: String::new(),
            launches: vec![CaseLaunch {
                kernel: "k".to_owned(),
                args: vec![CaseArg::Buffer(0, 4), CaseArg::Local(8), CaseArg::Value(vec![1, 255])],
                names: vec![],
            }],
            buffers: vec![vec![0, 16, 171]],
            global: [4, 2, 1],
            local: [2, 1, 1],
        };
        let line = text(&case).to_string();
        assert!(!line.contains('\n'), "{line}");
        assert!(line.contains("\"global\":[4,2]") && line.contains("0010ab"), "{line}");
        assert_eq!(bytes(&hex(&case.buffers[0])), case.buffers[0]);
    }
}
