// The editor: a textarea over a layer with the marks of diagnostics, and a list of them.

const $ = (id) => document.getElementById(id);

/** Makes the editor. `changed` is called after each change of the text. */
export function makeEditor(changed) {
  const [source, marks, list] = [$('source'), $('marks'), $('diagnostics')];
  let diagnostics = [];
  let leaving = false;

  const replace = (start, end, text) => {
    source.focus();
    source.setSelectionRange(start, end);
    // The browser keeps its history of changes that way.
    if (!document.execCommand('insertText', false, text)) source.setRangeText(text, start, end, 'end');
  };

  const select = ({ start, end }) => {
    source.focus();
    source.setSelectionRange(start, Math.max(end, start));
    const line = source.value.slice(0, start).split('\n').length - 1;
    const height = parseFloat(getComputedStyle(source).lineHeight);
    source.scrollTop = Math.max(0, line * height - source.clientHeight / 2);
  };

  const mend = (fixes) => {
    for (const { range, text } of [...fixes].sort((a, b) => b.range.start - a.range.start)) replace(range.start, range.end, text);
    changed();
  };

  const paint = () => {
    const text = source.value;
    const ranges = diagnostics.filter((d) => d.range && d.range.start <= text.length).sort((a, b) => a.range.start - b.range.start);
    marks.textContent = '';
    let at = 0;
    for (const { range, severity } of ranges) {
      if (range.start < at) continue;
      // A range without text is shown on the character after it.
      const end = Math.min(Math.max(range.end, range.start + 1), text.length);
      marks.append(text.slice(at, range.start));
      const mark = document.createElement('span');
      mark.className = severity;
      mark.textContent = text.slice(range.start, end) || ' ';
      marks.append(mark);
      at = Math.max(end, range.start);
    }
    marks.append(`${text.slice(at)}\n`);
    scroll();
  };

  const scroll = () => {
    marks.scrollTop = source.scrollTop;
    marks.scrollLeft = source.scrollLeft;
  };

  const item = (diagnostic) => {
    const li = document.createElement('li');
    li.className = diagnostic.severity;
    const go = document.createElement('button');
    go.type = 'button';
    const place = diagnostic.range ? `${diagnostic.range.line}:${diagnostic.range.column}: ` : '';
    const notes = diagnostic.notes.map((n) => ` (${n.message})`).join('');
    go.textContent = `${place}${diagnostic.message}${notes}`;
    go.title = diagnostic.id;
    if (diagnostic.range) go.addEventListener('click', () => select(diagnostic.range));
    li.append(go);
    if (diagnostic.fixes.length) {
      const fix = document.createElement('button');
      fix.type = 'button';
      fix.className = 'fix';
      fix.textContent = `Fix: ${diagnostic.fixes.map((f) => f.text || 'remove').join(', ')}`;
      fix.addEventListener('click', () => mend(diagnostic.fixes));
      li.append(fix);
    }
    return li;
  };

  source.addEventListener('input', () => {
    // Until the compiler has seen the new text, the marks stay where they were.
    paint();
    changed();
  });
  source.addEventListener('scroll', scroll);
  source.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') leaving = true;
    else if (event.key === 'Tab' && !leaving && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      if (!event.shiftKey) replace(source.selectionStart, source.selectionEnd, '    ');
    } else if (event.key === 'F8') {
      event.preventDefault();
      const placed = diagnostics.filter((d) => d.range);
      const next = placed.find((d) => d.range.start > source.selectionStart) ?? placed[0];
      if (next) select(next.range);
    } else if (event.key !== 'Shift') leaving = false;
  });

  return {
    get text() {
      return source.value;
    },
    set text(text) {
      source.value = text;
      source.scrollTop = 0;
      paint();
    },
    /** Shows diagnostics of the text as it is. */
    show(found) {
      diagnostics = found;
      list.replaceChildren(...found.map(item));
      paint();
    },
  };
}
