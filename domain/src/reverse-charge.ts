import { legalReferences, referenceOn } from './legal-references.ts';
import { isAbroad, isBusiness, isReverseCharged, type PayeeDetails } from './payee.ts';

/** Obstacle that keeps a company from paying a business abroad with reverse charge: it has no VAT number, or another rate than mainland France's. */
export type ReverseChargeObstacle = 'no_vat_number' | 'overseas';

/** Why no business abroad can be paid, and what to do about it (CGI 286 ter): to the payee, or to an admin. */
export function reverseChargeRefusal(obstacle: ReverseChargeObstacle, isOwn: boolean): string {
  if (obstacle === 'overseas') {
    return isOwn
      ? 'L’entreprise ne peut pas vous payer ici : son taux de TVA est celui de l’outre-mer. Demandez-lui comment elle vous paiera.'
      : 'Votre entreprise est outre-mer, et le taux de TVA qui s’y applique n’est pas tenu ici : payez ce bénéficiaire en dehors du logiciel, avec votre expert-comptable.';
  }
  return isOwn
    ? 'L’entreprise ne peut pas encore vous payer : hors de France, il lui faut un numéro de TVA. Prévenez-la : elle doit le demander (article 286 ter du CGI).'
    : 'Votre entreprise ne peut pas encore payer ce bénéficiaire : hors de France, il lui faut un numéro de TVA. Demandez-le à votre service des impôts (article 286 ter du CGI), puis indiquez-le dans « Comptabilité », à « Pièces des paiements ».';
}

/** Change that being abroad makes for a payee who can be paid (AC-08): for their invoice, or for the company's accounts. */
export function abroadSentence(
  details: Pick<PayeeDetails, 'status' | 'country'>,
  {
    isOwn,
    isAsked,
    companyVatNumber,
    day,
  }: {
    readonly isOwn: boolean;
    /** False where the company makes no papers: nothing is posted either. */
    readonly isAsked: boolean;
    readonly companyVatNumber: string | null;
    readonly day: string;
  },
): string | null {
  if (!isAbroad(details.country)) return null;
  if (!isAsked) return isOwn ? null : withholding;
  if (isReverseCharged(details)) {
    const law = referenceOn(day, legalReferences.reverseCharge);
    return isOwn
      ? `Vos commissions s’entendent hors taxe. Votre facture est sans TVA française : elle porte la mention « Autoliquidation », votre numéro${companyVatNumber === null ? ' et celui de TVA de l’entreprise' : ` et le numéro de TVA de l’entreprise, ${companyVatNumber}`}. ${noMandate}`
      : `Ce bénéficiaire est payé hors taxe, et l’entreprise déclare elle-même la TVA (autoliquidation, ${law}). ${withholding}`;
  }
  if (isBusiness(details.status)) {
    return isOwn
      ? 'À Monaco, la TVA est celle de la France : si vous la facturez, indiquez-le, et votre facture la porte. Chaque paiement donne un reçu à y joindre. ' +
          noMandate
      : 'À Monaco, la TVA est celle de la France : ce bénéficiaire la facture lui-même, et chaque paiement donne un reçu.';
  }
  return isOwn ? 'Vos commissions se déclarent avec vos revenus, dans votre pays.' : withholding;
}

const noMandate = 'L’autofacturation n’est proposée qu’en France.';

const withholding =
  'Une retenue à la source peut être due hors de France (article 182 B du CGI) : à vérifier avec votre expert-comptable.';
