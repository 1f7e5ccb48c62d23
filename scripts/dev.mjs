// npm run dev: the server restarts and the page reloads as soon as a file changes. One address: the page's, which passes
// calls on to the server.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

import { ensureInstalled } from './ensure-installed.mjs';
import { envFile, inProject, projectEnvironment, projectNode, root, tool } from './lib/project.mjs';
import { onStop } from './lib/supervise.mjs';
import { watching } from './lib/watch.mjs';

await ensureInstalled();
const pagePort = process.env.PORT ?? '5173';
const apiPort = await freePort();
const apiOrigin = `http://127.0.0.1:${apiPort}`;
const pageOrigin = `http://localhost:${pagePort}`;

const server = start(projectNode(), [...watching(), ...envFile(), 'server/src/main.ts'], root, {
  PORT: String(apiPort),
  HOST: '127.0.0.1',
  PUBLIC_URL: process.env.PUBLIC_URL ?? pageOrigin,
});
const children = [server];

let isStopping = false;
function stop() {
  if (isStopping) return;
  isStopping = true;
  for (const child of children) child.kill('SIGTERM');
}
onStop(stop);
const serverEnd = end(server);
await answers(`${apiOrigin}/health/live`);
if (!isStopping) {
  const [node, script] = tool('@react-router/dev', 'react-router');
  const page = start(node, [...script, 'dev', '--port', pagePort, '--strictPort'], inProject('web'), {
    API_ORIGIN: apiOrigin,
  });
  children.push(page);
  await Promise.all([serverEnd, end(page)]);
}
process.exit();

/** Stops the other child when one ends: neither is of use alone. */
function end(child) {
  return new Promise((resolve) => {
    child.once('exit', resolve);
  }).then(stop);
}

/** The page is opened on a server that is there. */
async function answers(address) {
  while (!isStopping) {
    const isUp = await fetch(address).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}

function start(command, parameters, cwd, env) {
  return spawn(command, parameters, {
    cwd,
    env: projectEnvironment(env),
    stdio: 'inherit',
    detached: process.platform !== 'win32',
  });
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
