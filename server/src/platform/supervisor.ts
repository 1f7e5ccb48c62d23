import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';

import { isPoolExhaustion } from './database-errors.ts';
import type { Database } from './database.ts';
import type { Log } from './log.ts';

/** What starts this process and watches it: systemd, another process, or nobody. */
export type Supervisor = {
  /** The server answers. From now on systemd is told regularly that it lives. */
  readonly ready: (db: Pick<Database, 'ping'>) => void;
  /** The server is about to stop: nothing is watched any more. */
  readonly stopping: () => void;
};

/** Above what the pool takes to say that none of its connections became free. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * The one that the environment names. Under systemd (`Type=notify`) it is told by `systemd-notify`: Node has no
 * datagram sockets of the file system.
 *
 * The watchdog is fed while the event loop turns and the pool has a connection to give. « The database is away » is an
 * answer too: to start this server again would not bring it back. A pool whose connections all hang is started again.
 */
export function createSupervisor(environment: Readonly<Record<string, string | undefined>>, log: Log): Supervisor {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: limit, WATCHDOG_PID: watched } = environment;
  let timer: NodeJS.Timeout | undefined;

  /** Waits until systemd has taken the message: it forgets those of a process that has ended. */
  function notify(...message: readonly string[]): void {
    if (socket === undefined) return;
    execFile('systemd-notify', message, { env: { ...environment, NOTIFY_SOCKET: socket } }, (error) => {
      if (error !== null) log.error({ err: error }, 'systemd could not be told');
    });
  }

  return {
    ready(db) {
      process.send?.('ready');
      notify('--ready', `--pid=${process.pid}`);
      const isWatched = watched === undefined || watched === String(process.pid);
      const milliseconds = Number(limit) / 1000;
      if (!isWatched || !(milliseconds > 0)) return;
      timer = setInterval(() => {
        void answers(db).then((isAnswering) => {
          if (isAnswering) notify('WATCHDOG=1');
          else log.error('The pool of connections gives no answer: the watchdog is not fed');
        });
      }, milliseconds / 3);
      timer.unref();
    },
    stopping() {
      clearInterval(timer);
      notify('STOPPING=1');
    },
  };
}

async function answers(db: Pick<Database, 'ping'>): Promise<boolean> {
  const asked = db.ping().then(
    () => true,
    (error: unknown) => !isPoolExhaustion(error),
  );
  return Promise.race([asked, wait(ANSWER_TIMEOUT_MS, false, { ref: false })]);
}
