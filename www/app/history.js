// The address holds the whole state; back and forward undo and redo.

const PAUSE = 500;
// Browsers take addresses up to about two million letters.
const LONGEST = 1_900_000;
// What an entry of the history may hold beside its address, UTF-16 units.
const LARGEST = 4_000_000;

// The browser's own deflate works beside the page, and weighs nothing.
async function fold(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let letters = '';
  for (let at = 0; at < bytes.length; at += 0x8000) letters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// `keep` gives the state as JSON, `pinned` what rides behind a dot, which a folded state never has.
export function createHistory({ keep, pinned, restore }) {
  let timer;
  let first;
  let last;
  let told = Promise.resolve();

  // A new entry stands at once, with its state beside the address; the address follows when it is
  // folded, which the promise tells.
  function push() {
    clearTimeout(timer);
    const [state, pin] = [keep(), pinned()];
    if (state + pin === last || state.length > LARGEST) return told;
    last = state + pin;
    window.history.pushState({ state, pin }, '');
    told = fold(state).then((folded) => {
      const address = `#${folded}${pin}`;
      const now = window.history.state;
      if (now?.state === state && now.pin === pin && address.length <= LONGEST) window.history.replaceState(now, '', address);
    });
    return told;
  }

  function take(hash) {
    const [kept, pin] = hash.replace(/^#/, '').split('.');
    return Boolean(kept) && restore(kept, pin);
  }

  addEventListener('popstate', ({ state: entry }) => {
    clearTimeout(timer);
    if (entry?.state) restore(entry.state, entry.pin.slice(1));
    else if (!take(location.hash) && first) restore(first);
    last = keep() + pinned();
  });

  return {
    push,
    // After a pause in typing: one step back undoes what was typed, not a letter of it.
    soon() {
      clearTimeout(timer);
      timer = setTimeout(push, PAUSE);
    },
    // Takes up the address; false where it holds no state.
    start() {
      first = keep();
      const taken = location.hash.length > 1 && take(location.hash);
      last = keep() + pinned();
      return taken;
    },
  };
}
