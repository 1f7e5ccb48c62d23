import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { envFile, projectEnvironment, projectNode, root } from './project.mjs';

const RESTARTS_MAX = 5;
const RESTARTS_WITHIN_MS = 60_000;
const LAUNCHER_LOOK_MS = 250;

/** Processes that started this one, read at once: they may be gone before there is anything to stop. */
const launchers = launchersOf(process.ppid);

/**
 * Runs a long-lived program and stands in front of it: the first signal is passed on, its end is ours, and where it is
 * killed after it was ready it is started again. Where this process is killed, the program notices by its closed channel.
 */
export function supervise(parameters, { env = {}, restart = false } = {}) {
  const starts = [];
  // The product's own programs read the project's settings.
  const settings = parameters[0]?.startsWith('server/') ? envFile() : [];
  let child;
  let isStopping = false;

  function start() {
    starts.push(Date.now());
    let wasReady = false;
    child = spawn(projectNode(), [...settings, ...parameters], {
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
      // Open handles (the signal handlers) must not keep the process alive.
      process.exit();
    });
    child.once('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    });
  }
  onStop((signal) => {
    isStopping = true;
    child.kill(signal);
  });
  start();
}

/**
 * Calls back once, at the first signal that asks this process to stop or when npm, which started it, is gone. Further
 * signals are ignored: npm passes on what the whole group was sent already.
 */
export function onStop(stop) {
  let isStopping = false;
  function once(signal) {
    if (isStopping) return;
    isStopping = true;
    stop(signal);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => once(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM'));
  }
  // A terminal or a program that read our output may go first.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  if (process.env.npm_lifecycle_event === undefined) return;
  // npm passes its signals on to its shell, which dies of them and tells nobody.
  const timer = setInterval(() => {
    const isGone = process.ppid !== launchers[0] || launchersOf(process.ppid)[1] !== launchers[1];
    if (!isGone) return;
    clearInterval(timer);
    once('SIGTERM');
  }, LAUNCHER_LOOK_MS);
  timer.unref();
}

/** Our parent and, where that is npm's shell and the system tells, npm itself. */
function launchersOf(parent) {
  try {
    const [, name, grandparent] = /^\d+ \((.*)\) \S (\d+)/su.exec(readFileSync(`/proc/${parent}/stat`, 'utf8')) ?? [];
    return /^(?:ba|da|a|z)?sh$/u.test(name) ? [parent, Number(grandparent)] : [parent];
  } catch {
    return [parent];
  }
}
