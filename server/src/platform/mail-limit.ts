import type { Transaction } from './database.ts';

/** The mails that one network can cause in a day, to addresses whose owners may not have asked for them. */
const PER_NETWORK = { capacity: 300, perSeconds: 86_400 };

/**
 * Counts a mail among those of the hour (`MAILS_PER_HOUR`), and of the network that caused it where one did, in the
 * transaction that sends it: one that fails has sent nothing. Every door counts in the same buckets.
 * @returns 0 where the mail may be sent, else the seconds to wait.
 */
export async function secondsUntilMail(
  tx: Transaction,
  { mailsPerHour, network }: { readonly mailsPerHour: number | null; readonly network: string | null },
): Promise<number> {
  const limits: (readonly [bucket: string, capacity: number, perSeconds: number])[] = [];
  if (network !== null) limits.push([`mails:${network}`, PER_NETWORK.capacity, PER_NETWORK.perSeconds]);
  if (mailsPerHour !== null) limits.push(['mails', mailsPerHour, 3600]);
  return tx.asService('count a mail', async () => {
    for (const limit of limits) {
      const { rows } = await tx.query<{ wait: number }>('select private.take_token($1, $2, $3)::float8 as wait', [
        ...limit,
      ]);
      const wait = rows[0]?.wait ?? 0;
      if (wait > 0) return Math.ceil(wait);
    }
    return 0;
  });
}
