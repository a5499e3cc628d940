// What is wrong, errors first, each one click from its place and from its rule.

const BADGES = { error: '◆', warning: '▲', info: '●' };

export function createFindings({ onFix, onShow, onLight }) {
  const list = document.getElementById('findings');
  const counts = document.getElementById('counts');
  // The rows of the findings, by what they say.
  let kept = new Map();

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function item(finding, index, first) {
    const row = element('li', `finding${first ? ' first' : ''}`);
    row.dataset.code = finding.code;
    const top = element('div', 'top');
    const badge = element('span', `badge ${finding.severity}`, BADGES[finding.severity]);
    badge.setAttribute('aria-label', finding.severity);
    badge.setAttribute('role', 'img');
    const message = element('button', 'message', `${finding.message}.`);
    message.type = 'button';
    message.title = 'Show the place';
    message.addEventListener('click', () => onShow(finding));
    const code = element('a', 'code', finding.code);
    code.href = `rules/${finding.code}.html`;
    code.title = `${finding.name}: the page of this rule`;
    top.append(badge, message, code);
    row.append(top);
    if (finding.severity !== 'info') {
      const body = element('div', 'body');
      if (first) body.append(element('p', 'error', 'Fix this first.'));
      body.append(element('p', '', finding.run), element('p', '', finding.advice));
      row.append(body);
    }
    if (finding.fix) {
      const fix = element('div', 'body fix');
      const button = element('button', '', `Fix: ${finding.fix}`);
      button.type = 'button';
      const change = element('pre', '', finding.change.join('\n'));
      change.hidden = true;
      const show = () => { change.hidden = false; };
      const hide = () => { change.hidden = true; };
      button.setAttribute('aria-description', finding.change.join('; '));
      button.addEventListener('pointerenter', show);
      button.addEventListener('focus', show);
      button.addEventListener('pointerleave', hide);
      button.addEventListener('blur', hide);
      button.addEventListener('click', () => onFix(index));
      fix.append(button, change);
      row.append(fix);
    }
    row.addEventListener('pointerenter', () => onLight(finding.slots));
    row.addEventListener('pointerleave', () => onLight([]));
    return row;
  }

  return {
    show(state) {
      // What stays is left as it is, with what is focused and pointed at.
      const errors = state.findings.filter((finding) => finding.severity === 'error');
      const several = errors.length > 1;
      const known = kept;
      kept = new Map(state.findings.map((finding, index) => {
        const first = several && finding === errors[0];
        const key = JSON.stringify([index, first, finding]);
        return [key, known.get(key) ?? item(finding, index, first)];
      }));
      const rows = [...kept.values()];
      if (rows.length === 0) rows.push(element('li', 'none', 'Nothing to report: the rules find no fault.'));
      for (const [index, row] of rows.entries()) {
        if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
      }
      while (list.children.length > rows.length) list.lastChild.remove();
      counts.replaceChildren(...Object.entries(BADGES)
        .map(([severity, badge]) => [severity, badge, state.findings.filter((f) => f.severity === severity).length])
        .filter(([, , count]) => count > 0)
        .map(([severity, badge, count]) => {
          const shown = element('span', severity, `${badge} ${count}`);
          shown.setAttribute('aria-label', `${count} ${severity}`);
          shown.setAttribute('role', 'img');
          return shown;
        }));
    },
  };
}
