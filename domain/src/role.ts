/** The three kinds of user (section 1), and the company's accountant, who only reads (UI-12). */
export const roles = ['admin', 'commercial', 'client', 'comptable'] as const;
export type Role = (typeof roles)[number];

/** The word beside a person's name in the header (H-02). */
export const roleLabels: Readonly<Record<Role, string>> = {
  admin: 'Administrateur',
  commercial: 'Commercial',
  client: 'Client',
  comptable: 'Comptable',
};

export function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value);
}

/** Landing page after sign-in: client or any other role goes to the client's dashboard. */
export function dashboardPathFor(role: string): string {
  return `/${isRole(role) ? role : 'client'}/dashboard`;
}

/** Page after logout or an expired session: a client goes to /auth/login, the others to /login. */
export function loginPathAfterLogout(role: string): string {
  return role === 'client' ? '/auth/login' : '/login';
}
