// The page: one session in WebAssembly, and what shows it.
import init, { Session } from '../pkg/packscope.js';
import { createEditor } from './editor.js';
import { createFiles } from './files.js';
import { createFindings } from './findings.js';
import { createSizes } from './sizes.js';
import { createViews } from './views.js';
import { createHistory } from './history.js';
import { copyText, createTabs, createTheme } from './shell.js';

await init();
const session = new Session();
let state;

const byId = (id) => document.getElementById(id);
const theme = createTheme(byId('theme'), () => views.draw());
const views = createViews({
  session,
  theme,
  onRank: (rank) => act(() => session.set_number('rank', rank)),
  onPin: () => history.push(),
});
const tabs = createTabs();
const editor = createEditor({
  onText: (text) => {
    session.set_text(text);
    show({ typing: true });
    history.soon();
  },
  onCase: (index) => act(() => session.set_case(index)),
});
const findings = createFindings({
  onFix: (index) => act(() => session.apply_fix(index)),
  onShow: (finding) => {
    editor.reveal(finding.spans[0]);
    views.reveal(finding);
  },
  onLight: (slots) => views.flag(slots),
});
createFiles({ onText: (text) => act(() => session.set_text(text)) });
const sizes = createSizes({ set: (field, value) => act(() => setField(field, value)) });
const history = createHistory({
  keep: () => session.keep() + views.pinned(),
  restore: (kept, pin) => {
    if (!session.restore(kept)) return false;
    views.pin(pin);
    show();
    return true;
  },
});

function setField(field, value) {
  if (typeof value === 'number') return session.set_number(field, value);
  if (typeof value === 'boolean') return session.set_flag(field, value);
  return session.set_word(field, value);
}

// A change by hand: it takes effect at once and can be undone.
function act(change) {
  change();
  show();
  history.push();
}

function show() {
  state = session.state();
  editor.show(state);
  findings.show(state);
  sizes.show(state);
  views.show(state);
  const count = (severity) => state.findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const infos = count('info');
  const marks = [errors && `◆${errors}`, warnings && `▲${warnings}`, infos && `●${infos}`].filter(Boolean).join(' ');
  document.title = marks ? `${marks} Packscope` : 'Packscope';
  tabs.count(errors, warnings);
}

byId('copy-link').addEventListener('click', () => {
  history.push();
  copyText(location.href, 'The address of this state is copied');
});
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', () => {
    copyText(session[button.dataset.copy](), 'Copied');
    byId('copy-as').open = false;
  });
}
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    byId('copy-as').open = false;
    views.release();
  }
});
document.addEventListener('pointerdown', (event) => {
  if (!byId('copy-as').contains(event.target)) byId('copy-as').open = false;
});

if (!history.start()) show();
document.documentElement.dataset.ready = 'true';
