import { parentPort } from 'node:worker_threads';

import { taggedPdf } from './tagged-pdf.ts';
import type { PaperDocument, PaperLook } from './tagged-pdf.ts';

// The thread of `pdf-thread.ts`: a paper in, its bytes out, in the order in which they came.

let last: Promise<void> = Promise.resolve();

parentPort?.on('message', ({ paper, look }: { readonly paper: PaperDocument; readonly look: PaperLook | null }) => {
  last = last.then(async () => {
    try {
      parentPort?.postMessage({ bytes: await taggedPdf(paper, look) }, []);
    } catch (error) {
      parentPort?.postMessage({ error: String(error) }, []);
    }
  });
});
