import { auditEntities, auditEntityLabels, filteredAuditEntities, type AuditEntity } from '@parrain/domain/audit';
import { auditActor, auditEntityNames, auditSentence, auditWords } from '@parrain/domain/audit-words';
import { monthsOf, periodLabels, periodNames, type PeriodName } from '@parrain/domain/period';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, History } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { auditEntryQuery, auditQuery, type AuditEntry } from '#api/company/audit-entries';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { ErrorState } from '#ui/error-state';
import { Facts } from '#ui/facts';
import { ListTools } from '#ui/list-tools';
import { NothingFound } from '#ui/nothing-found';
import { Pagination } from '#ui/pagination';
import { Select } from '#ui/select';
import { SidePanel } from '#ui/side-panel';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useLast } from '../../parts/use-last.ts';
import { filtersOf, useListState, type ListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';
import { AuditChanges } from '../parts/audit-timeline.tsx';
import { PersonLink } from '../parts/person-link.tsx';
import { AuthorPicker, SubjectPicker } from './journal-pickers.tsx';
import { JournalDays } from './journal-days.tsx';

/** AD-01, X-03: who did what, for whom, when and why, day by day; nothing here can be changed. */
export default function Journal(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('journal', props, 'entree');
  const entity = auditEntities.find((word) => word === list.get('objet')) ?? 'all';
  const { fromDay, toDay } = useDays(list);
  const actorId = idOf(list.get('auteur'));
  const aboutId = idOf(list.get('concerne'));
  const trail = useQuery(auditQuery({ entity, actorId, aboutId, fromDay, toDay, page: list.page }));
  const rows = trail.data?.rows ?? [];
  const neighbours = useNeighbours(
    list,
    trail,
    rows.map((entry) => entry.id),
  );
  const { clear } = filtersOf(list, ['objet', 'auteur', 'concerne', 'periode', 'du', 'au']);
  const { count } = filtersOf(list, ['objet', 'auteur', 'periode']);
  const filtered =
    entity !== 'all' || actorId !== undefined || aboutId !== undefined || fromDay !== undefined || toDay !== undefined;
  const body = () => {
    if (trail.data === undefined) {
      return trail.isError ? (
        <ErrorState onRetry={() => void trail.refetch()} pending={trail.isFetching} />
      ) : (
        <JournalSkeleton />
      );
    }
    if (trail.data.rowCount > 0) {
      return (
        <JournalDays
          caption={t('Journal des actions')}
          entries={rows}
          onOpen={(entry) => list.openRow(entry.id)}
          hrefOf={(entry) => list.hrefOf(entry.id)}
        />
      );
    }
    return filtered ? (
      <NothingFound description={t('Aucune action ne correspond à ces filtres.')} onClear={clear} />
    ) : (
      <EmptyState
        icon={<History />}
        title={t('Rien n’a encore été enregistré.')}
        description={t('Chaque décision, chaque changement et chaque fichier exporté s’écrira ici.')}
      />
    );
  };
  return (
    <>
      <SectionTabs
        {...props}
        of="reglages"
        current="journal"
        title={t('Journal')}
        description={t('Chaque décision et chaque changement, avec son auteur. Rien ne peut y être modifié ni effacé.')}
      />
      <StaleNotice query={trail} />
      <Card>
        <div className="flex flex-wrap items-center gap-2 border-b border-hairline px-4 py-1.5 max-wide:py-3 max-sm:py-2 sm:px-5">
          <SubjectPicker
            aboutId={aboutId}
            onChange={(id) => list.set({ concerne: id })}
            className="min-w-0 flex-1 basis-28 sm:max-w-72 sm:basis-52"
          />
          <ListTools
            filters={{
              count,
              clear,
              controls: (
                <>
                  <AuthorPicker actorId={actorId} onChange={(id) => list.set({ auteur: id })} className="w-48" />
                  <div className="w-48">
                    <Select<AuditEntity | 'all'>
                      size="sm"
                      label={t('Filtrer par objet')}
                      value={entity}
                      onValueChange={(word) => list.set({ objet: word === 'all' ? undefined : word })}
                      options={[
                        { value: 'all', label: t('Tout le journal') },
                        ...filteredAuditEntities.map((word) => ({ value: word, label: t(auditEntityLabels[word]) })),
                      ]}
                    />
                  </div>
                  <PeriodFilter list={list} />
                </>
              ),
            }}
            isSearched={aboutId !== undefined}
            exporting={
              <ExportMenu list={aboutId === undefined ? 'audit-entries' : 'audit-entries-about'} page={trail.data} />
            }
          />
        </div>
        <div aria-busy={trail.isFetching || undefined}>{body()}</div>
        {trail.data && <Pagination label={t('Journal des actions')} page={trail.data} onMove={list.setPage} />}
      </Card>
      <EntryPanel
        entryId={list.openId}
        entries={rows}
        neighbours={neighbours}
        onClose={list.closeRow}
        openSection={props.openSection}
      />
    </>
  );
}

/** Reads an id from the address, which may hold anything: a text that is none filters nothing. */
function idOf(text: string | undefined): string | undefined {
  return text !== undefined && /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu.test(text) ? text : undefined;
}

function dayOf(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/u.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

const freeDays = 'dates';
type Period = PeriodName | typeof freeDays;

function periodIn(list: ListState): Period {
  const word = list.get('periode');
  return word === freeDays ? freeDays : (periodNames.find((name) => name === word) ?? 'tout');
}

/** The days that the address names: the first, and the one after the last. */
function useDays(list: ListState): { fromDay: string | undefined; toDay: string | undefined } {
  const [now] = useState(() => new Date());
  const period = periodIn(list);
  if (period === 'tout') return { fromDay: undefined, toDay: undefined };
  if (period === freeDays) {
    const last = dayOf(list.get('au'));
    return {
      fromDay: dayOf(list.get('du')),
      toDay: last === undefined ? undefined : new Date(Date.parse(last) + 86_400_000).toISOString().slice(0, 10),
    };
  }
  const { fromMonth, toMonth } = monthsOf(period, now);
  return { fromDay: fromMonth, toDay: toMonth };
}

function PeriodFilter({ list }: { list: ListState }) {
  const { t } = useTranslation();
  const period = periodIn(list);
  return (
    <>
      <div className="w-40">
        <Select<Period>
          size="sm"
          label={t('Filtrer par période')}
          value={period}
          onValueChange={(word) =>
            list.set({ periode: word === 'tout' ? undefined : word, du: undefined, au: undefined })
          }
          options={[
            ...periodNames.map((word) => ({ value: word, label: t(periodLabels[word]) })),
            { value: freeDays, label: t('Autres dates…') },
          ]}
        />
      </div>
      {period === freeDays && (
        <div className="flex flex-wrap items-center gap-2 text-sm text-encre-soft">
          <DayInput label={t('Du')} value={list.get('du')} onChange={(day) => list.set({ du: day })} />
          <DayInput label={t('Au')} value={list.get('au')} onChange={(day) => list.set({ au: day })} />
        </div>
      )}
    </>
  );
}

interface DayInputProps {
  label: string;
  value: string | undefined;
  onChange: (day: string | undefined) => void;
}

function DayInput({ label, value, onChange }: DayInputProps) {
  return (
    <label className="flex items-center gap-1.5">
      {label}
      <TextInput
        type="date"
        className="h-9! w-36 text-sm"
        value={dayOf(value) ?? ''}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      />
    </label>
  );
}

function JournalSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" className="flex flex-col">
      <span className="sr-only">{t('Chargement : {{label}}', { label: t('Journal des actions') })}</span>
      {Array.from({ length: 12 }, (_, row) => (
        <div key={row} className="flex h-10 items-center gap-6 border-b border-hairline px-5 last:border-0">
          <Skeleton className="h-4 w-10" />
          <Skeleton className="h-4 w-2/3" />
        </div>
      ))}
    </div>
  );
}

interface EntryPanelProps {
  entryId: string | undefined;
  entries: readonly AuditEntry[];
  neighbours: ReturnType<typeof useNeighbours>;
  onClose: () => void;
  openSection: SectionProps['openSection'];
}

function EntryPanel({ entryId, entries, neighbours, onClose, openSection }: EntryPanelProps) {
  const { t } = useTranslation();
  const listed = entries.find((entry) => entry.id === entryId);
  // An entry of an address may be on another page than the one behind it.
  const read = useQuery({ ...auditEntryQuery(entryId), enabled: entryId !== undefined && listed === undefined });
  const entry = useLast(listed ?? read.data ?? undefined);
  if (entryId !== undefined && listed === undefined && read.data === null) {
    return (
      <SidePanel open onOpenChange={onClose} title={t('Cette entrée n’existe pas')}>
        <p className="text-encre-soft">{t('Le journal n’en a pas de ce numéro.')}</p>
      </SidePanel>
    );
  }
  if (!entry) return null;
  const { changes } = auditWords(entry, entry.names);
  const seenIn = entry.action === 'delete' ? undefined : recordOf(entry);
  return (
    <SidePanel
      open={entryId !== undefined}
      onOpenChange={onClose}
      neighbours={neighbours}
      footer={
        seenIn && (
          <Button icon={<ArrowRight />} onClick={() => openSection(seenIn.section, seenIn.detail)}>
            {t(seenIn.label)}
          </Button>
        )
      }
      title={auditSentence(entry, entry.subject)}
      subtitle={
        <span>
          {entityLabel(entry.entity)} <span className="tabular-digits">{idText(entry)}</span>
        </span>
      }
    >
      <Facts
        items={[
          {
            label: t('Auteur'),
            value:
              entry.actorName !== null && (entry.actor === 'client' || entry.actor === 'commercial') ? (
                <PersonLink role={entry.actor} id={entry.actorId}>
                  {entry.actorName}
                </PersonLink>
              ) : (
                auditActor(entry)
              ),
          },
          { label: t('Date'), value: <DateText value={entry.at} withTime /> },
          ...(entry.reason === null ? [] : [{ label: t('Raison'), value: entry.reason }]),
        ]}
      />
      <h3 className="mt-6 mb-2 text-lg">{t('Ce qui a changé')}</h3>
      {changes.length === 0 ? (
        <p className="text-encre-soft">{t('Aucune valeur.')}</p>
      ) : (
        <AuditChanges changes={changes} />
      )}
      <p className="mt-6 text-sm text-encre-faint">
        {t('Le journal garde ce qui a changé, jamais une donnée personnelle : les noms sont ceux d’aujourd’hui.')}
      </p>
    </SidePanel>
  );
}

interface SeenIn {
  section: string;
  detail: Readonly<Record<string, string>>;
  label: string;
}

/** Place where the thing itself is seen, for the things that have one. */
function recordOf({ entity, entityId, before, after }: AuditEntry): SeenIn | undefined {
  switch (entity) {
    case 'sales':
      return { section: 'ventes', detail: { vente: entityId }, label: 'Voir la vente' };
    case 'commission_payments': {
      const saleId = after?.['sale_id'] ?? before?.['sale_id'];
      return typeof saleId === 'string'
        ? { section: 'ventes', detail: { vente: saleId }, label: 'Voir la vente' }
        : undefined;
    }
    case 'payment_requests':
      return { section: 'demandes-de-paiement', detail: { demande: entityId }, label: 'Voir la demande' };
    case 'commission_rates':
      return { section: 'commissions', detail: { bareme: entityId }, label: 'Voir le barème' };
    case 'profiles':
      return { section: 'clients', detail: { client: entityId }, label: 'Voir la fiche' };
    default:
      return undefined;
  }
}

/** The company is one: it has no id that anyone would name. */
function idText(entry: AuditEntry): string {
  return entry.entity === 'company_settings' ? '' : shortId(entry.entityId);
}

function entityLabel(entity: string): string {
  const known = auditEntities.find((word) => word === entity);
  return known === undefined ? entity : auditEntityNames[known];
}
