import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET, PORT } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');

function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers;
  const isRecent = Math.abs(Date.now() / 1000 - Number(at)) <= 300;
  const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest();
  return (
    isRecent &&
    signatures.split(' ').some((signature) => {
      const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    })
  );
}

async function receive(request, response) {
  const body = Buffer.concat(await Array.fromAsync(request)).toString();
  if (!isSigned(request.headers, body)) return response.writeHead(401).end();
  process.stdout.write(`${body}\n`);
  return response.writeHead(204).end();
}

createServer((request, response) => void receive(request, response)).listen(Number(PORT));
