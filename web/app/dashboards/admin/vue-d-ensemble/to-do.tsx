import { useQuery } from '@tanstack/react-query';
import {
  BadgeCheck,
  CalendarClock,
  Eraser,
  HandCoins,
  Inbox,
  MessageCircleQuestionMark,
  PhoneOff,
  ShieldAlert,
  UserRoundPlus,
} from 'lucide-react';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { daysSince } from '@parrain/domain/date';
import { formatEuros } from '@parrain/domain/money';
import type { AdminCards, Waiting } from '#api/company/admin-figures';
import { appointmentsQuery } from '#api/company/appointments';
import { companySettings, type CompanySettings } from '#api/company/company-settings';
import { openCasesCountQuery } from '#api/company/doubtful-cases';
import { openDisputesCountQuery } from '#api/payments/disputes';
import { regularCountQuery } from '#api/payments/regular-count';
import { secondDecisionsQuery, type SecondDecision } from '#api/payments/second-decisions';
import { aloneCountQuery } from '#api/people/clients-alone';
import { lateCommercialsQuery } from '#api/people/late-commercials';
import { contactsToEraseQuery } from '#api/sales/contacts-to-erase';
import { useSession } from '#api/transport/session';
import { Card, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { lazyPart } from '#ui/lazy-part';
import { countText } from '../../parts/count-text.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { appointmentsId } from './appointments.tsx';
import { RegularPayeesLine } from './regular-payees-line.tsx';
import { Line, namedMax } from './to-do-line.tsx';

const SecondDecisions = lazyPart(() => import('./second-decisions.tsx'));

export interface ToDoProps {
  figures: {
    data: AdminCards | undefined;
    isError: boolean;
    isFetching: boolean;
    dataUpdatedAt: number;
    refetch: () => unknown;
  };
  openSection: SectionProps['openSection'];
  /** No referral has ever come: nothing to be congratulated for. */
  isEmpty?: boolean | undefined;
  /** A line under the decisions that is none. */
  more?: ReactNode;
}

/** « À faire »: how many decisions wait, for how much and since when, each leading to its list. */
export function ToDo({ figures, openSection, isEmpty = false, more }: ToDoProps) {
  const { t } = useTranslation();
  const { data } = figures;
  const { data: disputes = 0 } = useQuery(openDisputesCountQuery);
  const { data: doubts = 0 } = useQuery(openCasesCountQuery);
  const { data: leaving } = useQuery(contactsToEraseQuery);
  const { data: appointments } = useQuery(appointmentsQuery);
  const { data: alone = 0 } = useQuery(aloneCountQuery);
  const { data: late } = useQuery(lateCommercialsQuery);
  const { data: regular } = useQuery(regularCountQuery);
  const seconds = useOthersDecisions();
  const firstLeaving = leaving?.contacts[0];
  const total = data
    ? data.salesToValidateCount +
      data.requestsToDecideCount +
      data.requestsToPayCount +
      disputes +
      doubts +
      alone +
      (late?.count ?? 0) +
      (regular?.count ?? 0) +
      seconds.length +
      (leaving?.total ?? 0) +
      (appointments?.total ?? 0)
    : undefined;
  return (
    <Card className="overflow-clip">
      <CardHeader
        title={t('À faire')}
        description={
          total !== 0
            ? undefined
            : isEmpty
              ? t('Rien à décider pour l’instant : le premier contrat à valider arrivera ici.')
              : t('Tout est à jour : aucune décision ne vous attend.')
        }
        level={3}
      />
      {figures.isError && data === undefined ? (
        <ErrorState onRetry={() => void figures.refetch()} pending={figures.isFetching} />
      ) : (
        <ul className="divide-y divide-hairline">
          <Line
            count={data?.salesToValidateCount}
            waiting={waitingText(data?.toValidate, figures.dataUpdatedAt, t('le plus ancien'), t)}
            icon={<BadgeCheck aria-hidden />}
            one={t('contrat à valider')}
            many={t('contrats à valider')}
            action={t('Valider')}
            onOpen={() => openSection('validations')}
          />
          <Line
            count={data?.requestsToDecideCount}
            waiting={ageText(data?.toDecide, figures.dataUpdatedAt, t('la plus ancienne'), t)}
            icon={<Inbox aria-hidden />}
            one={t('demande de paiement à traiter')}
            many={t('demandes de paiement à traiter')}
            action={t('Traiter')}
            onOpen={() => openSection('demandes-de-paiement', { statut: 'pending' })}
          />
          <Line
            count={data?.requestsToPayCount}
            waiting={ageText(data?.toPay, figures.dataUpdatedAt, t('la plus ancienne'), t)}
            icon={<HandCoins aria-hidden />}
            one={t('demande approuvée à payer')}
            many={t('demandes approuvées à payer')}
            action={t('Payer')}
            onOpen={() => openSection('demandes-de-paiement', { statut: 'approved' })}
          />
          {alone > 0 && (
            <Line
              count={alone}
              waiting={alone > 1 ? t('ne peuvent pas encore inviter') : t('ne peut pas encore inviter')}
              icon={<UserRoundPlus aria-hidden />}
              one={t('client sans commercial')}
              many={t('clients sans commercial')}
              action={t('Attribuer')}
              onOpen={() => openSection('clients', { activite: 'alone' })}
            />
          )}
          <LateCommercials openSection={openSection} />
          {disputes > 0 && (
            <Line
              count={disputes}
              waiting={undefined}
              icon={<MessageCircleQuestionMark aria-hidden />}
              one={t('ligne de compte contestée')}
              many={t('lignes de compte contestées')}
              action={t('Répondre')}
              onOpen={() => openSection('controle-des-comptes')}
            />
          )}
          {seconds.length > 0 && <SecondDecisions decisions={seconds} openSection={openSection} />}
          {doubts > 0 && (
            <Line
              count={doubts}
              waiting={undefined}
              icon={<ShieldAlert aria-hidden />}
              one={t('cas douteux à examiner')}
              many={t('cas douteux à examiner')}
              action={t('Examiner')}
              onOpen={() => openSection('cas-douteux', { statut: 'open' })}
            />
          )}
          {regular !== undefined && regular.count > 0 && (
            <RegularPayeesLine regular={regular} openSection={openSection} />
          )}
          {appointments !== undefined && appointments.total > 0 && (
            <Line
              count={appointments.total}
              waiting={appointments.appointments
                .slice(0, namedMax)
                .map(({ name }) => name)
                .join(', ')}
              icon={<CalendarClock aria-hidden />}
              one={t('demande de rendez-vous')}
              many={t('demandes de rendez-vous')}
              action={t('Répondre')}
              onOpen={() => document.getElementById(appointmentsId)?.scrollIntoView()}
            />
          )}
          {leaving && firstLeaving && (
            <Line
              count={leaving.total}
              waiting={
                <>
                  {leaving.contacts
                    .slice(0, namedMax)
                    .map(({ name }) => name)
                    .join(', ')}
                  {leaving.total > namedMax && '…'} · {t('à partir du')} <DateText value={firstLeaving.eraseOn} />
                </>
              }
              icon={<Eraser aria-hidden />}
              one={t('contact bientôt effacé')}
              many={t('contacts bientôt effacés')}
              action={t('Voir')}
              onOpen={() => openSection('ventes')}
            />
          )}
          {more}
        </ul>
      )}
    </Card>
  );
}

/** « 158 000,00 € · le plus ancien 64 jours »; nothing where nothing waits. */
function waitingText(...[waiting, now, oldest, t]: Parameters<typeof ageText>): string | undefined {
  const age = ageText(waiting, now, oldest, t);
  return waiting && age && `${formatEuros(waiting.amount)} · ${age}`;
}

/** « la plus ancienne 12 jours »: of a request « Dû » says the amount (UI-08). */
function ageText(
  waiting: Waiting | undefined,
  now: number,
  oldest: string,
  t: (key: string) => string,
): string | undefined {
  if (!waiting || waiting.oldestAt === null) return undefined;
  const days = daysSince(waiting.oldestAt, now);
  const age = days === 0 ? t('aujourd’hui') : countText(days, t('jour'), t('jours'));
  return `${oldest} ${age}`;
}

/** UI-09: those who let a referral wait for its first call, and the names of who does for longest. */
function LateCommercials({ openSection }: Pick<SectionProps, 'openSection'>) {
  const { t } = useTranslation();
  const { data: late } = useQuery(lateCommercialsQuery);
  const { data: settings } = useQuery(companySettings);
  if (late === undefined || late.count === 0 || settings === undefined) return null;
  return (
    <Line
      count={late.count}
      waiting={late.names.join(', ')}
      icon={<PhoneOff aria-hidden />}
      {...lateWords(settings, t)}
      action={t('Voir')}
      onOpen={() => openSection('commerciaux', { activite: 'late', tri: 'waitingSince', sens: 'asc' })}
    />
  );
}

/** Requests of another admin, who may not decide them alone: the second one is oneself. */
function useOthersDecisions(): readonly SecondDecision[] {
  const { data = [] } = useQuery(secondDecisionsQuery);
  const session = useSession();
  const me = session.status === 'signed-in' ? session.profile.id : null;
  return data.filter(({ askedBy }) => askedBy !== me);
}

/** UI-09: by the company's days before a referral is late, or else by the working days of its promise. */
function lateWords({ followUpDays, answerDays }: Pick<CompanySettings, 'followUpDays' | 'answerDays'>, t: TFunction) {
  const days =
    followUpDays !== null
      ? countText(followUpDays, t('jour'), t('jours'))
      : countText(answerDays ?? 0, t('jour ouvré'), t('jours ouvrés'));
  return {
    one: t('commercial a un contact à appeler depuis plus de {{days}}', { days }),
    many: t('commerciaux ont un contact à appeler depuis plus de {{days}}', { days }),
  };
}
