import type { FastifyRequest, HTTPMethods } from 'fastify';

import type { Database } from '#platform/database';
import type { Bucket } from '#platform/rate-limit';
import type { Services } from '#platform/services';

import type { Account } from './account.ts';
import type { AuthSettings } from './settings.ts';

/** The dependencies of every piece of work of this door. */
export type Scope = {
  readonly services: Services;
  readonly settings: AuthSettings;
  /** The database, whose transactions carry this request's id. */
  readonly db: Database;
  readonly origin: Origin;
};

/** The request's address and client, for the session's row and the audit trail. */
export type Origin = {
  readonly ip: string;
  readonly userAgent: string | null;
};

export type Call = Scope & { readonly request: FastifyRequest };
export type SessionCall = Call & { readonly session: LiveSession };

export type OperationReply = {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

type Described = {
  readonly method: HTTPMethods;
  /** Under the door's prefix. */
  readonly url: string;
  /** The rate limit of one network. Operations whose limits share a name share the bucket. */
  readonly limit?: Bucket & { readonly name: string };
  /** The largest body, where it is not `ANONYMOUS_BYTES_MAX`. Bearers are looked at after it was read. */
  readonly bodyBytesMax?: number;
  /** True where a captcha, if one is configured, comes first. */
  readonly isForPeople?: true;
};

/** One operation of the protocol. Each has a file of its own. */
export type Operation = Described &
  (
    | { readonly access: 'public'; readonly handle: (call: Call) => Promise<OperationReply> }
    /** Opened from a mail or a plain browser: no API key comes with it. */
    | { readonly access: 'browser'; readonly handle: (call: Call) => Promise<OperationReply> }
    /** Needs the access token of a live session. */
    | { readonly access: 'session'; readonly handle: (call: SessionCall) => Promise<OperationReply> }
    /** Needs the secret key. */
    | { readonly access: 'admin'; readonly handle: (call: Call) => Promise<OperationReply> }
  );

/** The session of an access token, read at this request. */
export type LiveSession = {
  readonly id: string;
  /** The level of the session and of this token: a token from before the second factor stays on the first. */
  readonly aal: 'aal1' | 'aal2';
  readonly account: Account;
};
