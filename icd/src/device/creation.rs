//! Where the program makes memory objects, for the reports of the checking mode (`PUMICE_CHECK_ORIGIN=1`).

use std::backtrace::Backtrace;
use std::sync::Arc;

/// The call stack in which a memory object was made.
pub(crate) struct Creation(Backtrace);

impl Creation {
    /// The caller's stack, if reports are to name it.
    pub(crate) fn here() -> Option<Arc<Self>> {
        host::check::names_origins().then(|| Arc::new(Creation(Backtrace::force_capture())))
    }

    /// The function that called the API, with its place in the source if the program has debug information.
    pub(crate) fn place(&self) -> Option<String> {
        caller(&self.0.to_string())
    }
}

/// The first function with a name behind the calls of the API, which go through the loader.
fn caller(stack: &str) -> Option<String> {
    let mut frames: Vec<(&str, Option<&str>)> = Vec::new();
    for line in stack.lines().map(str::trim) {
        if let Some(place) = line.strip_prefix("at ") {
            frames.last_mut()?.1 = Some(place);
        } else if let Some((_, name)) = line.split_once(": ") {
            frames.push((name, None));
        }
    }
    let is_api =
        |(name, _): &(&str, _)| name.rsplit("::").next().is_some_and(|last| last.starts_with("clCreate"));
    let behind = frames.iter().rposition(is_api)? + 1;
    let (name, place) = frames.get(behind..)?.iter().find(|(name, _)| !name.starts_with('<'))?;
    Some(place.map_or_else(|| (*name).to_owned(), |place| format!("{name} ({place})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_behind_the_api_and_the_loader() {
        let stack = "   0: pumice::memory::store::Store::new\n             at ./icd/src/memory/store.rs:190:9\n   \
                     1: clCreateBuffer\n   2: clCreateBuffer\n   3: <unknown>\n   4: make\n             at ./a.c:12\n   5: main\n";
        assert_eq!(caller(stack).as_deref(), Some("make (./a.c:12)"));
        assert_eq!(caller(&stack.replace("             at ./a.c:12\n", "")).as_deref(), Some("make"));
        assert_eq!(caller("   0: main\n"), None);
    }
}
