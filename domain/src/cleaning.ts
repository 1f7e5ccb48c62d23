import * as z from 'zod/mini';

/** Counts of the rows that a cleaning deletes, by kind (P-05), in the order of the screen. */
export const testDataKinds = [
  'sales',
  'commission_payments',
  'payment_requests',
  'commission_rates',
  'clients',
  'commercials',
] as const;
export type TestDataKind = (typeof testDataKinds)[number];

export const testDataLabels: Readonly<Record<TestDataKind, string>> = {
  sales: 'Ventes et parrainages',
  commission_payments: 'Commissions',
  payment_requests: 'Demandes de paiement',
  commission_rates: 'Barèmes',
  clients: 'Clients',
  commercials: 'Commerciaux',
};

/** Real rows that depend on test rows (FX-02). */
export interface CleaningHold {
  readonly kind: 'clients' | 'sales' | 'scales' | 'requests';
  readonly number: number;
  /** The names of a few. */
  readonly examples: readonly string[];
}

const holds = z.array(
  z.object({
    kind: z.enum(['clients', 'sales', 'scales', 'requests']),
    number: z.number(),
    examples: z.array(z.string()),
  }),
);

/** Reads the blocking rows from the server's answer; none for any other shape. */
export function holdsFromWire(value: unknown): readonly CleaningHold[] {
  const parsed = holds.safeParse(value);
  return parsed.success ? parsed.data : [];
}

const words: Readonly<Record<CleaningHold['kind'], readonly [one: string, many: string]>> = {
  clients: [
    'client réel est suivi par un commercial de test : rattachez-le à un autre commercial',
    'clients réels sont suivis par un commercial de test : rattachez-les à un autre commercial',
  ],
  sales: ['vente réelle tient à une personne de test', 'ventes réelles tiennent à une personne de test'],
  scales: ['vente réelle utilise un barème de test', 'ventes réelles utilisent un barème de test'],
  requests: [
    'demande de paiement réelle repose sur des données de test',
    'demandes de paiement réelles reposent sur des données de test',
  ],
};

/** « 2 ventes réelles tiennent à une personne de test (Ana Prévost, Paul Roux) », without a full stop. */
export function holdSentence({ kind, number, examples }: CleaningHold): string {
  const [one, many] = words[kind];
  const names = examples.length < number && examples.length > 0 ? [...examples, '…'] : examples;
  return `${number} ${number === 1 ? one : many}${names.length === 0 ? '' : ` (${names.join(', ')})`}`;
}
