import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import { downloadExport, type Download } from './export-list.ts';

/** The company's whole data as a file (EX-03). */
export type Archive = {
  id: string;
  askedAt: string;
  /** Null where the person is gone. */
  askedBy: string | null;
} & (
  | { status: 'making' }
  | { status: 'failed' }
  | { status: 'ready'; size: number; rowCount: number; expiresAt: string }
);

/** Polling period while an archive is being made. */
const MAKING_POLL_MS = 2000;

/** The newest first: one that is being made or failed, and the last that is ready. */
export const archivesQuery = queryOptions({
  queryKey: ['archives'],
  queryFn: async (): Promise<readonly Archive[]> => {
    const { data } = await callFunction<{ data: readonly Row[] }>('company-archive', {
      method: 'GET',
      query: { action: 'get' },
    });
    return data.map(toDomain);
  },
  refetchInterval: ({ state }) => state.data?.some(({ status }) => status === 'making') === true && MAKING_POLL_MS,
});

/** Has an archive made, unless one is being made. */
export async function askArchive(): Promise<void> {
  await callFunction('company-archive', { body: { action: 'ask' } });
  await queryClient.invalidateQueries({ queryKey: archivesQuery.queryKey });
}

export function downloadArchive(id: string, download: Download): Promise<File> {
  return downloadExport(`archive/${id}.zip`, download);
}

interface Row {
  id: string;
  asked_at: string;
  asked_by: string | null;
  status: Archive['status'];
  size: number | null;
  row_count: number | null;
  expires_at: string | null;
}

function toDomain({ id, asked_at: askedAt, asked_by: askedBy, ...row }: Row): Archive {
  const { status, size, row_count: rowCount, expires_at: expiresAt } = row;
  if (status !== 'ready') return { id, askedAt, askedBy, status };
  if (size === null || rowCount === null || expiresAt === null) throw new Error('An archive is ready without its size');
  return { id, askedAt, askedBy, status, size, rowCount, expiresAt };
}
