import { countryName, numberAbroadLabel } from '@parrain/domain/country';
import { formatDate } from '@parrain/domain/date';
import { formatEuros } from '@parrain/domain/money';
import {
  isAbroad,
  isBusiness,
  isReverseCharged,
  isVatAccepted,
  missingMentionWords,
  payeeStatusLabel,
  registryOf,
  type PayeeDetails,
} from '@parrain/domain/payee';
import { sirenText, siretText } from '@parrain/domain/siren';
import { useQuery } from '@tanstack/react-query';
import { PencilLine } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { payeeQuery } from '#api/payments/papers';
import { Button } from '#ui/button';
import { Facts, type Fact } from '#ui/facts';
import { lazyPart } from '#ui/lazy-part';
import { Notice } from '#ui/notice';

const AbroadNote = lazyPart(() => import('./abroad-note.tsx'));
const MandatePart = lazyPart(() => import('./mandate.tsx'));
const VatPart = lazyPart(() => import('./vat-acceptance.tsx'));
const PayeeDialog = lazyPart(() => import('./payee-dialog.tsx'));

export interface PayeeSectionProps {
  payeeId: string;
  /** To whom it speaks: the payee, or an admin. */
  isOwn: boolean;
  /** An admin says for whoever still has an account what the DAS2 needs, whether or not papers ask for it (PP-04). */
  isActive?: boolean | undefined;
  className?: string | undefined;
}

/** PP-01: what papers say of a payee, and its form; nothing for oneself where the company asks for nothing and nothing is known. */
export function PayeeSection({ payeeId, isOwn, isActive = false, className }: PayeeSectionProps) {
  const { t } = useTranslation();
  const payee = useQuery(payeeQuery(payeeId)).data;
  const [isEdited, setEdited] = useState(false);
  if (payee === undefined) return null;
  const { details, isAsked } = payee;
  const missing = details === null ? [] : missingMentionWords(details);
  const mayBeSaid = isAsked || (isActive && !isOwn);
  if (details === null && !mayBeSaid) return null;
  return (
    <section aria-label={t('Informations légales')} className={className}>
      <h3 className="text-lg">{t('Informations légales')}</h3>
      <p className="mt-0.5 text-sm text-encre-soft">
        {isOwn
          ? t('Ce que disent de vous les pièces de vos paiements.')
          : t('Ce qu’en disent les pièces de paiement et la DAS2.')}
      </p>
      {details === null ? (
        <Notice tone={isAsked ? 'warning' : 'info'} className="mt-3">
          {isOwn
            ? t('Votre entreprise en a besoin avant de vous payer.')
            : isAsked
              ? t('Rien n’est encore renseigné : un paiement ne peut être ni approuvé ni fait.')
              : t('Rien n’est encore renseigné. La DAS2 en a besoin.')}
        </Notice>
      ) : (
        <>
          <Facts className="mt-3" items={factsOf(details, t)} />
          {isAbroad(details.country) && (
            <AbroadNote
              status={details.status}
              country={details.country}
              payee={payee}
              isOwn={isOwn}
              className="mt-3"
            />
          )}
          {isAsked && missing.length > 0 && (
            <Notice tone="warning" className="mt-3">
              {t(isOwn ? 'Vos pièces doivent aussi dire {{missing}}.' : 'Ses pièces doivent aussi dire {{missing}}.', {
                missing: listText(missing),
              })}
            </Notice>
          )}
        </>
      )}
      {mayBeSaid && (
        <Button
          size="sm"
          className="mt-4"
          variant={isOwn && (details === null || (isAsked && missing.length > 0)) ? 'primary' : 'secondary'}
          icon={<PencilLine aria-hidden />}
          onClick={() => setEdited(true)}
        >
          {details === null ? t('Compléter les informations') : t('Modifier les informations')}
        </Button>
      )}
      {!isOwn && isAsked && details !== null && details.vatNumber !== null && !isVatAccepted(details) && (
        <VatPart payeeId={payeeId} vatNumber={details.vatNumber} />
      )}
      {isAsked && details !== null && isBusiness(details.status) && !isAbroad(details.country) && (
        <MandatePart payeeId={payeeId} payee={payee} isOwn={isOwn} />
      )}
      {isEdited && <PayeeDialog payeeId={payeeId} payee={payee} isOwn={isOwn} onClose={() => setEdited(false)} />}
    </section>
  );
}

/** « le SIRET, la forme juridique et le capital ». */
function listText(words: readonly string[]): string {
  return new Intl.ListFormat('fr', { type: 'conjunction' }).format(words);
}

function factsOf(details: PayeeDetails, t: (text: string) => string): Fact[] {
  const { status, legalName, address, siren, siret, rna, chargesVat, vatNumber } = details;
  const facts: Fact[] = [{ label: t('Statut'), value: t(payeeStatusLabel(status, details.country)) }];
  if (legalName !== null) facts.push({ label: t('Nom'), value: legalName });
  if (address !== null) {
    const place = isAbroad(details.country) ? `, ${countryName(details.country)}` : '';
    facts.push({ label: t('Adresse'), value: `${address.street}, ${address.postalCode} ${address.city}${place}` });
  }
  if (details.numberAbroad !== null) {
    facts.push({
      label: t(numberAbroadLabel(details.country)),
      value: <span className="tabular-digits">{details.numberAbroad}</span>,
    });
  }
  if (isReverseCharged(details)) facts.push({ label: t('TVA'), value: t('Autoliquidée par l’entreprise') });
  if (siren !== null)
    facts.push({ label: t('SIREN'), value: <span className="tabular-digits">{sirenText(siren)}</span> });
  if (siret !== null)
    facts.push({ label: t('SIRET'), value: <span className="tabular-digits">{siretText(siret)}</span> });
  const { legalForm, capital, registryCity } = details;
  if (legalForm !== null) facts.push({ label: t('Forme juridique'), value: legalForm });
  if (capital !== null) {
    facts.push({ label: t('Capital social'), value: <span className="tabular-digits">{formatEuros(capital)}</span> });
  }
  if (registryCity !== null) facts.push({ label: registryOf(status), value: registryCity });
  if (rna !== null) facts.push({ label: t('RNA'), value: <span className="tabular-digits">{rna}</span> });
  if (chargesVat !== null && (!isAbroad(details.country) || vatNumber !== null)) {
    facts.push({
      label: t('TVA'),
      value:
        vatNumber === null ? t('Non applicable (article 293 B)') : <span className="tabular-digits">{vatNumber}</span>,
    });
  }
  if (vatNumber !== null) {
    facts.push({
      label: t('TVA acceptée'),
      value: details.vatAcceptedAt ? formatDate(details.vatAcceptedAt) : t('Pas encore'),
    });
  }
  return facts;
}
