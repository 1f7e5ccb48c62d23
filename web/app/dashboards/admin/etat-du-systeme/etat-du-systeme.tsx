import { groupThousands } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { Blocks, CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { systemStateQuery, type MaintenanceRun, type SystemState } from '#api/company/system-state';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';
import AlarmNotices from '../parts/alarm-notices.tsx';
import { bytesText } from '../parts/bytes-text.ts';
import { MailCard } from './mail-card.tsx';
import { StateLine } from './state-line.tsx';
import { missingSettings, tableName, taskName } from './words.ts';

/** OP-03: whether the server does well, in words for who runs the company: each line says what it means and what to do. */
export default function EtatDuSysteme(props: SectionProps) {
  const { openSection } = props;
  const { t } = useTranslation();
  const query = useQuery(systemStateQuery);
  const { data: state } = query;
  return (
    <>
      <SectionTabs
        {...props}
        of="reglages"
        current="etat-du-systeme"
        title={t('État du système')}
        description={
          <>
            {t('Ce que fait le serveur, actualisé toutes les 15 secondes.')}{' '}
            <span className={state ? undefined : 'invisible'}>
              {t('Mis à jour à {{time}}.', { time: time.format(query.dataUpdatedAt) })}
            </span>
          </>
        }
      />
      <StaleNotice query={query} />
      {state ? (
        <>
          <Health state={state} />
          <div className="space-y-5">
            <MailCard state={state} openSection={openSection} />
            <SafetyCard state={state} />
            <RoomCard state={state} />
            <JobsCard state={state} />
            <OtherSoftwareCard state={state} openSection={openSection} />
            <VersionsCard state={state} />
          </div>
        </>
      ) : query.isError ? (
        <Card>
          <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />
        </Card>
      ) : (
        <div className="space-y-5" aria-busy="true">
          <Skeleton className="h-23 w-full max-sm:h-45" />
          <Skeleton className="h-72 w-full rounded-card max-sm:h-130" />
          <Skeleton className="h-48 w-full rounded-card" />
        </div>
      )}
    </>
  );
}

const time = new Intl.DateTimeFormat('fr-FR', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

function Health({ state }: { state: SystemState }) {
  const { t } = useTranslation();
  if (state.alarms.length > 0) return <AlarmNotices alarms={state.alarms} />;
  const missing = missingSettings(state);
  if (missing.length > 0)
    return (
      <Notice tone="warning" className="mb-5" title={t('Aucune panne, mais il manque :')}>
        <ul className="list-disc pl-4">
          {missing.map((one) => (
            <li key={one}>{t(one)}</li>
          ))}
        </ul>
      </Notice>
    );
  return (
    <Notice tone="success" className="mb-5" title={t('Aucune alarme')}>
      {t(
        'Les administrateurs sont prévenus ici, sur la vue d’ensemble et par e-mail si des messages ne partent plus, si le disque se remplit, si la sauvegarde date trop, si un webhook ne répond plus ou si des montants ne concordent plus.',
      )}
    </Notice>
  );
}

function SafetyCard({ state }: { state: SystemState }) {
  const { t } = useTranslation();
  const { backup, verification } = state;
  const found = verification.last?.broken ?? [];
  return (
    <Block title={t('Sauvegarde et vérification')}>
      <StateLine
        label={t('Dernière sauvegarde réussie')}
        hint={
          backup.lastSuccessAt === null
            ? t(
                'Aucune sauvegarde faite par « npm run backup » n’est connue. Si votre hébergeur sauvegarde la base, vérifiez-le auprès de lui.',
              )
            : t('Ce qui a été enregistré depuis serait perdu avec le disque.')
        }
        value={backup.lastSuccessAt === null ? t('Aucune') : <DateText value={backup.lastSuccessAt} withTime />}
      />
      {backup.last?.succeeded === false && (
        <StateLine
          label={t('Dernier essai de sauvegarde')}
          hint={t('Il n’a pas abouti : {{error}}', { error: backup.last.error ?? t('raison inconnue') })}
          value={<Verdict run={backup.last} />}
        />
      )}
      <StateLine
        label={t('Dernière vérification des comptes')}
        hint={t(
          'Chaque nuit, les soldes, les commissions et le journal sont recomptés et comparés à ce qui est enregistré.',
        )}
        value={
          verification.last === null ? (
            t('Pas encore faite')
          ) : (
            <span className="inline-flex flex-wrap items-baseline gap-x-3 gap-y-1 sm:justify-end">
              <DateText value={verification.last.finishedAt} withTime />
              <Verdict run={verification.last} />
            </span>
          )
        }
      />
      {found.length > 0 && (
        <StateLine
          label={t('Ce qui ne concorde pas')}
          hint={t('Faites lancer « npm run verify » : il nomme les lignes en cause. Ne corrigez rien à la main.')}
          value={
            <ul className="max-w-[48ch] list-disc pl-5 text-left">
              {found.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          }
        />
      )}
      {typeof verification.last?.error === 'string' && (
        <StateLine
          label={t('La vérification n’a pas pu finir')}
          hint={t('Elle sera reprise la nuit prochaine.')}
          value={verification.last.error}
        />
      )}
    </Block>
  );
}

function Verdict({ run }: { run: MaintenanceRun }) {
  const { t } = useTranslation();
  return run.succeeded ? (
    <Badge tone="green" icon={<CircleCheck aria-hidden />}>
      {t('Tout concorde')}
    </Badge>
  ) : (
    <Badge tone="red" icon={<TriangleAlert aria-hidden />}>
      {t('Échec')}
    </Badge>
  );
}

function RoomCard({ state }: { state: SystemState }) {
  const { t } = useTranslation();
  return (
    <Block title={t('Place occupée')} foot={<BiggestTables tables={state.tables} />}>
      <StateLine
        label={t('Place libre sur le disque')}
        hint={
          state.disk
            ? t('Quand il n’y en a plus, rien ne peut être enregistré. Vous êtes prévenu avant.')
            : t('La base est sur un autre serveur : sa place se surveille là-bas.')
        }
        value={
          state.disk
            ? t('{{free}} sur {{total}}', {
                free: bytesText(state.disk.freeBytes),
                total: bytesText(state.disk.totalBytes),
              })
            : t('Non connue')
        }
      />
      <StateLine
        label={t('Vos données')}
        hint={t('Tout ce que la base contient : ventes, personnes, journal, et de quoi les retrouver vite.')}
        value={bytesText(state.databaseBytes)}
      />
    </Block>
  );
}

function BiggestTables({ tables }: Pick<SystemState, 'tables'>) {
  const { t } = useTranslation();
  return (
    <div className="border-t border-hairline px-4 py-3 sm:px-5">
      <table className="w-full text-sm">
        <caption className="mb-1 text-left text-encre-soft">{t('Ce qui prend le plus de place')}</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">{t('Données')}</th>
            <th scope="col">{t('Lignes')}</th>
            <th scope="col">{t('Taille')}</th>
          </tr>
        </thead>
        <tbody>
          {tables.map((table) => (
            <tr key={table.name} className="border-t border-hairline">
              <th scope="row" className="py-1.5 pr-3 text-left font-normal wrap-anywhere">
                {t(tableName(table.name))}
              </th>
              <td className="tabular-digits py-1.5 pr-3 text-right whitespace-nowrap text-encre-soft">
                {t('{{number}} lignes', { number: groupThousands(String(table.rows)) })}
              </td>
              <td className="tabular-digits py-1.5 text-right whitespace-nowrap">{bytesText(table.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function JobsCard({ state }: { state: SystemState }) {
  const { t } = useTranslation();
  const { jobs, failedJobs } = state;
  return (
    <Block title={t('Tâches de fond')}>
      <StateLine
        label={t('En attente')}
        hint={t('Envois et ménage que le serveur fait sans vous. Quelques-unes sont normales ; elles ne durent pas.')}
        value={<Count value={jobs.waiting + jobs.retried} />}
      />
      <StateLine
        label={t('Abandonnées')}
        hint={
          jobs.failed === 0
            ? t('Aucune tâche n’a échoué à tous ses essais.')
            : t('Elles ont échoué à tous leurs essais : le journal du serveur dit pourquoi. Retirées après 30 jours.')
        }
        value={<Count value={jobs.failed} alarming />}
      />
      {failedJobs.map((job) => (
        <StateLine
          key={job.task}
          label={t(taskName(job.task))}
          value={
            <>
              <Count value={job.count} alarming /> · <DateText value={job.failedAt} withTime />
            </>
          }
        />
      ))}
    </Block>
  );
}

/** WH-01, WH-02: what waits for other software, and which doors are open to it. */
function OtherSoftwareCard({ state, openSection }: { state: SystemState; openSection: SectionProps['openSection'] }) {
  const { t } = useTranslation();
  const { webhooks, apiKeys } = state;
  return (
    <Block
      title={t('Autres logiciels')}
      actions={
        <Button size="sm" icon={<Blocks />} onClick={() => openSection('integrations')}>
          {t('Intégrations')}
        </Button>
      }
    >
      <StateLine
        label={t('Envois de webhooks en attente')}
        hint={
          webhooks.oldestWaitingAt === null
            ? t('Tout a été remis.')
            : t('Un envoi qui échoue est réessayé pendant 24 heures ; les suivants du même dossier l’attendent.')
        }
        value={
          <>
            <Count value={webhooks.waiting} />
            {webhooks.oldestWaitingAt !== null && (
              <>
                {' · '}
                {t('le plus ancien :')} <DateText value={webhooks.oldestWaitingAt} withTime />
              </>
            )}
          </>
        }
      />
      <StateLine
        label={t('Webhooks désactivés')}
        hint={
          webhooks.off.length === 0
            ? t('Actifs : {{number}}.', { number: String(webhooks.on) })
            : t('Plus rien n’est envoyé à {{hosts}}. Vous pouvez les activer de nouveau dans « Intégrations ».', {
                hosts: webhooks.off.join(', '),
              })
        }
        value={<Count value={webhooks.off.length} />}
      />
      <StateLine
        label={t('Clés d’API en service')}
        hint={
          apiKeys.alive === 0
            ? t('Aucun logiciel ne lit ni n’écrit par l’API.')
            : t('Révoquez celles qui ne servent plus.')
        }
        value={
          <>
            <Count value={apiKeys.alive} />
            {apiKeys.lastUsedAt !== null && (
              <>
                {' · '}
                {t('dernière utilisation :')} <DateText value={apiKeys.lastUsedAt} withTime />
              </>
            )}
          </>
        }
      />
    </Block>
  );
}

function VersionsCard({ state }: { state: SystemState }) {
  const { t } = useTranslation();
  return (
    <Block title={t('Versions')}>
      <StateLine
        label={t('Programme')}
        hint={t('À citer quand vous demandez de l’aide.')}
        value={<span className="tabular-digits">{state.version}</span>}
      />
      <StateLine label={t('PostgreSQL')} value={<span className="tabular-digits">{state.postgresVersion}</span>} />
      <StateLine
        label={t('Structure de la base')}
        hint={t('{{number}} migrations, la dernière appliquée : {{name}}', {
          number: String(state.schema.count),
          name: state.schema.last.replace(/\.sql$/u, ''),
        })}
        value={<DateText value={state.schema.appliedAt} withTime />}
      />
    </Block>
  );
}

function Count({ value, alarming = false }: { value: number; alarming?: boolean }) {
  return (
    <span className={alarming && value > 0 ? 'tabular-digits font-semibold text-danger' : 'tabular-digits'}>
      {groupThousands(String(value))}
    </span>
  );
}

interface BlockProps {
  title: string;
  /** Lines of state. */
  children: ReactNode;
  actions?: ReactNode;
  /** The content below the lines. */
  foot?: ReactNode;
}

function Block({ title, children, actions, foot }: BlockProps) {
  return (
    <Card className="overflow-clip" aria-label={title}>
      <CardHeader title={title} level={3} actions={actions} />
      <dl className="divide-y divide-hairline">{children}</dl>
      {foot}
    </Card>
  );
}
