// Reads a file off the main thread: progress while it comes in, then the text that it means.
import init, { text_of_file } from '../pkg/packscope.js';

addEventListener('message', async ({ data: file }) => {
  try {
    const ready = init();
    const bytes = new Uint8Array(file.size);
    const reader = file.stream().getReader();
    let at = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes.set(value, at);
      at += value.length;
      postMessage({ progress: at / file.size });
    }
    await ready;
    postMessage({ text: text_of_file(bytes) });
  } catch (error) {
    postMessage({ error: error.message });
  }
});
