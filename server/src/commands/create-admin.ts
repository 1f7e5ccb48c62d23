import { randomUUID } from 'node:crypto';

import { generateTemporaryPassword, hashPassword, TEMPORARY_PASSWORD_HOURS } from '../auth/for-other-doors.ts';
import { troubleOf } from '../platform/errors.ts';
import { CommandError, runCommand } from './context.ts';

// npm run create-admin -- <email> <full name>: the first admin of a company that starts without demo data.
await runCommand(async ({ platform }) => {
  const [email, ...names] = process.argv.slice(2);
  const fullName = names.join(' ').trim();
  if (email === undefined || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(email) || fullName === '') {
    throw new CommandError('Usage : npm run create-admin -- adresse@exemple.fr "Prénom Nom"');
  }
  const password = generateTemporaryPassword();
  const hash = await hashPassword(password);
  try {
    await platform.db.asService('create the first admin', (tx) =>
      tx.query(
        `select from private.create_account(p_id => $1, p_email => $2, p_password_hash => $3, p_role => 'admin',
          p_full_name => $4, p_temporary_until => now() + make_interval(hours => $5))`,
        [randomUUID(), email, hash, fullName, TEMPORARY_PASSWORD_HOURS],
      ),
    );
  } catch (error) {
    const trouble = troubleOf(error);
    throw trouble.kind === 'failure' ? trouble.failure : error;
  }
  process.stdout.write(
    `Administrateur créé : ${email}\nMot de passe temporaire (${TEMPORARY_PASSWORD_HOURS} h, à remplacer à la première connexion) : ${password}\n`,
  );
  return 0;
});
