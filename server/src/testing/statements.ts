import { Client } from 'pg';

/**
 * Does the work and lists the statements that this process sends to PostgreSQL meanwhile, packet by packet; to one database
 * alone where it is named, because other servers of the process have work of their own.
 */
export async function statementsSent<T>(
  work: () => Promise<T>,
  database?: string,
): Promise<{ readonly sent: readonly string[]; readonly result: T }> {
  const sent: string[] = [];
  const query = Reflect.get(Client.prototype, 'query') as (...given: readonly unknown[]) => unknown;
  function noted(this: Client, ...given: readonly unknown[]): unknown {
    const [first] = given;
    if (database !== undefined && Reflect.get(this, 'database') !== database) return Reflect.apply(query, this, given);
    if (typeof first === 'string') sent.push(first);
    else if (typeof first === 'object' && first !== null && 'text' in first) sent.push(String(first.text));
    return Reflect.apply(query, this, given);
  }
  Reflect.set(Client.prototype, 'query', noted);
  try {
    return { result: await work(), sent };
  } finally {
    Reflect.set(Client.prototype, 'query', query);
  }
}
