import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { PROJECT, textOf } from '../testing/deployment.ts';

type Bom = {
  readonly components: readonly { readonly name: string; readonly purl: string; readonly version: string }[];
};

test('[FX-17] npm run sbom writes a CycloneDX bill of materials that names everything the lock file has', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
    cwd: PROJECT,
    maxBuffer: 64 * 1024 * 1024,
  });
  const errors = await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(stdout);
  expect(errors).toBeNull();
  const named = new Set((JSON.parse(stdout) as Bom).components.map(({ purl }) => decodeURIComponent(purl)));
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    readonly packages: Readonly<
      Record<string, { readonly version: string; readonly optional?: true; readonly peer?: true }>
    >;
  };
  for (const name of ['server', 'database', 'domain', 'web'] as const) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(textOf(name, 'package.json')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string> | undefined
    >;
    for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) {
      const { version } = packages[`${name}/node_modules/${dependency}`] ??
        packages[`node_modules/${dependency}`] ?? { version: '1.0.0' };
      expect(named).toContain(`pkg:npm/${dependency}@${version ?? '1.0.0'}`);
    }
  }
});
