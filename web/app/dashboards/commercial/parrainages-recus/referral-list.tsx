import { callChoiceText, mayBeCalled } from '@parrain/domain/call-consent';
import clsx from 'clsx';
import { saleNotEditable } from '@parrain/domain/messages';
import { dayOf } from '@parrain/domain/date';
import { isEarned, isEditableByCommercial, isLate, isOpen, referrerName } from '@parrain/domain/sale';
import { ofName } from '@parrain/domain/of-name';
import {
  AlarmClock,
  CalendarClock,
  Lock,
  MessageCircleQuestionMark,
  MessageSquareQuote,
  SquarePen,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { Amount } from '#ui/amount';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Skeleton } from '#ui/skeleton';
import { useMedia } from '#ui/use-media';
import { CommissionExplain } from '../../parts/commission-explain.tsx';
import { referralReason, ReferralStatus } from '../../parts/referral-status.tsx';
import { ReferralContact } from './referral-contact.tsx';

export interface ReferralListProps {
  sales: readonly Referral[];
  /** The company's days before a referral that nobody contacted is late; null where it has none. */
  followUpDays: number | null;
  /** The company calls those alone who agreed (CS-03). */
  isConsentRequired: boolean;
  onOpen: (sale: Referral) => void;
  onUpdate: (sale: Referral) => void;
}

/** The referrals, one a line on a wide screen, one a card on a phone with three buttons for the thumb: call, write, status (CO-02). */
export function ReferralList({ sales, followUpDays, isConsentRequired, onOpen, onUpdate }: ReferralListProps) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t('Parrainages reçus')} className="divide-y divide-hairline">
      {sales.map((sale) => (
        <li key={sale.id}>
          <ReferralLine
            sale={sale}
            followUpDays={followUpDays}
            isConsentRequired={isConsentRequired}
            onOpen={() => onOpen(sale)}
            onUpdate={() => onUpdate(sale)}
          />
        </li>
      ))}
    </ul>
  );
}

/** From the breakpoint « xl » on. */
const laptopQuery = '(min-width: 1280px)';

const contactLook = {
  group: 'max-lg:contents lg:flex lg:min-w-0 lg:flex-col lg:gap-0.5 lg:[&_svg]:size-3.5 lg:[&_svg]:text-encre-faint',
  link: 'min-w-0 max-lg:h-11 max-lg:flex-1 max-lg:gap-1.5 max-lg:px-1.5 max-lg:text-sm max-[22rem]:[&_svg]:hidden lg:h-auto lg:min-h-6 lg:justify-start lg:border-0 lg:bg-transparent lg:px-0 lg:text-left lg:font-normal lg:whitespace-normal! lg:hover:bg-transparent lg:hover:text-sapin lg:hover:underline',
  soft: 'text-sm lg:text-encre-soft',
  missing: 'max-lg:flex-1 max-lg:self-center max-lg:text-center max-lg:text-xs',
} as const;

/** DF-41: what the friend chose about being called, beside a call that the company's setting lets one make. */
function CallChoice({ sale, isConsentRequired }: Pick<ReferralLineProps, 'sale' | 'isConsentRequired'>) {
  const { t } = useTranslation();
  const { callAnswer, referredContactPhone } = sale;
  if (referredContactPhone === null || !isOpen(sale)) return null;
  // Where nobody may call, these words stand in place of the call.
  if (!mayBeCalled(callAnswer, { isConsentRequired, hasContract: false })) return null;
  return <p className="text-sm text-encre-soft lg:text-xs">{t(callChoiceText(callAnswer))}</p>;
}

interface ReferralLineProps {
  sale: Referral;
  followUpDays: number | null;
  isConsentRequired: boolean;
  onOpen: () => void;
  onUpdate: () => void;
}

/**
 * One referral: a column on a phone, three on a tablet, four on a laptop, where most are two lines. The name and the status are one
 * line on a phone, two cells elsewhere.
 */
function ReferralLine({ sale, followUpDays, isConsentRequired, onOpen, onUpdate }: ReferralLineProps) {
  const { t } = useTranslation();
  const referrer = referrerName(sale);
  // Under the button a laptop has room for it: most referrals are then two lines.
  const isLaptop = useMedia(laptopQuery);
  const received = (
    <span className="text-sm whitespace-nowrap text-encre-faint">
      {t('Reçu le')} <DateText value={sale.createdAt} />
    </span>
  );
  return (
    <article
      aria-labelledby={`contact-${sale.id}`}
      className={clsx(
        'flex flex-col gap-3 px-4 py-4 sm:px-5',
        isLateNow(sale, followUpDays)
          ? 'shadow-[inset_3px_0_0_var(--color-danger)]'
          : isCallDue(sale)
            ? 'shadow-[inset_3px_0_0_var(--color-amber)]'
            : !isOpen(sale) && 'bg-papier/60',
        'lg:grid lg:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)_11rem] lg:grid-rows-[auto_auto_1fr] lg:gap-x-6 lg:gap-y-1 lg:py-3',
        'xl:grid-cols-[minmax(0,1.1fr)_minmax(0,1.25fr)_minmax(0,1fr)_11rem] xl:grid-rows-[auto_1fr]',
      )}
    >
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5 max-lg:-mb-2.5 lg:contents">
        <h3
          id={`contact-${sale.id}`}
          className="min-w-0 font-sans text-base font-medium tracking-normal wrap-anywhere lg:col-start-1 lg:row-start-1"
        >
          <button
            type="button"
            className="tap-target max-w-full text-left wrap-anywhere hover:underline"
            onClick={onOpen}
          >
            {sale.referredContactName}
          </button>
        </h3>
        <div className="lg:col-start-2 lg:row-start-1 xl:col-start-3">
          <ReferralStatus referral={sale} audience="commercial" />
        </div>
      </div>
      <div className="min-w-0 lg:col-start-1 lg:row-start-2">
        <p className="flex flex-wrap gap-x-2 text-sm text-encre-soft">
          <span className="wrap-anywhere">
            {referrer === null ? t('Sans parrain') : t('Recommandation {{ofName}}', { ofName: ofName(referrer) })}
          </span>
          {!isLaptop && received}
        </p>
        <FollowUpMarks sale={sale} followUpDays={followUpDays} />
        {sale.personalMessage && <Message text={sale.personalMessage} />}
      </div>
      <Contract sale={sale} isConsentRequired={isConsentRequired} />
      {/* On a phone one row under the thumb; two columns of a wide screen. */}
      <div className="flex gap-2 lg:contents">
        <div
          className={clsx(
            'max-lg:contents lg:col-start-1 lg:row-start-3 lg:min-w-0 xl:col-start-2 xl:row-span-2 xl:row-start-1',
            // Nobody is to be called about what is decided; the panel keeps how to reach them.
            !isOpen(sale) && 'max-lg:hidden',
          )}
        >
          <ReferralContact referral={sale} isConsentRequired={isConsentRequired} look={contactLook} inRow />
        </div>
        <div className="flex flex-col items-start max-lg:flex-1 lg:col-start-3 lg:row-span-3 lg:row-start-1 lg:items-end lg:text-right xl:col-start-4 xl:row-span-2 xl:row-start-1">
          {isEditableByCommercial(sale) ? (
            <Button
              size="sm"
              icon={<SquarePen aria-hidden />}
              onClick={onUpdate}
              className="max-lg:h-11 max-lg:w-full max-lg:gap-1.5 max-lg:px-1.5 max-md:[&_svg]:hidden"
            >
              {t('Mettre à jour')}
              <span className="sr-only">
                {t('le parrainage {{ofName}}', { ofName: ofName(sale.referredContactName) })}
              </span>
            </Button>
          ) : (
            <p className="inline-flex items-center gap-1.5 text-sm whitespace-nowrap text-encre-faint lg:pt-0.5">
              <Lock aria-hidden className="size-3.5 shrink-0" />
              {t(saleNotEditable)}
            </p>
          )}
          {isLaptop && <p className="mt-1">{received}</p>}
        </div>
      </div>
    </article>
  );
}

function Contract({ sale, isConsentRequired }: Pick<ReferralLineProps, 'sale' | 'isConsentRequired'>) {
  const { t } = useTranslation();
  const { contractAmount, contractDescription, commercialCommissionAmount: commission } = sale;
  const reason = referralReason(sale, t);
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm max-lg:empty:hidden lg:col-start-2 lg:row-span-2 lg:row-start-2 xl:col-start-3 xl:row-span-1 xl:row-start-2">
      <CallChoice sale={sale} isConsentRequired={isConsentRequired} />
      {contractAmount !== null && (
        <p className="text-base font-medium">
          <Amount cents={contractAmount} />
        </p>
      )}
      {contractDescription && (
        <p className="line-clamp-3 wrap-anywhere whitespace-pre-line text-encre-soft">{contractDescription}</p>
      )}
      {commission !== null && sale.cancellation === null && (
        <p className="flex flex-wrap items-center gap-x-1.5 text-encre-soft">
          {isEarned(sale) ? t('Commission :') : t('Commission prévue :')}{' '}
          <Amount cents={commission} className="font-medium text-encre" />
          <CommissionExplain sale={sale} side="commercial" />
        </p>
      )}
      {reason !== null && (
        <p className="wrap-anywhere text-encre">
          <span className="text-encre-soft">{t('{{label}} :', { label: reason.label })}</span> {reason.text}
        </p>
      )}
      {sale.commercialNotes && (
        <p className="line-clamp-2 wrap-anywhere text-encre-faint">
          {t('Notes, que le parrain peut lire :')} {sale.commercialNotes}
        </p>
      )}
      {sale.followUp?.note && (
        <p className="line-clamp-2 wrap-anywhere text-encre-faint">
          {t('Note privée :')} {sale.followUp.note}
        </p>
      )}
    </div>
  );
}

/** TM-05: late, to be called back, or news asked for, as long as the referral is open. */
function FollowUpMarks({ sale, followUpDays }: Pick<ReferralLineProps, 'sale' | 'followUpDays'>) {
  const { t } = useTranslation();
  if (!isOpen(sale)) return null;
  const callBackOn = sale.followUp?.callBackOn ?? null;
  return (
    <p className="mt-1.5 flex flex-wrap gap-1.5 empty:hidden">
      {isLateNow(sale, followUpDays) && (
        <Badge tone="red" icon={<AlarmClock aria-hidden />}>
          {t('En retard')}
        </Badge>
      )}
      {callBackOn !== null && (
        <Badge tone={hasCome(callBackOn) ? 'amber' : 'neutral'} icon={<CalendarClock aria-hidden />}>
          {t('À relancer le')} <DateText value={`${callBackOn}T12:00:00`} />
        </Badge>
      )}
      {sale.newsAskedAt !== null && (
        <Badge tone="blue" icon={<MessageCircleQuestionMark aria-hidden />}>
          {t('Nouvelles demandées le')} <DateText value={sale.newsAskedAt} />
        </Badge>
      )}
    </p>
  );
}

function isLateNow(sale: Referral, followUpDays: number | null): boolean {
  return isLate(sale, followUpDays, new Date());
}

/** The day to call an open referral back has come. */
function isCallDue(sale: Referral): boolean {
  const day = sale.followUp?.callBackOn ?? null;
  return isOpen(sale) && day !== null && hasCome(day);
}

function hasCome(day: string): boolean {
  return day <= dayOf(new Date());
}

function Message({ text }: { text: string }) {
  return (
    <p className="mt-1.5 flex gap-2 text-sm text-encre-soft">
      <MessageSquareQuote aria-hidden className="mt-0.5 size-3.5 shrink-0 text-encre-faint" />
      <span className="line-clamp-3 min-w-0 wrap-anywhere">« {text} »</span>
    </p>
  );
}

/** The shape of the list while it comes. */
export function ReferralListSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" className="divide-y divide-hairline">
      <span className="sr-only">{t('Chargement des parrainages reçus')}</span>
      {Array.from({ length: 5 }, (_, row) => (
        <div key={row} className="grid gap-3 px-4 py-4 sm:px-5 lg:grid-cols-[1.1fr_1.25fr_1fr_11rem]">
          <div className="grid gap-2">
            <Skeleton className="h-5 w-40" />
            <Skeleton className="h-4 w-56 max-w-full" />
          </div>
          <Skeleton className="h-5 w-36" />
          <Skeleton className="h-5 w-24" />
          <Skeleton className="h-8 w-32 lg:ml-auto" />
        </div>
      ))}
    </div>
  );
}
