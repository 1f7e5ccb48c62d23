// node scripts/run.mjs scripts/release-fixture.mjs <version> [commit]: keeps a small installation of a release, which tests of
// upgrading start from: `database/tests/releases/<version>.dump.zst` and what opens it, `<version>.json`. The program of that
// commit runs with its demo company, on which the main job is done once; then all its rows are taken.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';

import { siteAt, signInAll, referAndValidate, requestAndPay, ask } from '../server/src/testing/main-job.ts';
import { startRelease } from '../server/src/testing/release.ts';
import { inProject } from './lib/project.mjs';

const PASSWORD = 'Demo-Parrain-2026';
const PEOPLE = { admin: 'admin@demo.example', commercial: 'commercial@demo.example', client: 'client@demo.example' };
const ADDRESS = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };

const [version, commit = `v${version}`] = process.argv.slice(2);
if (version === undefined) throw new Error('Which version? node scripts/run.mjs scripts/release-fixture.mjs 1.0.0');

const secretKey = randomBytes(32).toString('hex');
const release = await startRelease(commit, { DEMO: '1', SECRET_KEY: secretKey });
try {
  const site = await siteAt(release.url);
  const tokens = await signInAll(site, PEOPLE, PASSWORD);
  const call = async (who, name, body) => {
    const answer = await ask(site, tokens[who], `/functions/v1/${name}`, body);
    if (answer.status >= 300) throw new Error(`${name} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  // A paper is made for what is paid from now on.
  await call('admin', 'papers?action=update_company', {
    ...ADDRESS,
    issues_papers: true,
    contest_days: 15,
    legal_name: 'Lumeo Habitat',
    siren: '732829320',
    vat_number: '',
  });
  const [client] = (await ask(site, tokens.client, `/rest/v1/profiles?select=id&email=eq.${PEOPLE.client}`)).body;
  await call('client', 'papers?action=update_payee', {
    ...ADDRESS,
    payee_id: client.id,
    status: 'particulier',
    legal_name: 'Cliente de démonstration',
  });
  await referAndValidate(site, tokens);
  await requestAndPay(site, tokens, '12.50');
  const { key } = await call('admin', 'api-keys?action=create', { name: 'Logiciel de devis', scopes: ['read'] });
  const dump = zstdCompressSync(await release.dump(secretKey), {
    params: { [constants.ZSTD_c_compressionLevel]: 19 },
  });
  const folder = inProject('database', 'tests', 'releases');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${version}.dump.zst`), dump);
  writeFileSync(
    path.join(folder, `${version}.json`),
    `${JSON.stringify({ version, commit: release.commit, secretKey, password: PASSWORD, people: PEOPLE, apiKey: key }, null, 2)}\n`,
  );
  process.stdout.write(`${version}: ${Math.ceil(dump.length / 1024)} KiB\n`);
} finally {
  await release.stop();
}
