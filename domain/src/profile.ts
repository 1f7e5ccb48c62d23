import type { Role } from './role.ts';

/** A person of the platform (D-01); company, notes and commercialId speak of clients only. */
export interface Profile {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
  readonly phone: string | null;
  readonly role: Role;
  readonly company: string | null;
  readonly notes: string | null;
  readonly commercialId: string | null;
  /** Set when the account can no longer sign in while everything it did is kept (AD-05). */
  readonly deactivatedAt: string | null;
  readonly isTest: boolean;
  readonly createdAt: string;
}
