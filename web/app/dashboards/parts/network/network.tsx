import type { SaleAudience } from '@parrain/domain/sale';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { ChevronsDown, ChevronsUp, Download, FileImage, FileText, Image as Picture, Printer } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { NavigationType, useNavigationType } from 'react-router';
import {
  networkBranchQuery,
  networkSearchQuery,
  type NetworkBranch,
  type NetworkFind,
  type NetworkNode,
} from '#api/people/network';
import { messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Combobox } from '#ui/combobox';
import { ErrorState } from '#ui/error-state';
import { Menu } from '#ui/menu';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { saveFile } from '../save-file.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { NetworkPaper } from './network-paper.tsx';
import { NetworkTree } from './network-tree.tsx';
import { flatten, openBranches, pathTo, rootKey, type NetworkRoot, type TreeRow } from './tree-rows.ts';

export interface NetworkProps {
  root: NetworkRoot;
  /** Audience whose words are used for a referral's status. */
  audience: SaleAudience;
  /** Its title and what stands there with it. */
  head: ReactNode;
  /** Place where the panel of each kind of row opens: a section, and the setting that names the row there. */
  panels: Readonly<Partial<Record<NetworkNode['kind'], readonly [section: string, record: string]>>>;
  place: Pick<SectionProps, 'openSection' | 'hrefOf'>;
}

const startOpen: ReadonlySet<string> = new Set([rootKey]);

/** Each person's open branches and the row they were on, for their way back from a panel; as long as the page lives. */
const left = new Map<string, { open: ReadonlySet<string>; focused: string }>();

/** The branches that are open and the row with the focus, as this person left them. */
function useKeptTree() {
  const { id } = useProfile();
  const [tree, setTree] = useState(() => left.get(id) ?? { open: startOpen, focused: rootKey });
  const change = (part: Partial<typeof tree>) =>
    setTree((before) => {
      const next = { ...before, ...part };
      left.set(id, next);
      return next;
    });
  return [tree, change] as const;
}

/** NW-01: the network as a tree that opens branch by branch; searched, exported, printed. */
export function Network({ root, audience, head, panels, place }: NetworkProps) {
  const { t } = useTranslation();
  const [{ open, focused }, keep] = useKeptTree();
  const isBack = useNavigationType() === NavigationType.Pop && focused !== rootKey;
  const { branches, rowsOf, error, isReading, readAgain } = useBranches(root, open);
  const rows = useMemo(() => flatten(root, open, rowsOf), [root, open, rowsOf]);
  const change = (kind: 'open' | 'close', keys: readonly string[]) => {
    const next = new Set(open);
    for (const key of keys) {
      if (kind === 'open') next.add(key);
      else next.delete(key);
    }
    keep({ open: next });
  };
  const reveal = (find: NetworkFind) => {
    const path = pathTo(root, find);
    change('open', path.slice(0, -1));
    keep({ focused: path.at(-1) ?? rootKey });
  };
  const panelOf = ({ node }: TreeRow) => {
    const panel = node && panels[node.kind];
    if (!panel || node.id === null || node.name === null) return null;
    const [section, record] = panel;
    const detail = { [record]: node.id };
    return { href: place.hrefOf(section, detail), open: () => place.openSection(section, detail) };
  };
  const closed = rows.filter((row) => row.branch !== null && !row.isOpen);
  const nextLevel = Math.min(...closed.map((row) => row.level));
  const isEmpty = rowsOf(rootKey)?.length === 0;
  return (
    <>
      {head}
      <Card>
        <div className="flex flex-wrap items-center gap-2 border-b border-hairline px-4 py-3 sm:px-5">
          <NetworkSearch onFind={reveal} />
          <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
            <Button
              size="sm"
              icon={<ChevronsDown aria-hidden />}
              disabled={closed.length === 0}
              onClick={() =>
                change(
                  'open',
                  closed.filter((row) => row.level === nextLevel).map((row) => row.key),
                )
              }
            >
              {t('Déplier un niveau')}
            </Button>
            <Button size="sm" icon={<ChevronsUp aria-hidden />} onClick={() => keep({ open: startOpen })}>
              {t('Tout replier')}
            </Button>
            <FilesMenu rows={rows} rootName={root.name} audience={audience} />
          </div>
        </div>
        {error !== null ? (
          <ErrorState onRetry={readAgain} pending={isReading} />
        ) : rowsOf(rootKey) === undefined ? (
          <div role="status" className="flex flex-col gap-3 p-5">
            <span className="sr-only">{t('Chargement : {{label}}', { label: t('Réseau') })}</span>
            {Array.from({ length: 6 }, (_, row) => (
              <Skeleton key={row} className="h-10 w-full" />
            ))}
          </div>
        ) : (
          <>
            <NetworkTree
              rows={rows}
              rootName={root.name}
              audience={audience}
              focused={focused}
              isBack={isBack}
              isReading={(row) => row.isOpen && branches.has(row.key) && rowsOf(row.key) === undefined}
              onFocus={(key) => keep({ focused: key })}
              onChange={change}
              panelOf={panelOf}
            />
            {isEmpty && <p className="px-5 pb-5 text-encre-soft">{t('Personne dans ce réseau pour le moment.')}</p>}
          </>
        )}
      </Card>
      <NetworkPaper rows={rows} rootName={root.name} audience={audience} />
    </>
  );
}

/** The open branches, each read when it opens and kept fresh; `rowsOf` changes only when one of them does. */
function useBranches(root: NetworkRoot, open: ReadonlySet<string>) {
  const [read, setRead] = useState<ReadonlyMap<string, readonly NetworkNode[]>>(new Map());
  const branches: ReadonlyMap<string, NetworkBranch> = useMemo(
    () => openBranches(root, open, (key) => read.get(key)),
    [root, open, read],
  );
  const keys = [...branches.keys()];
  const results = useQueries({ queries: [...branches.values()].map(networkBranchQuery) });
  // A branch that has come may hold others that are open already.
  const isNew = results.some(
    (result, place) => result.data !== undefined && read.get(keys[place] ?? '') !== result.data,
  );
  if (isNew) {
    const next = new Map(read);
    for (const [place, { data }] of results.entries()) if (data !== undefined) next.set(keys[place] ?? '', data);
    setRead(next);
  }
  const rowsOf = useMemo(() => (key: string) => read.get(key), [read]);
  const failed = results.find((result) => result.isLoadingError);
  return {
    branches,
    rowsOf,
    error: failed?.error ?? null,
    isReading: results.some((result) => result.isFetching),
    readAgain: () => {
      for (const result of results) if (result.isLoadingError) void result.refetch();
    },
  };
}

/** Finds somebody by name or e-mail, and opens the way to them. */
function NetworkSearch({ onFind }: { onFind: (find: NetworkFind) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const { data, isLoading, isPlaceholderData } = useQuery({
    ...networkSearchQuery(text.trim()),
    placeholderData: keepPreviousData,
  });
  const finds = text.trim() === '' ? [] : (data ?? []);
  const kinds = { commercial: t('Commercial'), client: t('Client'), referral: t('Filleul') };
  return (
    <Combobox
      size="sm"
      label={t('Trouver une personne')}
      placeholder={t('Trouver une personne')}
      searchLabel={t('Nom ou e-mail')}
      emptyText={text.trim() === '' ? t('Tapez un nom ou un e-mail') : t('Personne trouvé')}
      className="min-w-0 flex-1 basis-56 sm:max-w-80"
      options={finds.map((find) => ({
        value: find.id,
        label: find.name,
        description: [kinds[find.kind], find.detail].filter((part) => part !== null).join(' · '),
      }))}
      value={null}
      loading={isLoading || isPlaceholderData}
      onSearchChange={setText}
      onValueChange={(option) => {
        const find = finds.find(({ id }) => id === option?.value);
        if (find !== undefined) onFind(find);
      }}
    />
  );
}

/** The open rows as a picture, as pixels, as a table, on paper. */
function FilesMenu(props: { rows: readonly TreeRow[]; rootName: string; audience: SaleAudience }) {
  const { t } = useTranslation();
  const toast = useToast();
  const save = async (kind: 'svg' | 'png' | 'csv') => {
    try {
      const { networkCsv, networkPicture, networkSvg } = await import('./network-files.ts');
      if (kind === 'csv') saveFile(new File([networkCsv(props)], 'Réseau.csv', { type: 'text/csv;charset=utf-8' }));
      else if (kind === 'svg') saveFile(new File([networkSvg(props)], 'Réseau.svg', { type: 'image/svg+xml' }));
      else saveFile(await networkPicture(props));
    } catch (error) {
      toast.error(t('L’export n’a pas abouti'), { description: messageOf(error, '') });
    }
  };
  return (
    <Menu
      trigger={
        <Button size="sm" icon={<Download aria-hidden />}>
          {t('Exporter')}
        </Button>
      }
      items={[
        { id: 'svg', label: t('Dessin SVG'), icon: <FileImage aria-hidden />, onSelect: () => void save('svg') },
        { id: 'png', label: t('Image PNG'), icon: <Picture aria-hidden />, onSelect: () => void save('png') },
        { id: 'csv', label: t('Fichier CSV'), icon: <FileText aria-hidden />, onSelect: () => void save('csv') },
        { id: 'print', label: t('Imprimer'), icon: <Printer aria-hidden />, onSelect: () => window.print() },
      ]}
    />
  );
}
