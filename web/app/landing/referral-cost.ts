import { commissionsOf, type CommissionSide } from '@parrain/domain/commission';
import { formatEuros, parseEuros, type Cents } from '@parrain/domain/money';
import { parsePercent } from '@parrain/domain/percent';

/** Inputs of the calculator (UI-14), as they are typed. */
export type CostAsked = Readonly<Record<'contract' | 'contracts' | 'client' | 'commercial', string>>;

/** The example that the page comes with. */
export const costExample: CostAsked = { contract: '2 400', contracts: '6', client: '5', commercial: '2' };

/** Amounts of the answer, each in its place of the page. */
export type CostSaid = Readonly<Record<'month' | 'year' | 'client' | 'commercial' | 'signed', string>>;

export type CostAnswer =
  | { readonly said: CostSaid; readonly wrong?: undefined }
  | { readonly said?: undefined; readonly wrong: Partial<CostAsked> };

/** The commissions of a programme, to the cent: one contract by the formula that validates it (M-01), as often as it is signed. */
export function referralCost(asked: CostAsked): CostAnswer {
  const contract = parseEuros(asked.contract) ?? 0n;
  const contracts = /^\d{1,4}$/u.test(asked.contracts.trim()) ? BigInt(asked.contracts.trim()) : 0n;
  const client = rateOf(asked.client);
  const commercial = rateOf(asked.commercial);
  const wrong: Partial<CostAsked> = {
    ...(contract > 0n ? {} : { contract: 'Un montant, comme 2 400' }),
    ...(contracts > 0n ? {} : { contracts: 'Un nombre entier, comme 6' }),
    ...(client ? {} : { client: rateExpected }),
    ...(commercial ? {} : { commercial: rateExpected }),
  };
  if (!client || !commercial || Object.keys(wrong).length > 0) return { wrong };
  const each = commissionsOf(contract, { client, commercial });
  const month = (each.client + each.commercial) * contracts;
  return {
    said: {
      month: spoken(month),
      year: spoken(month * 12n),
      client: spoken(each.client),
      commercial: spoken(each.commercial),
      signed: spoken(contract * contracts),
    },
  };
}

const rateExpected = 'De 0 à 100 %, comme 5 ou 7,5';

/** The side of a scale that a rate makes; nothing typed, or 0, earns nothing. */
function rateOf(typed: string): CommissionSide | null {
  if (/^0*(?:[.,]0*)?$/u.test(typed.trim())) return { type: 'fixed', amount: 0n };
  const basisPoints = parsePercent(typed.replace('%', ''));
  return basisPoints === null ? null : { type: 'percentage', basisPoints };
}

/** An amount that a screen reader reads as one number (DF-83): grouped by spaces that it knows. */
function spoken(cents: Cents): string {
  return formatEuros(cents).replaceAll('\u202f', '\u00a0');
}
