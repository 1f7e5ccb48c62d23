import type { ReactNode } from 'react';
import { AmountInput } from '#ui/amount-input';
import { TextInput } from '#ui/text-input';
import { french } from '@parrain/domain/typography';
import { DocumentField } from './document-field.tsx';
import { costExample, referralCost, type CostSaid } from './referral-cost.ts';

const example = referralCost(costExample).said;

/** « Combien coûte un parrainage ? » (UI-14): written with an example; enliven-calculator.ts answers what is typed. */
export function Calculator() {
  return (
    <form
      method="post"
      data-calculator
      noValidate
      aria-labelledby="cout-titre"
      className="rounded-card bg-sheet p-6 text-encre [&_:focus-visible]:outline-sapin sm:p-7"
    >
      <h3 id="cout-titre" className="text-xl tracking-[-0.02em]">
        {french('Combien coûte un parrainage ?')}
      </h3>
      <p className="mt-1 text-encre-soft">
        {french('Ce que vous verserez à vos clients et à vos commerciaux, et seulement pour les contrats validés.')}
      </p>
      <div className="mt-5 grid grid-cols-2 gap-x-4 gap-y-3">
        <Asked name="contract" label="Contrat moyen">
          <AmountInput name="contract" defaultValue={costExample.contract} />
        </Asked>
        <Asked name="contracts" label="Contrats par mois">
          <TextInput
            name="contracts"
            inputMode="numeric"
            autoComplete="off"
            className="tabular-digits text-right"
            defaultValue={costExample.contracts}
          />
        </Asked>
        <Asked name="client" label="Part du client">
          <AmountInput name="client" unit="%" defaultValue={costExample.client} />
        </Asked>
        <Asked name="commercial" label="Part du commercial">
          <AmountInput name="commercial" unit="%" defaultValue={costExample.commercial} />
        </Asked>
      </div>
      <div aria-live="polite" aria-atomic className="mt-5 border-t border-hairline pt-4">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <span className="font-heading text-xl font-semibold text-sapin">
            <Said what="month" /> <span className="text-lg font-normal text-encre">par mois</span>
          </span>
          <span className="text-encre-soft">
            <Said what="year" /> par an
          </span>
        </p>
        <p className="mt-2 text-sm text-encre-soft">
          {french('Par contrat :')} <Said what="client" /> au client, <Said what="commercial" /> au commercial. Pour{' '}
          <Said what="signed" /> de contrats signés chaque mois.
        </p>
      </div>
    </form>
  );
}

function Asked({ name, label, children }: { name: keyof typeof costExample; label: string; children: ReactNode }) {
  return (
    <DocumentField form="cout" name={name} label={label}>
      {children}
    </DocumentField>
  );
}

function Said({ what }: { what: keyof CostSaid }) {
  return (
    <span data-said={what} className="tabular-digits">
      {example?.[what]}
    </span>
  );
}
