import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { companySettings } from '#api/company/company-settings';
import { lazyPart } from '#ui/lazy-part';

const RulesDialog = lazyPart(() => import('./rules-dialog.tsx'));

/**
 * CS-05: asks a client to accept the rules in force, at the first visit and after each change. Put off, it comes back at the next visit:
 * what they earned is never out of reach.
 */
export function RulesStep() {
  const { data } = useQuery(companySettings);
  const [putOff, setPutOff] = useState<number>();
  const version = data?.rulesToAccept ?? null;
  if (version === null || version === putOff) return null;
  return <RulesDialog onLater={() => setPutOff(version)} />;
}
