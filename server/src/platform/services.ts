import type { Config } from '../config.ts';
import type { Clock } from './clock.ts';
import type { Database } from './database.ts';
import type { Jobs } from './jobs.ts';
import type { ApiKeys } from './keys.ts';
import type { Listener } from './listener.ts';
import type { Log } from './log.ts';
import type { MailService } from './mail.ts';
import type { Gauges } from './metrics.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Secrets } from './secrets.ts';
import type { Tokens } from './tokens.ts';

/** The services that the platform gives to every door. */
export type Services = {
  readonly config: Config;
  /** The address people use, without a trailing slash. Known once the server listens where none is configured. */
  readonly publicUrl: () => string;
  readonly db: Database;
  /** The same database by a few connections of its own, for readings that last: they keep none from short ones. */
  readonly longReadings: Database;
  readonly secrets: Secrets;
  readonly keys: ApiKeys;
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly listener: Listener;
  readonly mail: MailService;
  readonly rateLimit: RateLimit;
  /** The gauges of the metrics: each part of the program adds its own before the server listens. */
  readonly gauges: Gauges;
  readonly log: Log;
  readonly clock: Clock;
};
