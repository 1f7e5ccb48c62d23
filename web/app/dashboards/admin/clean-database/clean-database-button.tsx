import { useQuery } from '@tanstack/react-query';
import { DatabaseZap } from 'lucide-react';
import { useState } from 'react';
import { firstStepsQuery } from '#api/company/first-steps';
import { Button } from '#ui/button';
import { lazyPart } from '#ui/lazy-part';

const CleanDatabaseDialog = lazyPart(() => import('./clean-database-dialog.tsx'));

/** AD-02: the « clean database » button of the menu, in the specification's own words; none where nothing is to clean (NV-08). */
export function CleanDatabaseButton() {
  const [open, setOpen] = useState(false);
  const { data: steps } = useQuery(firstStepsQuery);
  if (steps?.hasTestData !== true && !open) return null;
  return (
    <>
      <Button variant="quiet" size="sm" icon={<DatabaseZap />} className="self-start" onClick={() => setOpen(true)}>
        <span lang="en">clean database</span>
      </Button>
      {open && <CleanDatabaseDialog onClose={() => setOpen(false)} />}
    </>
  );
}
