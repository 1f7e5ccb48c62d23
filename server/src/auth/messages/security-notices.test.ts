import type { SupabaseClient } from '@supabase/supabase-js';
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, linkIn, PASSWORD, signedIn } from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { softwareAuthenticator } from '../../testing/authenticator.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import { CLIENT_ID, startIdentityProvider } from '../../testing/identity-provider.ts';
import type { IdentityProvider } from '../../testing/identity-provider.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere } from '../../testing/links.ts';
import { startSmsSink } from '../../testing/sms-sink.ts';
import type { SmsSink } from '../../testing/sms-sink.ts';
import { jobsAreDone } from '../../testing/waiting.ts';

const ORIGIN = 'https://parrain.example.fr';

let sink: SmsSink;
let idp: IdentityProvider;
let server: TestServer;
beforeAll(async () => {
  sink = await startSmsSink();
  idp = await startIdentityProvider();
  server = await startTestServer({
    doors: ['auth', 'functions'],
    smtp: true,
    environment: {
      TRUST_PROXY: '1',
      PUBLIC_URL: ORIGIN,
      SMS_URL: sink.url,
      MFA_PHONE: 'on',
      MANUAL_LINKING: 'on',
      OIDC_PROVIDERS: JSON.stringify({ google: { clientId: CLIENT_ID, clientSecret: 'secret', issuer: idp.issuer } }),
    },
  });
});
afterAll(async () => {
  await server.close();
  await idp.close();
  await sink.close();
});

type Person = { readonly account: TestAccount; readonly client: SupabaseClient };

async function aPerson(role: 'client' | 'admin' = 'client'): Promise<Person> {
  const account = await anAccount(server, { role });
  const { client } = await signedIn(server, account, elsewhere());
  return { account, client };
}

/** Throws what the client was refused. */
async function good<T extends { readonly error: unknown }>(answer: PromiseLike<T>): Promise<T> {
  const given = await answer;
  if (given.error !== null) throw given.error;
  return given;
}

const admin = () => administratorOf(server).auth.admin;
const aNumber = (): string => `336${randomInt(10_000_000, 99_999_999)}`;

async function withTotp({ client }: Person): Promise<string> {
  const application = await enrolTotp(client);
  await passTotp(client, application, -1);
  return application.factorId;
}

async function withPhoneFactor({ client }: Person): Promise<string> {
  const phone = aNumber();
  const { data } = await good(client.auth.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'Portable' }));
  const factorId = data?.id ?? '';
  const { data: challenge } = await good(client.auth.mfa.challenge({ factorId }));
  const code = codeIn((await sink.take(`+${phone}`)).text);
  await good(client.auth.mfa.verify({ factorId, challengeId: challenge?.id ?? '', code }));
  return factorId;
}

async function withPasskey({ client }: Person): Promise<string> {
  const { data: start } = await good(client.auth.passkey.startRegistration());
  if (start === null) throw new Error('No registration was begun');
  const credential = softwareAuthenticator(ORIGIN).create(start.options).toJSON();
  const { data } = await good(client.auth.passkey.verifyRegistration({ challengeId: start.challenge_id, credential }));
  return data?.id ?? '';
}

async function withPhone({ client }: Person): Promise<string> {
  const phone = aNumber();
  await good(client.auth.updateUser({ phone }));
  const token = codeIn((await sink.take(`+${phone}`)).text);
  await good(clientOf(server, elsewhere()).auth.verifyOtp({ phone, token, type: 'phone_change' }));
  return phone;
}

async function withIdentity({ client }: Person): Promise<void> {
  const token = await idp.idToken({
    sub: randomUUID(),
    email: `${randomUUID().slice(0, 8)}@example.org`,
    email_verified: true,
  });
  await good(client.auth.linkIdentity({ provider: 'google', token }));
}

async function withRecoveryCodes(person: Person): Promise<void> {
  await withTotp(person);
  await call(person, 'POST', '/factors/recovery-codes');
}

async function call({ client }: Person, method: string, path: string): Promise<void> {
  const { data } = await client.auth.getSession();
  const response = await server.fetch(`/auth/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${data.session?.access_token ?? ''}`, ...elsewhere() },
  });
  expect(response.status).toBeLessThan(300);
}

async function elsewhereToo({ account }: Person): Promise<void> {
  await signedIn(server, account, elsewhere());
}

type Action = {
  readonly what: string;
  readonly before?: (person: Person) => Promise<unknown>;
  /** `made` is what `before` gave. */
  readonly act: (person: Person, made: string) => Promise<unknown>;
  /** Beginning of the mail's subject. */
  readonly mail: string;
  readonly audited: string;
};

const actions: readonly Action[] = [
  {
    what: 'the password, by the person',
    act: ({ client }) =>
      good(client.auth.updateUser({ password: 'quatre-grands-chiens-8', current_password: PASSWORD })),
    mail: 'Votre mot de passe a été modifié',
    audited: 'password_changed',
  },
  {
    what: 'the password, by a recovery link',
    act: async ({ account }) => {
      const { auth } = clientOf(server, elsewhere());
      await good(auth.resetPasswordForEmail(account.email));
      const token = linkIn((await server.mailbox.take(account.email)).text).searchParams.get('token_hash') ?? '';
      await good(auth.verifyOtp({ token_hash: token, type: 'recovery' }));
      await good(auth.updateUser({ password: 'quatre-grands-chiens-8' }));
    },
    mail: 'Votre mot de passe a été modifié',
    audited: 'password_changed',
  },
  {
    what: 'the password, by the secret key',
    act: ({ account }) => good(admin().updateUserById(account.id, { password: 'quatre-grands-chiens-8' })),
    mail: 'Votre mot de passe a été modifié',
    audited: 'password_changed',
  },
  {
    what: 'the address, by the person',
    act: async ({ account, client }) => {
      const email = `autre-${randomUUID().slice(0, 8)}@example.fr`;
      await good(client.auth.updateUser({ email }));
      for (const side of [email, account.email]) {
        const token = linkIn((await server.mailbox.take(side)).text).searchParams.get('token') ?? '';
        await good(clientOf(server, elsewhere()).auth.verifyOtp({ token_hash: token, type: 'email_change' }));
      }
    },
    mail: 'Votre adresse e-mail a été modifiée',
    audited: 'email_changed',
  },
  {
    what: 'the address, by the secret key',
    act: ({ account }) =>
      good(admin().updateUserById(account.id, { email: `autre-${randomUUID().slice(0, 8)}@example.fr` })),
    mail: 'Votre adresse e-mail a été modifiée',
    audited: 'email_changed',
  },
  {
    what: 'a number added',
    act: (person) => withPhone(person),
    mail: 'Un numéro de téléphone a été ajouté',
    audited: 'phone_changed',
  },
  {
    what: 'a number replaced',
    before: async (person) => {
      await withPhone(person);
      await server.database.asOwner('update auth.users set phone_change_sent_at = null where id = $1', [
        person.account.id,
      ]);
    },
    act: (person) => withPhone(person),
    mail: 'Votre numéro de téléphone a été modifié',
    audited: 'phone_changed',
  },
  {
    what: 'a number, by the secret key',
    act: ({ account }) => good(admin().updateUserById(account.id, { phone: aNumber() })),
    mail: 'Un numéro de téléphone a été ajouté',
    audited: 'phone_changed',
  },
  {
    what: 'an application added',
    act: (person) => withTotp(person),
    mail: 'La double authentification est activée',
    audited: 'factor_verified',
  },
  {
    what: 'a telephone added as a second factor',
    act: (person) => withPhoneFactor(person),
    mail: 'La double authentification est activée',
    audited: 'factor_verified',
  },
  {
    what: 'an application removed',
    before: (person) => withTotp(person),
    act: ({ client }, factorId) => good(client.auth.mfa.unenroll({ factorId })),
    mail: 'Une deuxième étape de connexion a été retirée',
    audited: 'factor_removed',
  },
  {
    what: 'an application removed, by the secret key',
    before: (person) => withTotp(person),
    act: ({ account }, id) => good(admin().mfa.deleteFactor({ userId: account.id, id })),
    mail: 'Une deuxième étape de connexion a été retirée',
    audited: 'factor_removed',
  },
  {
    what: 'the number of the second factor, by the secret key',
    before: (person) => withPhoneFactor(person),
    act: async ({ account }, id) => {
      const { secretKey } = server.services.keys;
      const response = await server.fetch(`/auth/v1/admin/users/${account.id}/factors/${id}`, {
        method: 'PUT',
        headers: { apikey: secretKey, authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ phone: aNumber() }),
      });
      expect(response.status).toBe(200);
    },
    mail: 'Une deuxième étape de connexion a été modifiée',
    audited: 'factor_updated',
  },
  {
    what: 'recovery codes made',
    before: (person) => withTotp(person),
    act: (person) => call(person, 'POST', '/factors/recovery-codes'),
    mail: 'De nouveaux codes de secours',
    audited: 'recovery_codes_made',
  },
  {
    what: 'recovery codes removed',
    before: (person) => withRecoveryCodes(person),
    act: (person) => call(person, 'DELETE', '/factors/recovery-codes'),
    mail: 'Les codes de secours ont été retirés',
    audited: 'recovery_codes_removed',
  },
  {
    what: 'a passkey added',
    act: (person) => withPasskey(person),
    mail: 'Une clé d’accès a été ajoutée',
    audited: 'passkey_added',
  },
  {
    what: 'a passkey removed',
    before: (person) => withPasskey(person),
    act: ({ client }, passkeyId) => good(client.auth.passkey.delete({ passkeyId })),
    mail: 'Une clé d’accès a été retirée',
    audited: 'passkey_removed',
  },
  {
    what: 'a passkey removed, by the secret key',
    before: (person) => withPasskey(person),
    act: ({ account }, passkeyId) => good(admin().passkey.deletePasskey({ userId: account.id, passkeyId })),
    mail: 'Une clé d’accès a été retirée',
    audited: 'passkey_removed',
  },
  {
    what: 'an identity linked',
    act: (person) => withIdentity(person),
    mail: 'Une nouvelle façon de se connecter',
    audited: 'identity_linked',
  },
  {
    what: 'an identity unlinked',
    before: (person) => withIdentity(person),
    act: async ({ client }) => {
      const { data } = await good(client.auth.getUserIdentities());
      const google = data?.identities.find(({ provider }) => provider === 'google');
      if (google === undefined) throw new Error('It was not linked');
      await good(client.auth.unlinkIdentity(google));
    },
    mail: 'Une façon de se connecter a été retirée',
    audited: 'identity_unlinked',
  },
  {
    what: 'the other devices signed out',
    before: (person) => elsewhereToo(person),
    act: ({ client }) => good(client.auth.signOut({ scope: 'others' })),
    mail: 'Vos autres appareils ont été déconnectés',
    audited: 'logout',
  },
  {
    what: 'all devices signed out',
    before: (person) => elsewhereToo(person),
    act: ({ client }) => good(client.auth.signOut({ scope: 'global' })),
    mail: 'Vos autres appareils ont été déconnectés',
    audited: 'logout',
  },
];

async function actionsOf(id: string): Promise<string[]> {
  const rows = await server.database.asOwner<{ action: string }>(
    'select action from auth.audit_entries where user_id = $1 order by id',
    [id],
  );
  return rows.map(({ action }) => action);
}

function mailsTo(email: string): readonly { readonly subject: string; readonly text: string; readonly html: string }[] {
  return server.mailbox.mails.filter(({ recipients }) => recipients.includes(email));
}

test.each(actions)(
  '[I-45][AU-13][AU-17] $what: a mail to the address before the change, a line in the audit trail',
  async (action) => {
    const person = await aPerson();
    const { account } = person;
    const made = await action.before?.(person);
    await jobsAreDone(server);
    const mailsBefore = mailsTo(account.email).length;
    const auditedBefore = (await actionsOf(account.id)).length;
    await action.act(person, typeof made === 'string' ? made : '');

    const notices = () =>
      mailsTo(account.email)
        .slice(mailsBefore)
        .filter(({ subject }) => subject.startsWith(action.mail));
    await expect.poll(notices).toHaveLength(1);
    const [notice] = notices();
    expect(notice?.text).toMatch(/le \d{1,2} \S+ \d{4} à \d{2}:\d{2} \(heure de Paris\)/u);
    expect(notice?.text).toContain('Ce n’était pas moi');
    expect(notice?.text).toContain(`${ORIGIN}/auth/forgot-password`);
    const audited = (await actionsOf(account.id)).slice(auditedBefore).filter((one) => one === action.audited);
    expect(audited).toHaveLength(1);
    // Once: the notice does not leave twice.
    await jobsAreDone(server);
    expect(notices()).toHaveLength(1);
  },
);

test('[AU-15] closing what one holds sends nobody a mail', async () => {
  for (const scope of ['local', 'others', 'global'] as const) {
    const { account, client } = await aPerson();
    await good(client.auth.signOut({ scope }));
    expect(await actionsOf(account.id)).toContain('logout');
    await jobsAreDone(server);
    expect(mailsTo(account.email)).toHaveLength(0);
  }
});

test("[AU-17] the administrator removes somebody's second factor: a mail, and the audit trail says who did it", async () => {
  const boss = await aPerson('admin');
  const person = await aPerson();
  await withTotp(person);
  const { error } = await boss.client.functions.invoke('reset-second-factor', {
    body: { person_id: person.account.id },
  });
  expect(error).toBeNull();
  await expect
    .poll(() => mailsTo(person.account.email).map(({ subject }) => subject))
    .toContainEqual(expect.stringMatching(/double authentification a été retirée/iu));
  const entries = await server.database.asOwner<{ entry: string }>(
    'select a::text as entry from public.audit_entries a where a::text like $1',
    [`%${person.account.id}%`],
  );
  expect(entries.some(({ entry }) => entry.includes(boss.account.id))).toBe(true);
});

test('[I-45] without a mail server, or where it refuses, the change is made', async () => {
  server.mailbox.refuseWith(550);
  try {
    const { client } = await aPerson();
    await good(client.auth.updateUser({ password: 'quatre-grands-chiens-8', current_password: PASSWORD }));
  } finally {
    server.mailbox.refuseWith(null);
  }
  const silent = await startTestServer({ doors: ['auth'], jobs: false });
  try {
    const { client } = await signedIn(silent, await anAccount(silent));
    await good(client.auth.updateUser({ password: 'quatre-grands-chiens-8', current_password: PASSWORD }));
    await passTotp(client, await enrolTotp(client));
  } finally {
    await silent.close();
  }
});
