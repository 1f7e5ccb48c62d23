import { useQuery } from '@tanstack/react-query';
import { BadgeCheck, BriefcaseBusiness, Coins, HandCoins, ReceiptText, TrendingUp, Users } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { adminFiguresQuery, type AdminCards } from '#api/company/admin-figures';
import { firstStepsQuery } from '#api/company/first-steps';
import { Amount } from '#ui/amount';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { PageHeader } from '#ui/page-header';
import { Skeleton } from '#ui/skeleton';
import { lazyPart } from '#ui/lazy-part';
import { formatTime } from '@parrain/domain/date';
import { formatEuros, groupThousands } from '@parrain/domain/money';
import { lessCancelledText, takenOff } from '../../parts/count-lines.ts';
import { SumExplain } from '../../parts/sum-explain.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { Appointments } from './appointments.tsx';
import { SystemAlarms } from './system-alarms.tsx';
import { ToDo, type ToDoProps } from './to-do.tsx';

const SteeringFigures = lazyPart(
  () => import('./steering-figures.tsx'),
  <Skeleton className="mt-8 h-80 w-full rounded-card" />,
);
// Mostly nothing: they come after the figures.
const WaitingControls = lazyPart(async () => ({
  default: (await import('./waiting-controls.tsx')).WaitingControls,
}));
const ClosureRequests = lazyPart(async () => ({
  default: (await import('./closure-requests.tsx')).ClosureRequests,
}));
const Due = lazyPart(() => import('./due.tsx'), <Skeleton className="mt-4 h-120 w-full rounded-card" />);
const MonthTrend = lazyPart(() => import('./month-trend.tsx'), <Skeleton className="h-[1lh] w-40 max-w-full" />);
const UndoneSteps = lazyPart(() => import('./undone-steps.tsx'));
const FirstRun = lazyPart(() => import('./first-run/first-run.tsx'), <Skeleton className="h-80 w-full rounded-card" />);

/** Target of the link in « Commissions en attente »: it is there before the part that it leads to. */
const dueId = 'du';

/** AD-03, PI-01: what waits for the admin first, then the figures of the company, then its charts; each leads to the rows behind it. */
export default function VueDEnsemble({ openSection, detail }: SectionProps) {
  const { t } = useTranslation();
  const figures = useQuery(adminFiguresQuery);
  const { data } = figures;
  const failed = figures.isError && data === undefined;
  return (
    <>
      <PageHeader
        title={t("Vue d'ensemble")}
        description={
          data ? <UpdatedAt at={figures.dataUpdatedAt} /> : figures.isPending && <Skeleton className="h-[1lh] w-36" />
        }
      />
      <StaleNotice query={figures} />
      <SystemAlarms openSection={openSection} />
      <WaitingControls />
      <Beginning figures={figures} openSection={openSection} />
      <Appointments />
      <ClosureRequests />
      <h3 className="mt-8 mb-3 text-lg">{t('Les chiffres')}</h3>
      <FigureGrid>
        <FigureCard
          label={t('Ventes validées')}
          icon={<BadgeCheck aria-hidden />}
          value={data && groupThousands(String(data.validatedSalesCount))}
          note={data && trended(<ValidatedNote data={data} />, 'contracts')}
          failed={failed}
          action={{
            label: t('Voir les ventes validées'),
            onClick: () => openSection('ventes', { statut: 'validated' }),
          }}
        />
        <FigureCard
          label={t('CA Total')}
          icon={<TrendingUp aria-hidden />}
          value={data && <Amount cents={data.revenue} />}
          note={data && trended(<RevenueNote data={data} />, 'revenue')}
          failed={failed}
          action={{
            label: t('Voir les contrats'),
            onClick: () => openSection('ventes', { statut: 'validated', tri: 'contract_amount' }),
          }}
        />
        <FigureCard
          label={t('Commerciaux')}
          icon={<BriefcaseBusiness aria-hidden />}
          value={data && groupThousands(String(data.commercialsCount))}
          note={data?.commercialsCount === 1 ? t('compte actif') : t('comptes actifs')}
          failed={failed}
          action={{ label: t('Voir les commerciaux'), onClick: () => openSection('commerciaux') }}
        />
        <FigureCard
          label={t('Clients')}
          icon={<Users aria-hidden />}
          value={data && groupThousands(String(data.clientsCount))}
          note={data && trended(t('invités ou inscrits'), 'clients')}
          failed={failed}
          action={{ label: t('Voir les clients'), onClick: () => openSection('clients') }}
        />
        <FigureCard
          label={t('Commissions en attente')}
          icon={<Coins aria-hidden />}
          value={data && <Amount cents={data.pendingCommissions} />}
          note={data && <PendingNote data={data} />}
          failed={failed}
          action={{
            label: t('Voir ce qui est dû'),
            onClick: () => document.getElementById(dueId)?.scrollIntoView(),
          }}
        />
        <FigureCard
          label={t('Commissions payées')}
          icon={<HandCoins aria-hidden />}
          value={data && <Amount cents={data.paidCommissions} />}
          note={data && <CreditedNote data={data} />}
          failed={failed}
          action={{ label: t('Voir les commissions'), onClick: () => openSection('commissions', { vue: 'creditees' }) }}
        />
      </FigureGrid>
      {data && (data.validatedSalesCount > 0 || data.salesToValidateCount > 0 || data.clientsCount > 0) && (
        <>
          <div id={dueId} className="scroll-mt-24">
            <Due openSection={openSection} />
          </div>
          <SteeringFigures openSection={openSection} detail={detail} />
        </>
      )}
      {data?.validatedSalesCount === 0 && data.salesToValidateCount === 0 && (
        <p className="mt-6 flex items-start gap-2.5 text-encre-soft">
          <ReceiptText aria-hidden className="mt-0.5 size-4.5 shrink-0 text-encre-faint" />
          {t('Les chiffres se rempliront à la première vente validée.')}
        </p>
      )}
    </>
  );
}

/** Note under a figure: its parts, and its trend this month. */
function trended(note: ReactNode, of: ComponentProps<typeof MonthTrend>['of']) {
  return (
    <>
      {note}
      <span className="block">
        <MonthTrend of={of} />
      </span>
    </>
  );
}

/** « À faire »; « Démarrer » in its place where nothing has happened yet (NV-08). */
function Beginning({ figures, openSection }: ToDoProps) {
  const { data } = figures;
  const waiting = data && data.salesToValidateCount + data.requestsToDecideCount + data.requestsToPayCount;
  const mayBeEmpty = waiting === 0 && data?.validatedSalesCount === 0;
  const { data: steps, isPending } = useQuery(firstStepsQuery);
  if (mayBeEmpty && isPending) return <Skeleton className="h-80 w-full rounded-card" />;
  const isEmpty = mayBeEmpty && steps?.isEmpty === true;
  const toDo = (
    <ToDo figures={figures} openSection={openSection} isEmpty={isEmpty} more={steps && <UndoneSteps steps={steps} />} />
  );
  return isEmpty ? <FirstRun steps={steps} otherwise={toDo} /> : toDo;
}

function UpdatedAt({ at }: { at: number }) {
  const { t } = useTranslation();
  return <>{t('Mis à jour à {{time}}', { time: formatTime(new Date(at).toISOString()) })}</>;
}

interface NoteProps {
  data: AdminCards;
}

function ValidatedNote({ data }: NoteProps) {
  const { t } = useTranslation();
  const cancelled = data.cancelledValidationsCount;
  if (cancelled === 0) return t('par un administrateur');
  return (
    <>
      {lessCancelledText(data.validatedSalesCount, cancelled, t)}{' '}
      <SumExplain
        title={t('Ventes validées')}
        lines={[
          { label: t('Validations'), value: groupThousands(String(data.validatedSalesCount + cancelled)) },
          { label: t('Validations annulées'), value: takenOff(cancelled) },
        ]}
        result={{ label: t('Ventes validées'), value: groupThousands(String(data.validatedSalesCount)) }}
      >
        {t('La liste montre aussi la vente annulée et la ligne contraire qui l’annule : deux lignes de plus.')}
      </SumExplain>
    </>
  );
}

function RevenueNote({ data }: NoteProps) {
  const { t } = useTranslation();
  return (
    <>
      {t('+ {{amount}} à valider', { amount: formatEuros(data.toValidate.amount) })}{' '}
      <SumExplain title={t('CA Total')}>
        {t('La somme des montants des contrats validés par vous, moins ce qui en a été annulé.')}
      </SumExplain>
    </>
  );
}

function PendingNote({ data }: NoteProps) {
  const { t } = useTranslation();
  return (
    <>
      {t('créditées, pas encore versées')}{' '}
      <SumExplain
        title={t('Commissions en attente')}
        lines={[
          { label: t('Commissions des ventes validées'), value: <Amount cents={data.paidCommissions} /> },
          { label: t('Versées aux clients et aux commerciaux'), value: <Amount cents={-data.paymentsMade} /> },
        ]}
        result={{ label: t('En attente'), value: <Amount cents={data.pendingCommissions} /> }}
      >
        {t(
          'Les commissions des ventes validées, client et commercial, moins les demandes de paiement et les mois de commerciaux déjà payés. « Dû » compte aussi ce qui a été remboursé, abandonné ou ajusté.',
        )}
      </SumExplain>
    </>
  );
}

function CreditedNote({ data }: NoteProps) {
  const { t } = useTranslation();
  return (
    <>
      {t('{{paid}} versés, {{due}} encore dus', {
        paid: formatEuros(data.paymentsMade),
        due: formatEuros(data.pendingCommissions),
      })}{' '}
      <SumExplain
        title={t('Commissions payées')}
        lines={[
          { label: t('Versées aux clients et aux commerciaux'), value: <Amount cents={data.paymentsMade} /> },
          { label: t('Créditées, pas encore versées'), value: <Amount cents={data.pendingCommissions} /> },
        ]}
        result={{ label: t('Commissions payées'), value: <Amount cents={data.paidCommissions} /> }}
      >
        {t(
          'La somme des commissions créditées aux clients et aux commerciaux à la validation de leurs ventes. Ce qui a réellement quitté l’entreprise se lit dans les demandes de paiement payées et les mois payés aux commerciaux.',
        )}
      </SumExplain>
    </>
  );
}
