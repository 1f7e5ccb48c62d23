import type { Role } from '@parrain/domain/role';
import type { ReactNode } from 'react';
import { PlaceLink } from './place-link.tsx';

export interface PersonLinkProps {
  /** Only clients and commercials have a panel: of anybody else the name alone stands. */
  role: Role;
  /** Null where the account is gone: the name alone stands. */
  id: string | null;
  children: ReactNode;
}

/** A person's name, leading to their panel in the admin's dashboard (NV-02). */
export function PersonLink({ role, id, children }: PersonLinkProps) {
  if (id === null || (role !== 'client' && role !== 'commercial')) return children;
  return <PlaceLink to={{ search: personSearch(role, id) }}>{children}</PlaceLink>;
}

/** The address of a person's panel. */
function personSearch(role: 'client' | 'commercial', id: string): string {
  return role === 'client' ? `?section=clients&client=${id}` : `?section=commerciaux&commercial=${id}`;
}
