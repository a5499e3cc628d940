// The text, what it was read as, and the places that findings are about.

import { write } from './shell.js';

const byId = (id) => document.getElementById(id);
// Lines of longer texts are not wrapped, which would cost a layout on every keystroke. So a mark's
// place follows from its line and column, and only what is in sight is marked; in shorter ones the
// marks stand in a copy of the text behind it.
const LONG = 20_000;
const TAB = 4;

export function createEditor({ onText, onCase }) {
  const area = byId('text');
  const backdrop = byId('backdrop');
  const read = byId('read');
  const cases = byId('cases');
  const picker = byId('case');

  area.addEventListener('input', () => onText(area.value));
  area.addEventListener('scroll', follow);
  // Marks of a long text by line: `{ line, start, from, to, severity }`, characters of the line, which
  // starts at `start` of the text.
  let placed = [];
  // Marks of a shorter one, which stand in the copy of the text: `{ start, end, element }`.
  let standing = [];
  let measured;
  addEventListener('resize', () => { measured = undefined; });
  picker.addEventListener('change', () => onCase(Number(picker.value)));

  function follow() {
    if (placed.length > 0) return markInSight();
    backdrop.scrollTop = area.scrollTop;
    backdrop.scrollLeft = area.scrollLeft;
  }

  function mark(text, marks, long) {
    placed = [];
    standing = [];
    backdrop.replaceChildren();
    if (marks.length === 0) return;
    // Where several meet, the most severe.
    let end = 0;
    const apart = marks
      .filter((m) => m.end > m.start)
      .sort((a, b) => a.start - b.start || a.rank - b.rank)
      .filter((m) => m.start >= end && (end = m.end));
    if (long) placed = byLine(text, apart);
    else fill(text, apart);
    requestAnimationFrame(follow);
  }

  // The text in pieces, some of them marked.
  function fill(text, marks) {
    let at = 0;
    for (const { start, end, severity } of marks) {
      const element = marked(text.slice(start, end), severity);
      backdrop.append(text.slice(at, start), element);
      standing.push({ start, end, element });
      at = end;
    }
    backdrop.append(`${text.slice(at)}\n`);
  }

  // Pixels of a character, and of the room before the first one.
  function measure() {
    const { fontSize, lineHeight, paddingTop, paddingLeft, fontFamily } = getComputedStyle(area);
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = `${fontSize} ${fontFamily}`;
    const [height, top, left] = [lineHeight, paddingTop, paddingLeft].map(Number.parseFloat);
    return { width: pen.measureText('0').width, height, top, left };
  }

  function markInSight() {
    const { scrollTop, scrollLeft, clientWidth, clientHeight, value } = area;
    const { width, height, ...room } = (measured ??= measure());
    const [top, left] = [room.top - scrollTop, room.left - scrollLeft];
    const first = placed.findIndex(({ line }) => top + (line + 1) * height > 0);
    const marks = [];
    for (let i = first; i >= 0 && i < placed.length && top + placed[i].line * height < clientHeight; i += 1) {
      const { line, start, from, to, severity } = placed[i];
      // Of a long mark no more than is in sight.
      const shown = [Math.max(from, Math.floor(-left / width) - TAB), Math.min(to, Math.ceil((clientWidth - left) / width) + TAB)];
      if (shown[0] >= shown[1]) continue;
      const place = document.createElement('span');
      place.style.top = `${top + line * height}px`;
      place.style.left = `${left + cells(value.slice(start, start + shown[0])) * width}px`;
      place.append(marked(value.slice(start + shown[0], start + shown[1]), severity));
      marks.push(place);
    }
    backdrop.scrollTo(0, 0);
    backdrop.replaceChildren(...marks);
  }

  function say(state) {
    read.classList.toggle('error', Boolean(state.error));
    if (!state.error) return write(read, `Read as ${state.read_as}. ${state.notes.join(' ')}`);
    const what = `${sentence(state.error.message)} `;
    const suggestion = state.error.suggestion ? sentence(state.error.suggestion) : '';
    if (write(read, what + suggestion)) {
      const hint = document.createElement('span');
      hint.className = 'hint';
      hint.textContent = suggestion;
      read.replaceChildren(what, hint);
    }
  }

  return {
    // `changed` is the text that something other than typing has made.
    show(state, changed) {
      const text = changed ?? area.value;
      if (area.value !== text) area.value = text;
      const severities = ['error', 'warning', 'info'];
      const marks = state.error
        ? [{ ...state.error.span, severity: 'error', rank: 0 }]
        : state.findings.flatMap((finding) =>
            finding.spans.map((span) => ({ ...span, severity: finding.severity, rank: severities.indexOf(finding.severity) })));
      const long = text.length > LONG;
      for (const layer of [area, backdrop]) layer.classList.toggle('long', long);
      mark(text, marks, long);
      say(state);
      cases.hidden = state.cases.length < 2;
      if (!cases.hidden) {
        picker.replaceChildren(...state.cases.map((rank, index) =>
          new Option(rank === null ? `${index + 1} of ${state.cases.length}` : `rank ${rank}`, index, false, index === state.case)));
      }
    },
    // Selects a place and scrolls it into view.
    reveal(span) {
      if (!span) return;
      area.focus({ preventScroll: true });
      area.setSelectionRange(span.start, span.end);
      const { value } = area;
      const start = value.lastIndexOf('\n', span.start - 1) + 1;
      const { width, height } = (measured ??= measure());
      const mark = standing.find((m) => m.start <= span.start && span.start < m.end);
      const top = mark ? mark.element.offsetTop : (value.slice(0, start).split('\n').length - 1) * height;
      area.scrollTop = top - area.clientHeight / 3;
      area.scrollLeft = cells(value.slice(start, span.start)) * width - area.clientWidth / 3;
      follow();
    },
  };
}

function marked(text, severity) {
  const element = document.createElement('mark');
  element.className = severity;
  element.textContent = text;
  return element;
}

// Marks, which are in order and apart, cut at the ends of lines.
function byLine(text, marks) {
  const pieces = [];
  const endOf = (start) => (text.indexOf('\n', start) + 1 || text.length + 1) - 1;
  let [line, start, end] = [0, 0, endOf(0)];
  for (const { start: from, end: to, severity } of marks) {
    for (let at = from; at < to; at = end + 1) {
      while (end < at) [line, start, end] = [line + 1, end + 1, endOf(end + 1)];
      pieces.push({ line, start, from: at - start, to: Math.min(to, end) - start, severity });
    }
  }
  return pieces;
}

// Cells of a monospace line that a text from its start takes.
function cells(text) {
  if (!/[^\x20-\x7e]/.test(text)) return text.length;
  let taken = 0;
  for (const character of text) taken += character === '\t' ? TAB - (taken % TAB) : 1;
  return taken;
}

function sentence(text) {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.)\]}]$/.test(upper) ? upper : `${upper}.`;
}
