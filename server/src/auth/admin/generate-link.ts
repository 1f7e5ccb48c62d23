import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { isTaken, openInvited } from '../accounts/create-account.ts';
import { fullNameFrom, requireBoundedMetadata, requireEmail } from '../accounts/identity-fields.ts';
import { userObject } from '../accounts/user-object.ts';
import { requireFreeEmail } from '../codes/change-address.ts';
import { issueOneTimeToken } from '../codes/one-time-token.ts';
import type { TokenKind } from '../codes/one-time-token.ts';
import { replacePassword } from '../codes/verify-token.ts';
import { verifyLink } from '../messages/mails.ts';
import type { IssuedToken } from '../messages/mails.ts';
import { accountByEmail, existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, emailExists, validationFailed } from '../protocol/errors.ts';
import type { Call, Operation } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { parseBody, queryValue } from '../protocol/request.ts';
import { hashFrom } from './user-attributes.ts';

const TYPES = ['signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new'] as const;

const body = z.looseObject({
  type: z.enum(TYPES),
  email: z.string().default(''),
  new_email: z.string().default(''),
  password: z.string().default(''),
  data: z.record(z.string(), z.unknown()).default({}),
  redirect_to: z.string().default(''),
  redirectTo: z.string().default(''),
});

type Given = z.output<typeof body>;
type Made = { readonly account: Account; readonly issued: IssuedToken; readonly type: string };

/** POST /admin/generate_link (AU-20): the link and the code of a mail, for a server that sends its own mails. */
export const generateLink: Operation = {
  method: 'POST',
  url: '/admin/generate_link',
  access: 'admin',
  async handle(call) {
    const given = parseBody(call.request, body);
    const email = requireEmail(given.email);
    requireBoundedMetadata(given.data, call);
    const asked =
      queryValue(call.request, 'redirect_to') ?? [given.redirect_to, given.redirectTo].find(Boolean) ?? null;
    const redirectTo = redirectTarget(asked, call.settings);
    const hash = given.type === 'signup' ? await requiredHash(call, given, email) : null;
    try {
      const { account, issued, type } = await call.db.asService('auth admin: generate a link', (tx) =>
        make(tx, call, { ...given, email }, { hash, redirectTo }),
      );
      return {
        body: {
          ...userObject(account),
          action_link: verifyLink(call, issued.token, type, redirectTo),
          email_otp: issued.code ?? '',
          hashed_token: issued.token,
          redirect_to: redirectTo,
          verification_type: type,
        },
      };
    } catch (error) {
      if (isTaken(error)) throw emailExists();
      throw error;
    }
  },
};

async function requiredHash(call: Call, given: Given, email: string): Promise<string> {
  if (given.password === '') throw validationFailed('Signup requires a valid password');
  const attributes = { password: given.password, password_hash: '' };
  const hash = await hashFrom(attributes, { email, fullName: fullNameFrom(given.data, email) }, call);
  if (hash === null) throw validationFailed('Signup requires a valid password');
  return hash;
}

async function make(
  tx: Transaction,
  call: Call,
  given: Given,
  { hash, redirectTo }: { readonly hash: string | null; readonly redirectTo: string },
): Promise<Made> {
  const { type, email } = given;
  const existing = await accountByEmail(tx, email);
  const issue = async (account: Account, kind: TokenKind, sentTo: string, linkType: string): Promise<Made> => {
    const issued = await issueOneTimeToken(tx, call, {
      userId: account.id,
      kind,
      sentTo,
      redirectTo,
      needsOther: kind.startsWith('email_change') && (account.email ?? '') !== '',
    });
    await tx.query(`update auth.users set ${COLUMNS[type]} = now(), updated_at = now() where id = $1`, [account.id]);
    await audit(tx, call.origin, 'link_generated', account.id, { type });
    return { account: await existingAccount(tx, account.id), issued, type: linkType };
  };

  switch (type) {
    case 'signup':
    case 'invite': {
      if (existing !== null && existing.email_confirmed_at !== null) throw emailExists();
      const account = existing ?? (await open(tx, given, hash));
      // A password registered at this address before, by anybody, opens nothing once the address is proven.
      if (existing !== null) await replacePassword(tx, account.id, hash);
      if (type === 'invite') await tx.query('update auth.users set invited_at = now() where id = $1', [account.id]);
      return issue(account, 'confirmation', email, type);
    }
    case 'magiclink':
      // An unknown address gets an account.
      return existing === null
        ? issue(await open(tx, given, null), 'confirmation', email, 'signup')
        : issue(existing, 'recovery', email, 'magiclink');
    case 'recovery':
      return issue(required(existing), 'recovery', email, 'recovery');
    case 'email_change_current':
    case 'email_change_new': {
      const account = required(existing);
      const newEmail = requireEmail(given.new_email);
      await requireFreeEmail(tx, account.id, newEmail);
      // A link of the other side that was made for another address does not confirm this change.
      await tx.query(
        `delete from auth.one_time_tokens t using auth.users u where u.id = t.user_id and u.id = $1
           and t.kind in ('email_change_current', 'email_change_new') and u.new_email is distinct from $2`,
        [account.id, newEmail],
      );
      await tx.query('update auth.users set new_email = $2 where id = $1', [account.id, newEmail]);
      return issue(account, type, type === 'email_change_new' ? newEmail : email, 'email_change');
    }
  }
}

const COLUMNS: Readonly<Record<(typeof TYPES)[number], string>> = {
  signup: 'confirmation_sent_at',
  invite: 'confirmation_sent_at',
  magiclink: 'recovery_sent_at',
  recovery: 'recovery_sent_at',
  email_change_current: 'email_change_sent_at',
  email_change_new: 'email_change_sent_at',
};

async function open(tx: Transaction, { email, data }: Given, passwordHash: string | null): Promise<Account> {
  return existingAccount(tx, await openInvited(tx, { email, data, passwordHash }));
}

/** @throws AuthError user_not_found */
function required(account: Account | null): Account {
  if (account === null) throw new AuthError(404, 'user_not_found', 'User with this email not found');
  return account;
}
