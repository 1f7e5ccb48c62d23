/** The least that a browser's own driver is asked for; the rest is the same in every engine (`engine-page.ts`). */
export interface Engine {
  readonly name: 'Firefox' | 'WebKit';
  open: (url: string) => Promise<void>;
  /** Runs the body of a function in the page and gives what it returns, once that is there. */
  run: (body: string) => Promise<unknown>;
  /** Input as the standard of WebDriver writes it, which WebDriver BiDi takes as well. */
  act: (sources: readonly object[]) => Promise<void>;
  resize: (width: number, height: number) => Promise<void>;
  screenshot: () => Promise<Buffer>;
  /** The page as it is printed, as a PDF; undefined where the engine's driver cannot. */
  print?: () => Promise<Buffer>;
  close: () => Promise<void>;
}
