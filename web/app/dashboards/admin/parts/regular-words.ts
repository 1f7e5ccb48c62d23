import { formatEuros } from '@parrain/domain/money';
import type { TFunction } from 'i18next';
import type { RegularPayee } from '#api/payments/regular-payees';
import { countText } from '../../parts/count-text.ts';

/** Meaning of a particulier’s regularity, and what to do about it (AC-10, decision 0095). */
export const regularMeaning =
  'Un particulier peut apporter une affaire de temps en temps. Quand cela se répète, l’URSSAF peut y voir une activité : la loi ne fixe aucun plafond, c’est la régularité qui compte. Demandez à la personne de s’inscrire comme micro-entrepreneur, puis changez son statut sur sa fiche. Rien n’est bloqué : ses commissions restent dues.';

/** « 4 contrats en douze mois, 2 paiements pour 800,00 € », « 3 contrats en douze mois, aucun paiement ». */
export function regularCounts({ contracts, payments, paid }: RegularPayee, t: TFunction): string {
  const said = { contracts: countText(contracts, t('contrat'), t('contrats')) };
  if (payments === 0) return t('{{contracts}} en douze mois, aucun paiement', said);
  return t('{{contracts}} en douze mois, {{payments}} pour {{paid}}', {
    ...said,
    payments: countText(payments, t('paiement'), t('paiements')),
    paid: formatEuros(paid),
  });
}
