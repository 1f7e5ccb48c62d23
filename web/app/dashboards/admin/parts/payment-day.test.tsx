import { dayOf } from '@parrain/domain/date';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import { PaymentDayField, usePaymentDay } from './payment-day.tsx';

function Asked({ likely }: { likely: string | null }) {
  return <PaymentDayField label="Date du paiement" choice={usePaymentDay(likely)} />;
}

test('[AC-01] today is proposed, or the batch’s day of execution once it is past; no later day can be chosen', () => {
  const today = dayOf(new Date());
  const day = (ago: number): string => dayOf(new Date(Date.now() - ago * 86_400_000));
  for (const [likely, proposed] of [
    [null, today],
    [today, today],
    [day(3), day(3)],
    [day(-3), today],
  ] as const) {
    const html = renderToStaticMarkup(
      <I18nextProvider i18n={i18n}>
        <Asked likely={likely} />
      </I18nextProvider>,
    );
    expect([likely, html.includes(`value="${proposed}"`), html.includes(`max="${today}"`)]).toEqual([
      likely,
      true,
      true,
    ]);
  }
});

test('[AC-01] an emptied day is said, and is not today', () => {
  const choice = { day: null, today: '2026-11-30', set: () => undefined };
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <PaymentDayField label="Date du paiement" choice={choice} />
    </I18nextProvider>,
  );
  expect(html).toContain('Indiquez un jour du calendrier.');
});
