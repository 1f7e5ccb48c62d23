import { isSessionFailure } from '@parrain/domain/failure';

import { createSemaphore } from '#platform/concurrency';
import type { Database, Identity } from '#platform/database';
import { troubleOf } from '#platform/errors';
import type { ApiKeyKind } from '#platform/keys';
import type { Services } from '#platform/services';
import { TokenRefused } from '#platform/tokens';

/** The person or key that a channel acts for. */
export type Viewer = {
  readonly identity: Identity;
  /** Equal for all channels that may see the same rows: one statement reads for all of them. */
  readonly key: string;
  readonly personId: string | null;
  readonly personRole: string | null;
  /** In milliseconds of the clock; null for a key, which does not expire. */
  readonly expiresAt: number | null;
};

/** The token does not make a viewer; the message is for the client's developer. */
export class ViewerRefused extends Error {
  override readonly name = 'ViewerRefused';
}

export const visitor: Viewer = {
  identity: { role: 'anon' },
  key: 'anon',
  personId: null,
  personRole: null,
  expiresAt: null,
};

const keyHolder: Viewer = { ...visitor, identity: { role: 'service_role' }, key: 'service_role' };

/** The viewer of the connection's own key. */
export function viewerOfKey(kind: ApiKeyKind): Viewer {
  return kind === 'secret' ? keyHolder : visitor;
}

/**
 * The viewer of a token. An API key means the connection's own; a person's session must be alive.
 * @throws ViewerRefused
 */
export async function viewerOfToken(
  services: Pick<Services, 'tokens' | 'db'>,
  token: string,
  connection: ApiKeyKind,
): Promise<Viewer> {
  if (token.startsWith('sb_')) return viewerOfKey(connection);
  const viewer = await verified(services, token);
  await checkSession(services.db, viewer);
  return viewer;
}

async function verified(services: Pick<Services, 'tokens'>, token: string): Promise<Viewer> {
  try {
    const claims = await services.tokens.verify(token);
    const { app_metadata: metadata } = claims;
    const role = typeof metadata === 'object' && metadata !== null && 'role' in metadata ? metadata.role : null;
    return {
      identity: { role: 'authenticated', claims },
      // A token from before a second factor was given may see less than one from after.
      key: `${claims.sub} ${claims.session_id} ${String(claims['aal'])}`,
      personId: claims.sub,
      personRole: typeof role === 'string' ? role : null,
      expiresAt: claims.exp * 1000,
    };
  } catch (error) {
    if (error instanceof TokenRefused) throw new ViewerRefused(`InvalidJWTToken: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A wave of joins leaves most of the pool to everybody else. */
const withCheckSlot = createSemaphore({ slots: 4, waitingMax: 10_000 });

/** Checks a person's session. @throws ViewerRefused where it has ended; another error where the database did not answer. */
export async function checkSession(db: Database, viewer: Viewer): Promise<void> {
  const { identity } = viewer;
  if (identity.role !== 'authenticated') return;
  try {
    await withCheckSlot(() => db.queryAs(identity, { text: 'select' }, { readOnly: true }));
  } catch (error) {
    throw isSessionOver(error) ? new ViewerRefused('Unauthorized: The session is over', { cause: error }) : error;
  }
}

/** True when the error means that the session has ended. */
export function isSessionOver(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble.kind === 'failure' && isSessionFailure(trouble.failure.code);
}

/**
 * Private topics: `user:<id>` belongs to that person, `role:<role>` to everyone with the role, all of them to the secret
 * key. No other private topic exists.
 */
export function mayUsePrivateTopic(viewer: Viewer, name: string): boolean {
  switch (viewer.identity.role) {
    case 'service_role':
      return true;
    case 'anon':
    case 'api_key':
      return false;
    case 'authenticated':
      return name === `user:${viewer.personId}` || (viewer.personRole !== null && name === `role:${viewer.personRole}`);
  }
}

/** The refusal of a private topic. */
export function unauthorizedTopic(name: string): string {
  return `Unauthorized: You do not have permissions to read from this Channel topic: ${name}`;
}
