import { answeredNo, callChoiceText, noCallText, type ContactChannel } from '@parrain/domain/call-consent';
import { isOpen, referrerName } from '@parrain/domain/sale';
import clsx from 'clsx';
import { MessageCircleQuestionMark } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { Amount } from '#ui/amount';
import { DateText } from '#ui/date';
import { ReferralStatus } from '../../parts/referral-status.tsx';
import { edgeClass } from './follow-up-marks.tsx';
import { reachOf } from './reach.ts';
import { RowContact } from './row-contact.tsx';
import { WhyHere } from './why-here.tsx';

export interface ReferralRowProps {
  sale: Referral;
  /** The company's days before a referral that nobody contacted is late; null where it has none. */
  followUpDays: number | null;
  /** The company calls those alone who agreed (CS-03). */
  isConsentRequired: boolean;
  onOpen: () => void;
  onReach: (way: ContactChannel) => void;
}

/**
 * One referral on a phone, 72 px high at most: the name, why it is here, what the friend chose of calls, the call (UI-06). All of the
 * row opens its panel, where the rest stands (CO-02).
 */
export function ReferralRow({ sale, followUpDays, isConsentRequired, onOpen, onReach }: ReferralRowProps) {
  const { t } = useTranslation();
  const isOpened = isOpen(sale);
  const referrer = referrerName(sale);
  const nameId = `contact-${sale.id}`;
  const status = (
    // What comes after the badge is said below.
    <span className="flex shrink-0 *:gap-1 *:py-0 *:pr-2 *:pl-1.5 *:text-xs/4.5 [&>:nth-child(2)]:hidden">
      <ReferralStatus referral={sale} audience="commercial" />
    </span>
  );
  return (
    <article
      aria-labelledby={nameId}
      className={clsx(
        'relative flex min-h-16 items-center gap-2 py-0.5 pr-3 pl-4 sm:gap-4 sm:px-5',
        edgeClass(sale, followUpDays),
      )}
    >
      <button
        type="button"
        aria-labelledby={nameId}
        className="absolute inset-0 -outline-offset-2 hover:bg-well/50"
        onClick={onOpen}
      />
      <div className="pointer-events-none relative min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <h3
            id={nameId}
            className="line-clamp-1 min-w-0 flex-1 font-sans text-base/5 font-medium tracking-normal break-all"
          >
            {sale.referredContactName}
          </h3>
          {isOpened && sale.newsAskedAt !== null && (
            <span className="text-blue" title={t('Le parrain demande des nouvelles')}>
              <MessageCircleQuestionMark aria-hidden className="size-4" />
              <span className="sr-only">{t('Le parrain demande des nouvelles')}</span>
            </span>
          )}
          {status}
        </div>
        <p className="truncate text-sm/4.5 text-encre-soft">
          <WhyHere sale={sale} followUpDays={followUpDays} />
          {sale.contractAmount !== null && (
            <>
              {' · '}
              <Amount cents={sale.contractAmount} />
            </>
          )}
          {' · '}
          {referrer ?? t('Sans parrain')}
        </p>
        {isOpened && <Answer sale={sale} isConsentRequired={isConsentRequired} />}
      </div>
      {/* Nobody is to be called about what is decided; the panel keeps how to reach them. */}
      {isOpened && <RowContact referral={sale} isConsentRequired={isConsentRequired} onReach={onReach} />}
    </article>
  );
}

/** DF-41, CS-03: what the friend chose of calls, and what may be written to them. */
function Answer({ sale, isConsentRequired }: Pick<ReferralRowProps, 'sale' | 'isConsentRequired'>) {
  const { t } = useTranslation();
  const { mayCall, writing } = reachOf(sale, isConsentRequired);
  return (
    <p className="flex max-h-7 flex-wrap gap-x-2 overflow-hidden text-xs/3.5 text-encre-faint">
      {sale.referredContactPhone !== null && (
        <span>{t(mayCall ? callChoiceText(sale.callAnswer) : noCallText(sale.callAnswer))}</span>
      )}
      {sale.referredContactEmail !== null && writing === 'never' && <span>{t(answeredNo)}</span>}
      {sale.referredContactEmail !== null && writing === 'written' && (
        <span>
          {t('Message envoyé le')} <DateText value={sale.writtenAt} />
        </span>
      )}
    </p>
  );
}
