import { DatabaseZap } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '#ui/button';

const CleanDatabaseDialog = lazy(() => import('./clean-database-dialog.tsx'));

/** AD-02: the « clean database » button of the menu, in the specification's own words. */
export function CleanDatabaseButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="quiet" size="sm" icon={<DatabaseZap />} className="self-start" onClick={() => setOpen(true)}>
        <span lang="en">clean database</span>
      </Button>
      <Suspense>{open && <CleanDatabaseDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
