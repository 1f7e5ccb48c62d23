import type { ContactChannel } from '@parrain/domain/call-consent';
import { saleNotEditable } from '@parrain/domain/messages';
import { ofName } from '@parrain/domain/of-name';
import { isEditableByCommercial, referrerName } from '@parrain/domain/sale';
import clsx from 'clsx';
import { Lock, MessageSquare, SquarePen } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { useMedia } from '#ui/use-media';
import { ReferralStatus } from '../../parts/referral-status.tsx';
import { edgeClass, FollowUpMarks } from './follow-up-marks.tsx';
import { ReferralContact } from './referral-contact.tsx';
import { ReferralContract } from './referral-contract.tsx';
import { WhyHere } from './why-here.tsx';

/** From the breakpoint « xl » on. */
const laptopQuery = '(min-width: 1280px)';

// With a breakpoint, so that they come after the button's own classes.
const contactLook = {
  group: 'flex min-w-0 flex-col gap-0.5 [&_svg]:text-encre-faint lg:[&_svg]:size-3.5',
  link: 'min-w-0 lg:h-auto lg:min-h-6 lg:justify-start lg:border-0 lg:bg-transparent lg:px-0 lg:text-left lg:font-normal lg:whitespace-normal! lg:hover:bg-transparent lg:hover:text-sapin lg:hover:underline',
  soft: 'text-sm lg:text-encre-soft',
} as const;

export interface ReferralLineProps {
  sale: Referral;
  /** The company's days before a referral that nobody contacted is late; null where it has none. */
  followUpDays: number | null;
  /** The company calls those alone who agreed (CS-03). */
  isConsentRequired: boolean;
  /** In « Aujourd’hui », which says why each is there. */
  isToday: boolean;
  onOpen: () => void;
  onUpdate: () => void;
  onReach: (way: ContactChannel) => void;
}

/** One referral on a wide screen: three columns, four on a laptop, where most are two lines. Narrower, it is a row: ./referral-row.tsx. */
export function ReferralLine({
  sale,
  followUpDays,
  isConsentRequired,
  isToday,
  onOpen,
  onUpdate,
  onReach,
}: ReferralLineProps) {
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
        'grid grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)_11rem] grid-rows-[auto_auto_1fr] gap-x-6 gap-y-1 px-5 py-3',
        edgeClass(sale, followUpDays),
        'xl:grid-cols-[minmax(0,1.1fr)_minmax(0,1.25fr)_minmax(0,1fr)_11rem] xl:grid-rows-[auto_1fr]',
      )}
    >
      <h3
        id={`contact-${sale.id}`}
        className="col-start-1 row-start-1 min-w-0 font-sans text-base font-medium tracking-normal wrap-anywhere"
      >
        <button
          type="button"
          className="tap-target max-w-full text-left wrap-anywhere hover:underline"
          onClick={onOpen}
        >
          {sale.referredContactName}
        </button>
      </h3>
      <div className="col-start-2 row-start-1 xl:col-start-3">
        <ReferralStatus referral={sale} audience="commercial" />
      </div>
      <div className="col-start-1 row-start-2 min-w-0">
        <p className="flex flex-wrap gap-x-2 text-sm text-encre-soft">
          <span className="wrap-anywhere">
            {referrer === null ? t('Sans parrain') : t('Recommandation {{ofName}}', { ofName: ofName(referrer) })}
          </span>
          {!isLaptop && received}
        </p>
        {isToday && (
          <p className="text-sm">
            <WhyHere sale={sale} followUpDays={followUpDays} />
          </p>
        )}
        <FollowUpMarks sale={sale} followUpDays={followUpDays} isReasonSaid={isToday} />
        {sale.personalMessage && <Message text={sale.personalMessage} />}
      </div>
      <ReferralContract sale={sale} isConsentRequired={isConsentRequired} />
      <div className="col-start-1 row-start-3 min-w-0 xl:col-start-2 xl:row-span-2 xl:row-start-1">
        <ReferralContact referral={sale} isConsentRequired={isConsentRequired} look={contactLook} onReach={onReach} />
      </div>
      <div className="col-start-3 row-span-3 row-start-1 flex flex-col items-end text-right xl:col-start-4 xl:row-span-2">
        {isEditableByCommercial(sale) ? (
          <Button size="sm" icon={<SquarePen aria-hidden />} onClick={onUpdate}>
            {t('Mettre à jour')}
            <span className="sr-only">
              {t('le parrainage {{ofName}}', { ofName: ofName(sale.referredContactName) })}
            </span>
          </Button>
        ) : (
          <p className="inline-flex items-center gap-1.5 pt-0.5 text-sm whitespace-nowrap text-encre-faint">
            <Lock aria-hidden className="size-3.5 shrink-0" />
            {t(saleNotEditable)}
          </p>
        )}
        {isLaptop && <p className="mt-1">{received}</p>}
      </div>
    </article>
  );
}

function Message({ text }: { text: string }) {
  return (
    <p className="mt-1.5 flex gap-2 text-sm text-encre-soft">
      <MessageSquare aria-hidden className="mt-0.5 size-3.5 shrink-0 text-encre-faint" />
      <span className="line-clamp-3 min-w-0 wrap-anywhere">« {text} »</span>
    </p>
  );
}
