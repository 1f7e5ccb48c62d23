import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, History } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { auditEntities, auditQuery, type AuditEntity, type AuditEntry } from '#api/company/audit-entries';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { Facts } from '#ui/facts';
import { PageHeader } from '#ui/page-header';
import { Select } from '#ui/select';
import { SidePanel } from '#ui/side-panel';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { AuditChanges } from '../parts/audit-timeline.tsx';
import { auditActor, auditEntityLabels, auditEntityNames, auditWords } from '../parts/audit-words.ts';

/** AD-01, X-03: who did what, when, from what to what, why; nothing here can be changed. */
export default function Journal(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('journal', props);
  const entity = auditEntities.find((word) => word === list.get('objet')) ?? 'all';
  const trail = useQuery(auditQuery({ entity, page: list.page }));
  const [shown, setShown] = useState<AuditEntry>();
  const [open, setOpen] = useState(false);
  const columns = useColumns();
  return (
    <>
      <PageHeader
        title={t('Journal')}
        description={t('Chaque décision et chaque changement, avec son auteur. Rien ne peut y être modifié ni effacé.')}
      />
      <StaleNotice query={trail} />
      <Card>
        <DataTable<AuditEntry>
          caption={t('Journal des actions')}
          columns={columns}
          rows={trail.data?.rows}
          rowKey={(entry) => entry.id}
          failed={trail.isError && trail.data === undefined}
          onRetry={() => void trail.refetch()}
          refreshing={trail.isFetching}
          onRowOpen={(entry) => {
            setShown(entry);
            setOpen(true);
          }}
          server={{ page: trail.data, onMove: list.setPage }}
          toolbar={
            <div className="w-52 max-sm:w-full">
              <Select<AuditEntity | 'all'>
                size="sm"
                label={t('Filtrer par objet')}
                value={entity}
                onValueChange={(word) => list.set({ objet: word === 'all' ? undefined : word })}
                options={[
                  { value: 'all', label: t('Tout le journal') },
                  ...auditEntities.map((word) => ({ value: word, label: t(auditEntityLabels[word]) })),
                ]}
              />
            </div>
          }
          empty={
            <EmptyState
              icon={<History />}
              title={t("Rien n'a encore été enregistré.")}
              action={
                entity !== 'all' && <Button onClick={() => list.set({ objet: undefined })}>{t('Tout effacer')}</Button>
              }
            />
          }
        />
      </Card>
      <EntryPanel entry={shown} open={open} onClose={() => setOpen(false)} openSection={props.openSection} />
    </>
  );
}

function useColumns(): readonly DataColumn<AuditEntry>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'action',
        header: t('Action'),
        cell: (entry) => (
          <span className="block min-w-0 break-words">
            {auditWords(entry).sentence}
            {entry.reason !== null && (
              <span className="line-clamp-1 font-normal text-encre-soft">« {entry.reason} »</span>
            )}
          </span>
        ),
      },
      {
        id: 'objet',
        header: t('Objet'),
        cell: (entry) => (
          <span className="whitespace-nowrap text-encre-soft">
            {entityLabel(entry.entity)} <span className="figures text-encre-faint">{idText(entry)}</span>
          </span>
        ),
      },
      { id: 'auteur', header: t('Auteur'), cell: (entry) => <span className="break-words">{auditActor(entry)}</span> },
      {
        id: 'date',
        header: t('Date'),
        cell: (entry) => <DateText value={entry.at} withTime className="figures text-encre-soft" />,
      },
    ],
    [t],
  );
}

interface EntryPanelProps {
  entry: AuditEntry | undefined;
  open: boolean;
  onClose: () => void;
  openSection: SectionProps['openSection'];
}

function EntryPanel({ entry, open, onClose, openSection }: EntryPanelProps) {
  const { t } = useTranslation();
  if (!entry) return null;
  const { sentence, changes } = auditWords(entry);
  const seenIn = entry.action === 'delete' ? undefined : sections[entry.entity];
  return (
    <SidePanel
      open={open}
      onOpenChange={onClose}
      footer={
        seenIn && (
          <Button icon={<ArrowRight />} onClick={() => openSection(seenIn.section, { ouvert: entry.entityId })}>
            {t(seenIn.label)}
          </Button>
        )
      }
      title={sentence}
      subtitle={
        <span>
          {entityLabel(entry.entity)} <span className="figures">{idText(entry)}</span>
        </span>
      }
    >
      <Facts
        items={[
          { label: t('Auteur'), value: auditActor(entry) },
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
      <p className="mt-6 text-sm text-encre-faint">{t('Les données personnelles sont masquées dans le journal.')}</p>
    </SidePanel>
  );
}

/** Where the thing itself is seen, for the things that have a panel. */
const sections: Readonly<Record<string, { section: string; label: string }>> = {
  sales: { section: 'ventes', label: 'Voir la vente' },
  payment_requests: { section: 'demandes-de-paiement', label: 'Voir la demande' },
};

/** The company is one: it has no id that anyone would name. */
function idText(entry: AuditEntry): string {
  return entry.entity === 'company_settings' ? '' : shortId(entry.entityId);
}

function entityLabel(entity: string): string {
  const known = auditEntities.find((word) => word === entity);
  return known === undefined ? entity : auditEntityNames[known];
}
