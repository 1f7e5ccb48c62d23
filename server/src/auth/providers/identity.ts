import type { Transaction } from '#platform/database';

import { securityNoticeMail } from '../messages/mails.ts';
import { accountById, existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, ssoManaged, userBanned } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import type { Assertion } from './assertion.ts';

/** Writes a new identity, and merges its claims into the person's metadata. */
export async function addIdentity(tx: Transaction, userId: string, assertion: Assertion): Promise<void> {
  await tx.query(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at) values ($1, $2, $3, $4, now())`,
    [userId, assertion.provider, assertion.subject, assertion.data],
  );
  await mergeUserMetadata(tx, userId, assertion);
}

/** The provider's claims of today replace those of the last time. */
export async function refreshIdentity(tx: Transaction, userId: string, assertion: Assertion): Promise<void> {
  await tx.query(
    `update auth.identities set identity_data = $3, updated_at = now() where provider = $1 and provider_id = $2`,
    [assertion.provider, assertion.subject, assertion.data],
  );
  await mergeUserMetadata(tx, userId, assertion);
}

async function mergeUserMetadata(
  tx: Transaction,
  userId: string,
  { data, email, isEmailVerified }: Assertion,
): Promise<void> {
  if (isEmailVerified) {
    await tx.query('select private.prove_email(id) from auth.users where id = $1 and email = $2', [userId, email]);
  }
  await tx.query(
    'update auth.users set raw_user_meta_data = raw_user_meta_data || $2::jsonb, updated_at = now() where id = $1',
    [userId, data],
  );
}

/**
 * Adds an identity to the account of a signed-in person (AU-16).
 * @throws AuthError identity_already_exists, user_banned, user_sso_managed
 */
export async function linkIdentity(
  tx: Transaction,
  scope: Scope,
  userId: string,
  assertion: Assertion,
): Promise<Account> {
  await tx.query('select from auth.users where id = $1 for no key update', [userId]);
  const account = await accountById(tx, userId);
  if (account === null || account.is_barred) throw userBanned(403);
  if (account.is_sso_user) throw ssoManaged('Accounts of a company’s own sign-in service have no other identity');
  const { rows } = await tx.query<{ user_id: string }>(
    'select user_id from auth.identities where provider = $1 and provider_id = $2',
    [assertion.provider, assertion.subject],
  );
  const [taken] = rows;
  if (taken !== undefined) {
    throw new AuthError(
      422,
      'identity_already_exists',
      taken.user_id === userId ? 'Identity is already linked' : 'Identity is already linked to another user',
    );
  }
  await addIdentity(tx, userId, assertion);
  await takeFreeAddress(tx, account, assertion);
  await audit(tx, scope.origin, 'identity_linked', userId, { provider: assertion.provider });
  await identityNotice(tx, scope, account.email, { provider: assertion.provider, isAdded: true });
  return existingAccount(tx, userId);
}

/**
 * An account without an address takes the one its new provider verified, unless another account has it; an anonymous
 * account is then owned.
 */
async function takeFreeAddress(
  tx: Transaction,
  account: Account,
  { email, isEmailVerified }: Assertion,
): Promise<void> {
  await tx.query('update auth.users set is_anonymous = false where id = $1', [account.id]);
  if (account.email !== null || email === null || !isEmailVerified) return;
  await tx.query(
    `with taken as (
       update auth.users u set email = $2, email_confirmed_at = now(), updated_at = now() where u.id = $1
         and not exists (select from auth.users o where o.email = $2 and not o.is_sso_user and o.deleted_at is null)
         and not exists (select from public.profiles p where p.email = $2 and p.id <> $1)
       returning u.id
     )
     update public.profiles p set email = $2 from taken where p.id = taken.id`,
    [account.id, email],
  );
}

/** Mails the person that a way to sign in came or went, at the address before the change. */
export async function identityNotice(
  tx: Transaction,
  scope: Scope,
  to: string | null,
  { provider, isAdded }: { readonly provider: string; readonly isAdded: boolean },
): Promise<void> {
  if (to === null || !scope.services.mail.isConfigured) return;
  const label = providerLabel(provider);
  await scope.services.mail.enqueue(
    tx,
    await securityNoticeMail(
      tx,
      scope,
      to,
      isAdded
        ? {
            template: 'identity_linked',
            title: 'Une nouvelle façon de se connecter',
            what: `La connexion avec ${label} a été ajoutée à votre compte`,
          }
        : {
            template: 'identity_unlinked',
            title: 'Une façon de se connecter a été retirée',
            what: `La connexion avec ${label} a été retirée de votre compte`,
          },
    ),
  );
}

function providerLabel(provider: string): string {
  switch (provider) {
    case 'email':
      return 'votre adresse e-mail';
    case 'phone':
      return 'votre téléphone';
    case 'web3':
      return 'votre portefeuille';
    case 'azure':
    case 'microsoft':
      return 'Microsoft';
    default:
      return provider.startsWith('sso:')
        ? 'le service de votre entreprise'
        : provider.charAt(0).toUpperCase() + provider.slice(1);
  }
}
