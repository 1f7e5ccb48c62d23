import { isOutsideEea } from '@parrain/domain/eea';
import { useForm } from 'react-hook-form';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { i18n } from '../../i18n.ts';
import { AbroadFields } from './abroad-fields.tsx';
import { noAbroad } from './no-abroad.ts';

function Form() {
  const { control, register } = useForm({ defaultValues: noAbroad });
  return (
    <AbroadFields
      control={control}
      register={register}
      nameOf={(field) => field}
      errorOf={(field) => (field === 'bic' ? 'Indiquez le BIC.' : undefined)}
    />
  );
}

test('[AC-09] BIC and address are asked as soon as the IBAN is one of a country outside the European Economic Area, and not before', () => {
  expect(['', 'C', 'CH', 'FR76', 'NO93 86', 'CH9', 'MC58 1122', 'GB29'].filter(isOutsideEea)).toEqual([
    'CH9',
    'MC58 1122',
    'GB29',
  ]);
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <Form />
    </I18nextProvider>,
  );
  for (const label of ['BIC', 'Numéro et rue', 'Code postal', 'Ville', 'Pays']) expect(html).toContain(`>${label}<`);
  expect(html).toContain('Indiquez le BIC.');
});
