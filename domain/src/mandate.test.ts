import { expect, test } from 'vitest';

import { mandateText } from './mandate.ts';

const address = { street: '12 rue des Lilas', postalCode: '35000', city: 'Rennes' };
const payee = { legalName: 'Noé Petit', address, siren: '552100554' };
const company = { legalName: 'Lumeo Habitat SARL', address, siren: '732829320' };

test('[PP-05] the mandate names both parties, says what may be written, how it is contested and how it ends', () => {
  const text = mandateText(payee, company);
  expect(text).toMatch(
    /^Entre Noé Petit, SIREN 552\u00a0100\u00a0554, 12 rue des Lilas, 35000 Rennes, ci-après le mandant, et Lumeo Habitat SARL, SIREN 732\u00a0829\u00a0320,/u,
  );
  for (const said of ['289, I-2', '« Autofacturation »', 'contester', '293 B', 'seul responsable', 'révoque']) {
    expect(text).toContain(said);
  }
  expect(text.split('\n\n')).toHaveLength(7);
});
