import type { Operation } from './operation.ts';
import { userObject } from './user-object.ts';

/** GET /user (AU-13): the person of the session. */
export const getUser: Operation = {
  method: 'GET',
  url: '/user',
  access: 'session',
  handle: async ({ session }) => ({ body: userObject(session.account) }),
};
