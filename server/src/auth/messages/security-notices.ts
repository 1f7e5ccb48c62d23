import type { Transaction } from '#platform/database';

import type { Account, FactorType } from '../protocol/account.ts';
import type { Scope } from '../protocol/operation.ts';
import { securityNoticeMail } from './mails.ts';

/** A change of an account's ways to sign in. A mail tells the owner, who may not have made it. */
export type SecurityChange =
  | { readonly kind: 'factor_added' | 'factor_changed' | 'factor_removed'; readonly type: FactorType }
  | { readonly kind: 'recovery_code_used'; readonly remaining: number }
  | { readonly kind: 'codes_closed' | 'email_changed' | 'phone_added' | 'phone_changed' | 'sessions_ended' }
  | { readonly kind: 'passkey_added' | 'passkey_removed' | 'recovery_codes_made' | 'recovery_codes_removed' };

/** At the address they had before the change, which `account` still has. */
export async function tellSecurityChange(
  tx: Transaction,
  scope: Scope,
  { email }: Pick<Account, 'email'>,
  change: SecurityChange,
): Promise<void> {
  if (email === null || email === '') return;
  await scope.services.mail.enqueue(tx, await securityNoticeMail(tx, scope, email, wordsOf(change)));
}

type Words = Parameters<typeof securityNoticeMail>[3];

const NAMES: Readonly<Record<FactorType, string>> = {
  totp: 'une application d’authentification',
  phone: 'un numéro de téléphone',
  webauthn: 'une clé de sécurité',
  recovery_code: 'des codes de secours',
};

type PlainKind = Exclude<
  SecurityChange['kind'],
  'factor_added' | 'factor_changed' | 'factor_removed' | 'recovery_code_used'
>;

const WORDS: Readonly<Record<PlainKind, Omit<Words, 'template'>>> = {
  codes_closed: {
    title: 'Quelqu’un essaie de deviner vos codes',
    what: 'Vingt codes faux ont été saisis en un jour pour votre compte. Il n’accepte plus de code jusqu’à demain ; votre mot de passe et les liens de nos messages restent valables. Le dernier essai a eu lieu',
  },
  email_changed: {
    title: 'Votre adresse e-mail a été modifiée',
    what: 'L’adresse par laquelle vous vous connectez a été remplacée par une autre',
  },
  phone_added: {
    title: 'Un numéro de téléphone a été ajouté à votre compte',
    what: 'Un numéro de téléphone, par lequel il est possible de se connecter, a été ajouté à votre compte',
  },
  phone_changed: {
    title: 'Votre numéro de téléphone a été modifié',
    what: 'Le numéro de téléphone de votre compte a été remplacé par un autre',
  },
  sessions_ended: {
    title: 'Vos autres appareils ont été déconnectés',
    what: 'Les autres appareils sur lesquels votre compte était ouvert en ont été déconnectés',
  },
  recovery_codes_made: {
    title: 'De nouveaux codes de secours',
    what: 'De nouveaux codes de secours ont été créés pour votre compte, et les anciens ne servent plus,',
  },
  recovery_codes_removed: {
    title: 'Les codes de secours ont été retirés',
    what: 'Les codes de secours de votre compte ont été retirés',
  },
  passkey_added: {
    title: 'Une clé d’accès a été ajoutée',
    what: 'Une clé d’accès, qui permet de se connecter sans mot de passe, a été ajoutée à votre compte',
  },
  passkey_removed: {
    title: 'Une clé d’accès a été retirée',
    what: 'Une clé d’accès a été retirée de votre compte',
  },
};

function wordsOf(change: SecurityChange): Words {
  switch (change.kind) {
    case 'factor_added':
      return {
        template: change.kind,
        title: 'La double authentification est activée',
        what: `La connexion à votre compte demande maintenant une deuxième étape, avec ${NAMES[change.type]}, ajoutée`,
      };
    case 'factor_changed':
      return {
        template: change.kind,
        title: 'Une deuxième étape de connexion a été modifiée',
        what: `La deuxième étape de connexion à votre compte avec ${NAMES[change.type]} a été modifiée`,
      };
    case 'factor_removed':
      return {
        template: change.kind,
        title: 'Une deuxième étape de connexion a été retirée',
        what: `La deuxième étape de connexion avec ${NAMES[change.type]} a été retirée de votre compte`,
      };
    case 'recovery_code_used':
      return {
        template: change.kind,
        title: 'Un code de secours a servi',
        what: `Un code de secours a servi à la connexion à votre compte (il vous en reste ${change.remaining}),`,
      };
    default:
      return { template: change.kind, ...WORDS[change.kind] };
  }
}
