import type { BatchRelease } from '@parrain/domain/forms/payment-batch';
import { batchFile, releaseBatch } from '#api/payments/batch-acts';
import { messageOf } from '#api/transport/api-error';
import { saveFile } from '../../parts/save-file.ts';

/** The words of a toast: the file's name; or why it was made and not downloaded. */
export interface MadeFile {
  words: string;
  detail: string;
  failed?: true;
}

/** PO-01: makes a draft's bank file, for good, and saves it; it is kept whatever becomes of the download. */
export async function releaseWithFile(release: BatchRelease): Promise<MadeFile> {
  await releaseBatch(release);
  try {
    const file = await batchFile(release.batchId);
    saveFile(file);
    return { words: 'Fichier téléchargé', detail: file.name };
  } catch (error) {
    return { words: 'Le fichier est fait, et n’a pas pu être téléchargé', detail: messageOf(error, ''), failed: true };
  }
}
