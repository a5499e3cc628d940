// The sizes as steppers in Megatron's order, and the settings beside them.

import { write } from './shell.js';

export function createSizes({ set }) {
  const form = document.getElementById('sizes');
  const dp = document.getElementById('dp');
  form.addEventListener('submit', (event) => event.preventDefault());
  const fields = new Map();
  for (const label of form.querySelectorAll('.stepper')) {
    const { field } = label.dataset;
    const [down, up] = label.querySelectorAll('button');
    const input = label.querySelector('input');
    for (const button of [down, up]) button.addEventListener('click', () => set(field, Number(button.dataset.value)));
    input.addEventListener('input', () => {
      if (input.value !== '' && Number.isInteger(input.valueAsNumber)) set(field, input.valueAsNumber);
    });
    input.addEventListener('keydown', (event) => {
      const button = { ArrowUp: up, ArrowDown: down }[event.key];
      if (!button) return;
      event.preventDefault();
      if (!button.disabled) button.click();
    });
    fields.set(field, { input, down, up, name: label.querySelector('.term').textContent });
  }

  const setting = (id, field, event, value) => {
    const element = document.getElementById(id);
    element.addEventListener(event, () => set(field, value(element)));
    return element;
  };
  const order = setting('order', 'topology.order', 'input', (element) => element.value);
  const partition = setting('partition', 'partition', 'change', (element) => element.value);
  const parallel = setting('sequence_parallel', 'sequence_parallel', 'change', (element) => element.checked);
  const profile = setting('profile', 'profile', 'change', (element) => element.value);

  return {
    show(state) {
      for (const size of state.sizes) {
        const { input, down, up, name } = fields.get(size.field);
        // What is being typed is left alone.
        if (document.activeElement !== input || input.valueAsNumber !== size.value) input.value = size.value;
        for (const [button, value, word] of [[down, size.down, 'smaller'], [up, size.up, 'larger']]) {
          button.disabled = value === undefined || value === null;
          button.dataset.value = value ?? '';
          const why = button.disabled ? `no ${word} ${name} divides the rest` : `${name} ${value}`;
          if (button.title !== why) button.title = button.ariaLabel = why;
        }
      }
      const [sum, value] = (state.dp ?? '').split(' = ');
      const rest = value ? ` = ${sum}` : '';
      if (write(dp, `${value ?? '–'}${rest}`)) {
        const bold = document.createElement('b');
        bold.textContent = value ?? '–';
        dp.replaceChildren(bold, rest);
      }
      if (document.activeElement !== order) order.value = state.order;
      partition.value = state.partition;
      parallel.checked = state.sequence_parallel;
      profile.value = state.profile;
    },
  };
}
