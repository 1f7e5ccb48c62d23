import type { FastifyRequest, HTTPMethods } from 'fastify';

import type { Database } from '#platform/database';
import type { Bucket } from '#platform/rate-limit';
import type { Services } from '#platform/services';

import type { Account } from './account.ts';
import type { AuthSettings } from './settings.ts';

/** What every piece of work of this door may use. */
export type Scope = {
  readonly services: Services;
  readonly settings: AuthSettings;
  /** The database, whose transactions carry this request's id. */
  readonly db: Database;
  readonly origin: Origin;
};

/** Where a request comes from, for the session's row and the audit trail. */
export type Origin = {
  readonly ip: string;
  readonly userAgent: string | null;
};

export type Call = Scope & { readonly request: FastifyRequest };
export type SessionCall = Call & { readonly session: LiveSession };

export type Answer = {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

type Described = {
  readonly method: HTTPMethods;
  /** Under the door's prefix. */
  readonly url: string;
  /** How often one network may call it. Its name is its bucket: operations that share a name share the bucket. */
  readonly limit?: Bucket & { readonly name: string };
  /** Whether a person proves to be one first, where a captcha is configured. */
  readonly isForPeople?: true;
};

/** One operation of the protocol. Each has a file of its own. */
export type Operation = Described &
  (
    | { readonly access: 'public'; readonly handle: (call: Call) => Promise<Answer> }
    /** Opened from a mail or a plain browser: no API key comes with it. */
    | { readonly access: 'browser'; readonly handle: (call: Call) => Promise<Answer> }
    /** Needs the access token of a live session. */
    | { readonly access: 'session'; readonly handle: (call: SessionCall) => Promise<Answer> }
    /** Needs the secret key. */
    | { readonly access: 'admin'; readonly handle: (call: Call) => Promise<Answer> }
  );

/** The session behind an access token, read at this request. */
export type LiveSession = {
  readonly id: string;
  /** Of the session and of this token: one from before the second factor was given stays one of the first level. */
  readonly aal: 'aal1' | 'aal2';
  readonly account: Account;
};
