import { dayOf, formatDate } from './date.ts';
import { eInvoicingDays, eInvoicingFines, eInvoicingReferences } from './e-invoicing-figures.ts';
import { plainEuros } from './plain-euros.ts';

/** Facts of a company that decide what electronic invoicing changes for it (EI-03). */
export interface EInvoicingFacts {
  readonly issuesPapers: boolean;
  readonly siren: string | null;
  /** Mandates of self-billing that are in force. */
  readonly mandates: number;
  /** Self-billed invoices and credit notes of this year. */
  readonly invoices: number;
  /** Those of all years that no platform has, as far as Parrain knows. */
  readonly unsent: number;
  /** A platform is known, and answered once. */
  readonly isLinked: boolean;
  /** It takes them by itself. */
  readonly isOn: boolean;
}

export interface EInvoicingNotice {
  /** Sentences for this company, the first one first. */
  readonly lines: readonly string[];
  /** The next thing to do. */
  readonly todo: 'papers' | 'connect' | 'switch_on' | 'receive' | 'receive_on';
}

/**
 * The change that electronic invoicing makes for this company, on this day; null once it is done. Who gives no mandate has to receive all the same.
 * Days, fines and references are those of the dated table.
 */
export function eInvoicingNotice(facts: EInvoicingFacts, now: Date): EInvoicingNotice | null {
  if (facts.isOn) return null;
  const day = dayOf(now);
  const { reception, issueOfLarge, issueOfSmall } = eInvoicingDays;
  const from = (start: string): string => formatDate(`${start}T12:00:00Z`);
  const isDue = issueOfSmall.fromDay <= day;
  const reference = eInvoicingReferences.find(({ fromDay }) => fromDay <= day);
  const fine = eInvoicingFines.find(({ fromDay }) => fromDay <= day) ?? eInvoicingFines[0];
  const receives = `${reception.fromDay <= day ? 'Depuis le' : 'À partir du'} ${from(reception.fromDay)}, `;
  if (facts.mandates === 0 && facts.invoices === 0) {
    return {
      lines: [
        `${receives}toute entreprise soumise à la TVA, même en franchise, doit pouvoir recevoir ses factures par une plateforme agréée : la vôtre aussi, bien que vous n’établissiez aucune facture au nom de vos bénéficiaires.`,
        `${isDue ? 'Depuis le' : 'À partir du'} ${from(issueOfSmall.fromDay)} au plus tard, les bénéficiaires en entreprise vous ${isDue ? 'envoient' : 'enverront'} les leurs par là.`,
      ],
      todo: facts.siren === null ? 'papers' : facts.isLinked ? 'receive_on' : 'receive',
    };
  }
  const lines = [
    `Vous établissez des factures au nom de vos bénéficiaires. ${
      isDue ? 'Depuis le' : 'À partir du'
    } ${from(issueOfSmall.fromDay)}, celles d’une PME ou d’un micro-entrepreneur ${
      isDue ? 'passent' : 'passeront'
    } par une plateforme agréée : un PDF envoyé par e-mail ne ${isDue ? 'suffit' : 'suffira'} plus. Pour une grande entreprise ou une ETI, c’est ${
      issueOfLarge.fromDay <= day ? 'déjà le cas depuis le' : 'le'
    } ${from(issueOfLarge.fromDay)}.`,
    concerned(facts),
    ...(fine === undefined || reference === undefined
      ? []
      : [
          `Une facture qui ne passe pas par une plateforme coûte ${plainEuros(fine.perInvoice)} d’amende, ${plainEuros(fine.perYear)} par an au plus (${reference.words}).`,
        ]),
    `${receives}votre entreprise reçoit aussi ses factures par une plateforme agréée. Parrain n’en est pas une : vérifiez que vous en avez choisi une.`,
  ];
  return {
    lines,
    todo: facts.siren === null || !facts.issuesPapers ? 'papers' : facts.isLinked ? 'switch_on' : 'connect',
  };
}

function concerned({ invoices, unsent, mandates }: EInvoicingFacts): string {
  if (invoices === 0) {
    return `Cette année, aucune encore : ${mandates === 1 ? 'un mandat est en vigueur' : `${mandates} mandats sont en vigueur`}.`;
  }
  const some =
    invoices === 1 ? 'une facture ou un avoir est concerné' : `${invoices} factures et avoirs sont concernés`;
  if (unsent === 0) return `Cette année, ${some} : rien ne reste à déposer.`;
  return `Cette année, ${some} : ${unsent === 1 ? 'une pièce reste' : `${unsent} pièces restent`} à déposer.`;
}
