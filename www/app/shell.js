// What belongs to the page as a whole: theme, tabs on a phone, the clipboard.

// Switches between light and dark; without a choice the system's holds.
export function createTheme(button, onChange) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const stored = (() => {
    try { return localStorage.getItem('theme'); } catch { return null; }
  })();
  if (stored) root.dataset.theme = stored;
  // Colours that are forced are the system's; what was chosen here gives way.
  const forced = matchMedia('(forced-colors: active)');
  const name = () => (forced.matches ? undefined : root.dataset.theme) ?? (system.matches ? 'dark' : 'light');
  button.addEventListener('click', () => {
    root.dataset.theme = name() === 'dark' ? 'light' : 'dark';
    try { localStorage.setItem('theme', root.dataset.theme); } catch { /* a private window keeps nothing */ }
    onChange();
  });
  for (const query of [system, forced]) query.addEventListener('change', onChange);
  return { name };
}

// The parts as tabs, where there is no room for all of them.
export function createTabs() {
  const page = document.querySelector('.page');
  const tabs = [...document.querySelectorAll('[role="tab"]')];
  const select = (tab) => {
    page.dataset.tab = tab.dataset.tab;
    for (const other of tabs) other.setAttribute('aria-selected', String(other === tab));
    dispatchEvent(new Event('resize'));
  };
  for (const tab of tabs) tab.addEventListener('click', () => select(tab));
  document.querySelector('.tabs').addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.focus();
    select(next);
  });
  const findings = document.getElementById('tab-findings');
  return {
    count(errors, warnings) {
      const marks = [errors && `◆${errors}`, warnings && `▲${warnings}`].filter(Boolean).join(' ');
      write(findings, marks ? `Findings ${marks}` : 'Findings');
    },
  };
}

// Writes only what is new: what is written anew is laid out, and read aloud, once more. Gives
// whether it was.
export function write(element, text) {
  if (element.textContent === text) return false;
  element.textContent = text;
  return true;
}

let hide;
// A short word at the bottom.
export function toast(message) {
  const box = document.getElementById('toast');
  box.textContent = message;
  box.classList.add('on');
  clearTimeout(hide);
  hide = setTimeout(() => box.classList.remove('on'), 1800);
}

export async function copyText(text, message) {
  try {
    await navigator.clipboard.writeText(text);
    toast(message);
  } catch {
    toast('The browser does not allow copying here; the address bar has the same state');
  }
}
