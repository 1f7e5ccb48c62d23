import { expect, test } from 'vitest';
import { emailAddress, mailboxOf } from './email-address.ts';
import { clientInvitationForm } from './forms/client-invitation.ts';
import { forgotPasswordForm } from './forms/forgot-password.ts';
import { parseForm } from './forms/parse-form.ts';
import { receivedReferralForm } from './forms/received-referral.ts';
import { registrationForm } from './forms/registration.ts';

const cafe = 'jean@xn--caf-dma.fr';

test.each([
  ['jean\u200b.dupont@exemple.fr', 'jean.dupont@exemple.fr'],
  ['jean\u00ad.dupont@exemple.fr\u202c', 'jean.dupont@exemple.fr'],
  ['\ufeff\u2060jean.dupont@exemple.fr\u00a0', 'jean.dupont@exemple.fr'],
  ['ｊｅａｎ．ｄｕｐｏｎｔ＠ｅｘｅｍｐｌｅ．ｆｒ', 'jean.dupont@exemple.fr'],
  ['Jean@CAFÉ.fr', cafe],
  ['jean@cafe\u0301.fr', cafe],
  ['jean@ca\u00adfé.fr', cafe],
  ['jean@caf\u0065\u200b\u0301。fr', cafe],
  ['jean@XN--CAF-DMA.fr', cafe],
  ["o'neil+a=b@exemple.fr", "o'neil+a=b@exemple.fr"],
])('[DF-30] %j is « %s », whatever the way it was written', (written, address) => {
  expect(emailAddress(written)).toBe(address);
  expect(parseForm(forgotPasswordForm, { email: written })).toMatchObject({ value: { email: address } });
  expect(parseForm(clientInvitationForm, { name: 'Jean', email: written })).toMatchObject({
    value: { email: address },
  });
  const password = 'une phrase de passe';
  expect(
    parseForm(registrationForm, { full_name: 'Jean', email: written, password, password_confirmation: password }),
  ).toMatchObject({ value: { email: address } });
  expect(parseForm(receivedReferralForm, { source: 's', reference: 'r', referrer_email: written })).toMatchObject({
    value: { referrer_email: address },
  });
});

test.each([
  'jean..dupont@exemple.fr',
  '.jean@exemple.fr',
  'jean.@exemple.fr',
  'jéan@exemple.fr',
  'жан@exemple.fr',
  `${'a'.repeat(65)}@exemple.fr`,
  'jean@-exemple.fr',
  'jean@exemple_.fr',
  'jean@192.168.0.1',
  'jean@exemple.fr/x',
  'jean@é/x.fr',
  'jean@é:80.fr',
  'a@b@exemple.fr',
])('[DF-30] « %s » is no address', (written) => {
  expect(emailAddress(written)).toBeNull();
});

test.each([
  ['jean.dupont+a@gmail.com', 'jeandupont@gmail.com'],
  ['J.e.a.n@GoogleMail.com', 'jean@gmail.com'],
  ['jean.dupont+a@exemple.fr', 'jean.dupont@exemple.fr'],
  ['+33612345678@exemple.fr', '+33612345678@exemple.fr'],
  ['je\u200ban@café.fr', cafe],
])('[DF-30] « %s » leads to the mailbox « %s »', (written, mailbox) => {
  expect(mailboxOf(written)).toBe(mailbox);
  expect(mailboxOf(mailbox)).toBe(mailbox);
});
