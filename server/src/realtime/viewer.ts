import { isSessionFailure } from '@parrain/domain/failure';

import { createSemaphore } from '#platform/concurrency';
import type { Database, Identity } from '#platform/database';
import { troubleOf } from '#platform/errors';
import type { ApiKeyKind } from '#platform/keys';
import type { Services } from '#platform/services';
import { TokenRefused } from '#platform/tokens';

/** Who a channel is shown to. */
export type Viewer = {
  readonly identity: Identity;
  /** The same for all channels that may see the same rows: one question to the database answers for all of them. */
  readonly key: string;
  readonly personId: string | null;
  readonly personRole: string | null;
  /** In milliseconds of the clock; null for a key, which has no end. */
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

/** The viewer that the connection's own key stands for. */
export function viewerOfKey(kind: ApiKeyKind): Viewer {
  return kind === 'secret' ? keyHolder : visitor;
}

/**
 * The viewer that a token stands for. A key stands for the connection's own; a person's session must be alive.
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

/** However many join at once, most of the pool is left to everybody else. */
const withCheckSlot = createSemaphore({ slots: 4, waitingMax: 10_000 });

/** @throws ViewerRefused where the person may act no more; anything else where the database gave no answer. */
export async function checkSession(db: Database, viewer: Viewer): Promise<void> {
  const { identity } = viewer;
  if (identity.role !== 'authenticated') return;
  try {
    await withCheckSlot(() => db.queryAs(identity, { text: 'select' }, { readOnly: true }));
  } catch (error) {
    throw isSessionOver(error) ? new ViewerRefused('Unauthorized: The session is over', { cause: error }) : error;
  }
}

/** Whether the error says that the person may act no more. */
export function isSessionOver(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble.kind === 'failure' && isSessionFailure(trouble.failure.code);
}

/**
 * Private topics: `user:<id>` is that person's own, `role:<role>` is of all who have the role; the secret key has them
 * all. Every other is nobody's.
 */
export function mayUsePrivateTopic(viewer: Viewer, name: string): boolean {
  switch (viewer.identity.role) {
    case 'service_role':
      return true;
    case 'anon':
      return false;
    case 'authenticated':
      return name === `user:${viewer.personId}` || (viewer.personRole !== null && name === `role:${viewer.personRole}`);
  }
}

/** The refusal of a private topic. */
export function unauthorizedTopic(name: string): string {
  return `Unauthorized: You do not have permissions to read from this Channel topic: ${name}`;
}
