import { Worker } from 'node:worker_threads';

import type { PaperDocument, PaperLook } from './tagged-pdf.ts';

export type PdfThread = {
  /** The bytes of a paper. Papers are made one after the other, away from the requests' thread. */
  readonly make: (paper: PaperDocument, look?: PaperLook) => Promise<Buffer>;
  readonly close: () => Promise<void>;
};

/** Reading the fonts costs a fifth of a second: the thread stays for those who come soon after. */
const IDLE_MS = 30_000;

type Waiting = { readonly resolve: (bytes: Buffer) => void; readonly reject: (error: unknown) => void };

/** One thread that lays out PDFs, started by the first of them. */
export function createPdfThread(): PdfThread {
  const waiting: Waiting[] = [];
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  const stop = async (): Promise<void> => {
    clearTimeout(idle);
    const stopped = worker;
    worker = undefined;
    await stopped?.terminate();
  };
  const started = (): Worker => {
    const thread = new Worker(new URL('pdf-worker.ts', import.meta.url));
    thread.unref();
    thread.on('message', (answer: { readonly bytes: Uint8Array } | { readonly error: string }) => {
      const next = waiting.shift();
      if ('error' in answer) next?.reject(new Error(answer.error));
      else next?.resolve(Buffer.from(answer.bytes));
      if (waiting.length === 0) idle = setTimeout(() => void stop(), IDLE_MS).unref();
    });
    thread.once('exit', () => {
      if (worker === thread) worker = undefined;
      for (const { reject } of waiting.splice(0)) reject(new Error('The thread of PDFs ended'));
    });
    thread.once('error', (error) => {
      for (const { reject } of waiting.splice(0)) reject(error);
    });
    return thread;
  };
  return {
    make(paper, look) {
      clearTimeout(idle);
      worker ??= started();
      const answer = new Promise<Buffer>((resolve, reject) => waiting.push({ resolve, reject }));
      worker.postMessage({ paper, look: look ?? null }, []);
      return answer;
    },
    close: stop,
  };
}
