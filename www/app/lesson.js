// A lesson beside the live views: each step is a state of the page, something to try, and a check.

const byId = (id) => document.getElementById(id);

// `start` puts a kept state into the page; `seen` is the Analysis as it stands.
export async function createLesson({ start, seen }) {
  const panel = byId('part-lesson');
  const [slug] = place();
  if (!slug) return { show() {}, follow() {} };
  const lessons = await (await fetch('lessons/lessons.json')).json();
  const lesson = lessons.find((other) => other.slug === slug);
  if (!lesson) return { show() {}, follow() {} };
  const number = lessons.indexOf(lesson);
  let index = -1;
  let done = false;

  // The lesson and the step in the address: `?lesson=zigzag/2`.
  function place() {
    const [name, step] = (new URLSearchParams(location.search).get('lesson') ?? '').split('/');
    return [name, Number(step ?? 1) - 1];
  }

  function open(step) {
    history.pushState(null, '', `?lesson=${slug}/${step + 1}#${lesson.steps[step].kept}`);
    start(lesson.steps[step].kept);
    render(step);
    panel.scrollTop = 0;
    byId('lesson-title').focus();
  }

  function element(name, properties = {}, ...inside) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  }

  // Built from our own pages, which stand one folder deeper.
  const html = (text) => (text ?? '').replaceAll('href="../', 'href="');

  function render(step) {
    index = step;
    done = false;
    const { title, html: body, check } = lesson.steps[step];
    const button = (text, to) => element('button', { type: 'button', textContent: text, disabled: !lesson.steps[to], onclick: () => open(to) });
    const dots = element('span', { className: 'count', textContent: `${step + 1} of ${lesson.steps.length}` });
    panel.replaceChildren(
      element('div', { className: 'part-head' },
        element('h2', {}, `Lesson ${number + 1} · ${lesson.title}`), dots,
        element('a', { href: 'lessons/index.html', textContent: 'All lessons' })),
      element('div', { className: 'lesson-body' },
        element('h3', { id: 'lesson-title', tabIndex: -1, textContent: title }),
        element('div', { innerHTML: html(body) }),
        question(check),
        element('div', { className: 'lesson-foot' }, button('Back', step - 1),
          element('button', { type: 'button', textContent: 'Start again', onclick: () => open(step) }),
          forward(step))));
    panel.hidden = false;
    lookAt(lesson.steps[step].views.split(' '));
  }

  // Opens the views that the step speaks of, and brings the first one into sight.
  function lookAt(names) {
    for (const more of document.querySelectorAll('details.more')) more.open = names.includes(more.dataset.view);
    const pane = document.querySelector('.views');
    const below = document.querySelector(`article[data-view="${names[0]}"]`).getBoundingClientRect().bottom - pane.getBoundingClientRect().bottom;
    // On a phone the views stand below the lesson, and the lesson stays where it is.
    if (below > 0 && pane.scrollHeight > pane.clientHeight) pane.scrollTop += below;
  }

  function forward(step) {
    const next = lessons[number + 1];
    if (lesson.steps[step + 1]) return element('button', { type: 'button', id: 'lesson-next', textContent: 'Next', onclick: () => open(step + 1) });
    const [href, text] = next ? [`?lesson=${next.slug}/1`, `Next: ${next.title}`] : ['index.html', 'To the tool'];
    return element('a', { id: 'lesson-next', className: 'button', href, textContent: text });
  }

  function question(check) {
    const box = element('div', { className: 'question' });
    const answer = element('div', { className: 'answer', id: 'lesson-answer' });
    answer.setAttribute('role', 'status');
    const say = (right) => {
      done ||= right;
      answer.className = `answer ${right ? 'right' : 'wrong'}`;
      answer.innerHTML = right ? `<p><b>Right.</b></p>${html(check.because)}` : `<p><b>Not that.</b></p>${html(check.hint)}`;
      byId('lesson-next').classList.toggle('ready', done);
    };
    box.append(element('div', { className: 'asked', innerHTML: html(check.ask ?? check.do) }));
    if (check.choices) {
      box.append(element('div', { className: 'choices' }, ...check.choices.map((choice, i) => element('button', {
        type: 'button',
        textContent: choice,
        onclick: ({ target }) => {
          for (const other of box.querySelectorAll('.choices button')) other.setAttribute('aria-pressed', String(other === target));
          say(i === check.right);
        },
      }))));
    } else if (check.number !== undefined) {
      const input = element('input', { inputMode: 'numeric', autocomplete: 'off', size: 8 });
      input.setAttribute('aria-label', 'Your answer');
      box.append(element('form', {
        onsubmit: (event) => {
          event.preventDefault();
          if (input.value.trim() !== '') say(Number(input.value) === check.number);
        },
      }, input, element('button', { type: 'submit', textContent: 'Check' })));
    } else {
      answer.className = 'answer open';
      answer.innerHTML = '<p>Not done yet.</p>';
    }
    const shown = String(check.solution ?? check.choices?.[check.right] ?? check.number);
    box.append(answer, element('details', {}, element('summary', { textContent: 'Hint and answer' }),
      element('div', { innerHTML: html(check.hint) }), element('pre', { textContent: shown })));
    return box;
  }

  // Whether the page is as a task wants it: values at places, a count of errors, codes.
  function holds(want) {
    const now = seen();
    const at = (path) => path.split('/').slice(1).reduce((value, key) => value?.[key], now);
    return Object.entries(want).every(([key, wanted]) => {
      if (key === 'errors') return now.findings.filter((finding) => finding.severity === 'error').length === wanted;
      if (key === 'has') return now.findings.some((finding) => finding.code === wanted);
      if (key === 'lacks') return now.findings.every((finding) => finding.code !== wanted);
      return JSON.stringify(at(key)) === JSON.stringify(wanted);
    });
  }

  // After every change of the page.
  function show() {
    const check = lesson.steps[index]?.check;
    if (!check?.want) return;
    const right = holds(check.want);
    if (right === done) return;
    done = right;
    const answer = byId('lesson-answer');
    answer.className = `answer ${right ? 'right' : 'open'}`;
    answer.innerHTML = right ? `<p><b>Done.</b></p>${html(check.because)}` : '<p>Not done yet.</p>';
    byId('lesson-next').classList.toggle('ready', right);
  }

  // Takes up the address, at the start and after back and forward.
  function follow() {
    const step = Math.min(Math.max(0, place()[1] || 0), lesson.steps.length - 1);
    if (location.hash.length < 2) start(lesson.steps[step].kept);
    if (step !== index) render(step);
    show();
  }

  document.documentElement.classList.add('with-lesson');
  const tab = byId('tab-lesson');
  tab.hidden = false;
  tab.click();
  addEventListener('popstate', follow);
  return { show, follow };
}
