import type { Scenario } from './pkg/packscope.js';

/** The views that the element can show. */
export type { ViewName as PackscopeViewName } from './pkg/packscope.js';

/** Sent after an edit in the element: the Scenario as it is now. */
export type PackscopeChangeEvent = CustomEvent<Scenario>;

/**
 * A pack, its lanes and its ranks. Attributes: `cu-seqlens`, `cu-seqlens-padded`, `total-tokens`, `tp`, `cp`, `pp`,
 * `world-size`, `views` (names with spaces between them), `src` (the address of a Scenario), `readonly`, `theme`
 * (`light`, `dark`). Its own content shows before it is upgraded.
 */
export interface PackscopeViewElement extends HTMLElement {
  /** The Scenario as it is shown; undefined until the element is ready. */
  readonly scenario: Scenario | undefined;
  addEventListener(type: 'change', listener: (this: PackscopeViewElement, event: PackscopeChangeEvent) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener<K extends keyof HTMLElementEventMap>(type: K, listener: (this: HTMLElement, event: HTMLElementEventMap[K]) => void, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'packscope-view': PackscopeViewElement;
  }
}
