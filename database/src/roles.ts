import type { Client } from 'pg';

/** The database is not one that this version may run on, as a French sentence for whoever starts it. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Roles that a transaction takes. Roles are the cluster's: every installation on it shares these. */
const ACTING = ['anon', 'api_key', 'authenticated', 'service_role', 'parrain_service'] as const;
/** Nobody logs in with it any more; the first migration names it. */
const FORMER_LOGIN = 'authenticator';
const SHARED = [...ACTING, FORMER_LOGIN] as const;

/** `uuidv7()` is PostgreSQL 18's. */
const VERSION_MIN = 18;

/**
 * Reads the version of PostgreSQL before anything is written.
 * @throws MigrationError where it is too old.
 */
export async function requireVersion(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name`,
  );
  const [version] = rows;
  if (version !== undefined && Number(version.number) >= VERSION_MIN * 10_000) return;
  throw new MigrationError(
    `PostgreSQL ${version?.name.split(' ')[0] ?? ''} est trop ancien : il faut la version ${VERSION_MIN} ou une plus récente. ` +
      "Rien n'a été écrit dans la base.",
  );
}

/**
 * Makes the roles that every installation of the cluster shares, where they are missing. They belong to nobody in
 * particular: another owner needs the right to hand them out, and is told the statement that gives it.
 * @throws MigrationError naming what is missing, before anything is written.
 */
export async function ensureSharedRoles(client: Client, isNewDatabase: boolean): Promise<void> {
  const { rows: existing } = await client.query<{ name: string; is_unsafe: boolean; may_grant: boolean }>(
    `select rolname as name, rolsuper or rolbypassrls as is_unsafe,
       pg_has_role(current_user, oid, 'usage with admin option') as may_grant
     from pg_roles where rolname = any ($1)`,
    [SHARED],
  );
  const unsafe = existing.filter(({ is_unsafe }) => is_unsafe).map(({ name }) => name);
  if (unsafe.length > 0) {
    throw new MigrationError(
      `Le rôle ${unsafe.join(', ')} de ce serveur PostgreSQL passe outre la sécurité par ligne : un autre programme l'a fait ainsi. ` +
        `Rien n'a été écrit. Utilisez un autre serveur PostgreSQL, ou exécutez : ${unsafe
          .map((name) => `alter role ${name} nosuperuser nobypassrls;`)
          .join(' ')}`,
    );
  }
  const missing = SHARED.filter((name) => !existing.some((role) => role.name === name));
  if (missing.length === 0 && !isNewDatabase) return;
  const { rows } = await client.query<{ may_create_roles: boolean; owns_database: boolean }>(
    `select (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) as may_create_roles,
       pg_has_role(current_user, d.datdba, 'usage') as owns_database
     from pg_database d where d.datname = current_database()`,
  );
  const [may] = rows;
  const name = await ownNames(client);
  const statements = [
    ...(may?.may_create_roles === true ? [] : [`alter role ${name.user} createrole;`]),
    ...(may?.owns_database === true ? [] : [`alter database ${name.database} owner to ${name.user};`]),
    ...grantsMissing(existing, name.user),
  ];
  if (statements.length > 0) throw missingRights(statements);
  for (const role of missing) {
    // Another installation may be making it at this very moment.
    await client.query(`create role ${role} nologin noinherit`).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
  }
}

function grantsMissing(roles: readonly { readonly name: string; readonly may_grant: boolean }[], user: string) {
  const names = roles.filter((role) => !role.may_grant && role.name !== FORMER_LOGIN).map((role) => role.name);
  return names.length === 0 ? [] : [`grant ${names.toSorted().join(', ')} to ${user} with admin option;`];
}

function missingRights(statements: readonly string[], options?: ErrorOptions): MigrationError {
  return new MigrationError(
    "Il manque des droits à l'utilisateur de DATABASE_URL ; rien n'a été écrit. " +
      `Un administrateur de PostgreSQL les donne ainsi :\n  ${statements.join('\n  ')}`,
    options,
  );
}

/** The name of this database's own login: another database of the same cluster has another one. */
export async function loginRoleOf(client: Pick<Client, 'query'>): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select 'parrain_login_' || oid as name from pg_database where datname = current_database()`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The database has no name');
  return row.name;
}

/**
 * Makes this database's own login, or gives it the password again. It may become whoever a transaction acts for, and do
 * nothing else. The first time, the database is closed to the logins of its neighbours.
 * @throws MigrationError naming the statements that give the rights for it.
 */
export async function ensureLogin(client: Client, password: string): Promise<void> {
  const login = await loginRoleOf(client);
  const secret = client.escapeLiteral(password);
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [login]);
  await client.query('begin');
  try {
    if (rowCount === 0) {
      await client.query(`create role ${login} login noinherit password ${secret}`);
      await closeToNeighbours(client, login);
    } else {
      await client.query(`alter role ${login} login noinherit password ${secret}`);
    }
    await client.query(`grant ${ACTING.join(', ')} to ${login} with inherit false, set true`);
    await client.query(`grant usage on schema private, auth to ${login}`);
    await client.query(`grant execute on function private.identify() to ${login}`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    if (!isDenied(error)) throw error;
    const { user } = await ownNames(client);
    const { rows } = await client.query<{ name: string; may_grant: boolean }>(
      `select rolname as name, pg_has_role(current_user, oid, 'usage with admin option') as may_grant
       from pg_roles where rolname = any ($1)`,
      [[...ACTING, login]],
    );
    throw missingRights([`alter role ${user} createrole;`, ...grantsMissing(rows, user)], { cause: error });
  }
}

/**
 * True if this database's own login has all that {@link ensureLogin} gives: a version of the program may ask for a role that
 * the one before did not know.
 */
export async function isLoginComplete(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ complete: boolean }>(
    `select (select count(*) from pg_roles r where r.rolname = any ($1) and pg_has_role(l.oid, r.oid, 'set')) = $2
       and not l.rolinherit and l.rolcanlogin
       and has_schema_privilege(l.oid, 'private', 'usage') and has_schema_privilege(l.oid, 'auth', 'usage')
       and has_function_privilege(l.oid, 'private.identify()', 'execute') as complete
     from pg_roles l where l.rolname = $3`,
    [ACTING, ACTING.length, await loginRoleOf(client)],
  );
  return rows[0]?.complete === true;
}

/**
 * The shared roles act in every database that a login may connect to. Those who read this one by a right of their own keep
 * coming in: who was granted something here, who is connected now (nodes of a former version), who watches or copies.
 */
async function closeToNeighbours(client: Client, login: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct quote_ident(r.rolname) as name
     from pg_roles r
     where r.rolname <> all ($1) and r.rolname !~ '^parrain_login_'
       and (r.rolname in ('pg_monitor', 'pg_read_all_data')
         or r.rolname in (select usename from pg_stat_activity where datname = current_database())
         or (r.rolname <> $2 and r.oid in (
           select a.grantee from pg_class c, aclexplode(c.relacl) a where c.oid >= 16384
           union select a.grantee from pg_namespace n, aclexplode(n.nspacl) a where n.oid >= 16384 or n.nspname = 'public')))`,
    [ACTING, FORMER_LOGIN],
  );
  const { database } = await ownNames(client);
  await client.query(`revoke connect on database ${database} from public`);
  await client.query(`grant connect on database ${database} to ${[login, ...rows.map(({ name }) => name)].join(', ')}`);
}

async function ownNames(client: Client): Promise<{ readonly user: string; readonly database: string }> {
  const { rows } = await client.query<{ user: string; database: string }>(
    `select quote_ident(current_user) as user, quote_ident(current_database()) as database`,
  );
  const [names] = rows;
  if (names === undefined) throw new Error('The database has no name');
  return names;
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
/** 42710: it exists; 23505: it was made by another transaction meanwhile. */
const isDuplicate = (error: unknown): boolean => ['42710', '23505'].includes(String(codeOf(error)));
/** 42501: a right is missing; 0LP01: may not be granted. */
const isDenied = (error: unknown): boolean => ['42501', '0LP01'].includes(String(codeOf(error)));
