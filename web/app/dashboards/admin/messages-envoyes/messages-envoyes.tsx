import { mailGroupLabels, mailGroups, mailKindOf, mailStateLabels, type MailGroup } from '@parrain/domain/sent-mail';
import { mailFailureReason } from '@parrain/domain/mail-failure';
import { daysOf } from '@parrain/domain/period';
import { useQuery } from '@tanstack/react-query';
import { MailX } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { mailFilters, sentMailsQuery, type MailFilter, type SentMail } from '#api/company/sent-mails';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { NothingFound } from '#ui/nothing-found';
import { Select } from '#ui/select';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useNeighbours } from '../../parts/use-neighbours.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';
import { MailPanel } from './mail-panel.tsx';
import { MailStateBadge } from './mail-state-badge.tsx';

/** TM-04: what was sent to whom, when, and what failed and why. Never what stood in it. */
export default function MessagesEnvoyes(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('messages-envoyes', props, 'message');
  const filter = mailFilters.find((word) => word === list.get('etat')) ?? 'all';
  const group = mailGroups.find((word) => word === list.get('genre')) ?? 'all';
  const days = daysOf(list.get('periode'), list.openedAt);
  const mails = useQuery(sentMailsQuery({ search: list.search, filter, group, days, page: list.page }));
  const neighbours = useNeighbours(list, mails, mails.data?.rows.map(({ id }) => id) ?? []);
  const columns = useColumns();
  const isFiltered = filter !== 'all' || group !== 'all' || days !== null;
  const filters = filtersOf(list, ['etat', 'genre', 'periode']);
  return (
    <>
      <SectionTabs
        {...props}
        of="reglages"
        current="messages-envoyes"
        title={t('Messages envoyés')}
        description={t('À qui, quand, et ce qui n’est pas parti. Gardés 90 jours, sans leur texte.')}
      />
      <StaleNotice query={mails} />
      <Card>
        <DataTable<SentMail>
          name="messages-envoyes"
          caption={t('Messages envoyés')}
          columns={columns}
          rows={mails.data?.rows}
          rowKey={(mail) => mail.id}
          failed={mails.isError && mails.data === undefined}
          onRetry={() => void mails.refetch()}
          refreshing={mails.isPlaceholderData}
          searchLabel={t('Rechercher un destinataire')}
          onRowOpen={(mail) => list.openRow(mail.id)}
          rowHref={(mail) => list.hrefOf(mail.id)}
          server={{
            page: mails.data,
            onMove: list.setPage,
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          filters={{
            ...filters,
            controls: (
              <>
                <div className="w-40">
                  <Select<MailFilter>
                    size="sm"
                    label={t('Filtrer par état')}
                    value={filter}
                    onValueChange={(word) => list.set({ etat: word === 'all' ? undefined : word })}
                    options={mailFilters.map((word) => ({ value: word, label: t(filterLabels[word]) }))}
                  />
                </div>
                <div className="w-44">
                  <Select<MailGroup | 'all'>
                    size="sm"
                    label={t('Filtrer par genre')}
                    value={group}
                    onValueChange={(word) => list.set({ genre: word === 'all' ? undefined : word })}
                    options={[
                      { value: 'all', label: t('Tous les genres') },
                      ...mailGroups.map((word) => ({ value: word, label: t(mailGroupLabels[word]) })),
                    ]}
                  />
                </div>
                <PeriodFilter list={list} label={t('Filtrer par date')} />
              </>
            ),
          }}
          exporting={<ExportMenu list="sent-mails" page={mails.data} />}
          empty={
            isFiltered ? (
              <NothingFound description={t('Aucun message ne correspond à ces filtres.')} onClear={filters.clear} />
            ) : (
              <EmptyState
                icon={<MailX />}
                title={t('Aucun message envoyé')}
                description={t('Invitations, nouvelles et codes se liront ici. Sans serveur d’e-mail, rien ne part.')}
                action={
                  <Button onClick={() => props.openSection('etat-du-systeme')}>{t('Voir l’état du système')}</Button>
                }
              />
            )
          }
        />
      </Card>
      <MailPanel mailId={list.openId} onClose={list.closeRow} neighbours={neighbours} />
    </>
  );
}

const filterLabels: Readonly<Record<MailFilter, string>> = {
  all: 'Tous les états',
  failed: 'Non partis',
  waiting: 'En attente',
  accepted: mailStateLabels.accepted,
  withdrawn: mailStateLabels.withdrawn,
};

function useColumns(): readonly DataColumn<SentMail>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'destinataire',
        header: t('Destinataire'),
        width: 'wide',
        cell: (mail) => (
          <Cell
            text={mail.recipientName ?? mail.recipient ?? t('Destinataire effacé')}
            second={mail.recipientName === null ? null : mail.recipient}
          />
        ),
      },
      {
        id: 'message',
        header: t('Message'),
        width: 'wide',
        cell: (mail) => (
          <Cell
            text={t(mailKindOf(mail.template).label)}
            second={mail.error === null || mail.state === 'accepted' ? null : t(mailFailureReason(mail.error))}
          />
        ),
      },
      {
        id: 'etat',
        header: t('État'),
        cell: (mail) => <MailStateBadge state={mail.state} />,
      },
      {
        id: 'date',
        header: t('Date'),
        cell: (mail) => <DateText value={mail.createdAt} withTime className="tabular-digits text-encre-soft" />,
      },
    ],
    [t],
  );
}
