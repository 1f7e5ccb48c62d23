import { expect, test } from 'vitest';

import { conformityOf, noticePlaces, type LegalNotice } from './legal-notice.ts';

const notice: LegalNotice = {
  publisher: 'Lumeo Habitat, SARL',
  registration: null,
  address: '12 rue des Lilas, 35000 Rennes',
  director: 'Claire Fontaine',
  email: 'bonjour@lumeo.example',
  phone: '02 99 00 00 00',
  host: 'Hébergeur',
  host_address: '1 place de l’Exemple, 75001 Paris',
  host_phone: '01 00 00 00 00',
  audited_on: null,
  audited_by: null,
  audit_rate: null,
  audit_gaps: null,
};

test.each([
  [null, 'non conforme'],
  [0, 'non conforme'],
  [49, 'non conforme'],
  [50, 'partiellement conforme'],
  [99, 'partiellement conforme'],
  [100, 'totalement conforme'],
])('[DF-86] a rate of %s is « %s »', (rate, state) => {
  expect(conformityOf(rate)).toBe(state);
});

test('[DF-47] without a notice only the state is known; without a registration the publisher stands alone', () => {
  expect(noticePlaces(null)).toEqual({ state: 'non conforme' });
  expect(noticePlaces(notice)).toMatchObject({
    identity: 'Lumeo Habitat, SARL',
    host: 'Hébergeur, 1 place de l’Exemple, 75001 Paris, téléphone 01\u00a000\u00a000\u00a000\u00a000',
  });
  expect(noticePlaces(notice)).not.toHaveProperty('audit');
});

test('[DF-86] an audit says its day, author and rate; one without gaps says so', () => {
  const audited = { ...notice, audited_on: '2026-07-01', audited_by: 'Cabinet Clair', audit_rate: 100 };
  expect(noticePlaces(audited)).toMatchObject({
    state: 'totalement conforme',
    audit:
      'L’audit fait par Cabinet Clair le mercredi 1er juillet 2026 montre que 100 % des critères du RGAA 4.1.2 sont respectés.',
    gaps: 'L’audit n’en a signalé aucun.',
  });
});
