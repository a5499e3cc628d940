// Files, dropped or picked: read in a worker, with progress and a way to stop.
import { toast } from './shell.js';

const LARGEST = 256 * 1024 * 1024;

export function createFiles({ onText }) {
  const picker = document.getElementById('file');
  const bar = document.getElementById('progress');
  const meter = bar.querySelector('progress');
  let worker;

  function stop() {
    worker?.terminate();
    worker = undefined;
    bar.hidden = true;
  }

  function read(file) {
    stop();
    if (file.size > LARGEST) {
      toast(`${file.name} has ${Math.round(file.size / 1048576)} MB; files up to 256 MB are read`);
      return;
    }
    bar.hidden = false;
    meter.value = 0;
    bar.querySelector('span').textContent = file.name;
    worker = new Worker(new URL('./file-worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }) => {
      if (data.progress !== undefined) {
        meter.value = data.progress;
        return;
      }
      stop();
      if (data.error) toast(`${file.name}: ${data.error}`);
      else onText(data.text);
    });
    worker.addEventListener('error', () => {
      stop();
      toast(`${file.name} could not be read`);
    });
    worker.postMessage(file);
  }

  picker.addEventListener('change', () => {
    if (picker.files[0]) read(picker.files[0]);
    picker.value = '';
  });
  document.getElementById('open-file').addEventListener('click', () => picker.click());
  bar.querySelector('button').addEventListener('click', stop);
  addEventListener('dragover', (event) => {
    if ([...event.dataTransfer.types].includes('Files')) {
      event.preventDefault();
      document.body.classList.add('dropping');
    }
  });
  addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) document.body.classList.remove('dropping');
  });
  addEventListener('drop', (event) => {
    document.body.classList.remove('dropping');
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    read(file);
  });
}
