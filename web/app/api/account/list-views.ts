import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';

/** A list's filters, sort and columns, kept under a name (NV-05). */
export interface ListView {
  id: string;
  /** The section's id. */
  list: string;
  name: string;
  settings: Readonly<Record<string, string>>;
}

/** The views that the signed-in person keeps, of all their lists. */
export const listViewsQuery = queryOptions({ queryKey: ['list-views'], queryFn: readListViews });

async function readListViews(): Promise<readonly ListView[]> {
  const rows = await readStoredViews();
  return rows.map(({ id, list, name, settings }) => ({
    id,
    list,
    name,
    settings: Object.fromEntries(new URLSearchParams(settings)),
  }));
}

interface StoredView {
  id: string;
  list: string;
  name: string;
  settings: string;
}

/** The views as they are kept: for the file of one's own data. */
export async function readStoredViews(): Promise<readonly StoredView[]> {
  const { data } = await callFunction<{ data: readonly StoredView[] }>('list-views', {
    method: 'GET',
    query: { action: 'list' },
  });
  return data;
}

/** Keeps a list as it stands under a name. The view of that name is replaced where it is the one that was seen. */
export async function saveListView(
  { list, name, settings }: Omit<ListView, 'id'>,
  replaces: string | null,
): Promise<void> {
  const text = new URLSearchParams(settings).toString();
  await callFunction('list-views', { body: { action: 'save', list, name, settings: text, replaces } });
  await queryClient.invalidateQueries(listViewsQuery);
}

export async function deleteListView(id: string): Promise<void> {
  await callFunction('list-views', { body: { action: 'delete', view_id: id } });
  await queryClient.invalidateQueries(listViewsQuery);
}
