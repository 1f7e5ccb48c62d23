import type { Listener } from '#platform/listener';
import type { Log } from '#platform/log';

/** The messages between the nodes that share a database, through it. */
export type Nodes = {
  /** This node's name, new at each start. */
  readonly id: string;
  /** Sends to all other nodes, soon and in order. Lost where the database cannot be reached. */
  readonly send: (content: unknown) => void;
  readonly onMessage: (heard: (message: NodeMessage) => void) => void;
  /** Called each time this node begins to listen: earlier messages are lost. */
  readonly onOpen: (opened: () => void) => void;
  /** Resolves once everything is sent. */
  readonly drain: () => Promise<void>;
};

export type NodeMessage = { readonly node: string; readonly content: unknown };

const CHANNEL = 'parrain_nodes';
/** A notification holds 8000 bytes at most; a longer message waits in a table. */
const NOTIFICATION_BYTES_MAX = 7500;
const WAITING_MAX = 5000;
const WAITING_LENGTH_MAX = 8_000_000;
const BATCH = 200;

export function createNodes(listener: Listener, log: Log): Nodes {
  const id = crypto.randomUUID();
  const hearers: ((message: NodeMessage) => void)[] = [];
  const waiting: string[] = [];
  let waitingLength = 0;
  let sequence = 0;
  let sending: Promise<void> | undefined;
  /** Messages are handled in order, although some must be fetched first. */
  let hearing = Promise.resolve();

  listener.listen(CHANNEL, (payload) => {
    // `<node> <number> <content, or # and where it waits>`
    const [node = ''] = payload.split(' ', 1);
    if (node === id) return;
    hearing = hearing
      .then(() => hear(node, payload))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'A message of another node was lost');
      });
  });

  async function hear(node: string, payload: string): Promise<void> {
    const text = payload.slice(payload.indexOf(' ', node.length + 1) + 1);
    const content = text.startsWith('#') ? await fetched(text.slice(1)) : text;
    if (content === undefined) return;
    const parsed: unknown = JSON.parse(content);
    for (const heard of hearers) heard({ node, content: parsed });
  }

  async function fetched(key: string): Promise<string | undefined> {
    const [row] = await listener.query<{ content: string }>({
      text: 'select content from private.node_messages where id = $1',
      values: [key],
    });
    return row?.content;
  }

  async function sendWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      for (const { length } of batch) waitingLength -= length;
      try {
        const messages: string[] = [];
        for (const content of batch) {
          // The number keeps two equal messages apart, which PostgreSQL would deliver as one.
          sequence += 1;
          messages.push(`${id} ${sequence} ${await carried(content)}`);
        }
        await listener.query({
          text: `select pg_notify('${CHANNEL}', m) from unnest($1::text[]) m`,
          values: [messages],
        });
      } catch (error) {
        log.debug({ err: error }, 'Messages to other nodes were lost');
      }
    }
  }

  async function carried(content: string): Promise<string> {
    if (Buffer.byteLength(content) <= NOTIFICATION_BYTES_MAX) return content;
    const key = crypto.randomUUID();
    await listener.query({
      text: 'insert into private.node_messages (id, content) values ($1, $2)',
      values: [key, content],
    });
    return `#${key}`;
  }

  return {
    id,
    send(content) {
      const text = JSON.stringify(content);
      waiting.push(text);
      waitingLength += text.length;
      // The oldest messages are dropped where the database is slower than their senders.
      while (waiting.length > WAITING_MAX || (waitingLength > WAITING_LENGTH_MAX && waiting.length > 1)) {
        waitingLength -= waiting.shift()?.length ?? 0;
      }
      sending ??= sendWaiting().finally(() => {
        sending = undefined;
      });
    },
    onMessage: (heard) => void hearers.push(heard),
    onOpen: (opened) => listener.onOpen(opened),
    drain: async () => sending,
  };
}
