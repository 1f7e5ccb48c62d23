import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';

import { isPoolExhaustion } from './database-errors.ts';
import type { Database } from './database.ts';
import type { Log } from './log.ts';

/** The supervisor of this process: systemd, another process, or none. */
export type Supervisor = {
  /** The server answers: the watchdog of systemd is fed from now on. */
  readonly ready: (db: Pick<Database, 'ping'>) => void;
  /** The server is about to stop: the watchdog ends. */
  readonly stopping: () => void;
};

/** Longer than the pool's own timeout for a free connection. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * The supervisor that the environment names. Under systemd (`Type=notify`) it is notified by `systemd-notify`: Node has no
 * Unix datagram sockets.
 *
 * The watchdog is fed while the event loop turns and the pool can give a connection, or reports that the database is away:
 * a restart would not bring it back. A server whose connections all hang is restarted.
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
