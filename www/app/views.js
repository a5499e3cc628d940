// The views: canvases that the session draws, one reading line, and what links them.
import { toast, write } from './shell.js';

const ZOOMED = new Set(['pack', 'lanes']);
// Drawn from the sizes and the selected rank alone.
const FROM_LAYOUT = new Set(['ranks', 'axes']);
// Chunks take this long from the stream to their ranks, milliseconds.
const MOTION = 120;
// Lanes that PageUp and PageDown move by.
const PAGE = 32;
const TITLES = { pack: 'The pack', lanes: 'The lanes', ranks: 'The ranks', flow: 'The flow', axes: 'The axes', matrix: 'The attention matrix', ring: 'The ring' };

export function createViews({ session, theme, onRank, onPin }) {
  const reading = document.getElementById('reading');
  const groups = document.getElementById('groups');
  let state;
  let hover = null;
  let pinned = null;
  let flagged = [];
  let group;
  let frame = 0;
  let filling = 0;
  let version = 0;
  let shownGroups;
  let printing = false;
  // The first lane drawn, and the CP rank it has followed.
  let lane = 0;
  let followed;
  // When chunks began to move to their ranks, and how they are shared out.
  let moving = -Infinity;
  let settled = 1;
  let shares;

  const scrolls = [];
  const views = [...document.querySelectorAll('article.view')].map((article) => {
    const name = article.dataset.view;
    const box = article.querySelector('.canvas-box');
    const canvas = document.createElement('canvas');
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-roledescription', 'drawing');
    const view = { name, article, box, canvas, folded: article.closest('details'), window: { from: 0, to: 1 }, table: null };
    menu(view);
    listen(view);
    return view;
  });

  function lit() {
    return hover ?? pinned ?? {};
  }

  function options(view, width = view.box.clientWidth) {
    const now = lit();
    return {
      width,
      from: ZOOMED.has(view.name) || view.name === 'matrix' ? view.window.from : 0,
      to: ZOOMED.has(view.name) || view.name === 'matrix' ? view.window.to : 1,
      theme: printing ? 'print' : theme.name(),
      token: now.token ?? null,
      slot: now.slot ?? null,
      rank: now.rank ?? null,
      cp_rank: now.cp_rank ?? null,
      group: group ?? null,
      flagged,
      ...(view.name === 'lanes' && { first_lane: lane, settled }),
    };
  }

  // How far chunks have moved: fast at first, and slower as they arrive.
  function way() {
    const left = 1 - Math.min(1, (performance.now() - moving) / MOTION);
    return 1 - left ** 3;
  }

  // At most one drawing a frame, however many events come.
  function draw() {
    if (frame) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      drawNow();
    });
  }

  function drawNow() {
    const ratio = devicePixelRatio || 1;
    const { cp_rank } = lit();
    // A rank that is lit anew is brought into sight.
    lane = session.first_lane(lane, cp_rank === followed ? undefined : cp_rank);
    followed = cp_rank;
    settled = way();
    // All are measured before any is drawn: a measure after a change is another layout. What is
    // folded away has a width too, but nobody sees it.
    const widths = views.map((view) => (view.folded?.open === false ? 0 : view.box.clientWidth));
    for (const [index, view] of views.entries()) {
      const width = widths[index];
      if (width === 0) continue;
      const wanted = options(view, width);
      // Of what a frame does not change nothing is drawn again.
      const follows = FROM_LAYOUT.has(view.name) ? state?.layout : version;
      const drawn = JSON.stringify([follows, ratio, wanted]);
      if (drawn === view.drawn) continue;
      view.drawn = drawn;
      const height = session.draw(view.name, view.canvas, ratio, wanted);
      if (view.canvas.parentElement !== view.box) {
        view.box.replaceChildren(view.canvas, table(view));
      }
      view.canvas.style.width = `${width}px`;
      view.canvas.style.height = `${height}px`;
    }
    for (const button of scrolls) button.hidden = session.first_lane(Infinity) === 0;
    say();
    if (settled < 1) draw();
  }

  function scroll(lanes) {
    lane = session.first_lane(lane + lanes);
    draw();
  }

  function say() {
    const now = hover ?? pinned;
    const sentence = now ? capital(now.sentence) : summary();
    const pin = !hover && pinned ? ' · pinned, Esc lets go' : '';
    if (write(reading, sentence + pin) && pin) {
      const muted = document.createElement('span');
      muted.className = 'pin';
      muted.textContent = pin;
      reading.replaceChildren(sentence, muted);
    }
    const steps = now?.token === undefined ? [] : session.arithmetic(now.token) ?? [];
    const list = document.getElementById('steps');
    if (list.textContent === steps.join('')) return;
    list.replaceChildren(...steps.map((step) => {
      const item = document.createElement('li');
      item.textContent = step;
      return item;
    }));
  }

  function summary() {
    return state ? `${capital(state.caption)}. Point at anything to read what it is.` : '';
  }

  // The same as rows and cells, for those who do not see the drawing.
  function table(view) {
    view.table = document.createElement('table');
    view.table.className = 'visually-hidden';
    return view.table;
  }

  function fillTables() {
    for (const view of views) {
      if (!view.table || view.folded?.open === false) continue;
      const [head, ...rows] = session.table(view.name);
      const line = (cells, kind) => {
        const row = document.createElement('tr');
        for (const cell of cells) {
          const element = document.createElement(kind);
          element.textContent = cell;
          if (kind === 'th') element.scope = 'col';
          row.append(element);
        }
        return row;
      };
      const caption = document.createElement('caption');
      caption.textContent = `${TITLES[view.name]}, as a table`;
      const [thead, tbody] = [document.createElement('thead'), document.createElement('tbody')];
      if (head) thead.append(line(head, 'th'));
      tbody.append(...rows.map((row) => line(row, 'td')));
      view.table.replaceChildren(caption, thead, tbody);
    }
  }

  function point(view, event) {
    const box = view.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  function at(view, event) {
    const [x, y] = point(view, event);
    return session.hover(view.name, x, y, options(view)) ?? null;
  }

  function listen(view) {
    const { canvas } = view;
    let drag = null;
    let moved = false;
    const touches = new Map();
    canvas.addEventListener('pointermove', (event) => {
      if (touches.has(event.pointerId)) touches.set(event.pointerId, event.clientX);
      if (touches.size === 2) {
        const [a, b] = [...touches.values()];
        const spread = Math.max(8, Math.abs(a - b));
        if (drag?.spread) zoom(view, drag.spread / spread, ((a + b) / 2 - canvas.getBoundingClientRect().left) / canvas.clientWidth);
        drag = { spread };
        return;
      }
      if (drag?.overview) {
        centre(view, event);
        return;
      }
      if (drag && drag.x !== undefined && ZOOMED.has(view.name) && !isWhole(view)) {
        const shift = (event.clientX - drag.x) / canvas.clientWidth;
        if (Math.abs(event.clientX - drag.x) > 3) moved = true;
        pan(view, -shift * (drag.to - drag.from), drag);
        return;
      }
      hover = at(view, event);
      draw();
    });
    canvas.addEventListener('pointerleave', () => {
      hover = null;
      draw();
    });
    canvas.addEventListener('pointerdown', (event) => {
      touches.set(event.pointerId, event.clientX);
      moved = false;
      drag = { x: event.clientX, ...view.window };
      if (ZOOMED.has(view.name) && centre(view, event)) {
        drag.overview = true;
        moved = true;
      }
      if (!isWhole(view)) canvas.setPointerCapture(event.pointerId);
    });
    const lift = (event) => {
      touches.delete(event.pointerId);
      drag = null;
    };
    canvas.addEventListener('pointerup', lift);
    canvas.addEventListener('pointercancel', lift);
    canvas.addEventListener('click', (event) => {
      if (moved) return;
      const hit = at(view, event);
      if (!hit) return release();
      pinned = hit;
      if (hit.rank !== undefined && hit.token === undefined && view.name !== 'ring') onRank(hit.rank);
      else onPin();
      draw();
    });
    canvas.addEventListener('dblclick', (event) => {
      const hit = at(view, event);
      // Where every slot is cut for itself it takes the same share of a lane as of the stream.
      const framed = view.name === 'pack' || (view.name === 'lanes' && state.partition === 'per_document');
      const found = framed && hit?.slot !== undefined ? session.slot_window(hit.slot) : undefined;
      if (found) frameOn(view, found[0], found[1]);
    });
    canvas.addEventListener('wheel', (event) => {
      if (!ZOOMED.has(view.name)) return;
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      // Without a modifier an unzoomed view lets the page scroll.
      if (!sideways && !event.ctrlKey && !event.metaKey && !event.altKey && isWhole(view) && event.deltaY > 0) return;
      event.preventDefault();
      const [x] = point(view, event);
      if (sideways) pan(view, ((event.deltaX || event.deltaY) / canvas.clientWidth) * (view.window.to - view.window.from));
      else zoom(view, Math.exp(event.deltaY * 0.0022), x / canvas.clientWidth);
    }, { passive: false });
    canvas.addEventListener('keydown', (event) => key(view, event));
    canvas.addEventListener('blur', () => {
      hover = null;
      draw();
    });
  }

  // Moves the window to the place of the overview under the pointer; false where it is not on it.
  function centre(view, event) {
    const [x, y] = point(view, event);
    const place = session.overview(view.name, x, y, options(view));
    if (place === undefined) return false;
    const span = view.window.to - view.window.from;
    setWindow(view, place - span / 2, place + span / 2);
    return true;
  }

  function isWhole(view) {
    return view.window.from <= 0 && view.window.to >= 1;
  }

  // At most eight tokens fill the view.
  function leastSpan() {
    return Math.min(1, 8 / Math.max(1, session.total_tokens()));
  }

  function setWindow(view, from, to) {
    const least = leastSpan();
    const span = Math.min(1, Math.max(least, to - from));
    const start = Math.min(Math.max(0, from), 1 - span);
    view.window = { from: start, to: start + span };
    draw();
  }

  function zoom(view, factor, place) {
    const { from, to } = view.window;
    const span = Math.min(1, Math.max(leastSpan(), (to - from) * factor));
    // What is under the pointer stays under it.
    const start = from + (to - from - span) * place;
    setWindow(view, start, start + span);
  }

  function pan(view, shift, base = view.window) {
    const span = base.to - base.from;
    const from = Math.min(Math.max(0, base.from + shift), 1 - span);
    setWindow(view, from, from + span);
  }

  function frameOn(view, from, to) {
    const margin = (to - from) * 0.08;
    setWindow(view, from - margin, to + margin);
  }

  function key(view, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const span = view.window.to - view.window.from;
    const zooms = {
      w: () => zoom(view, 0.7, 0.5), s: () => zoom(view, 1.43, 0.5), '+': () => zoom(view, 0.7, 0.5), '-': () => zoom(view, 1.43, 0.5),
      a: () => pan(view, -span / 5), d: () => pan(view, span / 5), f: () => setWindow(view, 0, 1),
    };
    const page = { PageUp: -PAGE, PageDown: PAGE }[event.key];
    if (view.name === 'lanes' && page && session.first_lane(Infinity) > 0) {
      event.preventDefault();
      scroll(page);
      return;
    }
    // Arrows walk from token to token; with Shift they move the window.
    const moves = { ArrowLeft: zooms.a, ArrowRight: zooms.d, ArrowUp: zooms.w, ArrowDown: zooms.s };
    const move = zooms[event.key] ?? (event.shiftKey ? moves[event.key] : undefined);
    if (ZOOMED.has(view.name) && move) {
      event.preventDefault();
      move();
      return;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      if (view.name === 'ranks') {
        const next = clamp((hover ?? pinned)?.rank ?? state.rank, step, session.world());
        hover = session.rank(next);
      } else {
        const from = (hover ?? pinned)?.token;
        // The first step is onto what is seen first.
        const first = from === undefined && !isWhole(view) ? session.hover(view.name, view.name === 'lanes' ? 65 : 1, 24, options(view)) : undefined;
        hover = first ?? session.token(clamp(from ?? -1, step, session.total_tokens()));
        // What is walked to is brought into sight.
        const place = session.place(view.name, hover.token);
        if (!first && (place < view.window.from || place >= view.window.to)) setWindow(view, place - span / 2, place + span / 2);
      }
      draw();
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (!hover) return;
      pinned = hover;
      if (view.name === 'ranks') onRank(hover.rank);
      else onPin();
    }
  }

  function clamp(now, step, end) {
    return Math.min(Math.max(0, now + step), Math.max(0, end - 1));
  }

  function release() {
    if (!pinned && !hover) return;
    pinned = null;
    hover = null;
    draw();
    onPin();
  }

  function menu(view) {
    const place = view.article.querySelector('.view-menu');
    const button = (text, title, run) => {
      const made = document.createElement('button');
      made.type = 'button';
      made.textContent = text;
      made.title = title;
      made.setAttribute('aria-label', `${TITLES[view.name]}: ${title}`);
      made.addEventListener('click', run);
      place.append(made);
      return made;
    };
    if (view.name === 'lanes') {
      scrolls.push(button('↑', 'earlier CP ranks (PageUp)', () => scroll(-PAGE)));
      scrolls.push(button('↓', 'later CP ranks (PageDown)', () => scroll(PAGE)));
    }
    if (ZOOMED.has(view.name)) {
      button('−', 'zoom out (S)', () => zoom(view, 1.6, 0.5));
      button('+', 'zoom in (W)', () => zoom(view, 0.62, 0.5));
      button('fit', 'fit everything (F)', () => setWindow(view, 0, 1));
    }
    button('SVG', 'save as SVG', () => save(new Blob([session.svg(view.name, { ...options(view), width: 1200 })], { type: 'image/svg+xml' }), `${view.name}.svg`));
    button('PNG', 'save as PNG', () => png(view));
  }

  // The SVG, caption included, at two pixels a point.
  function png(view) {
    const svg = session.svg(view.name, { ...options(view), width: 1200 });
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement('canvas');
      canvas.width = image.width * 2;
      canvas.height = image.height * 2;
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, `${view.name}.png`));
    };
    image.onerror = () => toast('The picture could not be made');
    image.src = `data:image/svg+xml;utf8,${encodeURIComponent(svg)}`;
  }

  function save(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `packscope-${name}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function showGroups() {
    write(document.getElementById('ranks-sentence'), session.ranks_sentence(group));
    const shows = `${group} ${state.layout}`;
    if (shows === shownGroups) return;
    shownGroups = shows;
    groups.replaceChildren();
    const title = document.createElement('h3');
    title.textContent = state.rank_sentence ? capital(state.rank_sentence) : `Rank ${state.rank} is not in this world`;
    groups.append(title);
    if (!state.rank_sum) return;
    const sum = document.createElement('p');
    sum.className = 'sum mono';
    sum.textContent = state.rank_sum;
    groups.append(sum);
    const rows = (list) => {
      const body = document.createElement('table');
      for (const item of list) {
        const row = document.createElement('tr');
        const head = document.createElement('th');
        head.scope = 'row';
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = item.short ?? item.name;
        button.title = `${item.name}: colour the ranks by these groups`;
        button.setAttribute('aria-pressed', String(group === item.kind));
        button.addEventListener('click', () => {
          group = group === item.kind ? undefined : item.kind;
          showGroups();
          draw();
        });
        head.append(button);
        const ranks = document.createElement('td');
        ranks.textContent = item.ranks;
        const nodes = document.createElement('td');
        nodes.className = 'nodes';
        const size = item.size > 16 ? `${item.size} ranks` : '';
        nodes.textContent = [size, item.nodes > 1 ? `${item.nodes} nodes` : ''].filter(Boolean).join(', ');
        row.append(head, ranks, nodes);
        body.append(row);
      }
      return body;
    };
    const order = ['tp', 'cp', 'dp', 'dp-cp', 'tp-cp', 'pp', 'ep'];
    const known = order.map((short) => state.groups.find((item) => item.short === short)).filter(Boolean);
    const rest = state.groups.filter((item) => !item.short);
    groups.append(rows(known));
    const shown = state.groups.find((item) => item.kind === group);
    const traffic = document.createElement('p');
    traffic.className = 'traffic';
    traffic.textContent = shown
      ? `${shown.name}: ${shown.size === 1 ? 'one rank, nothing travels' : shown.traffic}. ${shown.nodes > 1 ? `It crosses ${shown.nodes} nodes.` : 'It stays on one node.'}`
      : 'Choose a group to colour the ranks by it and to read what travels over it.';
    groups.append(traffic);
    if (rest.length > 0) {
      const more = document.createElement('details');
      const head = document.createElement('summary');
      head.textContent = `${rest.length} more groups that upstream builds`;
      more.append(head, rows(rest));
      groups.append(more);
    }
  }

  const byId = (id) => document.getElementById(id);
  addEventListener('resize', draw);
  for (const [event, on] of [['beforeprint', true], ['afterprint', false]]) {
    addEventListener(event, () => {
      printing = on;
      drawNow();
    });
  }
  for (const { folded } of views) {
    folded?.addEventListener('toggle', () => {
      drawNow();
      fillTables();
    });
  }

  return {
    draw,
    show(next) {
      state = next;
      version += 1;
      const now = `${state.cp_size} ${state.partition}`;
      // Nothing moves while a person types.
      const still = matchMedia('(prefers-reduced-motion: reduce)').matches || document.activeElement.matches('input, textarea');
      if (shares !== undefined && shares !== now && !still) moving = performance.now();
      shares = now;
      write(byId('pack-sentence'), state.pack_sentence);
      write(byId('lanes-sentence'), state.lanes_sentence);
      write(byId('seq-idx'), state.seq_idx ?? 'is not derived: it takes offsets and total_tokens');
      const short = { pack: state.pack_sentence, lanes: state.lanes_sentence, ranks: session.ranks_sentence(group) };
      for (const { name, canvas } of views) {
        const label = `${TITLES[name]}. ${short[name] ?? ''} Arrow keys move, Enter pins.${ZOOMED.has(name) ? ' W, A, S, D or Shift with arrow keys zoom and pan, F fits.' : ''}`;
        if (canvas.ariaLabel !== label) canvas.ariaLabel = label;
      }
      // What a pin says may have changed with the state.
      if (pinned) pinned = pinned.token !== undefined ? session.token(pinned.token) : session.rank(pinned.rank ?? state.rank);
      showGroups();
      drawNow();
      // Tables follow after a pause: nobody hears every keystroke of them.
      clearTimeout(filling);
      filling = setTimeout(fillTables, 150);
    },
    flag(slots) {
      flagged = slots;
      draw();
    },
    reveal(finding) {
      flagged = finding.slots;
      const pack = views.find((view) => view.name === 'pack');
      const found = finding.slots.length > 0 ? session.slot_window(finding.slots[0]) : undefined;
      if (found && (found[1] - found[0]) / (pack.window.to - pack.window.from) < 0.01) frameOn(pack, found[0], found[1]);
      draw();
    },
    release,
    // What is pinned, for the address.
    pinned() {
      if (!pinned) return '';
      return pinned.token !== undefined ? `.t${pinned.token}` : `.r${pinned.rank}`;
    },
    pin(text) {
      const number = Number(text?.slice(1));
      pinned = !text || !Number.isFinite(number) ? null : text.startsWith('t') ? session.token(number) : session.rank(number);
    },
  };
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
