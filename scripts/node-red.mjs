// npm run node-red: other software beside the product, which needs no more than a key and a webhook (WH-03). Starts the demo company
// and Node-RED (installed from npm into a temporary folder), lets a flow create a referral and receive the webhooks of its steps, prints
// what each was told, and takes both away.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { ensureInstalled } from './ensure-installed.mjs';
import { sessionOf, withDemo } from './lib/demo-in-chromium.mjs';
import { projectNode, run } from './lib/project.mjs';

const NODE_RED = 'node-red@5.0.7';
const PATIENCE_MS = 60_000;
/** The steps that the flow is told of, in the order in which the contract takes them. */
const STEPS = ['sale.pending', 'sale.contacted', 'sale.awaiting_admin_validation'];

/**
 * Code of the flow for a webhook: checks its signature (Standard Webhooks), and keeps it. It gets the body as bytes, because the signature
 * is over these.
 */
const VERIFY = `
const { createHmac, timingSafeEqual } = global.get('crypto');
const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = msg.req.headers;
const key = Buffer.from(env.get('PARRAIN_WEBHOOK_SECRET').slice('whsec_'.length), 'base64');
const body = msg.payload.toString();
const expected = createHmac('sha256', key).update(id + '.' + at + '.' + body).digest();
const isSigned = Math.abs(Date.now() / 1000 - Number(at)) <= 300 && signatures.split(' ').some((signature) => {
  const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
});
msg.statusCode = isSigned ? 204 : 401;
msg.payload = '';
if (isSigned) flow.set('received', [...(flow.get('received') || []), JSON.parse(body)]);
return msg;`;

/** Code of the flow for a contract of its own: calls the product by its reference. */
const REFER = `
msg.headers = { Authorization: 'Bearer ' + env.get('PARRAIN_KEY'), 'Content-Type': 'application/json' };
msg.url = env.get('PARRAIN_URL') + '/functions/v1/receive-referral';
msg.payload = { source: 'node-red', ...msg.payload };
return msg;`;

const RECEIVED = `msg.payload = flow.get('received') || []; return msg;`;

await ensureInstalled();
await withDemo(async ({ origin }) => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'parrain-node-red-'));
  let nodeRed;
  try {
    say(`Installation de ${NODE_RED}…`);
    const { code, output } = await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', home, NODE_RED], {
      capture: true,
      cwd: home,
    });
    if (code !== 0) throw new Error(`npm n'a pas installé ${NODE_RED} :\n${output}`);
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const { demo } = await (await fetch(`${origin}/config.json`)).json();
    const emailOf = (role) => demo.accounts.find((account) => account.role === role).email;
    const admin = JSON.parse(await sessionOf(origin, emailOf('admin'), demo.password));
    const act = (name, body) => callAs(origin, admin, name, body);

    const { key } = await act('api-keys?action=create', { name: 'Node-RED', scopes: ['read', 'referrals'] });
    const { secret } = await act('webhooks', {
      action: 'add',
      url: `${address}/parrain`,
      description: 'Node-RED',
      events: STEPS,
    });
    nodeRed = await startNodeRed(home, port, {
      PARRAIN_URL: origin,
      PARRAIN_KEY: key,
      PARRAIN_WEBHOOK_SECRET: secret,
    });

    const reference = { reference: 'DEVIS-42' };
    const friend = { referrer_email: emailOf('client'), name: 'Jeanne Martin', email: 'jeanne.martin@exemple.fr' };
    const contract = { contract_amount: '4200.50', contract_description: 'Isolation des combles' };
    for (const step of [friend, { status: 'contacted' }, { status: 'validated', ...contract }]) {
      const answer = await post(`${address}/contrat`, { ...reference, ...step });
      if (answer.success !== true) throw new Error(`Le parrainage est refusé : ${JSON.stringify(answer)}`);
      say(`Node-RED → Parrain : ${answer.created ? 'parrainage créé' : 'parrainage suivi'} (${answer.data.status})`);
    }

    const until = Date.now() + PATIENCE_MS;
    let received = [];
    while (received.length < STEPS.length) {
      if (Date.now() > until) throw new Error(`Node-RED n'a reçu que ${JSON.stringify(received)}`);
      await wait(200);
      received = await (await fetch(`${address}/recu`)).json();
    }
    for (const { type, data } of received) say(`Parrain → Node-RED : ${type} (${data.referred_contact_name})`);
    if (received.map(({ type }) => type).join() !== STEPS.join())
      throw new Error('Les étapes ne sont pas dans leur ordre.');
    const forged = await fetch(`${address}/parrain`, { method: 'POST', body: '{}' });
    if (forged.status !== 401) throw new Error(`Un message sans signature est accepté (${forged.status}).`);
    say('Un message sans signature est refusé.');
  } finally {
    if (nodeRed !== undefined) {
      nodeRed.kill('SIGTERM');
      await once(nodeRed, 'exit');
    }
    rmSync(home, { recursive: true, force: true });
  }
});

async function startNodeRed(home, port, env) {
  const folder = path.join(home, 'node-red');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'flows.json'), JSON.stringify(flow()));
  writeFileSync(
    path.join(folder, 'settings.js'),
    `module.exports = { flowFile: 'flows.json', uiHost: '127.0.0.1', httpAdminRoot: false, credentialSecret: false,
      functionGlobalContext: { crypto: require('node:crypto') }, logging: { console: { level: 'error' } } };`,
  );
  const child = spawn(
    projectNode(),
    [path.join(home, 'node_modules', 'node-red', 'red.js'), '--userDir', folder, '--port', String(port)],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const until = Date.now() + PATIENCE_MS;
  while (
    !(await fetch(`http://127.0.0.1:${port}/recu`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > until) throw new Error('Node-RED n’a pas démarré.');
    await wait(200);
  }
  return child;
}

/** Three addresses of Node-RED: for the product's webhooks, for a contract of its own, and for what it received. */
function flow() {
  const chain = (name, method, url, ...nodes) => {
    const all = [
      { type: 'http in', url, method, skipBodyParsing: name === 'webhook' },
      ...nodes,
      { type: 'http response' },
    ];
    return all.map((node, index) => ({
      id: `${name}${index}`,
      z: 'flow',
      name: '',
      x: 160 + 200 * index,
      y: 80,
      ...node,
      wires: index + 1 < all.length ? [[`${name}${index + 1}`]] : [],
    }));
  };
  const calculate = (func) => ({ type: 'function', func, outputs: 1 });
  return [
    { id: 'flow', type: 'tab', label: 'Parrain' },
    ...chain('webhook', 'post', '/parrain', calculate(VERIFY)),
    ...chain('contract', 'post', '/contrat', calculate(REFER), { type: 'http request', method: 'POST', ret: 'obj' }),
    ...chain('received', 'get', '/recu', calculate(RECEIVED)),
  ];
}

async function callAs(origin, session, name, body) {
  const { publishableKey } = await (await fetch(`${origin}/config.json`)).json();
  const answer = await post(`${origin}/functions/v1/${name}`, body, {
    apikey: publishableKey,
    authorization: `Bearer ${session.access_token}`,
  });
  if (answer.success !== true) throw new Error(`${name} : ${JSON.stringify(answer)}`);
  return answer;
}

async function post(address, body, headers = {}) {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
