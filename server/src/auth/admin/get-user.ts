import { userObject } from '../accounts/user-object.ts';
import type { Operation } from '../protocol/operation.ts';
import { requireAccount, requireUserId } from './account-of-path.ts';

/** GET /admin/users/{id} (AU-19). */
export const getUserById: Operation = {
  method: 'GET',
  url: '/admin/users/:id',
  access: 'admin',
  async handle({ request, db }) {
    const id = requireUserId(request);
    return { body: userObject(await db.asService('auth admin: get user', (tx) => requireAccount(tx, id))) };
  },
};
