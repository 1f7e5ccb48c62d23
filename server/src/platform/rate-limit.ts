import type { Database } from './database.ts';

export type Bucket = {
  /** The burst: the tokens of a full bucket. */
  readonly capacity: number;
  /** The time in which an empty bucket fills up again. */
  readonly perSeconds: number;
};

export type RateLimit = {
  /**
   * Takes one token of a bucket shared by every node.
   * @returns 0 where there was one, else the seconds to wait before the next.
   */
  readonly takeToken: (bucket: string, limit: Bucket) => Promise<number>;
};

export function createRateLimit(database: Database): RateLimit {
  return {
    async takeToken(bucket, limit) {
      // In a transaction of its own: a request that fails has used its token all the same.
      const { rows } = await database.queryAsService<{ wait: number }>('rate limit', {
        text: 'select private.take_token($1, $2, $3)::float8 as wait',
        values: [bucket, limit.capacity, limit.perSeconds],
      });
      return Math.ceil(rows[0]?.wait ?? 0);
    },
  };
}
