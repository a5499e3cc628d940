import init, { Session, type PageFinding, type Scenario } from 'packscope';
import 'packscope/view';

// The core without the element: what is wrong with these offsets?
await init();
const session = new Session();
session.set_text('cu_seqlens_q = [5, 2, 4]\ntotal_tokens = 11');
const findings: PageFinding[] = session.state().findings;
document.querySelector('#findings')!.textContent = findings.map(({ code, message }) => `${code}: ${message}`).join('\n');

// The element: follow what is edited in it.
const view = document.querySelector('packscope-view');
view?.addEventListener('change', (event) => {
  const scenario: Scenario = event.detail;
  console.log(scenario.topology?.context_parallel_size, scenario.params.cu_seqlens_q);
});
