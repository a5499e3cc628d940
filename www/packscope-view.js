// <packscope-view>: a pack, its lanes and its ranks in any page. All elements of a page share one
// WebAssembly instance; styles go neither in nor out. Before it is upgraded, and where scripts do
// not run, its own content shows.
//
//   <packscope-view cu-seqlens="0 5 7 11" total-tokens="16" tp="2" cp="2">3 sequences in 16 tokens</packscope-view>
//
// Attributes: cu-seqlens, cu-seqlens-padded, total-tokens, tp, cp, pp, world-size, views (of pack
// lanes ranks flow axes matrix ring), src (a Scenario), readonly, theme (light, dark; without one it follows the
// text around it). Event: change, with the Scenario in detail.

let loading;
// A plain path, so that bundlers find it.
const load = () => (loading ??= import('./pkg/packscope.js').then(async (module) => {
  await module.default();
  return module;
}));

const STYLE = `
  :host { display: block; font: 13px/1.45 system-ui, sans-serif; color: #1c1f24; background: #fff; border: 1px solid #d9dce2; border-radius: 10px; padding: 10px 14px; margin: 1em 0; }
  :host([hidden]) { display: none; }
  .dark { color: #e7e9ed; } :host(.dark) { color: #e7e9ed; background: #16181c; border-color: #2c3038; }
  form { display: flex; flex-wrap: wrap; gap: 6px 12px; margin: 0 0 8px; align-items: center; }
  label { display: inline-flex; gap: 5px; align-items: center; color: inherit; }
  input { font: inherit; color: inherit; background: none; border: 1px solid #8b929e; border-radius: 5px; padding: 2px 6px; }
  input[name="offsets"] { font-family: ui-monospace, monospace; flex: 1; min-width: 12em; }
  input[type="number"] { width: 4em; }
  canvas { display: block; width: 100%; margin: 4px 0; touch-action: pan-y; }
  p { margin: 4px 0 0; min-height: 1.45em; }
  .fault { color: #b42525; } :host(.dark) .fault { color: #ff8a80; }
  ul { margin: 6px 0 0; padding-left: 18px; }`;

// Light text stands on a dark page, whatever made it dark.
function isLight(color) {
  const canvas = document.createElement('canvas').getContext('2d');
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 127;
}

class PackscopeView extends HTMLElement {
  static observedAttributes = ['cu-seqlens', 'cu-seqlens-padded', 'total-tokens', 'tp', 'cp', 'pp', 'world-size', 'views', 'src', 'readonly', 'theme'];

  #session;
  #lit = {};
  #canvases = [];
  #line;
  #findings;
  #form;
  #seen;
  #drawing = 0;
  #shown;
  #unwatch;

  async connectedCallback() {
    const { Session } = await load();
    if (!this.isConnected || this.#session) return;
    this.#session = new Session();
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const style = document.createElement('style');
    style.textContent = STYLE;
    this.#line = document.createElement('p');
    this.#line.setAttribute('aria-live', 'polite');
    this.#findings = document.createElement('ul');
    this.#form = this.#makeForm();
    this.#canvases = this.#views().map((name) => this.#makeCanvas(name));
    root.replaceChildren(style, this.#form, ...this.#canvases, this.#line, this.#findings);
    this.#seen = new ResizeObserver(() => this.#draw());
    this.#seen.observe(this);
    this.#watch();
    await this.#read();
    this.dataset.ready = '';
  }

  disconnectedCallback() {
    this.#seen?.disconnect();
    this.#unwatch?.();
    this.#session?.free();
    this.#session = undefined;
  }

  attributeChangedCallback(name) {
    if (!this.#session) return;
    if (name === 'views') {
      for (const canvas of this.#canvases) canvas.remove();
      this.#canvases = this.#views().map((view) => this.#makeCanvas(view));
      this.#line.before(...this.#canvases);
    }
    this.#read();
  }

  // The Scenario as it is shown.
  get scenario() {
    return this.#session ? JSON.parse(this.#session.scenario_json()) : undefined;
  }

  #views() {
    return (this.getAttribute('views') ?? 'pack lanes ranks').split(/[\s,]+/).filter(Boolean);
  }

  #theme() {
    return this.getAttribute('theme') ?? this.#shown;
  }

  // Pages switch themes by the system or by an attribute, some with a transition.
  #watch() {
    const look = () => {
      this.#shown = isLight(getComputedStyle(this.parentElement ?? document.body).color) ? 'dark' : 'light';
      this.#draw();
    };
    const later = () => {
      look();
      setTimeout(look, 400);
    };
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', later);
    const attributes = new MutationObserver(later);
    for (const element of [document.documentElement, document.body]) attributes.observe(element, { attributes: true });
    this.#unwatch = () => {
      system.removeEventListener('change', later);
      attributes.disconnect();
    };
    look();
  }

  async #read() {
    const src = this.getAttribute('src');
    if (src) {
      try {
        const answer = await fetch(new URL(src, document.baseURI));
        if (!answer.ok) throw new Error(`${src}: ${answer.status}`);
        this.#session.set_text(await answer.text());
      } catch (error) {
        this.#line.textContent = error.message;
        return;
      }
    } else if (this.hasAttribute('cu-seqlens')) {
      const list = (name) => `[${this.getAttribute(name).replace(/[[\]]/g, '').trim().split(/[\s,]+/).join(', ')}]`;
      const lines = [`cu_seqlens_q = ${list('cu-seqlens')}`];
      if (this.hasAttribute('cu-seqlens-padded')) lines.push(`cu_seqlens_q_padded = ${list('cu-seqlens-padded')}`);
      if (this.hasAttribute('total-tokens')) lines.push(`total_tokens = ${this.getAttribute('total-tokens')}`);
      this.#session.set_text(lines.join('\n'));
    }
    const size = (attribute) => Number(this.getAttribute(attribute) ?? 1);
    for (const [attribute, field] of [['tp', 'tensor_model'], ['cp', 'context'], ['pp', 'pipeline_model']]) {
      if (this.hasAttribute(attribute) || !src) this.#session.set_number(`topology.${field}_parallel_size`, size(attribute));
    }
    const world = this.getAttribute('world-size');
    if (world || !src) this.#session.set_number('topology.world_size', Number(world ?? size('tp') * size('cp') * size('pp')));
    this.#show();
  }

  #makeForm() {
    const form = document.createElement('form');
    form.addEventListener('submit', (event) => event.preventDefault());
    const field = (label, name, type, attribute) => {
      const input = document.createElement('input');
      input.name = name;
      input.type = type;
      if (type === 'number') input.min = 1;
      input.addEventListener('input', () => {
        if (input.value !== '') this.setAttribute(attribute, input.value);
        this.dispatchEvent(new CustomEvent('change', { detail: this.scenario, bubbles: true }));
      });
      const wrap = document.createElement('label');
      wrap.append(label, input);
      form.append(wrap);
    };
    field('cu_seqlens', 'offsets', 'text', 'cu-seqlens');
    field('TP', 'tp', 'number', 'tp');
    field('CP', 'cp', 'number', 'cp');
    return form;
  }

  #makeCanvas(name) {
    const canvas = document.createElement('canvas');
    canvas.dataset.view = name;
    canvas.setAttribute('role', 'img');
    canvas.addEventListener('pointermove', (event) => {
      const box = canvas.getBoundingClientRect();
      const hit = this.#session.hover(name, event.clientX - box.left, event.clientY - box.top, this.#options(canvas));
      this.#lit = hit ?? {};
      this.#line.textContent = hit?.sentence ?? this.#session.state().caption;
      this.#draw();
    });
    canvas.addEventListener('pointerleave', () => {
      this.#lit = {};
      this.#show();
    });
    return canvas;
  }

  #options(canvas) {
    const { token = null, slot = null, rank = null, cp_rank = null } = this.#lit;
    return { width: canvas.clientWidth || this.clientWidth, from: 0, to: 1, theme: this.#theme(), token, slot, rank, cp_rank };
  }

  #show() {
    const state = this.#session.state();
    this.#form.hidden = this.hasAttribute('readonly') || this.hasAttribute('src');
    this.#form.style.display = this.#form.hidden ? 'none' : '';
    const set = (name, value) => {
      const input = this.#form.elements[name];
      if (this.shadowRoot.activeElement !== input) input.value = value;
    };
    set('offsets', this.getAttribute('cu-seqlens') ?? '');
    set('tp', this.getAttribute('tp') ?? 1);
    set('cp', this.getAttribute('cp') ?? 1);
    this.#line.classList.toggle('fault', Boolean(state.error));
    this.#line.textContent = state.error?.message ?? state.caption;
    this.#findings.replaceChildren(...state.findings.filter((finding) => finding.severity !== 'info').map((finding) => {
      const item = document.createElement('li');
      item.textContent = `${finding.code}: ${finding.message}.`;
      return item;
    }));
    for (const canvas of this.#canvases) canvas.setAttribute('aria-label', `${canvas.dataset.view}: ${state.pack_sentence}`);
    this.#draw();
  }

  #draw() {
    if (this.#drawing) return;
    this.#drawing = requestAnimationFrame(() => {
      this.#drawing = 0;
      if (!this.#session) return;
      this.classList.toggle('dark', this.#theme() === 'dark');
      for (const canvas of this.#canvases) {
        if (canvas.clientWidth === 0) continue;
        canvas.style.height = `${this.#session.draw(canvas.dataset.view, canvas, devicePixelRatio || 1, this.#options(canvas))}px`;
      }
    });
  }
}

customElements.define('packscope-view', PackscopeView);
