import { userObject } from '../accounts/user-object.ts';
import type { Operation } from '../protocol/operation.ts';

/** GET /user (AU-13): the person of the session. */
export const getUser: Operation = {
  method: 'GET',
  url: '/user',
  access: 'session',
  handle: async ({ session }) => ({ body: userObject(session.account) }),
};
