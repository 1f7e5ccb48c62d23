import type { ExportedListName, ExportFormat } from '@parrain/domain/exports';
import { apiErrorFrom, unreachableError } from '../transport/api-error.ts';
import { supabase } from '../transport/client.ts';
import { expireSession } from '../transport/session.ts';

export interface ListExport {
  list: ExportedListName;
  /** The query of the list on screen: `Page.query`. */
  query: string;
  format: ExportFormat;
  /** Told how much has come, from 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** A query that is longer, of many selected rows, goes as a form: proxies cut long addresses. */
const addressMax = 4000;

/** EX-01: the whole list as a file. Throws an ApiError where it was refused, or cut half way: then there is no file. */
export function exportList({ list, query, ...download }: ListExport): Promise<File> {
  const file = `${list}.${download.format}`;
  return query.length < addressMax
    ? downloadExport(`${file}?${query}`, download)
    : downloadExport(file, download, new URLSearchParams(query));
}

export type Download = Pick<ListExport, 'onProgress' | 'signal'>;

/** A file of the exports' door by its address there. Throws an ApiError where it was refused, or cut half way. */
export async function downloadExport(
  file: string,
  { onProgress, signal }: Download,
  form?: URLSearchParams,
): Promise<File> {
  const reply = await ask(`/exports/v1/${file}`, signal, form);
  if (!reply.ok || reply.body === null) {
    const failure = apiErrorFrom(reply.status, await reply.text());
    if (failure.status === 401) await expireSession();
    throw failure;
  }
  const expected = reply.headers.get('x-estimated-length');
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for (const reader = reply.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      length += value.length;
      onProgress(shareOf(length, expected));
    }
  } catch (error) {
    throw signal.aborted ? error : unreachableError();
  }
  return new File(parts, nameIn(reply.headers.get('content-disposition')) ?? file.split('?')[0] ?? file, {
    type: reply.headers.get('content-type') ?? '',
  });
}

/** Reads an address of the exports' door as the person who is signed in. */
export async function ask(address: string, signal: AbortSignal, form?: URLSearchParams): Promise<Response> {
  try {
    const client = await supabase();
    return await client.fetch(address, { signal, ...(form === undefined ? {} : { method: 'POST', body: form }) });
  } catch (error) {
    throw signal.aborted ? error : unreachableError();
  }
}

/** The length is a guess: only the end of the file is the whole. */
function shareOf(length: number, expected: string | null): number {
  const whole = Number.parseInt(expected ?? '', 10);
  return whole > 0 ? Math.min(0.99, length / whole) : 0;
}

function nameIn(disposition: string | null): string | undefined {
  const [, encoded] = /filename\*=UTF-8''(\S+)/u.exec(disposition ?? '') ?? [];
  return encoded === undefined ? undefined : decodeURIComponent(encoded);
}
