// npm run dev: the server restarts and the page reloads as soon as a file changes. One address: the page's, which passes
// calls on to the server.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

import { ensureInstalled } from './ensure-installed.mjs';
import { inProject, projectEnvironment, projectNode, root, tool } from './lib/project.mjs';

await ensureInstalled();
const pagePort = process.env.PORT ?? '5173';
const apiPort = await freePort();
const apiOrigin = `http://127.0.0.1:${apiPort}`;
const pageOrigin = `http://localhost:${pagePort}`;

const children = [
  start(projectNode(), ['--watch', '--watch-preserve-output', 'server/src/main.ts'], root, {
    PORT: String(apiPort),
    HOST: '127.0.0.1',
    PUBLIC_URL: process.env.PUBLIC_URL ?? pageOrigin,
  }),
  start(
    ...(([node, script]) => [node, [...script, 'dev', '--port', pagePort, '--strictPort']])(
      tool('@react-router/dev', 'react-router'),
    ),
    inProject('web'),
    { API_ORIGIN: apiOrigin },
  ),
];

let isStopping = false;
function stop() {
  if (isStopping) return;
  isStopping = true;
  for (const child of children) child.kill('SIGTERM');
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve)).then(stop)));
process.exit();

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
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
