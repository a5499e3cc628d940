// The address holds the whole state; back and forward undo and redo.

const PAUSE = 500;
// Browsers take addresses up to about two million letters.
const LONGEST = 1_900_000;

export function createHistory({ keep, restore }) {
  let timer;
  let last;

  function push() {
    clearTimeout(timer);
    const next = keep();
    if (next === last || next.length > LONGEST) return;
    last = next;
    window.history.pushState(null, '', `#${next}`);
  }

  // A pin rides behind a dot, which the folded state never has.
  function take(hash) {
    const [kept, pin] = hash.replace(/^#/, '').split('.');
    if (!kept || !restore(kept, pin)) return false;
    last = hash.replace(/^#/, '');
    return true;
  }

  addEventListener('popstate', () => {
    clearTimeout(timer);
    if (!take(location.hash) && first) take(`#${first}`);
  });
  let first;

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
      last = first;
      return location.hash.length > 1 && take(location.hash);
    },
  };
}
