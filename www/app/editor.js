// The text, what it was read as, and the places that findings are about.

const byId = (id) => document.getElementById(id);
// In longer texts only what cannot be read is marked, and lines are not wrapped: both cost a layout
// on every keystroke.
const MARKED = 20_000;
// In longer ones nothing is: a copy of the text would stop the page for longer than it helps.
const ERROR_MARKED = 100_000;

export function createEditor({ onText, onCase }) {
  const area = byId('text');
  const backdrop = byId('backdrop');
  const read = byId('read');
  const cases = byId('cases');
  const picker = byId('case');

  area.addEventListener('input', () => onText(area.value));
  area.addEventListener('scroll', follow);
  picker.addEventListener('change', () => onCase(Number(picker.value)));

  function follow() {
    backdrop.scrollTop = area.scrollTop;
    backdrop.scrollLeft = area.scrollLeft;
  }

  // Pieces of text and marks, the most severe where several meet.
  function mark(text, marks) {
    backdrop.replaceChildren();
    if (marks.length === 0) return;
    let at = 0;
    const sorted = marks.filter((m) => m.end > m.start).sort((a, b) => a.start - b.start || a.rank - b.rank);
    for (const { start, end, severity } of sorted) {
      if (start < at) continue;
      backdrop.append(text.slice(at, start));
      const element = document.createElement('mark');
      element.className = severity;
      element.textContent = text.slice(start, end);
      backdrop.append(element);
      at = end;
    }
    backdrop.append(`${text.slice(at)}\n`);
    requestAnimationFrame(follow);
  }

  function say(state) {
    read.replaceChildren();
    read.classList.toggle('error', Boolean(state.error));
    if (state.error) {
      read.append(`${sentence(state.error.message)} `);
      if (state.error.suggestion) {
        const hint = document.createElement('span');
        hint.className = 'hint';
        hint.textContent = sentence(state.error.suggestion);
        read.append(hint);
      }
      return;
    }
    read.append(`Read as ${state.read_as}. ${state.notes.join(' ')}`);
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
      const long = text.length > MARKED;
      for (const layer of [area, backdrop]) layer.classList.toggle('long', long);
      mark(text, text.length > (state.error ? ERROR_MARKED : MARKED) ? [] : marks);
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
      const before = area.value.slice(0, span.start).split('\n').length;
      if (area.scrollHeight > area.clientHeight) area.scrollTop = Math.max(0, (before - 3) * 20);
      follow();
    },
  };
}

function sentence(text) {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.)\]}]$/.test(upper) ? upper : `${upper}.`;
}
