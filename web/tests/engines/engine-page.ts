import type { Engine } from './engine.ts';

/** Longer than a busy machine takes to draw a section; only what never comes fails. */
const PATIENCE = 30_000;

/** A control as a person names it: the elements that a selector names, and the words that one of them shows or is called by. */
export interface Target {
  readonly selector: string;
  /** « Valider… »: words that begin so; « …Valider… »: words that hold it. */
  readonly words?: string | undefined;
}

export const button = (words: string): Target => ({ selector: 'button, [role=button], [role=menuitem]', words });
export const field = (name: string): Target => ({ selector: `[name="${name}"]` });

/** Page used as a person does, with the engine's own pointer and keys: a press lands on what is drawn on top there. */
export class EnginePage {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async open(url: string): Promise<void> {
    await this.engine.open(url);
  }

  /** Waits until an expression of the page is true, and gives its value. */
  async until(expression: string, what = expression): Promise<unknown> {
    const last = Date.now() + PATIENCE;
    for (;;) {
      // A page that is being left answers nothing.
      const value = await this.engine.run(`return (${expression});`).catch(() => undefined);
      if (value !== undefined && value !== null && value !== false) return value;
      if (Date.now() > last) throw new Error(`Never so in ${this.engine.name}: ${what}\n${await this.words()}`);
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
  }

  /** Waits until the page shows these words. */
  async shows(words: string): Promise<void> {
    await this.until(
      `document.body.innerText.replaceAll(/\\\\s+/gu, ' ').includes(${JSON.stringify(words)})`,
      `shows « ${words} »`,
    );
  }

  /** Waits for a section, by its title where one is given: nothing in it is being fetched. */
  async stands(title?: string): Promise<void> {
    const isIt = title === undefined ? 'true' : `one.innerText.trim() === ${JSON.stringify(title)}`;
    await this.until(
      `[...document.querySelectorAll('main h2')].some((one) => ${isIt}) && document.querySelector('main [aria-busy=true], main .animate-late') === null`,
      `the section ${title ?? ''} stands`,
    );
  }

  /** If an element that the selector names is drawn now. */
  async isShown(target: Target): Promise<boolean> {
    return (await this.engine.run(`return ${found(target)} !== undefined;`)) === true;
  }

  /** Presses where the control stands. @throws where something else stands over it. */
  async press(target: Target): Promise<void> {
    const [x, y] = (await this.until(placeOf(target), `${target.words ?? target.selector} can be pressed`)) as number[];
    await this.engine.act([
      {
        type: 'pointer',
        id: 'mouse',
        parameters: { pointerType: 'mouse' },
        actions: [
          { type: 'pointerMove', x, y, origin: 'viewport' },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      },
    ]);
  }

  /** Presses a field and types into it. */
  async type(target: Target, text: string): Promise<void> {
    await this.press(target);
    await this.keys(...text);
  }

  async keys(...keys: readonly string[]): Promise<void> {
    const actions = keys.flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.engine.act([{ type: 'key', id: 'keyboard', actions }]);
  }

  async words(): Promise<string> {
    return String(await this.engine.run('return location.href + "\\n" + document.body.innerText.slice(0, 1500);'));
  }
}

/** In the page: the first element that is so called, is shown and can be used. */
function found({ selector, words }: Target): string {
  return `(() => {
    const words = ${JSON.stringify(words ?? null)};
    const plain = (text) => (text ?? '').replaceAll(/\\s+/gu, ' ').trim();
    const part = words?.replaceAll('…', '') ?? '';
    const says = (name) => words.startsWith('…') ? name.includes(part) : words.endsWith('…') ? name.startsWith(part) : name === words;
    return [...document.querySelectorAll(${JSON.stringify(selector)})].find((one) =>
      one.getClientRects().length > 0 && !one.disabled &&
      (words === null || [one.innerText, one.getAttribute('aria-label')].some((name) => says(plain(name)))));
  })()`;
}

/** In the page: its middle, once it is brought into sight, stands still and is itself on top; false until then. */
function placeOf(target: Target): string {
  return `await (async () => {
    const element = ${found(target)};
    if (!element) return false;
    element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    const before = element.getClientRects()[0];
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const { left, top, width, height } = element.getClientRects()[0] ?? {};
    if (left !== before.left || top !== before.top) return false;
    // A sheet that was asked to slide in may not have begun to move.
    const isMoving = ({ playState, effect }) => playState === 'running' && effect?.target?.contains(element);
    if (document.getAnimations().some(isMoving)) return false;
    const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)];
    return element.contains(document.elementFromPoint(x, y)) ? [x, y] : false;
  })()`;
}
