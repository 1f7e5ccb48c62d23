import { formatDateTime } from '@parrain/domain/date';
import { formatEuros } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import { statementDays } from '@parrain/domain/statement';
import type { StatementPeriod } from '@parrain/domain/statement';

/** A file of the dossier, as it was written. */
export type WrittenFile = { readonly name: string; readonly bytes: number; readonly sha256: string };

/** The sums of a dossier, from the very rows of its files. */
export type DossierTotals = {
  debit: Cents;
  credit: Cents;
  journalLines: number;
  payees: number;
  openingDue: Cents;
  earned: Cents;
  reversed: Cents;
  paid: Cents;
  /** Debts that payees paid back, less what was annulled of it (AC-05). */
  repaid: Cents;
  vat: Cents;
  closingDue: Cents;
  papers: number;
  /** Invoices that payees sent themselves. */
  invoices: number;
  payments: number;
};

/** Its files, each by the beginning of its name, and what it is for. */
const MEANINGS: readonly (readonly [starts: string, meaning: string])[] = [
  ['Journal/Journal', 'les écritures du parrainage : .txt au format du FEC, à importer, .csv pour un tableur'],
  ['Journal/Balance', 'le total de chaque compte du journal sur la période'],
  ['DAS2/', 'ce que chaque bénéficiaire a été payé dans l’année, et qui se déclare'],
  ['Paiements/Historique', 'chaque paiement et chaque retour, avec sa référence et son virement groupé'],
  ['Paiements/Virements', 'les virements groupés payés sur la période'],
  ['Relevés/', 'le compte de chaque bénéficiaire, en PDF et en CSV'],
  ['Pièces/', 'les reçus, autofactures (Factur-X : le XML est dans le PDF), avoirs et relevés trimestriels'],
  ['Factures reçues/', 'les factures que des bénéficiaires ont envoyées eux-mêmes, et qui ont été payées'],
];

/** The text that opens a dossier: its period, its sums, what each file is, and the SHA-256 of each (UI-12). */
export function readMe(
  { companyName, period, isFinal, at }: DossierHead,
  totals: DossierTotals,
  files: readonly WrittenFile[],
): string {
  const isEmpty = totals.journalLines === 0 && totals.payees === 0 && totals.papers === 0 && totals.payments === 0;
  const meanings = MEANINGS.filter(([starts]) => files.some(({ name }) => name.startsWith(starts)));
  const text = `DOSSIER COMPTABLE DU PARRAINAGE

Entreprise : ${companyName}
Période : ${period.label}, ${statementDays(period)}
Établi le : ${formatDateTime(at.toISOString())}
Journal : ${isFinal ? 'clos, il ne change plus' : 'provisoire, des écritures peuvent encore changer'}
${isEmpty ? '\nRien ne s’est passé sur cette période : aucune écriture, aucun compte, aucun paiement, aucune pièce.\n' : ''}
TOTAUX

Écritures du journal (lignes) : ${totals.journalLines}
Total débit : ${formatEuros(totals.debit)}
Total crédit : ${formatEuros(totals.credit)}
Bénéficiaires : ${totals.payees}
Dû au début de la période : ${formatEuros(totals.openingDue)}
Commissions gagnées : ${formatEuros(totals.earned)}
Commissions reprises : ${formatEuros(totals.reversed)}
Payé, retours déduits : ${formatEuros(totals.paid)}
Dettes remboursées : ${formatEuros(totals.repaid)}
TVA versée en plus : ${formatEuros(totals.vat)}
Dû à la fin de la période : ${formatEuros(totals.closingDue)}
Paiements et retours (lignes) : ${totals.payments}
Pièces : ${totals.papers}
Factures reçues : ${totals.invoices}

FICHIERS

${meanings.map(([starts, meaning]) => `${starts}… : ${meaning}.`).join('\n')}
Le journal est celui du parrainage, et non le FEC de toute l’entreprise. Une DAS2 est d’une année : un mois n’en a pas.
Les CSV s’ouvrent dans un tableur : colonnes séparées par « ; », UTF-8, virgule décimale.
Ces fichiers contiennent des données personnelles : ne les transmettez qu’à qui en a besoin.

EMPREINTES SHA-256

${files.map(({ name, sha256, bytes }) => `${sha256}  ${name} (${bytes} octets)`).join('\n')}
`;
  return `\uFEFF${text.replaceAll('\n', '\r\n')}`;
}

export type DossierHead = {
  readonly companyName: string;
  readonly period: StatementPeriod;
  /** True when all its months are closed. */
  readonly isFinal: boolean;
  readonly at: Date;
};
