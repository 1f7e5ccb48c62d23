import { userObject } from '../accounts/user-object.ts';
import { ACCOUNT_COLUMNS, ACCOUNT_TABLES } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { validationFailed } from '../protocol/errors.ts';
import type { Call, Operation } from '../protocol/operation.ts';
import { queryValue } from '../protocol/request.ts';

const PER_PAGE = 50;
const PER_PAGE_MAX = 1000;

/** GET /admin/users (AU-19): by page, newest first unless another order is asked for; the client reads the headers for the rest. */
export const listUsers: Operation = {
  method: 'GET',
  url: '/admin/users',
  access: 'admin',
  async handle(call) {
    const page = positive(call, 'page', 1);
    const perPage = Math.min(positive(call, 'per_page', PER_PAGE), PER_PAGE_MAX);
    const filter = queryValue(call.request, 'filter');
    const order = orderOf(queryValue(call.request, 'sort'));
    const { rows } = await call.db.queryAsService<Account & { total: number }>('auth admin: list users', {
      text: `select ${ACCOUNT_COLUMNS}, t.total::int as total
        from (select count(*) as total from ${ACCOUNT_TABLES} where ${MATCHES}) t
        left join lateral (
          select u.id from ${ACCOUNT_TABLES} where ${MATCHES} order by ${order} limit $2 offset $3
        ) found on true
        left join auth.users u on u.id = found.id left join public.profiles p on p.id = u.id
        order by ${order}`,
      values: [filter === null ? null : `%${filter.replace(/[\\%_]/gu, '\\$&')}%`, perPage, (page - 1) * perPage],
    });
    const total = rows[0]?.total ?? 0;
    const users = rows.filter((row) => row.id !== null).map(userObject);
    return {
      body: { users, aud: 'authenticated' },
      headers: { 'x-total-count': String(total), link: linkHeader(page, perPage, total) },
    };
  },
};

const MATCHES = `($1::text is null or u.email ilike $1 or p.full_name ilike $1)`;

/** The client splits on « = », so `page` stands first and `rel` is quoted. */
function linkHeader(page: number, perPage: number, total: number): string {
  const last = Math.max(1, Math.ceil(total / perPage));
  const link = (to: number, rel: string): string => `</admin/users?page=${to}&per_page=${perPage}>; rel="${rel}"`;
  return [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', ');
}

const SORTS = new Set(['created_at', 'updated_at', 'last_sign_in_at', 'email', 'phone']);

/** `created_at desc`, or several separated by commas: names of the list above alone ever reach the statement. */
function orderOf(sort: string | null): string {
  if (sort === null) return 'u.created_at desc, u.id';
  const columns = sort.split(',').map((part) => {
    const [, name = '', direction = 'asc'] = /^\s*([a-z_]+)(?:\s+(asc|desc))?\s*$/iu.exec(part) ?? [];
    if (!SORTS.has(name)) throw validationFailed(`Bad Pagination Parameters: sort by ${[...SORTS].join(', ')}`);
    return `u.${name} ${direction.toLowerCase() === 'desc' ? 'desc' : 'asc'} nulls last`;
  });
  return [...columns.slice(0, SORTS.size), 'u.id'].join(', ');
}

function positive(call: Call, name: string, byDefault: number): number {
  const text = queryValue(call.request, name);
  if (text === null) return byDefault;
  if (!/^[1-9]\d{0,8}$/u.test(text))
    throw validationFailed(`Bad Pagination Parameters: ${name} is not a positive number`);
  return Number(text);
}
