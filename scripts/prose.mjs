import { readFileSync } from 'node:fs';

import { filesIn } from './lib/files.mjs';
import { inProject, run } from './lib/project.mjs';

const FOLDERS = ['bench', 'database', 'domain', 'e2e', 'scripts', 'server', 'web'];
/** The first word of a docstring, on its first line or on the next one. */
const RIDDLE = /\/\*\*\s+(?:\*\s+)?(?:What|Who(?:m|se|ever)?|Whatever|Whether|Where|Which|How|When)\b/gu;
const SUBJECT_MAX = 72;
/** The last commit whose subject was written before this check. */
const BEFORE = 'a0f8af60';

/** The docstrings that open with a question's word, as `file:line`: a noun or a verb says more (CONTRIBUTING). */
export function findRiddles(files = sources()) {
  return files.flatMap(({ file, text }) =>
    [...text.matchAll(RIDDLE)].map(({ index }) => `${file}:${text.slice(0, index).split('\n').length}`),
  );
}

function sources() {
  return filesIn(FOLDERS, /\.(?:tsx?|mjs)$/u).map((file) => ({ file, text: readFileSync(inProject(file), 'utf8') }));
}

/** Subjects of commits over the limit. A checkout without that history (an archive, a shallow clone) has none. */
async function longSubjects() {
  const { code, output } = await run('git', ['log', '--format=%s', `${BEFORE}..HEAD`], {
    capture: true,
    cwd: inProject(),
  }).catch(() => ({ code: 1, output: '' }));
  return code === 0 ? output.split('\n').filter((subject) => subject.length > SUBJECT_MAX) : [];
}

/** Docstrings and subjects of commits, as CONTRIBUTING has them. */
export async function checkProse() {
  const found = [
    ...findRiddles().map((place) => `${place} (a docstring opens with a noun or a verb)`),
    ...(await longSubjects()).map((subject) => `« ${subject} » (a subject has at most ${SUBJECT_MAX} characters)`),
  ];
  return { code: found.length === 0 ? 0 : 1, output: found.join('\n') };
}
