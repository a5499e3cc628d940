// The page: one session in WebAssembly, and what shows it.
import init, { Session } from '../pkg/packscope.js';
import { createEditor } from './editor.js';
import { createFiles } from './files.js';
import { createFindings } from './findings.js';
import { createSizes } from './sizes.js';
import { createViews } from './views.js';
import { createHistory } from './history.js';
import { createLesson } from './lesson.js';
import { copyText, createTabs, createTheme } from './shell.js';

await init();
const session = new Session();
let state;
let lesson;

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
  keep: () => session.keep(),
  pinned: () => views.pinned(),
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

function show({ typing } = {}) {
  state = session.state();
  editor.show(state, typing ? undefined : session.text());
  findings.show(state);
  sizes.show(state);
  views.show(state);
  lesson?.show();
  const count = (severity) => state.findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const infos = count('info');
  const marks = [errors && `◆${errors}`, warnings && `▲${warnings}`, infos && `●${infos}`].filter(Boolean).join(' ');
  document.title = marks ? `${marks} Packscope` : 'Packscope';
  tabs.count(errors, warnings);
}

byId('copy-link').addEventListener('click', async () => {
  await history.push();
  copyText(location.href, 'The address of this state is copied');
});
const forms = {
  // The page in a frame that grows with it.
  iframe: () => {
    const address = new URL(location.href);
    address.search = '?embed';
    return `<iframe src="${address}" width="100%" height="560" style="border:0" title="Packscope"></iframe>
<script>addEventListener('message', (event) => { for (const frame of document.querySelectorAll('iframe')) if (event.source === frame.contentWindow && event.data?.packscope) frame.height = event.data.packscope.height; });</script>`;
  },
  // The element, for a page that may run a script.
  element: () => {
    const { params, topology } = JSON.parse(session.scenario_json());
    const list = (tensor) => (tensor?.data ?? tensor)?.join(' ');
    const attributes = Object.entries({
      'cu-seqlens': list(params.cu_seqlens_q),
      'cu-seqlens-padded': list(params.cu_seqlens_q_padded),
      'total-tokens': params.total_tokens,
      tp: topology.tensor_model_parallel_size,
      cp: topology.context_parallel_size,
      pp: topology.pipeline_model_parallel_size,
      'world-size': topology.world_size,
    }).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}="${value}"`);
    return `<script type="module" src="${new URL('packscope-view.js', document.baseURI)}"></script>
<packscope-view ${attributes.join(' ')}>${state.caption}</packscope-view>`;
  },
};
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    const { copy } = button.dataset;
    if (copy === 'iframe') await history.push();
    copyText(forms[copy] ? forms[copy]() : session[copy](), 'Copied');
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

if (new URLSearchParams(location.search).has('embed')) {
  document.documentElement.classList.add('embed');
  // The page around the frame learns how tall it is.
  const tell = () => parent.postMessage({ packscope: { height: document.querySelector('.views').scrollHeight + 40 } }, '*');
  new ResizeObserver(tell).observe(document.querySelector('.views'));
}
if (!history.start()) show();
lesson = await createLesson({
  start: (kept) => {
    session.restore(kept);
    show();
  },
  seen: () => JSON.parse(session.inspect()),
});
lesson.follow();
document.documentElement.dataset.ready = 'true';
