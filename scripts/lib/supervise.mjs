import { spawn } from 'node:child_process';

import { projectEnvironment, projectNode, root } from './project.mjs';

const RESTARTS_MAX = 5;
const RESTARTS_WITHIN_MS = 60_000;

/**
 * Runs a long-lived program and stands in front of it: signals are passed on once, its end is ours, and where it is
 * killed after it was ready it is started again.
 */
export function supervise(parameters, { env = {}, restart = false } = {}) {
  const starts = [];
  let child;
  let isStopping = false;

  function start() {
    starts.push(Date.now());
    let wasReady = false;
    child = spawn(projectNode(), parameters, {
      cwd: root,
      env: projectEnvironment(env),
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // A group of its own: the terminal's Ctrl-C reaches it once, through us, and not twice.
      detached: process.platform !== 'win32',
    });
    child.on('message', (message) => {
      if (message === 'ready') wasReady = true;
    });
    child.once('exit', (code, signal) => {
      const recent = starts.filter((at) => Date.now() - at < RESTARTS_WITHIN_MS).length;
      if (restart && !isStopping && wasReady && code !== 0 && recent <= RESTARTS_MAX) {
        process.stderr.write(`Le serveur s'est arrêté (${signal ?? `code ${code}`}) : il redémarre.\n`);
        start();
        return;
      }
      process.exitCode = code ?? 1;
      // What stays open (the signal handlers) must not keep us.
      process.exit();
    });
    child.once('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    });
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isStopping = true;
      child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    });
  }
  start();
}
