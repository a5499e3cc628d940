// The sizes as steppers in Megatron's order, and the settings beside them.

const NAMES = [
  ['topology.tensor_model_parallel_size', 'TP', 'tp', 'Tensor parallelism: ranks that share every layer', 'tensor-parallelism'],
  ['topology.context_parallel_size', 'CP', 'cp', 'Context parallelism: ranks that share every sequence', 'context-parallelism'],
  ['topology.expert_model_parallel_size', 'EP', 'ep', 'Expert parallelism: ranks that share the experts', 'expert-parallelism'],
  ['topology.pipeline_model_parallel_size', 'PP', 'pp', 'Pipeline parallelism: ranks that share the layers', 'pipeline-parallelism'],
  ['topology.world_size', 'World', 'world', 'All ranks of the job', 'world'],
];

// A word that the glossary explains.
function term(text, word) {
  const link = document.createElement('a');
  link.className = 'term';
  link.href = `reference/glossary.html#${word}`;
  link.textContent = text;
  return link;
}

export function createSizes({ set }) {
  const form = document.getElementById('sizes');
  const fields = new Map();
  const dp = document.createElement('span');
  dp.className = 'derived';
  dp.title = 'Data parallelism follows from the others: world / (tp·cp·pp)';
  form.addEventListener('submit', (event) => event.preventDefault());
  for (const [field, name, short, title, word] of NAMES) {
    const label = document.createElement('label');
    label.className = 'stepper';
    label.dataset.size = short;
    label.title = title;
    const step = (sign) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = sign;
      button.addEventListener('click', () => set(field, Number(button.dataset.value)));
      return button;
    };
    const [down, up] = [step('−'), step('+')];
    const input = document.createElement('input');
    input.type = 'number';
    input.inputMode = 'numeric';
    input.setAttribute('aria-label', `${name}: ${title}`);
    input.addEventListener('input', () => {
      if (input.value !== '' && Number.isInteger(input.valueAsNumber)) set(field, input.valueAsNumber);
    });
    input.addEventListener('keydown', (event) => {
      const button = { ArrowUp: up, ArrowDown: down }[event.key];
      if (!button) return;
      event.preventDefault();
      if (!button.disabled) button.click();
    });
    const box = document.createElement('span');
    box.className = 'box';
    box.append(down, input, up);
    label.append(term(name, word), box);
    if (short === 'pp') form.append(dp);
    form.append(label);
    fields.set(field, { input, down, up, name });
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
          button.title = why;
          button.setAttribute('aria-label', why);
        }
      }
      dp.replaceChildren();
      if (state.dp) {
        const [sum, value] = state.dp.split(' = ');
        const bold = document.createElement('b');
        bold.textContent = value;
        dp.append(term('DP', 'data-parallelism'), ' ', bold, ` = ${sum}`);
      } else {
        dp.append('DP –');
      }
      if (document.activeElement !== order) order.value = state.order;
      partition.value = state.partition;
      parallel.checked = state.sequence_parallel;
      profile.value = state.profile;
    },
  };
}
